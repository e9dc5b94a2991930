"""The pages on graphs and their errors show what their programs really print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAIR = re.compile(
    r"^```python\n(?P<program>.*?)^```\n+^```text\n(?P<output>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
PAIRS = [
    pytest.param(pair["program"], pair["output"], id=f"{page}-{number}")
    for page in ("errors.md", "graph.md", "see-through.md", "classic-faults.md")
    for number, pair in enumerate(PAIR.finditer((DOCS / page).read_text(encoding="utf-8")), 1)
]


def comparable(text: str) -> list[str]:
    """Return the words: a page may break lines, and passes count on from those before."""
    return re.sub(r"#\d+, train|pass #\d+", "#n", text).split()


def printed_by(program: str, file: Path) -> str:
    """Return what a program prints, and the error that ends it, if one does."""
    file.write_text(program, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, str(file), "exec"), {})
        except Exception as error:  # noqa: BLE001 - whatever the program raises is on the page
            print(f"{type(error).__name__}: {error}")
    return printed.getvalue()


@pytest.mark.parametrize(("program", "output"), PAIRS)
def test_the_page_shows_what_the_program_prints(tmp_path: Path, program: str, output: str) -> None:
    assert comparable(output) == comparable(printed_by(program, tmp_path / "train.py"))


def test_the_pages_have_programs() -> None:
    assert len(PAIRS) > 30
