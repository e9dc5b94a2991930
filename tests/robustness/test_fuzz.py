"""A few of the calls with odd arguments that random programs make without end."""

from __future__ import annotations

import random
from typing import Any

from tests.robustness.both_ways.describing import described_graph
from tests.robustness.both_ways.odd_calls import limited, odd_call, outcome
from tests.robustness.both_ways.vocabulary import vocabulary

CALLS = 300


def test_random_calls_fail_only_with_errors_that_are_ours() -> None:
    rng, names = random.Random(1), vocabulary(lambda *_: None, described_graph)
    found: list[Any] = []
    with limited():
        for _ in range(CALLS):
            call = odd_call(rng)
            _, told = outcome(lambda call=call: eval(call, names))
            found += [] if told is None else [f"{call}: {told}"]
    assert found == []


def test_a_call_that_fails_with_an_error_of_pythons_own_is_complained_of() -> None:
    assert outcome(lambda: int("x"))[1] is not None
    assert outcome(lambda: int("1")) == (1, None)
