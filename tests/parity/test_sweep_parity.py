"""One of twelve cases of the sweep, which ``make sweep`` runs in full."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from tests.parity import sweep
from tests.parity.accepted import ACCEPTED
from tests.samples.names import ROOT

PARTS = 16


@pytest.mark.parametrize("part", range(PARTS))
def test_calls_with_other_operands_differ_only_as_accepted(part: int) -> None:
    unexplained = [
        f"{case} | {difference}"
        for case, differences in sweep.compare_all(list(sweep.sample(12, part, PARTS)))
        for difference in differences
        if not sweep.explained(case, difference)
    ]
    assert not unexplained, "\n".join(unexplained)


def test_what_is_accepted_has_a_row_on_the_page() -> None:
    page = (ROOT / "docs" / "differences.md").read_text("utf-8")
    assert [each.row for each in ACCEPTED if f"\n| {each.row}" not in page] == []
