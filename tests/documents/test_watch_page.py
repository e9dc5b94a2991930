"""The page of `watch` has an example of each kind of finding."""

from __future__ import annotations

from pathlib import Path

from pellucid.inspect.checks.training import Training

PAGE = Path(__file__).resolve().parents[2] / "docs" / "watch.md"


def test_each_kind_of_finding_has_an_example_and_no_other_has() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    examples = {cells[1] for cells in rows if len(cells) == 3 and cells[0].startswith("| ")}
    listed = {kind.strip() for kind in examples} - {"finding"}
    assert listed == set(Training(print).kinds)
