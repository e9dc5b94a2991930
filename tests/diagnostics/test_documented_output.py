"""The pages on graphs and their errors show what their programs really print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import run_pages

DOCS = Path(__file__).resolve().parents[2] / "docs"


def pairs(page: str) -> list[tuple[str, str]]:
    """Return the programs of a page below which stands what they print, and that."""
    parts = run_pages.PART.finditer((DOCS / page).read_text("utf-8"))
    return [(part["program"], part["output"]) for part in parts if part["output"] is not None]


PAIRS = [
    pytest.param(*pair, id=f"{page}-{number}")
    for page in ("errors.md", "graph.md", "see-through.md", "classic-faults.md")
    for number, pair in enumerate(pairs(page), 1)
]


def comparable(text: str) -> list[str]:
    """Return the words: a page may break lines, and passes count on from those before."""
    return re.sub(r"#\d+, train|pass #\d+", "#n", text).split()


def printed_by(program: str, file: Path) -> str:
    """Return what a program prints, and the error that ends it, if one does."""
    file.write_text(program, encoding="utf-8")
    return run_pages.run_program(program, str(file), {})


@pytest.mark.usefixtures("without_the_session")
@pytest.mark.parametrize(("program", "output"), PAIRS)
def test_the_page_shows_what_the_program_prints(tmp_path: Path, program: str, output: str) -> None:
    assert comparable(output) == comparable(printed_by(program, tmp_path / "train.py"))


def test_the_pages_have_programs() -> None:
    assert len(PAIRS) > 30
