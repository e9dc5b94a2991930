"""The definition of an op as it is written in its file: the op, and its derivatives below."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from pellucid.core.definition.op import Op
from pellucid.parsing import parse


def definition(op: Op) -> str:
    """Return the source of an op and of its derivatives, without docstrings.

    What a family derives by itself, as the gradient of a linear op, has no source.
    """
    jvp = op.jvp
    functions = [op.body, *(formula.function for formula in op.formulas.values())]
    if jvp is not None:
        functions.append(jvp.function)
    return "\n\n".join(filter(None, map(_source, dict.fromkeys(functions))))


def help_text(op: Op) -> str:
    """Return an op's docstring with its definition below, as IPython's ``?`` shows it."""
    indented = textwrap.indent(definition(op), "    ")
    return f"{inspect.cleandoc(op.function.__doc__ or '')}\n\nDefined as\n\n{indented}\n"


def as_comment(op: Op) -> str:
    """Return the definition as comments that belong to the function above them."""
    lines = [f"Defined in {op.body.__module__} as", "", *definition(op).splitlines()]
    return "".join(f"    # {line}".rstrip() + "\n" for line in lines)


def _source(function: Callable[..., Any]) -> str:
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""
    try:
        found = parse(text).body[0]
    except SyntaxError:  # a lambda in the middle of an expression
        return text.strip()
    if isinstance(found, ast.FunctionDef) and ast.get_docstring(found) is not None:
        lines = text.splitlines()
        docstring = found.body[0]
        rest = lines[docstring.end_lineno :]
        text = "\n".join([*lines[: docstring.lineno - 1], *(rest or ["    ..."])])
    return text.strip()
