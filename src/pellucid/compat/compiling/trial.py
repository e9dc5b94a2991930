"""Whether calls by a recording take less time than plain ones: both are tried in turns.

Either gives what the function gives, so calls of the program's own are timed, none is made for it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from pellucid.inspect.tables import time_text

#: how often a recording has run before it is tried
FIRST_RUNS = 8
#: how many calls are timed, if they are long or short, and after how many nanoseconds they are long
_FEWEST, _MOST, _LONG = 16, 128, 50_000_000
#: the nanoseconds in which a compiled function finds out that it has recordings
_ENTRY = 250


class Trial:
    """Some calls of a compiled function, by turns by its recordings and plain.

    Attributes:
        best: The nanoseconds of the shortest call by a recording, and of the shortest plain one.
    """

    def __init__(self) -> None:
        self.best = [0, 0]
        self._begun = 0
        self._spent = 0

    def call(self, replay: Callable[[], Any], plain: Callable[[], Any]) -> Any:
        """Make the next call, by one of two functions, and note how long it takes."""
        # the Thue-Morse sequence: a program's rhythm is not the same
        is_plain = self._begun.bit_count() % 2
        self._begun += 1
        called = plain if is_plain else replay
        began = perf_counter_ns()
        result = called()
        spent = perf_counter_ns() - began
        best = self.best[is_plain]
        self.best[is_plain] = min(spent, best) if best else spent
        self._spent += spent
        return result

    @property
    def is_over(self) -> bool:
        """Whether enough has been seen."""
        enough = _FEWEST if self._spent > _LONG else _MOST
        return self._begun >= enough and min(self.best) > 0

    @property
    def why_plain(self) -> str:
        """Why the function is to run plain; empty if it is not."""
        replay, plain = self.best[0] + _ENTRY, self.best[1]
        if replay < plain:
            return ""
        return (
            f"a call takes {time_text(plain)} plain and {time_text(replay)} by a recording, "
            "the shortest of some in turns"
        )
