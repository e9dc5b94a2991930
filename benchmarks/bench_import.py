"""How long `import pellucid` takes on top of `import numpy`, which it cannot do without."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from benchmarks.harness import Case, Row, at_most, duration

PROCESSES = 15

PROGRAM = """
from time import perf_counter
start = perf_counter()
import numpy
between = perf_counter()
import pellucid
print(between - start, perf_counter() - between)
"""


def cases() -> list[Case]:
    """Return what is measured here."""
    return [ImportTime(target=0.15)]


@dataclass(frozen=True, slots=True)
class ImportTime:
    """The median over fresh interpreters; `target` is in seconds."""

    target: float

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Start the interpreters, after one that leaves compiled files, and yield one line."""
        import_times()
        numpy, extra = map(
            statistics.median, zip(*(import_times() for _ in range(PROCESSES)), strict=True)
        )
        yield Row(
            name="import pellucid, beyond import numpy",
            ours=duration(extra),
            reference=f"numpy {duration(numpy)}",
            target=f"{at_most(self.target)} s",
            reached=extra <= self.target,
        )


def import_times() -> list[float]:
    """Return the seconds for NumPy and the further seconds for pellucid in a new process."""
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [float(word) for word in finished.stdout.split()]
