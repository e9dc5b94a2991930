"""The pages to learn from and to use show what their programs print and draw."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    page.relative_to(DOCS)
    for page in [
        *DOCS.glob("learn/*.md"),
        *DOCS.glob("use/*.md"),
        DOCS / "index.md",
        DOCS / "watch.md",
    ]
    if "```python" in page.read_text("utf-8")
)


def run_in_copy(folder: Path) -> None:
    """Run all pages in a copy of theirs, which is written again."""
    for page in PAGES:
        (folder / page).parent.mkdir(exist_ok=True)
        shutil.copy(DOCS / page, folder / page)
    ran = [sys.executable, DOCS / "run_pages.py", *(folder / page for page in PAGES)]
    subprocess.run(ran, check=True, capture_output=True)


def test_the_pages_show_what_their_programs_print_and_draw(tmp_path: Path) -> None:
    run_in_copy(tmp_path)
    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")]
    assert len(made) > len(PAGES)
    changed = [
        str(path)
        for path in made
        if (tmp_path / path).read_text("utf-8") != (DOCS / path).read_text("utf-8")
    ]
    assert changed == []


def test_what_stands_below_a_program_is_what_it_prints(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n1 / 0\n```\n\n```text\n3\n```\n", "utf-8")
    subprocess.run([sys.executable, DOCS / "run_pages.py", page], check=True)
    assert "2\nZeroDivisionError: division by zero\n" in page.read_text("utf-8")


def test_a_page_to_learn_from_has_a_question_two_pictures_and_what_pytorch_says() -> None:
    for page in DOCS.glob("learn/[!i]*.md"):
        text = page.read_text("utf-8")
        title, _, question, *_ = text.splitlines()
        assert (title[:2], question[:2]) == ("# ", "> "), page.name
        assert text.count("<!-- picture of ") >= 2, page.name
        assert "\n## What PyTorch says\n" in text, page.name


def test_every_question_of_the_index_has_a_page() -> None:
    index = (DOCS / "learn" / "index.md").read_text("utf-8")
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", index))
    assert linked == {page.stem for page in DOCS.glob("learn/*.md")} - {"index"}
