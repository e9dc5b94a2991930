"""Twelve workloads next to the quickest of PyTorch, `torch.compile` and JAX's `jit`.

Each library runs in a process of its own, which takes its turns while the others wait. Those that
are not installed are left out; JAX needs Optax beside it, and has nine of the workloads. A workload
that JAX or the compiler would turn into another one is not given to them.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from benchmarks import bench_second_order, bench_small_tensors, bench_training
from benchmarks.harness import (
    Case,
    Duel,
    Program,
    Row,
    at_most,
    calls_per_round,
    clock,
    collector_off,
    duration,
    median_ratio,
    seconds,
)

ROUNDS = 7
#: calls before any is timed, and seconds of them up to so many calls: a compiler may translate a
#: program anew at its second or third call, and would then be given rounds of single calls; this
#: library's times some calls before it settles how a compiled function runs
WARMING, WARMING_SECONDS, WARMING_IF_SHORT = 5, 0.5, 300
SECONDS_PER_ROUND = 0.3
MEAN_TARGET = 0.75
NEEDS = {"torch": ("torch",), "torch.compile": ("torch",), "jax.jit": ("jax", "optax")}
STEP_OF_JAX = 0.7


def workloads() -> dict[str, Duel]:
    """Return what is run, by the name of its function."""
    small = [each for each in bench_small_tensors.cases() if isinstance(each, Duel)]
    chosen = [each for each in small if each.prepare.__name__ in ("chain", "training_step")]
    chosen += [bench_second_order.cases()[0], *bench_training.cases()]
    return {each.prepare.__name__: each for each in chosen}


def cases() -> list[Case]:
    """Return the workloads, and their mean."""
    ratios: list[float] = []
    contests = [Contest(name, duel, ratios) for name, duel in workloads().items()]
    return [*contests, Mean(ratios)]


class Competitor:
    """A library in a process of its own that prepares one workload and runs it on demand."""

    def __init__(self, name: str, workload: str, threads: int) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        environment |= {"OPENBLAS_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        self.name = name
        self.times: list[float] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.bench_best", name, workload, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=environment,
        )  # fmt: skip

    def take_turn(self) -> bool:
        """Run for a round, and note how long one call takes; return whether it could."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return False
        answer = self._process.stdout.readline()
        if answer:
            self.times.append(json.loads(answer))
        return bool(answer)

    def leave(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@dataclass(frozen=True, slots=True)
class Contest:
    """One workload in all libraries."""

    name: str
    duel: Duel
    #: where the ratio to the best is added
    ratios: list[float] = field(repr=False)

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Let all take their turns, and yield one line."""
        names = ["pellucid", *others(self.name)]
        times = times_of(names, self.name, ours.get_num_threads())
        best = {each: min(found) / self.duel.units for each, found in times.items()}
        own = times.pop("pellucid")
        listed = ", ".join(f"{each} {duration(best[each])}" for each in names if each in times)
        if not times:
            yield Row(self.duel.name, duration(best["pellucid"]))
            return
        ratio = median_ratio(own, times[min(times, key=lambda each: best[each])])
        self.ratios.append(ratio)
        yield Row(self.duel.name, duration(best["pellucid"]), listed, ratio)


@dataclass(frozen=True, slots=True)
class Mean:
    """The geometric mean of the ratios so far."""

    ratios: list[float]
    name: str = "geometric mean"

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Yield the mean."""
        if self.ratios:
            mean = math.exp(sum(map(math.log, self.ratios)) / len(self.ratios))
            target = at_most(MEAN_TARGET)
            yield Row(self.name, "", "", mean, target, mean <= MEAN_TARGET)


def times_of(names: list[str], workload: str, threads: int) -> dict[str, list[float]]:
    """Return the seconds that a workload took in each round, in each library that could run it."""
    competitors = [Competitor(each, workload, threads) for each in names]
    try:
        competitors = [each for each in competitors if each.take_turn()]
        for each in competitors:
            each.times.clear()
        for _ in range(ROUNDS):
            for each in competitors:
                each.take_turn()
            competitors.reverse()
    finally:
        for each in competitors:
            each.leave()
    return {each.name: each.times for each in competitors}


def is_installed(library: str) -> bool:
    """Return whether all is there that a library needs here."""
    return all(map(importlib.util.find_spec, NEEDS[library]))


def others(workload: str) -> list[str]:
    """Return the libraries that are installed and have the workload."""
    found = filter(is_installed, NEEDS)
    return [each for each in found if each == "torch" or workload != "chain"]


# -- in the process of one library ------------------------------------------------------------


def prepared(library: str, workload: str, threads: int) -> Program:
    """Return the program that a library runs, on so many threads."""
    if library == "jax.jit":
        return getattr(importlib.import_module("benchmarks.jax_steps"), workload)()
    torch = importlib.import_module(library.partition(".")[0])
    torch.set_num_threads(threads)
    if library == "torch.compile":
        compile_losses(torch)
    program = workloads()[workload].prepare(torch)
    return torch.compile(program) if library == "pellucid.compile" else program


def compile_losses(torch: ModuleType) -> None:
    """Let the steps compile what computes the loss."""
    for module in (bench_small_tensors, bench_second_order, bench_training):
        original = module.step_of

        def compiled_step(
            model: Any, optimizer: Any, loss: Callable[[], Any], original: Any = original
        ) -> Program:
            return original(model, optimizer, torch.compile(loss))

        module.step_of = compiled_step


def serve(library: str, workload: str, threads: int) -> None:
    """Run a round for each line that arrives, and print the seconds of one call."""
    # JAX takes the cores that it finds
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    program = prepared(library, workload, threads)
    end = clock() + WARMING_SECONDS
    for number in range(WARMING_IF_SHORT):
        if number >= WARMING and clock() > end:
            break
        program()
    calls = calls_per_round(program, SECONDS_PER_ROUND)
    with collector_off():
        for _ in sys.stdin:
            print(seconds(program, calls), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
