"""How much longer a training step takes while other processes keep every core busy.

Each library runs in a process of its own, on as many threads as there are cores, first alone and
then beside one busy process for each core. Threads that spin while they wait make a step take a
hundred times as long then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from benchmarks import own_process
from benchmarks.harness import Case, Row, at_most, duration

TARGET = 4.0
NETWORKS = ("perceptron", "autoencoder", "transformer", "digit_network")

SCRIPT = """
import statistics, subprocess, time
program(), program()


def typical(seconds):
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        program()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


alone = typical(2)
others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(threads)]
try:
    time.sleep(0.3)
    print(alone, typical(5))
finally:
    for each in others:
        each.kill()
"""


@dataclass(frozen=True, slots=True)
class Slowdown:
    """The median time of a step beside busy processes, next to that alone."""

    name: str
    program: str

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Run each library in a process and yield one line."""
        alone, loaded = _measured(ours, self.program)
        reference = ""
        if theirs is not None:
            other_alone, other_loaded = _measured(theirs, self.program)
            reference = f"torch {duration(other_alone)}, {duration(other_loaded)} loaded"
        yield Row(
            name=self.name,
            ours=f"{duration(alone)}, {duration(loaded)} loaded",
            reference=reference,
            ratio=loaded / alone,
            target=at_most(TARGET),
            reached=loaded <= TARGET * alone,
        )


def _measured(library: ModuleType, program: str) -> list[float]:
    """Return the seconds of a step alone, and beside busy processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return own_process.measured(SCRIPT, library, program, cores or 1)


def cases() -> list[Case]:
    """Return one case for each network whose steps are mostly products or convolutions."""
    networks = own_process.NETWORKS.items()
    return [Slowdown(name, program) for name, program in networks if program in NETWORKS]
