"""Write ``docs/derivatives.md``: every derivative of the library, as its definition says it.

Run it after a change of a derivative: ``python docs/generate_derivatives.py``. What stands on the
page is read from the source; nothing is run.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pellucid.ops.nn.all_operations
import pellucid.sparse  # noqa: F401 - defines the ops
from pellucid.core.definition.op import Formula, Op, registry
from pellucid.core.families import UNDERIVED
from pellucid.inspect.formulas import written

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "derivatives.md"

HEAD = """\
# All derivatives

All {formulas} derivatives of {ops} operations, in the order of the files that define them. To the
right of an operand's name is its gradient; `g` is the gradient of the result. The operands and
results (`out`) that a derivative names are what a node saves. There is nothing else: higher
derivatives are derivatives of these lines, forward mode and `vmap` follow from them, and
broadcasting, dtypes and complex conjugates are left to the engine. If a derivative takes more than
a few lines, its function is named, followed by dots.

This page is written by `docs/generate_derivatives.py`; do not edit it.
"""


def all_ops() -> dict[str, list[Op]]:
    """Return the ops of the library by the module that defines them."""
    found: dict[str, list[Op]] = defaultdict(list)
    for each in sorted(registry.values(), key=_place):
        if each.body.__module__.startswith("pellucid."):
            found[each.body.__module__].append(each)
    return dict(sorted(found.items()))


def _place(each: Op) -> tuple[str, int]:
    return each.body.__module__, inspect.unwrap(each.body).__code__.co_firstlineno


def lines() -> Iterator[str]:
    """Yield the lines of the page."""
    by_module = all_ops()
    ops = [each for found in by_module.values() for each in found if _derived(each)]
    yield HEAD.format(ops=len(ops), formulas=sum(len(each.formulas) for each in ops))
    folder = ""
    for module, found in by_module.items():
        derived = [each for each in found if _derived(each)]
        if not derived:
            continue
        *_, room, file = module.split(".")
        if room != folder:
            folder = room
            yield f"## {folder}\n"
        yield from _section(module, file, derived)


def _derived(each: Op) -> bool:
    return bool(each.formulas) and each.family is not UNDERIVED


def _section(module: str, file: str, ops: list[Op]) -> Iterator[str]:
    """Yield what is said of the ops of one file."""
    path = f"../src/{module.replace('.', '/')}.py"
    about = (import_module(module).__doc__ or "").strip().splitlines()[0]
    yield f"### {file}\n"
    yield f"[{path.removeprefix('../src/pellucid/')}]({path}): {about}\n"
    yield "```text"
    rows = [row for each in ops for row in _rows(each)]
    names, operands = (max(len(row[i]) for row in rows) for i in (0, 1))
    for name, operand, formula in rows:
        start = f"{name:{names}}  {operand:{operands}}  "
        first, *rest = formula
        yield f"{start}{first}"
        for line in rest:
            yield f"{'':{len(start)}}{line}"
    yield "```\n"


def _rows(each: Op) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name of an op, an operand, and its derivative; the name in the first row alone."""
    together: dict[Any, list[str]] = defaultdict(list)
    formulas: dict[Any, Formula] = {}
    for operand, formula in each.formulas.items():
        together[formula.function].append(operand)
        formulas[formula.function] = formula
    name = each.name
    for function, operands in together.items():
        yield name, ", ".join(operands), written(formulas[function])
        name = ""


def page() -> str:
    """Return the whole page."""
    return "\n".join(lines()).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
