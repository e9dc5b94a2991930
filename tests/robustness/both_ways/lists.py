"""The programs that decide: those of a list of seeds, and those in which something was found."""

from __future__ import annotations

from pathlib import Path

from tests.robustness.both_ways.generator import program

FOLDER = Path(__file__).parent
SEEDS = FOLDER / "seeds.txt"
FOUND = FOLDER / "found"
#: what stands between programs that have to run one after the other
NEXT = "\n# ---- then\n"


def seeds() -> list[int]:
    """Return the seeds of the list: a line is one or a range, and ``#`` begins a comment."""
    found: list[int] = []
    for line in SEEDS.read_text("utf-8").splitlines():
        first, _, last = line.partition("#")[0].strip().partition("-")
        if first:
            found += range(int(first), int(last or first) + 1)
    return found


def found() -> list[tuple[str, tuple[str, ...]]]:
    """Return what was found before, by name: programs, of which the last showed it."""
    return [
        (path.stem, tuple(path.read_text("utf-8").split(NEXT)))
        for path in sorted(FOUND.glob("*.txt"))
    ]


def fixed() -> list[tuple[str, tuple[str, ...]]]:
    """Return all programs that decide, by name."""
    return found() + [(f"seed {seed}", (program(seed),)) for seed in seeds()]


def add(source: Path) -> Path:
    """Add a program to those in which something was found; return where it stands."""
    target = FOUND / f"{source.stem}.txt"
    target.write_text(source.read_text("utf-8"), "utf-8")
    return target
