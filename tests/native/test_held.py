"""Whatever is used while other threads may run is held: see Note [Borrowed references]."""

from __future__ import annotations

import os

import pytest

from tests.stress import ROUNDS

COUNT = int(os.environ.get("PELLUCID_STRESS_ROUNDS", "3"))


@pytest.mark.parametrize("name", ROUNDS)
def test_threads_that_take_away_what_is_used_change_nothing(name: str):
    for _ in range(COUNT):
        ROUNDS[name]()
