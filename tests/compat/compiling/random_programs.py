"""Random programs of `tests.robustness.both_ways`, whose steps run plain and compiled.

The statements of a step become functions of one statement or several, which read and write the
program's globals; all are called several times. What can be seen after each call is compared:
values, graphs, versions, memory that is shared, modes, random numbers, warnings and errors.

``python -m tests.compat.compiling.random_programs --count 5000 --seed 7`` runs so many, in
``--seconds`` at most, and tells where they part; ``--show SEED`` prints one.
"""

from __future__ import annotations

import ast
import gc
import linecache
import pickle
import random
import re
import sys
from collections.abc import Callable
from itertools import zip_longest
from typing import Any, NamedTuple

import pellucid as torch
from tests.compat.compiling.command_line import run_seeds
from tests.robustness.both_ways import worker
from tests.robustness.both_ways.describing import Record, described_error
from tests.robustness.both_ways.generator import program
from tests.robustness.both_ways.worker import FILE, Run

#: how often each function is called: it is recorded, watched, and run at once
CALLS = 7

#: passes are counted over all programs that have run
_NUMBER_OF_PASS = re.compile(r"#\d+")

Wrap = Callable[[Any], Callable[[], Any]]


class Part(NamedTuple):
    """A function of a program's step, and the names that it mentions."""

    line: int
    run: Callable[[], Any]
    names: tuple[str, ...]


class Runs(Run):
    """One run of a program whose step is made of functions, and what was seen of it."""

    def __init__(self, text: str, wrap: Wrap) -> None:
        super().__init__(text)
        self.count = CALLS
        linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
        parts = [each for each in ast.parse(text, FILE).body if _is_part(each)]
        self.setup = self.setup[: -len(parts)]
        self.parts: list[Part] = []
        exec(compile(ast.Module(parts, []), FILE, "exec", dont_inherit=True), self.names)
        for each in parts:
            names = dict.fromkeys(n.id for n in ast.walk(each) if isinstance(n, ast.Name))
            self.parts.append(Part(each.lineno, wrap(self.names.pop(each.name)), tuple(names)))

    def _run_all(self, statements: list[Any]) -> None:
        super()._run_all(statements)
        if statements is not self.steps:
            return
        for each in self.parts:
            self.line = each.line
            try:
                each.run()
            except Exception as error:  # noqa: BLE001 - which one it is gets compared
                _, name, bases, text, *_ = described_error(error)
                self.note("raised", (name, bases, _NUMBER_OF_PASS.sub("#", text)))
            for name in each.names:
                if isinstance(self.names.get(name), torch.Tensor):
                    self._look(name)


def _is_part(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name.startswith("part")


def in_parts(text: str, seed: int) -> str:
    """Return a program with functions in the place of the statements of its step."""
    chance = random.Random(seed)
    tree = ast.parse(text)
    written = [each for each in tree.body if not _is_step(each)]
    waiting = [inner for each in tree.body if _is_step(each) for inner in each.body]
    while waiting:
        count = chance.choice((1, 2, 3, 5, 8, 100))
        body, waiting = waiting[:count], waiting[count:]
        names = {
            n.id for each in body for n in ast.walk(each)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }  # fmt: skip
        inner = [ast.Global(sorted(names)), *body] if names else body
        nothing = ast.arguments([], [], None, [], [], None, [])
        written.append(ast.FunctionDef(f"part{len(waiting)}", nothing, inner, []))
    return ast.unparse(ast.fix_missing_locations(ast.Module(written, [])))


def text_of(seed: int) -> str:
    """Return a random program in parts."""
    return in_parts(program(seed), seed)


def _is_step(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.For)
        and isinstance(statement.target, ast.Name)
        and statement.target.id == "step"
    )


def run(text: str, wrap: Wrap) -> list[Record]:
    """Run a program in parts from a known state, and return what was seen."""
    torch.default_generator.manual_seed(0)
    try:
        return Runs(text, wrap).run()
    finally:
        worker._restore_modes()
        gc.collect(0)


def first_difference(seed: int) -> str:
    """Return where a program parts from itself compiled; an empty text if it does not."""
    text = text_of(seed)
    expected, found = run(text, _as_it_is), run(text, torch.compile)
    if expected != found:  # some warnings come once in a process: the first run had them
        expected = run(text, _as_it_is)
    for one, other in zip_longest(expected, found):
        if one != other:
            return f"seed {seed}\nplain:    {_told(one)}\ncompiled: {_told(other)}"
    return ""


def _as_it_is(part: Any) -> Any:
    return part


def _told(record: Record | None) -> str:
    if record is None:
        return "nothing more"
    seen = str(pickle.loads(record.seen))[:2000]
    return f"step {record.step}, line {record.line}, {record.subject}: {seen}"


if __name__ == "__main__":
    sys.exit(run_seeds(sys.argv[1:], __doc__, text_of, first_difference))
