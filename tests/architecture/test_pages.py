"""The pages to learn from and to use show what their programs print and draw."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    page
    for page in [*DOCS.glob("learn/*.md"), *DOCS.glob("use/*.md"), DOCS / "index.md"]
    if "```python" in page.read_text("utf-8")
)


@pytest.fixture(scope="module")
def run_pages() -> Any:
    spec = importlib.util.spec_from_file_location("run_pages", DOCS / "run_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["run_pages"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_programs_print_and_draw(run_pages: Any, page: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a reader sees them, and goes on
        ran = run_pages.Page(page)
    assert ran.text == page.read_text("utf-8")
    for file, drawing in ran.pictures.items():
        assert drawing == file.read_text("utf-8")


def test_a_page_that_shows_something_else_is_found(run_pages: Any, tmp_path: Path) -> None:
    source = (DOCS / "use" / "from-numpy.md").read_text("utf-8")
    wrong = tmp_path / "page.md"
    wrong.write_text(source.replace("-215.6", "-216.6"), "utf-8")
    assert run_pages.Page(wrong).text == source


def test_every_question_of_the_index_has_a_page() -> None:
    index = (DOCS / "learn" / "index.md").read_text("utf-8")
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", index))
    assert linked == {page.stem for page in DOCS.glob("learn/*.md")} - {"index"}
