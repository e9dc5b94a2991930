"""What a training step adds to the memory of a process, and how many pages it faults.

Each figure comes from a process of its own, on Linux. The growth is that of the largest resident
size from just after the network and its data were made; faults are those of the steps after the
second one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from benchmarks.harness import Case, Row, at_most

TARGET = 0.9
PROGRAMS = {
    "MLP 784-512-512-10, batch 128": "perceptron",
    "VAE 784-400-20, batch 128": "autoencoder",
    "LSTM(28, 128) over 28 rows, batch 64": "recurrent",
    "GPT, 4 layers of width 128": "transformer",
    "MNIST CNN, batch 64": "digit_network",
    "ResNet-20, batch 32": "residual_network",
}

SCRIPT = """
import importlib, resource, sys
from pathlib import Path
from benchmarks import bench_training
library = importlib.import_module(sys.argv[1])
library.set_num_threads(int(sys.argv[3]))
program = getattr(bench_training, sys.argv[2])(library)


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
        growth, faults = _measured(ours, self.program)
        found = f"{growth / 2**20:.1f} MB, {faults} faults"
        if theirs is None:
            yield Row(self.name, found)
            return
        other, other_faults = _measured(theirs, self.program)
        yield Row(
            name=self.name,
            ours=found,
            reference=f"torch {other / 2**20:.1f} MB, {other_faults} faults",
            ratio=growth / other,
            target=at_most(TARGET),
            reached=growth <= TARGET * other,
        )


def _measured(library: ModuleType, program: str) -> tuple[int, int]:
    """Return by how many bytes the process grew, and the page faults of a step."""
    threads = str(library.get_num_threads())
    command = [sys.executable, "-c", SCRIPT, library.__name__, program, threads]
    folder = Path(__file__).parents[1]
    found = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    growth, faults = found.stdout.split()
    return int(growth), int(faults)


def cases() -> list[Case]:
    """Return one case for each network of the training benchmark."""
    if not Path("/proc/self/status").exists():
        return []
    return [Growth(name, program) for name, program in PROGRAMS.items()]
