"""Count processor instructions of small programs, for sources of pellucid next to each other.

`python -m benchmarks.instructions BEFORE/src src` prints a Markdown table. Unlike times, counts do
not depend on what else a machine does. Needs Valgrind, whose callgrind counts, and Linux.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from benchmarks import bench_small_tensors as small
from benchmarks.harness import Program

REPEATS = small.REPEATS
WARM_UP = 6

#: when this function of the C library is called, callgrind writes its counts and begins anew
_MARK = "umask"


def repeated(operation: Callable[[], object]) -> Program:
    """Return a program that does an operation many times."""

    def program() -> None:
        for _ in range(REPEATS):
            operation()

    return program


def relu(torch: ModuleType) -> Program:
    """Call a function of `nn.functional`."""
    a = torch.full((4, 4), 1.5, requires_grad=True)
    return repeated(lambda: torch.nn.functional.relu(a))


def total(torch: ModuleType) -> Program:
    """Sum all elements."""
    a = torch.full((4, 4), 1.5, requires_grad=True)
    return repeated(lambda: a.sum())


def matrix_product(torch: ModuleType) -> Program:
    """Multiply two matrices."""
    a = torch.full((4, 4), 1.5, requires_grad=True)
    b = torch.full((4, 4), 0.5, requires_grad=True)
    return repeated(lambda: a @ b)


def row(torch: ModuleType) -> Program:
    """Take a row of a matrix."""
    a = torch.full((4, 4), 1.5, requires_grad=True)
    return repeated(lambda: a[1])


PROGRAMS: dict[str, Callable[[ModuleType], Program]] = {
    "100 × a * b, 4×4, recorded": small.multiply_recorded,
    "100 × a * b, 4×4, nobody needs gradients": small.multiply_constants,
    "100 × a * b, 4×4, under no_grad": small.multiply_no_grad,
    "chain of 1,000 a * b, with backward": small.chain,
    "mixed chain of 300, with backward": small.mixed_chain,
    "training step, 2-16-16-1, batch 100, SGD": small.training_step,
    "100 × F.relu(a)": relu,
    "100 × a.sum()": total,
    "100 × a @ b": matrix_product,
    "100 × a[1]": row,
}


def run_programs() -> None:
    """Run each program once, between two marks, after some runs that are not counted."""
    import pellucid

    for make in PROGRAMS.values():
        program = make(pellucid)
        for _ in range(WARM_UP):
            program()
        gc.collect()
        gc.disable()
        os.umask(0o022)
        program()
        os.umask(0o022)
        gc.enable()


def counts(source: str) -> list[int]:
    """Return how many instructions each program takes with pellucid from the given folder."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", f"--dump-before={_MARK}",
            f"--callgrind-out-file={folder}/out", sys.executable, "-m", "benchmarks.instructions",
        ]  # fmt: skip
        environment = os.environ | {
            "PYTHONPATH": str(Path(source).resolve()), "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        subprocess.run(command, cwd=root, env=environment, check=True, stderr=subprocess.DEVNULL)
        # the dumps with odd numbers are of what lies between the programs
        return [_counted(Path(f"{folder}/out.{2 * i + 2}")) for i in range(len(PROGRAMS))]


def _counted(dump: Path) -> int:
    line = next(line for line in dump.read_text().splitlines() if line.startswith("summary:"))
    return int(line.split()[1])


def main(sources: Sequence[str]) -> None:
    """Print a row for each program, with a column for each source, in thousands."""
    columns = [counts(source) for source in sources]
    print("| program |", " | ".join(sources), "| change |")
    print("|---|" + "---:|" * (len(sources) + 1))
    for name, *given in zip(PROGRAMS, *columns, strict=True):
        cells = " | ".join(f"{each / 1000:,.1f}" for each in given)
        print(f"| {name} | {cells} | {100 * (given[-1] / given[0] - 1):+.1f} % |")


if __name__ == "__main__":
    main(sys.argv[1:]) if sys.argv[1:] else run_programs()
