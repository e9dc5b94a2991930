"""Time the same program on pellucid and on PyTorch, in turns, within one process.

A machine drifts: clocks change, neighbours wake up. So rounds alternate between the two
libraries, each round gives one ratio, and the median of these ratios is what is reported; the
times shown next to it are the shortest seen. Both run on the same number of threads, and the cyclic
garbage collector is off while the clock runs.
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import repeat
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

#: what the programs are timed with
clock = time.perf_counter

ROUNDS = 21
SECONDS_PER_ROUND = 0.03

Program = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was measured, against what, and what was hoped for."""

    name: str
    ours: str
    reference: str = ""
    ratio: float | None = None
    target: str = ""
    reached: bool | None = None
    #: why the target is not reached, where that is known
    reason: str = ""

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the line, in the order of `COLUMNS`."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        verdict = "" if self.reached is None else "ok" if self.reached else "over"
        if self.reached is False and self.reason:
            verdict = f"over: {self.reason}"
        return (self.name, self.ours, self.reference, ratio, self.target, verdict)


COLUMNS = ("case", "pellucid", "compared with", "ratio", "target", "met")


class Case(Protocol):
    """Something that can be measured, with PyTorch or without."""

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterable[Row]:
        """Measure, and yield the lines of the table."""
        ...


@dataclass(frozen=True, slots=True)
class Duel:
    """The same program on both libraries.

    `prepare` gets the module to work with (`pellucid` or `torch`), makes the data and returns
    the program to time. One call of that program does the thing `units` times. `target` is the
    largest ratio of the times that is hoped for, `rounds` how often both take their turn.
    """

    name: str
    prepare: Callable[[ModuleType], Program]
    target: float | None = None
    units: int = 1
    rounds: int = ROUNDS

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time in turns and yield one line."""
        programs = [self.prepare(module) for module in (ours, theirs) if module is not None]
        times = time_in_turns(programs, self.rounds)
        ratio = median_ratio(*times) if len(times) == 2 else None
        best = [min(rounds) / self.units for rounds in times]
        yield Row(
            name=self.name,
            ours=duration(best[0]),
            reference=f"torch {duration(best[1])}" if len(best) == 2 else "",
            ratio=ratio,
            target=at_most(self.target),
            reached=None if ratio is None or self.target is None else ratio <= self.target,
        )


def step_of(model: Any, optimizer: Any, compute_loss: Callable[[], Any]) -> Program:
    """Return one step of training that starts without gradients."""
    model.train()

    def program() -> None:
        optimizer.zero_grad()
        compute_loss().backward()
        optimizer.step()

    return program


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the cyclic garbage collector from running, and what is there out of its sight."""
    was_on = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()


def seconds(program: Program, calls: int) -> float:
    """Return how long one call takes, averaged over so many."""
    start = clock()
    for _ in repeat(None, calls):
        program()
    return (clock() - start) / calls


def calls_per_round(program: Program, length: float) -> int:
    """Return how many calls fill a round of so many seconds.

    The first call is left out: it makes what later ones find.
    """
    program()
    calls = 1
    while True:
        taken = seconds(program, calls) * calls
        if taken >= length / 2:
            return max(1, round(calls * length / taken))
        calls *= 2


def time_in_turns(
    programs: Sequence[Program],
    rounds: int = ROUNDS,
    seconds_per_round: float | None = None,
) -> list[list[float]]:
    """Return for each program the seconds per call in each round.

    Who goes first changes from round to round, so that neither profits from its place.
    """
    times: list[list[float]] = [[] for _ in programs]
    length = SECONDS_PER_ROUND if seconds_per_round is None else seconds_per_round
    with collector_off():
        calls = [calls_per_round(program, length) for program in programs]
        order = list(range(len(programs)))
        for _ in range(rounds):
            for i in order:
                times[i].append(seconds(programs[i], calls[i]))
            order.reverse()
            gc.collect()
    return times


def median_ratio(times: Sequence[float], reference: Sequence[float]) -> float:
    """Return the median over the rounds of one time divided by the other."""
    return statistics.median(a / b for a, b in zip(times, reference, strict=True))


def at_most(target: float | None) -> str:
    """Write a largest allowed value, or nothing if there is none."""
    return "" if target is None else f"≤ {target:g}"


def duration(value: float) -> str:
    """Write seconds in the unit that suits their size."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


# -- the machine and the table ---------------------------------------------------------------


def machine(theirs: ModuleType | None, threads: int) -> str:
    """Describe the machine that the measurement was made on."""
    versions = [f"Python {platform.python_version()}", f"NumPy {metadata.version('numpy')}"]
    if theirs is not None:
        versions.append(f"PyTorch {theirs.__version__}")
    cores = f"{len(os.sched_getaffinity(0))} cores" if hasattr(os, "sched_getaffinity") else ""
    parts = [processor(), cores or f"{os.cpu_count()} cores", platform.system(), *versions]
    return f"{', '.join(parts)}; {'one thread' if threads == 1 else f'{threads} threads'} each"


def processor() -> str:
    """Return the name of the CPU as the system knows it."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def plain_table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table whose columns are aligned for a terminal."""
    lines = [COLUMNS, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, *others in lines:
        aligned = [name.ljust(widths[0])]
        aligned += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(aligned).rstrip()


def markdown_table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the same table in Markdown."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|---|{'---:|' * (len(COLUMNS) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row.cells())} |"
