"""Write ``docs/derivatives.md``: every derivative of the library, as its definition says it.

Run it after a change of a derivative: ``python docs/generate_derivatives.py``. What stands on the
page is read from the source; nothing is run.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pellucid.ops.nn.all_operations
import pellucid.sparse  # noqa: F401 - defines the ops
from pellucid.core.definition.op import Formula, Op, registry
from pellucid.core.families import UNDERIVED

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "derivatives.md"
#: what a row holds, in characters, and how many lines of a formula are shown
WIDTH, MOST_LINES = 100, 6

HEAD = """\
# All derivatives

The {formulas} derivatives of {ops} operations, in the order of the files that define them. Right of
an operand's name stands its gradient; `g` is the gradient of the result. Operands and results
(`out`) that a derivative names are what a node saves. That is all there is: higher derivatives are
derivatives of these lines, forward mode and `vmap` follow from them, and broadcasting, dtypes and
complex conjugates are left to the engine. Where a derivative takes more than a few lines, its
function is named, with dots behind it.

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
        yield name, ", ".join(operands), _written(formulas[function])
        name = ""


def _written(formula: Formula) -> list[str]:
    """Return a formula in lines: an expression, statements, or, if it is long, its name."""
    function = inspect.unwrap(formula.function)
    source = textwrap.dedent(inspect.getsource(function))
    body = _body(source)
    if body is None:
        return [f"{function.__name__} ..."]
    if formula.is_partial:
        body = [_TimesGradient().visit(each) for each in body]
    written = [line for each in body for line in ast.unparse(each).splitlines()]
    if all(isinstance(each, ast.Assign | ast.Return) for each in body):
        written[-1] = written[-1].removeprefix("return ")
        one_line = "; ".join(written)
        if len(one_line) <= WIDTH:
            return [one_line]
    if len(written) > MOST_LINES or max(map(len, written)) > WIDTH:
        return [f"{function.__name__} ..."]
    return written


class _TimesGradient(ast.NodeTransformer):
    """Makes of a local derivative the gradient: what is returned, times ``g``."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        assert node.value is not None
        return ast.Return(ast.BinOp(ast.Name("g"), ast.Mult(), node.value))


def _body(source: str) -> list[ast.stmt] | None:
    """Return the statements of a function, without its docstring; None for a lambda."""
    try:
        found = ast.parse(source).body[0]
    except SyntaxError:  # a lambda in the middle of an expression
        return None
    if not isinstance(found, ast.FunctionDef):
        return None
    return found.body[1:] if ast.get_docstring(found) is not None else found.body


def page() -> str:
    """Return the whole page."""
    return "\n".join(lines()).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
