"""What a compiled call takes, beside a plain one."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from pellucid.compat.compiling.disabling import disabled
from pellucid.inspect.tables import size_text, time_text

#: calls of each kind, in turns, of which the shortest counts
_ROUNDS = 9


@dataclass(frozen=True)
class Measured:
    """Time and memory of a compiled call, and of a plain one.

    Attributes:
        nanoseconds: The shortest time of a compiled call.
        plain_nanoseconds: The same of a plain one.
        bytes: The most memory that a compiled call held beside what was there, as far as Python and
            NumPy asked for it.
        plain_bytes: The same of a plain one.
    """

    nanoseconds: int
    plain_nanoseconds: int
    bytes: int
    plain_bytes: int

    def __str__(self) -> str:
        ratio = self.nanoseconds / max(self.plain_nanoseconds, 1)
        times = map(time_text, (self.nanoseconds, self.plain_nanoseconds))
        sizes = map(size_text, (self.bytes, self.plain_bytes))
        return (
            f"a call takes {', plain '.join(times)} ({ratio:.2f}), "
            f"and holds at most {', plain '.join(sizes)}, beside what was there"
        )


def measured(run: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Measured:
    """Return what a compiled function takes that is called with these arguments."""

    def call() -> Any:
        return run(*args, **kwargs)

    plain = disabled(call, recursive=True)
    best = map(min, times_in_turns((call, plain), _ROUNDS))
    return Measured(*best, *map(_most_bytes, (call, plain)))


def times_in_turns(calls: Sequence[Callable[[], Any]], rounds: int) -> list[tuple[int, ...]]:
    """Return the nanoseconds that each of some functions took, called in turns so many times."""
    times = [[_time(each) for each in calls] for _ in range(rounds)]
    return list(zip(*times, strict=True))


def _time(call: Callable[[], Any]) -> int:
    began = perf_counter_ns()
    call()
    return perf_counter_ns() - began


def _most_bytes(call: Callable[[], Any]) -> int:
    """Return the most memory that was held in a call, without what was there before."""
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        call()
        return max(tracemalloc.get_traced_memory()[1] - before, 0)
    finally:
        if not traced:
            tracemalloc.stop()
