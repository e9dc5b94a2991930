"""What a recording costs: whole steps of training inside `inspect.record` and outside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

from benchmarks import bench_training
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

TARGET = 2.0
ROUNDS = 11


def cases() -> list[Case]:
    """Return each network of the training benchmark, recorded and not."""
    duels = (each for each in bench_training.cases() if isinstance(each, Duel))
    return [Recorded(each.name, each.prepare) for each in duels]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A program of pellucid's alone: a step that is recorded against the same step that is not.

    The time of a recorded step is that of the block of `record()` without its end, where what was
    written down becomes a recording: the next row has it.
    """

    name: str
    prepare: Callable[[ModuleType], Program]

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time in turns and yield a line for the step, and one for the whole block."""
        program = self.prepare(ours)
        recorder = ours.inspect.recording.recorder.Recorder

        def recorded() -> None:
            found = recorder()
            found.start()
            program()
            found.stop()

        def block() -> None:
            with ours.inspect.record():
                program()

        plain, inside, whole = time_in_turns([program, recorded, block], rounds=ROUNDS)
        for name, times in (("", inside), (", with the making of the recording", whole)):
            ratio = median_ratio(times, plain)
            yield Row(
                name=f"{self.name}{name}", ours=duration(min(times)),
                reference=f"unrecorded {duration(min(plain))}", ratio=ratio,
                target=at_most(TARGET), reached=ratio <= TARGET,
            )  # fmt: skip
