"""What it costs to be watched: the steps of `bench_training`, watched and not.

All checks and the line of state are part of it, but not the one step that ``watch`` records.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

from benchmarks import bench_training
from benchmarks.harness import Case, Program, Row, at_most, duration, median_ratio, time_in_turns

MOST = 1.5


def cases() -> list[Case]:
    """Return each training step, watched against unwatched."""
    return [
        Watched(duel.name, duel.prepare)
        for duel in bench_training.cases()
        if isinstance(duel, bench_training.Duel)
    ]


@dataclass(frozen=True, slots=True)
class Watched:
    """A step of training that is watched, against the same one that is not."""

    name: str
    prepare: Callable[[ModuleType], Program]

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time in turns and yield one line."""
        from pellucid.inspect.watch import Terminal, Watch
        from pellucid.observe import watching

        step, watch = self.prepare(ours), Watch(Terminal(io.StringIO(), every=100), records=False)

        def watched() -> None:
            with watching(watch.hear):
                step()

        times = time_in_turns([watched, step])
        ratio = median_ratio(*times)
        best = [min(rounds) for rounds in times]
        yield Row(
            name=f"watched: {self.name}",
            ours=duration(best[0]),
            reference=f"not watched {duration(best[1])}",
            ratio=ratio,
            target=at_most(MOST),
            reached=ratio <= MOST,
        )
