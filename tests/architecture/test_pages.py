"""The pages to learn from and to use show what their programs print and draw."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    page
    for page in [*DOCS.glob("learn/*.md"), *DOCS.glob("use/*.md"), DOCS / "index.md"]
    if "```python" in page.read_text("utf-8")
)


def changed(page: Path, folder: Path) -> list[str]:
    """Run a page in a copy of the folder of pages, and return which of its files have changed."""
    copy = folder / "docs" / page.relative_to(DOCS)
    copy.parent.mkdir(parents=True)
    copy.write_text(page.read_text("utf-8"), "utf-8")
    subprocess.run([sys.executable, DOCS / "run_pages.py", copy], check=True)
    return [
        written.name
        for written in (folder / "docs").rglob("*.*")
        if written.read_text("utf-8") != (DOCS / written.relative_to(folder / "docs")).read_text()
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_programs_print_and_draw(page: Path, tmp_path: Path) -> None:
    assert changed(page, tmp_path) == []


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    source = (DOCS / "learn" / "hooks.md").read_text("utf-8")
    wrong = tmp_path / "hooks.md"
    wrong.write_text(source.replace("tensor([30., 30.])", "tensor([3., 3.])"), "utf-8")
    subprocess.run([sys.executable, DOCS / "run_pages.py", wrong], check=True)
    assert wrong.read_text("utf-8") == source


def test_every_question_of_the_index_has_a_page() -> None:
    index = (DOCS / "learn" / "index.md").read_text("utf-8")
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", index))
    assert linked == {page.stem for page in DOCS.glob("learn/*-*.md")} | {"hooks"}
