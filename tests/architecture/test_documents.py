"""The programs in the documents run and print what stands there."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples.grouped import together

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM_WITH_OUTPUT = re.compile(
    r"^```python\n(?P<program>(?:(?!```)[^\n]*\n)*)^```\n+^```text\n(?P<output>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
BLOCK = re.DOTALL | re.MULTILINE
LINK = re.compile(r"\]\((?P<target>[^)#:]+)(?:#[^)]*)?\)")
#: in which `net[0](x)` is a call
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", BLOCK)

FOLDERS = ("*.md", "docs/**/*.md", "src/pellucid/**/README.md")
DOCUMENTS = sorted(path for pattern in FOLDERS for path in REPOSITORY.glob(pattern))


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def test_the_readme_prints_what_it_says() -> None:
    pairs = list(PROGRAM_WITH_OUTPUT.finditer((REPOSITORY / "README.md").read_text("utf-8")))
    assert pairs
    for pair in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(pair["program"], "README.md", "exec"), {"__name__": "__main__"})
        assert printed.getvalue() == pair["output"]


def test_the_readme_shows_what_its_failing_program_prints(tmp_path: Path) -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8")
    _, _, section = text.partition("## What it shows\n")
    program, picture, story = re.findall(r"^```(?:python|text)\n(.*?)^```$", section, BLOCK)[:3]
    (tmp_path / "train.py").write_text(program, "utf-8")
    run = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert picture in run.stdout
    assert story in run.stderr


@together()
@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    text = CODE.sub("", document.read_text("utf-8"))
    targets = [link["target"] for link in LINK.finditer(text)]
    assert [target for target in targets if not (document.parent / target).exists()] == []
