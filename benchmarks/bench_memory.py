"""What a training step adds to the memory of a process, and how many pages it faults.

Each figure comes from a process of its own, on Linux. The growth is that of the largest resident
size from just after the network and its data were made; faults are those of the steps after the
second one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from benchmarks.harness import Case, Row, at_most
from benchmarks.own_process import NETWORKS, measured

TARGET = 0.9
SCRIPT = """
import resource
from pathlib import Path


def kilobytes(name):
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith(name))


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


start = kilobytes("VmRSS")
program(), program()
before = faults()
for _ in range(5):
    program()
print((kilobytes("VmHWM") - start) * 1024, (faults() - before) // 5)
"""


@dataclass(frozen=True, slots=True)
class Growth:
    """The memory of one program, in both libraries."""

    name: str
    program: str

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Run each library in a process and yield one line."""
        growth, faults = measured(SCRIPT, ours, self.program, ours.get_num_threads())
        found = f"{growth / 2**20:.1f} MB, {faults:.0f} faults"
        if theirs is None:
            yield Row(self.name, found)
            return
        other, other_faults = measured(SCRIPT, theirs, self.program, theirs.get_num_threads())
        yield Row(
            name=self.name,
            ours=found,
            reference=f"torch {other / 2**20:.1f} MB, {other_faults:.0f} faults",
            ratio=growth / other,
            target=at_most(TARGET),
            reached=growth <= TARGET * other,
        )


def cases() -> list[Case]:
    """Return one case for each network of the training benchmark."""
    if not Path("/proc/self/status").exists():
        return []
    return [Growth(name, program) for name, program in NETWORKS.items()]
