"""Runs of programs under both libraries, in this process or in several."""

from __future__ import annotations

import gc
import re
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import torch

import pellucid
from tests.parity.programs.comparing import LEVELS, Difference, differences
from tests.parity.programs.generator import program
from tests.parity.programs.known import row_of
from tests.parity.programs.running import run, statements

SECONDS = 30


class Outcome(NamedTuple):
    """The first difference of each level that no row explains, and the rows that explain others."""

    seed: int
    found: dict[int, Difference]
    rows: frozenset[str]

    def agrees(self, level: int) -> bool:
        return not any(found <= level for found in self.found)


def outcome_of(text: str, seed: int = -1) -> Outcome:
    """Run a program under both libraries and return in what they differ.

    What follows a difference of the first level, or one of the second that a row explains, is not
    compared. A row goes on explaining what it has explained after later statements.
    """
    found: dict[int, Difference] = {}
    rows: dict[tuple[str, str, str], str] = {}
    parsed = statements(text)
    for each in differences(run(torch, text, parsed), run(pellucid, text, parsed)):
        same = (each.aspect, str(each.theirs), str(each.ours))
        row = row_of(each) or rows.get(same)
        if row is not None:
            rows[same] = row
        elif each.level not in found:
            found[each.level] = each
        if each.level == 1 or (row is not None and each.level < 3):
            break
    return Outcome(seed, found, frozenset(rows.values()))


def of_seed(seed: int) -> Outcome:
    """Run the program of a seed."""
    if seed % 50 == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()  # looking for garbage looks at this program's objects only
    signal.alarm(SECONDS)
    try:
        made = outcome_of(program(seed), seed)
    finally:
        signal.alarm(0)
    return _without_arrays(made)


def _without_arrays(made: Outcome) -> Outcome:
    """Return an outcome that is small enough to be sent."""
    found = {
        level: each._replace(theirs=_short(each.theirs), ours=_short(each.ours))
        for level, each in made.found.items()
    }
    return made._replace(found=found)


def _short(value: Any) -> str:
    return " ".join(str(value).split())[:600]


#: imports what both libraries import late
_FIRST = """
x = leaf((2, 3), torch.float64, 0, grad=True)
y = torch.func.jacfwd(lambda v: torch.func.vjp(torch.sin, v)[0])(x)
z = checkpoint(torch.sin, x, use_reentrant=False)
o = torch.optim.Adam([x])
o.step()
"""


def prepare() -> None:
    """Let all warnings come, and make looking for garbage a matter of the programs alone."""
    for library in (torch, pellucid):
        library.set_warn_always(True)
        library.set_num_threads(1)
    outcome_of(_FIRST)
    gc.collect()
    gc.disable()
    gc.freeze()


def outcomes(seeds: Iterable[int], processes: int = 2) -> Iterator[Outcome]:
    """Yield the outcomes of programs, from several processes."""
    with ProcessPoolExecutor(processes, get_context("fork"), prepare) as pool:
        yield from pool.map(of_seed, seeds, chunksize=8)


def cause_of(difference: Difference) -> str:
    """Return a text that differences of one cause have in common."""
    theirs, ours = (
        re.sub(r"\b[a-z]+\d+\b|\d+", "_", str(each))
        for each in (difference.theirs, difference.ours)
    )
    aspect = re.sub(r"\b[a-zA-Z]+\d+\b", "_", difference.aspect)
    aspect = re.sub(r"^bound.*", "bound", aspect)
    if any(
        word in aspect
        for word in ("values", "grad of", "shown", "layer", "value", "bound", "changes")
    ):
        theirs = ours = re.sub(r"\b([a-zA-Z]+?)\d+\b", r"\1_", difference.statement)
    return f"{difference.level} {aspect}: {theirs[:110]} | {ours[:110]}"


def percentages(made: list[Outcome]) -> dict[int, float]:
    """Return for each level how many programs of a hundred agree."""
    return {level: 100 * sum(each.agrees(level) for each in made) / len(made) for level in LEVELS}
