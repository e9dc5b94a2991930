"""The twelve classic faults, run with PyTorch: lines and remedies are those of the page."""

from __future__ import annotations

import linecache
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from pellucid.inspect import pytorch

pytest.importorskip("torch")

PAGE = Path(__file__).resolve().parents[3] / "docs" / "classic-faults.md"
FAULT = re.compile(
    r"^## (?P<title>\d+\. .*?)$.*?^```python\n(?P<program>.*?)^```$.*?^```text\n(?P<told>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
FAULTS = {fault["title"]: fault for fault in FAULT.finditer(PAGE.read_text("utf-8"))}
#: what is another in PyTorch: its engine keeps all of a graph or nothing, and passes are counted
#: from the beginning of the process
UNLIKE = (
    (r"keep just its part of the graph", "keep the whole graph"),
    (r"retain_graph=(scale|e)\b", "retain_graph=True"),
    (r"backward pass #\d+", "an earlier pass"),
)


def as_pytorch_can(text: str) -> str:
    for pattern, said in UNLIKE:
        text = re.sub(pattern, said, text)
    return text


def for_pytorch(program: str) -> str:
    """Return the program with PyTorch in the place of pellucid, on the same lines."""
    program = program.replace("import pellucid as torch", "import torch; import pellucid.inspect")
    return program.replace("torch.inspect.checking", "pellucid.inspect.pytorch.checking")


def run(program: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a program as ``train.py``, and return what is told: an error, or what it prints."""
    linecache.cache["train.py"] = len(program), None, program.splitlines(True), "train.py"
    scope: dict[str, Any] = {"__name__": "__main__", "__file__": "train.py"}
    with warnings.catch_warnings(), pytorch.lines():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "train.py", "exec"), scope)
        except RuntimeError as error:
            return str(error)
    return capsys.readouterr().out


def words(text: str) -> str:
    return " ".join(text.split())


def test_there_are_twelve() -> None:
    assert len(FAULTS) == 12


@pytest.mark.parametrize("title", FAULTS)
def test_a_fault_has_the_lines_and_the_remedy_of_the_page(
    title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = FAULTS[title]
    story = [each for each in fault["told"].splitlines() if each.startswith("  ")]
    told = run(for_pytorch(fault["program"]), capsys)
    assert story
    assert as_pytorch_can(words(" ".join(story))) in as_pytorch_can(words(told))
