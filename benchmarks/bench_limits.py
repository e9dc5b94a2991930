"""The least time that each training step needs on this machine, and where its time goes.

The machine's own limits come from `limits.c`, which the C compiler translates for this processor:
operations in registers, and bytes read from each level of memory. A step's operations are those of
its products, counted by `FlopCounterMode`; its bytes are those of the results of its operations and
of their gradients, each written and read once, and of the parameters, their gradients and what the
optimizer keeps. Times are those of the processor, of all threads, next to the limits of one core;
the ratio is the fraction of the limit that is reached. What a recurrent layer multiplies from step
to step is not counted; 3 × 3 convolutions are counted as what they are by definition.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import bench_training
from benchmarks.harness import Case, Duel, Program, Row, collector_off, duration

#: sizes that stay in the first, second and third cache, and one that stays in none
LEVELS = {
    "first cache": 16 << 10,
    "second cache": 256 << 10,
    "third cache": 4 << 20,
    "memory": 256 << 20,
}
LINE = 64
ROUNDS = 9
STEPS = 20
SECONDS = 0.02


class NoCompilerError(RuntimeError):
    """There is no C compiler, or it fails."""


@functools.cache
def limits() -> ctypes.CDLL:
    """Return the compiled measurements."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise NoCompilerError("the limits of the machine need a C compiler")
    source = Path(__file__).with_name("limits.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "limits.so"
        flags = ["-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", library, source], check=True)
        loaded = ctypes.CDLL(str(library))
    loaded.multiply_in_registers.restype = loaded.read_memory.restype = ctypes.c_double
    return loaded


def rate(work: Any, threads: int) -> float:
    """Return the most that so many threads do in a second of the processor's time each.

    `work` is called with a number of rounds, and returns how much it has done.
    """
    rounds = 1
    while True:
        start = time.thread_time()
        work(rounds)
        if time.thread_time() - start >= SECONDS:
            break
        rounds *= 2
    found = [0.0] * threads

    def run(thread: int) -> None:
        for _ in range(ROUNDS):
            start = time.thread_time()
            done = work(rounds)
            found[thread] = max(found[thread], done / (time.thread_time() - start))

    each = [threading.Thread(target=run, args=(i,)) for i in range(threads)]
    for one in each:
        one.start()
    for one in each:
        one.join()
    return sum(found)


def operations_per_second(threads: int) -> float:
    """Return the peak of multiplications and additions of float32, two for each pair."""
    out = (ctypes.c_float * 16)()
    return rate(lambda rounds: limits().multiply_in_registers(ctypes.c_long(rounds), out), threads)


def bytes_per_second(size: int, threads: int) -> float:
    """Return how fast each thread reads an array of its own of so many bytes, added up."""
    local = threading.local()

    def read(rounds: int) -> float:
        if not hasattr(local, "array"):
            memory = np.ones(size // 4 + LINE, np.float32)
            local.array = memory[-memory.ctypes.data % LINE // 4 :]
        out = (ctypes.c_float * 16)()
        address = ctypes.c_void_p(local.array.ctypes.data)
        return limits().read_memory(address, ctypes.c_long(size // 4), ctypes.c_long(rounds), out)

    return rate(read, threads)


class Work:
    """What one training step does at least: operations, bytes, and its time by operation."""

    def __init__(self, torch: ModuleType, duel: Duel) -> None:
        flop_counter = __import__(f"{torch.__name__}.utils.flop_counter", fromlist=["*"])
        self.program = duel.prepare(torch)
        self.program()
        with flop_counter.FlopCounterMode(display=False) as counter:
            self.program()
        self.operations = counter.get_total_flops()
        with torch.profiler.profile(profile_memory=True) as profile:
            for _ in range(STEPS):
                self.program()
        self.bytes = 0.0
        times: Counter[str] = Counter()
        for event in profile.key_averages():
            self.bytes += 2 * max(0, event.self_cpu_memory_usage) / STEPS
            times[event.key] += event.self_cpu_time_total
        total = sum(times.values())
        self.shares = ", ".join(f"{key} {taken / total:.0%}" for key, taken in times.most_common(6))


def processor_time(program: Program) -> float:
    """Return the least of some rounds of the processor's time that a call takes."""
    found = []
    with collector_off():
        for _ in range(ROUNDS):
            start = time.process_time()
            for _ in range(STEPS):
                program()
            found.append((time.process_time() - start) / STEPS)
    return min(found)


@dataclass(frozen=True, slots=True)
class Machine:
    """The limits of one thread and of all."""

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Measure, and yield a line for each."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        for threads in dict.fromkeys((1, cores)):
            name = "one core" if threads == 1 else f"{threads} cores"
            peak = operations_per_second(threads)
            yield Row(f"{name}: operations in registers", f"{peak / 1e9:.0f} GF/s")
            for level, size in LEVELS.items():
                yield Row(
                    f"{name}: read from {level}",
                    f"{bytes_per_second(size, threads) / 1e9:.0f} GB/s",
                )


@dataclass(frozen=True, slots=True)
class Least:
    """One workload next to the least time that its operations and bytes need."""

    duel: Duel

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Count and time, and yield a line with both, and one with the shares of its operations."""
        work = Work(ours, self.duel)
        taken = processor_time(work.program)
        level = next((s for s in LEVELS.values() if s >= work.bytes / 4), LEVELS["memory"])
        by_operations = work.operations / operations_per_second(1)
        by_bytes = work.bytes / bytes_per_second(level, 1)
        least = by_operations + by_bytes
        yield Row(
            f"{self.duel.name}: {work.operations / 1e6:.0f} MF, {work.bytes / 1e6:.1f} MB",
            duration(taken),
            f"least {duration(least)}: {duration(by_operations)} + {duration(by_bytes)}",
            least / taken,
        )
        yield Row("- where its time goes", "", work.shares)


def cases() -> list[Case]:
    """Return the machine, and the networks."""
    try:
        limits()
    except (NoCompilerError, subprocess.CalledProcessError) as error:
        print(f"limits: left out, {error}", file=sys.stderr)
        return []
    return [Machine(), *(Least(each) for each in bench_training.cases() if isinstance(each, Duel))]
