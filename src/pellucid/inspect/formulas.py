"""Derivatives as their definitions write them, in the source of the operations."""

from __future__ import annotations

import ast
import inspect
import textwrap

from pellucid.core.definition.op import Formula
from pellucid.parsing import parse

#: what a line holds, in characters, and how many lines of a formula are shown
_WIDTH, _MOST_LINES = 100, 6


def written(formula: Formula) -> list[str]:
    """Return a formula in lines: an expression, statements, or, if it is long, its name.

    Args:
        formula: The derivative with respect to one operand.
    """
    function = inspect.unwrap(formula.function)
    source = textwrap.dedent(inspect.getsource(function))
    body = _body(source)
    if body is None:
        return [f"{function.__name__} ..."]
    if formula.is_partial:
        body = [_TimesGradient().visit(each) for each in body]
    lines = [line for each in body for line in ast.unparse(each).splitlines()]
    if all(isinstance(each, ast.Assign | ast.Return) for each in body):
        lines[-1] = lines[-1].removeprefix("return ")
        one_line = "; ".join(lines)
        if len(one_line) <= _WIDTH:
            return [one_line]
    if len(lines) > _MOST_LINES or max(map(len, lines)) > _WIDTH:
        return [f"{function.__name__} ..."]
    return lines


class _TimesGradient(ast.NodeTransformer):
    """Makes of a local derivative the gradient: what is returned, times ``g``."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        assert node.value is not None
        return ast.Return(ast.BinOp(ast.Name("g"), ast.Mult(), node.value))


def _body(source: str) -> list[ast.stmt] | None:
    """Return the statements of a function, without its docstring; None for a lambda."""
    try:
        found = parse(source).body[0]
    except SyntaxError:  # a lambda in the middle of an expression
        return None
    if not isinstance(found, ast.FunctionDef):
        return None
    return found.body[1:] if ast.get_docstring(found) is not None else found.body
