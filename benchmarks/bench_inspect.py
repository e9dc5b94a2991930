"""How long it takes to look at a graph of a million nodes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from benchmarks.harness import Case, Row, at_most, collector_off, duration

STEPS = 333_333
RUNS = 5


def cases() -> list[Case]:
    """Return what is measured here."""
    return [
        Look("inspect.graph", lambda torch, loss: torch.inspect.graph(loss), 1.5),
        Look("inspect.memory", lambda torch, loss: torch.inspect.memory(loss), 2.0),
        Look("print(inspect.memory)", lambda torch, loss: str(torch.inspect.memory(loss)), None),
        Look("inspect.plan", lambda torch, loss: torch.inspect.plan(loss), 5.0),
    ]


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at a recurrence of a million nodes; `target` is in seconds."""

    name: str
    look: Callable[[ModuleType, Any], object]
    target: float | None

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Build the graph, look at it several times, and yield the fastest."""
        with collector_off():
            loss = recurrence(ours)
            seconds = min(self.seconds(ours, loss) for _ in range(RUNS))
        yield Row(
            name=f"{self.name} of {3 * STEPS:,} nodes",
            ours=duration(seconds),
            target=f"{at_most(self.target)} s" if self.target is not None else "",
            reached=None if self.target is None else seconds <= self.target,
        )

    def seconds(self, torch: ModuleType, loss: Any) -> float:
        """Return how long one look takes: the processor's time, as it waits for nothing."""
        start = time.process_time()
        self.look(torch, loss)
        return time.process_time() - start


def recurrence(torch: ModuleType) -> Any:
    """Return the end of a long chain: three nodes for each step, two of which save."""
    w = torch.ones(4, requires_grad=True)
    h = torch.ones(4)
    for _ in range(STEPS):
        h = torch.tanh(h * w + 1)
    return h.sum()
