"""The list of truths names tests that there are, and has lost none."""

from __future__ import annotations

import pytest

from tests.inspect.truths import TRUTHS, count

#: how many there were of each when the tools were first held to them, 212 in all
FIRST = {
    "ledger": 23, "plan": 33, "record": 19, "why_alive": 32, "growth": 30, "why_no_grad": 55,
    "graphs and pages": 20,
}  # fmt: skip


@pytest.mark.parametrize("tool", TRUTHS)
def test_a_tool_is_held_to_as_many_truths_as_at_first(tool: str) -> None:
    assert count(tool) >= FIRST[tool]


def test_no_tool_is_left_out() -> None:
    assert TRUTHS.keys() == FIRST.keys()
    assert sum(FIRST.values()) == 212
