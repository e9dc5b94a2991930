"""The pictures of the documentation are what the programs above them make today."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import generate_pictures
import pytest

from tests.diagnostics.test_documented_output import comparable, pairs, printed_by

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "pictures.md").read_text(encoding="utf-8")


def test_the_drawings_are_those_that_the_programs_write(tmp_path: Path) -> None:
    # in a process of its own, as backward passes are counted from its start
    script = [sys.executable, str(DOCS / "generate_pictures.py"), "--into", str(tmp_path)]
    subprocess.run(script, check=True)
    written = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    kept = {name: (DOCS / "pictures" / name).read_text(encoding="utf-8") for name in written}
    assert kept == written


def test_the_photographs_are_of_the_programs_and_the_page_as_they_are() -> None:
    # where this fails: python docs/generate_pictures.py --screenshots
    taken_of = generate_pictures.TAKEN_OF.read_text(encoding="utf-8")
    assert taken_of == generate_pictures.photographed()


def test_every_file_that_a_program_writes_has_its_picture_on_the_page() -> None:
    linked = re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", PAGE)
    written = re.findall(r"\.(?:svg|html)\(\"([^\"]+)\"\)", PAGE)
    assert [name.replace(".html", ".png") for name in written] == linked
    assert all((DOCS / "pictures" / name).exists() for name in linked)


def test_the_page_shows_what_its_programs_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert pairs("pictures.md")
    for program, output in pairs("pictures.md"):
        assert comparable(printed_by(program, tmp_path / "train.py")) == comparable(output)
