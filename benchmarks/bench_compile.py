"""What `torch.compile` gives: steps and chains compiled, next to the same programs as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time
from types import ModuleType

from benchmarks import bench_second_order, bench_small_tensors, bench_training
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
#: calls after which a compiled function has settled how it runs: of long ones, and of those that
#: take less time than this
SETTLING, SETTLING_IF_SHORT, SHORT = 40, 240, 1e-3


def cases() -> list[Case]:
    """Return the programs of other benchmarks, compiled."""
    duels = [
        *bench_small_tensors.cases()[3:], *bench_second_order.cases(), *bench_training.cases()
    ]  # fmt: skip
    return [Compiled(each) for each in duels if isinstance(each, Duel)]


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
