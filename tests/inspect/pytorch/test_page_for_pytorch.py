"""The programs of docs/use/with-pytorch.md print what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid
from tests.samples.duration import takes_long

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = re.compile(
    r"^```\{code-block\} python\n:caption: (?P<name>\w+\.py)\n\n(?P<program>.*?)^```$\n+"
    r"^```text\n(?P<printed>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
PAGE = (ROOT / "docs" / "use" / "with-pytorch.md").read_text("utf-8")
PROGRAMS = {found["name"]: found for found in PROGRAM.finditer(PAGE)}
SLOW = "slow.py"
#: those that import what others have written, and from where
CHECKOUTS = os.environ.get("PELLUCID_PROGRAMS", "")
REAL = {
    "held.py": "makemore", "unused.py": "", "sequence.py": "examples/time_sequence_prediction",
}  # fmt: skip
needs_checkouts = pytest.mark.skipif(
    not CHECKOUTS, reason="PELLUCID_PROGRAMS names no folder with the programs of the page"
)


def run(folder: Path, name: str) -> list[str]:
    """Run a program of the page in a file of its name, and return what it prints."""
    paths = str(Path(pellucid.__file__).parents[1]), str(Path(CHECKOUTS, REAL.get(name, "")))
    (folder / name).write_text(PROGRAMS[name]["program"])
    done = subprocess.run(
        [sys.executable, name], cwd=folder, capture_output=True, text=True, check=False,
        timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "110"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n").splitlines()


@takes_long
@pytest.mark.parametrize("name", sorted({*PROGRAMS} - {SLOW, *REAL}))
def test_a_program_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    printed = PROGRAMS[name]["printed"].rstrip("\n").splitlines()
    assert [each.rstrip() for each in run(tmp_path, name)] == [each.rstrip() for each in printed]


def lines(table: list[str]) -> set[str]:
    """Return the lines of the program that a table has rows of."""
    return {row.split()[0] for row in table if row.startswith(f"{SLOW}:")}


@takes_long
def test_a_recording_has_the_lines_that_the_page_says(tmp_path: Path) -> None:
    told, said = run(tmp_path, SLOW), PROGRAMS[SLOW]["printed"].splitlines()
    assert lines(told) == lines(said)
    assert len(lines(told)) == 4
    assert any(each.startswith("peak: ") and each.endswith(f"of {SLOW}:13") for each in told)


@needs_checkouts
@pytest.mark.parametrize("name", ["held.py", "unused.py"])
def test_what_is_said_of_a_program_of_others_is_told(name: str, tmp_path: Path) -> None:
    if name == "unused.py":
        pytest.importorskip("transformers")
    printed = PROGRAMS[name]["printed"].rstrip("\n").splitlines()
    assert [each.rstrip() for each in run(tmp_path, name)] == printed


@needs_checkouts
def test_lines_calls_and_memory_of_a_program_of_others_are_recorded(tmp_path: Path) -> None:
    def cells(rows: list[str]) -> set[tuple[str, ...]]:
        """Return line, calls and memory of the two cells."""
        found = [row.split() for row in rows if row.startswith(("train.py:26", "train.py:27"))]
        return {(row[0], *row[-3:]) for row in found}

    said = PROGRAMS["sequence.py"]["printed"].splitlines()
    assert cells(run(tmp_path, "sequence.py")) == cells(said)
    assert len(cells(said)) == 2


def test_there_are_four_and_three_of_others() -> None:
    assert len(PROGRAMS) == 4 + len(REAL)
