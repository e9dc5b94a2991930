"""The page on recordings shows what its programs print, but for the times."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import run_pages

DOCS = Path(__file__).resolve().parents[3] / "docs"
TIME = re.compile(r"\d[\d.]* ?(s|ms|us|µs)\b")
SHARE = re.compile(r"\d[\d.]* ?%")


def comparable(text: str) -> list[str]:
    """Return the lines in any order, as rows are sorted by time, without times and shares."""
    lines = (SHARE.sub("P", TIME.sub("T", line)) for line in text.splitlines())
    return sorted(" ".join(line.split()) for line in lines if not line.startswith("|"))


def test_the_page_shows_what_its_programs_print(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = DOCS / "recording.md"
    ran = comparable(run_pages.Page(page).text)
    shown = comparable(page.read_text("utf-8"))
    assert [line for line in ran if line not in shown] == []
    assert len(ran) == len(shown)
