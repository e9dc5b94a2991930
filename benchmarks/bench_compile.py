"""What `torch.compile` gives: steps and chains compiled, next to the same programs as they are.

Where JAX is installed, with Optax, steps are also timed next to its `jit`: the same step, written
for it in `jax_steps`, in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time
from types import ModuleType

from benchmarks import bench_best, bench_second_order, bench_small_tensors, bench_training
from benchmarks.harness import (
    Case,
    Duel,
    Program,
    Row,
    at_most,
    duration,
    median_ratio,
    time_in_turns,
)

#: a compiled program is never slower than the program; so much is what clocks do
TARGET = 1.02
#: the steps that are written for JAX too, and the largest ratio to its time that is hoped for
BESIDE_JAX = {
    "training_step": 0.35, "equation": 0.6, "perceptron": None, "autoencoder": None,
    "recurrent": None, "transformer": None, "digit_network": None, "residual_network": None,
}  # fmt: skip
#: calls after which a compiled function has settled how it runs: of long ones, and of those that
#: take less time than this
SETTLING, SETTLING_IF_SHORT, SHORT = 40, 240, 1e-3


def cases() -> list[Case]:
    """Return the programs of other benchmarks, compiled."""
    duels = [
        *bench_small_tensors.cases()[3:], *bench_second_order.cases(), *bench_training.cases()
    ]  # fmt: skip
    return [
        *(Compiled(each) for each in duels if isinstance(each, Duel)), *map(BesideJax, BESIDE_JAX)
    ]  # fmt: skip


def seconds_of(program: Program) -> float:
    """Return the seconds of one call, in the time that the processor gave to the process."""
    before = process_time()
    program()
    return process_time() - before


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program of pellucid's alone, compiled and as it is."""

    duel: Duel

    @property
    def name(self) -> str:
        """The program's name."""
        return self.duel.name

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time in turns and yield one line, which says how much longer the first call takes."""
        program: Program = self.duel.prepare(ours)
        compiled: Program = ours.compile(self.duel.prepare(ours))
        program()
        plain = seconds_of(program)
        recording = seconds_of(compiled) - plain
        for _ in range(SETTLING_IF_SHORT if plain < SHORT else SETTLING):
            compiled()
        times = time_in_turns([compiled, program])
        ratio = median_ratio(*times)
        best = [min(rounds) / self.duel.units for rounds in times]
        yield Row(
            name=self.name,
            ours=duration(best[0]),
            reference=f"plain {duration(best[1])}, recorded in {duration(max(recording, 0.0))}",
            ratio=ratio,
            target=at_most(TARGET),
            reached=ratio <= TARGET,
        )


@dataclass(frozen=True, slots=True)
class BesideJax:
    """A whole step, compiled here and by JAX's `jit`."""

    workload: str

    @property
    def name(self) -> str:
        """The step's name."""
        return f"{bench_best.workloads()[self.workload].name}, beside JAX"

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Let both take their turns, and yield one line; if JAX is not there, one that says so."""
        if not bench_best.is_installed("jax.jit"):
            yield Row(self.name, "", "JAX or Optax is not installed")
            return
        names = ["pellucid.compile", "jax.jit"]
        times = bench_best.times_of(names, self.workload, ours.get_num_threads())
        own, of_jax = (times[each] for each in names)
        ratio, target = median_ratio(own, of_jax), BESIDE_JAX[self.workload]
        yield Row(
            name=self.name,
            ours=duration(min(own)),
            reference=f"jax.jit {duration(min(of_jax))}",
            ratio=ratio,
            target=at_most(target),
            reached=None if target is None else ratio <= target,
        )
