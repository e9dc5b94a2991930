"""What the page on the classic faults quotes of PyTorch is what PyTorch says."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "classic-faults.md"
FAULT = re.compile(
    r"^## (?P<title>\d+\. .*?)$.*?^```python\n(?P<program>.*?)^```$.*?^> (?P<said>.*?)$",
    re.DOTALL | re.MULTILINE,
)
FAULTS = [
    pytest.param(fault["program"], fault["said"], id=fault["title"])
    for fault in FAULT.finditer(PAGE.read_text("utf-8"))
]


def for_pytorch(program: str) -> str:
    """Return the program without what only pellucid has."""
    lines = program.replace("import pellucid as torch", "import torch").splitlines()
    lines = [
        line.replace("with torch.inspect.checking() as findings:", "if True:") for line in lines
    ]
    return "\n".join(line for line in lines if "findings" not in line)


def error_of(program: str) -> str:
    """Return the message of the error that a program raises; empty if it raises none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "train.py", "exec"), {})
        except Exception as error:  # noqa: BLE001 - whatever the program raises is what is wanted
            return str(error)
    return ""


@pytest.mark.parametrize(("program", "said"), FAULTS)
def test_pytorch_says_what_is_quoted(program: str, said: str) -> None:
    error = error_of(for_pytorch(program))
    if said == "(nothing)":
        assert error == ""
    else:
        assert said in error


def test_there_are_twelve() -> None:
    assert len(FAULTS) == 12
