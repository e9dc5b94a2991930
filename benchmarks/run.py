"""Run the benchmarks: `python -m benchmarks.run [--markdown] [--threads N] [NAME ...]`.

`--only TEXT` runs the cases with this text in their names, `--size N` those of ops at one size;
`--processor-time` counts the time of this process alone, for a machine that has others to run.
Each `bench_<name>.py` next to this file offers `cases()`, a list of things to measure.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pellucid
from benchmarks import harness
from benchmarks.harness import Row, machine, markdown_table, plain_table

PREFIX = "bench_"


def available() -> list[str]:
    """Return the names of the benchmarks, without the prefix of their files."""
    return sorted(
        path.stem.removeprefix(PREFIX) for path in Path(__file__).parent.glob(f"{PREFIX}*.py")
    )


def installed_torch() -> ModuleType | None:
    """Return PyTorch, or None where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError:
        return None


def measure(
    names: Iterable[str], theirs: ModuleType | None, only: str, size: int | None
) -> Iterator[Row]:
    """Run the cases of the named benchmarks that have a text in their names, one after another."""
    for name in names:
        for case in importlib.import_module(f"benchmarks.{PREFIX}{name}").cases():
            if only and only not in getattr(case, "name", ""):
                continue
            if size is not None and hasattr(case, "sizes"):
                case.sizes = (size,)
            yield from case.rows(pellucid, theirs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Time pellucid, next to PyTorch if it is there.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(available())}")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="threads of each library (default: 1)"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose names have it")
    parser.add_argument("--size", type=int, metavar="N", help="elements of single operations")
    parser.add_argument("--processor-time", action="store_true", help="instead of elapsed time")
    options = parser.parse_args(arguments)
    if options.processor_time:
        harness.clock = time.process_time
    if unknown := set(options.names) - set(available()):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")

    theirs = installed_torch()
    for library in (pellucid, theirs):
        if library is not None:
            library.set_num_threads(options.threads)
    rows = []
    for row in measure(options.names or available(), theirs, options.only, options.size):
        rows.append(row)
        print(*row.cells(), file=sys.stderr, flush=True)
    table = markdown_table if options.markdown else plain_table
    print(f"{machine(theirs, options.threads)}\n", *table(rows), sep="\n")


if __name__ == "__main__":
    main()
