"""Programs made small: statements are removed as long as the same fact differs."""

from __future__ import annotations

import re

from tests.parity.programs.comparing import Difference
from tests.parity.programs.outcome import cause_of, outcome_of
from tests.robustness.both_ways.shrinking import smaller


def shrunk(text: str, level: int) -> str:
    """Return the smallest program found that differs on a level from the same cause."""
    first = outcome_of(text).found.get(level)
    if first is None:
        return text
    found = True
    while found:
        found = False
        for fewer in smaller(text):
            difference = outcome_of(fewer).found.get(level)
            if difference is not None and _alike(difference, first):
                text, found = fewer, True
                break
    return text


def _alike(one: Difference, other: Difference) -> bool:
    if re.sub(r"\w+$", "", one.aspect) != re.sub(r"\w+$", "", other.aspect):
        return False
    return cause_of(one)[:60] == cause_of(other)[:60]
