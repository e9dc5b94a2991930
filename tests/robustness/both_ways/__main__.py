"""Run random programs both ways and say where they part.

``python -m tests.robustness.both_ways --seconds 60 --seed 7`` runs programs of fresh seeds, writes
what it finds into `build/fuzz`, made small, and ends with status 1 if there is anything.
``--fixed`` runs the programs of the list instead, ``--run FILE`` one program, ``--show SEED``
prints one, and ``--add FILE`` adds a program to the list.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from tests.robustness.both_ways import lists
from tests.robustness.both_ways.generator import program
from tests.robustness.both_ways.pair import LATE, Finding, Pair
from tests.robustness.both_ways.shrinking import reproduced, shrunk

WRITTEN = Path("build/fuzz")
SHRINKING_SECONDS = 60
#: what is longer stands in its file only
LINES = 60


def main(arguments: list[str]) -> int:
    """Do what the arguments ask for; return the exit status."""
    parser = argparse.ArgumentParser(prog="both_ways", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--run", type=Path)
    parser.add_argument("--show", type=int)
    parser.add_argument("--add", type=Path)
    asked = parser.parse_args(arguments)
    if asked.show is not None:
        print(program(asked.show))
        return 0
    if asked.add:
        print(f"{lists.add(asked.add)}: runs from now on wherever the list runs")
        return 0
    if asked.run:
        programs = [(asked.run.stem, tuple(asked.run.read_text("utf-8").split(lists.NEXT)))]
        return look(programs, float("inf"))
    if asked.fixed:
        return look(lists.fixed(), asked.seconds)
    return look(_fresh(asked.seed), asked.seconds)


def _fresh(seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((f"seed {number}", (program(number),)) for number in count(seed))


def look(programs: Iterable[tuple[str, tuple[str, ...]]], seconds: float) -> int:
    """Run programs for so long, tell what is found; return whether anything is."""
    end = time.monotonic() + seconds
    run, kinds = 0, []
    with Pair() as pair, Pair() as fresh:
        for name, texts in programs:
            if time.monotonic() > end:
                break
            run += 1
            finding = None
            for text in texts:
                finding = pair.run(text) or finding
            if finding is None:
                continue
            started = time.monotonic()
            found = _small(fresh, finding)
            if found is None:
                print(f"{name} was late once, and not again", flush=True)
            else:
                kinds.append(finding.kind)
                _tell(name, found, kinds.count(finding.kind) > 3)
            end += time.monotonic() - started
    print(f"{run} programs both ways, {len(kinds)} findings")
    return bool(kinds)


def _small(fresh: Pair, finding: Finding) -> Finding | None:
    """Return a finding that nothing can be removed from, if it is found again.

    What is late only once is none: the machine had other things to do.
    """
    again = reproduced(fresh, finding)
    if again is not None:
        return shrunk(fresh, again, SHRINKING_SECONDS)
    return None if finding.kind == LATE else finding._replace(before=())


def _tell(name: str, finding: Finding, short: bool) -> None:
    WRITTEN.mkdir(parents=True, exist_ok=True)
    path = WRITTEN / f"{name.replace(' ', '-')}.txt"
    text = lists.NEXT.join((*finding.before, finding.program))
    path.write_text(text, "utf-8")
    print(
        f"---- {name}: {finding.told}\n    in {path}; add it to the list with make fuzz ADD={path}",
        flush=True,
    )
    if not short and len(text.splitlines()) < LINES:
        print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
