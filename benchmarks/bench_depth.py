"""What a node costs in a graph of a million nodes, next to one of a thousand.

Each measurement runs in a process of its own, with the cyclic garbage collector off, so that
memory and allocator start fresh: `python -m benchmarks.bench_depth MODULE NODES`.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

from benchmarks.harness import Case, Row, at_most, collector_off, duration

SHALLOW = 1_000
DEEP = 1_000_000
SHALLOW_RUNS = 300
DEEP_RUNS = 3

Costs = dict[str, float]


def cases() -> list[Case]:
    """Return what is measured here."""
    return [Depth(target=1.5)]


@dataclass(frozen=True, slots=True)
class Depth:
    """A chain of multiplications, deep against shallow; `target` is the largest ratio."""

    target: float

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Measure in processes of their own and yield a line per phase."""
        deep, shallow = costs(ours.__name__, DEEP), costs(ours.__name__, SHALLOW)
        for phase in ("forward and backward", "forward and drop unused"):
            ratio = deep[phase] / shallow[phase]
            yield Row(
                name=f"chain of {DEEP:,}, per node: {phase}",
                ours=duration(deep[phase]),
                reference=f"chain of {SHALLOW:,} {duration(shallow[phase])}",
                ratio=ratio,
                target=at_most(self.target),
                reached=ratio <= self.target,
            )
        bytes_per_node = "bytes per node"
        if theirs is None:
            yield Row(f"chain of {DEEP:,}: memory per node", f"{deep[bytes_per_node]:.0f} B")
            return
        their_bytes = costs(theirs.__name__, DEEP)[bytes_per_node]
        yield Row(
            name=f"chain of {DEEP:,}: memory per node",
            ours=f"{deep[bytes_per_node]:.0f} B",
            reference=f"torch {their_bytes:.0f} B",
            ratio=deep[bytes_per_node] / their_bytes,
        )


def costs(module: str, nodes: int) -> Costs:
    """Return what a node costs there, measured in a new process."""
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_depth", module, str(nodes)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(finished.stdout)


# -- inside the process ----------------------------------------------------------------------


def measure(torch: ModuleType, nodes: int) -> Costs:
    """Return seconds and bytes per node, the best of several runs."""
    x = torch.ones(4, 4, requires_grad=True)
    w = torch.ones(4, 4, requires_grad=True)

    def build() -> object:
        y = x
        for _ in range(nodes):
            y = y * w
        return y.sum()

    def there_and_back() -> None:
        build().backward()
        x.grad = w.grad = None

    runs = SHALLOW_RUNS if nodes == SHALLOW else DEEP_RUNS
    with collector_off():
        before = resident_bytes()
        graph = build()
        held = resident_bytes() - before
        del graph
        return {
            "forward and backward": best_of(runs, there_and_back) / nodes,
            "forward and drop unused": best_of(runs, build) / nodes,
            "bytes per node": held / nodes,
        }


def best_of(runs: int, program: Callable[[], object]) -> float:
    """Return the seconds of the fastest run; what it returns is dropped within its time."""
    fastest = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        program()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def resident_bytes() -> int:
    """Return the largest amount of memory that the process has held so far."""
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


if __name__ == "__main__":
    print(json.dumps(measure(importlib.import_module(sys.argv[1]), int(sys.argv[2]))))
