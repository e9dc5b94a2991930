"""Folding loses nothing and finds loops, also in loops."""

from __future__ import annotations

import io
import re
from collections.abc import Hashable

import numpy as np
import pytest

from pellucid.inspect.folding import Repeat, fold, length_of
from tests.samples.grouped import together


def unfolded(items: list[Hashable]) -> list[Hashable]:
    flat: list[Hashable] = []
    for item in items:
        if isinstance(item, Repeat):
            flat += unfolded(list(item.items)) * item.times
        else:
            flat.append(item)
    return flat


@together()
@pytest.mark.parametrize("seed", range(20))
def test_folding_loses_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    sequence: list[Hashable] = []
    for _ in range(8):
        stretch = random.integers(0, 3, random.integers(1, 5)).tolist()
        sequence += stretch * int(random.integers(1, 12))
    assert unfolded(fold(sequence)) == sequence
    assert sum(map(length_of, fold(sequence))) == len(sequence)


def test_one_value_many_times() -> None:
    assert fold([7] * 1000) == [Repeat((7,), 1000, 1000)]


def test_a_period_of_several() -> None:
    assert fold([0, *[1, 2, 3] * 50, 4]) == [0, Repeat((1, 2, 3), 50, 150), 4]


def test_a_loop_in_a_loop() -> None:
    inner = Repeat((1,), 10, 10)
    assert fold(([1] * 10 + [2]) * 5) == [Repeat((inner, 2), 5, 55)]


def test_few_repetitions_stay_as_they_are() -> None:
    assert fold([1, 1, 1]) == [1, 1, 1]
    assert fold([1, 2, 1, 2]) == [1, 2, 1, 2]


def test_a_long_search_for_loops_is_counted_in_a_terminal(terminal: io.StringIO) -> None:
    fold(range(1000))
    counted = re.findall(r"looking for loops: ([\d,]+) of 6,000 steps", terminal.getvalue())
    assert counted == ["1,000", "2,000", "3,000", "4,000", "5,000", "6,000"]
    assert terminal.getvalue().endswith("\r\x1b[K")  # nothing of it stays
