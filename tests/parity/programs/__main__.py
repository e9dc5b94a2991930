"""Run random programs under PyTorch and here, and say in what they differ.

``python -m tests.parity.programs --count 10000 --seed 7`` runs programs of seeds from 7 on and
tells how many agree on each level, and the causes of the rest. ``--show SEED`` prints a program
with its differences, ``--small SEED --level 2`` a program from which nothing can be removed.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from tests.parity.programs.comparing import LEVELS
from tests.parity.programs.generator import program
from tests.parity.programs.outcome import cause_of, outcome_of, outcomes, percentages, prepare
from tests.parity.programs.shrinking import shrunk


def main(arguments: list[str]) -> int:
    """Do what the arguments ask for; return the exit status."""
    parser = argparse.ArgumentParser(prog="programs", description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--causes", type=int, default=25)
    parser.add_argument("--show", type=int)
    parser.add_argument("--small", type=int)
    parser.add_argument("--level", type=int, default=3)
    asked = parser.parse_args(arguments)
    if asked.show is None and asked.small is None:
        return _count(asked)
    prepare()
    if asked.show is not None:
        return _show(program(asked.show))
    return _show(shrunk(program(asked.small), asked.level))


def _show(text: str) -> int:
    print(text)
    found = outcome_of(text).found
    for each in found.values():
        print(each)
    return bool(found)


def _count(asked: argparse.Namespace) -> int:
    made = list(outcomes(range(asked.seed, asked.seed + asked.count), asked.processes))
    causes: dict[str, list[int]] = defaultdict(list)
    for each in made:
        for difference in each.found.values():
            causes[cause_of(difference)].append(each.seed)
    for level in LEVELS:
        ordered = sorted(
            (item for item in causes.items() if item[0].startswith(str(level))),
            key=lambda item: -len(item[1]),
        )
        for cause, seeds in ordered[: asked.causes]:
            print(f"{len(seeds):5} {cause}   (seeds {seeds[:3]})")
    rows: dict[str, int] = defaultdict(int)
    for each in made:
        for row in each.rows:
            rows[row] += 1
    for row, count in sorted(rows.items(), key=lambda item: -item[1]):
        print(f"{count:5} explained: {row}")
    for level, percentage in percentages(made).items():
        print(f"level {level}, {LEVELS[level]}: {percentage:.1f} % of {len(made)} programs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
