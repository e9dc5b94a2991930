"""Reading the user's source: which statement a position lies in, and what it names.

Everything here happens only when someone asks, for an error or a listing, and gives ``None`` where
the source cannot be read.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator

from pellucid.parsing import parse

Simple = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert, ast.Raise,
    ast.Delete,
)  # fmt: skip


class Parsed:
    """The syntax tree of a file, with its simple statements and expressions by line."""

    def __init__(self, text: str) -> None:
        self.statements: dict[int, list[ast.stmt]] = {}
        self.expressions: dict[tuple[int, int, int, int], ast.expr] = {}
        #: first and last line of each block that records nothing, and what opens it
        self.unrecorded: list[tuple[int, int, str]] = []
        for found in ast.walk(parse(text)):
            if isinstance(found, Simple):
                for line in range(found.lineno, (found.end_lineno or found.lineno) + 1):
                    self.statements.setdefault(line, []).append(found)
            elif isinstance(found, ast.expr):
                self.expressions.setdefault(span(found), found)
            elif isinstance(found, ast.With):
                self._note_block(found, [item.context_expr for item in found.items])
            elif isinstance(found, ast.FunctionDef):
                self._note_block(found, found.decorator_list)

    def _note_block(self, block: ast.With | ast.FunctionDef, openers: list[ast.expr]) -> None:
        for opener in openers:
            text = ast.unparse(opener)
            if "no_grad" in text or "inference_mode" in text or "set_grad_enabled(False" in text:
                self.unrecorded.append((block.lineno, block.end_lineno or block.lineno, text))


def span(part: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
    """Return first line, last line, first and last column, as instructions give their positions."""
    return (part.lineno, part.end_lineno or 0, part.col_offset, part.end_col_offset or 0)


@functools.lru_cache(maxsize=32)
def _parsed(text: str) -> Parsed | None:
    try:
        return Parsed(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def parsed(filename: str) -> Parsed | None:
    """Return the syntax of a file, if its source can be read."""
    return _parsed("".join(linecache.getlines(filename)))


def statement(filename: str, line: int, column: int | None) -> ast.stmt | None:
    """Return the simple statement at a position."""
    syntax = parsed(filename)
    if syntax is None:
        return None
    for found in syntax.statements.get(line, ()):
        first, last, start, end = span(found)
        after_start = line > first or column is None or column >= start
        before_end = line < last or column is None or column < end
        if after_start and before_end:
            return found
    return None


def expression(filename: str, position: tuple[int, int, int, int]) -> ast.expr | None:
    """Return the expression that spans exactly this position."""
    syntax = parsed(filename)
    return None if syntax is None else syntax.expressions.get(position)


def segment(filename: str, part: ast.expr | ast.stmt) -> str | None:
    """Return the text of a part of a file as it is written there."""
    first, last, start, end = span(part)
    lines = linecache.getlines(filename)[first - 1 : last]
    if len(lines) < last - first + 1:
        return None
    # columns count bytes of UTF-8
    lines[-1] = lines[-1].encode()[:end].decode()
    lines[0] = lines[0].encode()[start:].decode()
    return "".join(lines)


def dotted(part: ast.expr | None) -> str | None:
    """Return a name or a dotted name as it is written; ``None`` for anything else."""
    inner = part
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(part) if part is not None and isinstance(inner, ast.Name) else None


def written(part: ast.expr | None) -> str | None:
    """Return a name as it is written, also with items: ``net[0].weight``; ``None`` for others."""
    inner = part
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Subscript) and not isinstance(inner.slice, ast.Constant):
            return None
        inner = inner.value
    return ast.unparse(part) if part is not None and isinstance(inner, ast.Name) else None


def assigned(found: ast.stmt | None) -> tuple[str, ast.expr] | None:
    """Return the one name that a statement assigns to, and what it assigns."""
    match found:
        case ast.Assign(targets=[target], value=value):
            pass
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            pass
        case ast.AugAssign(target=target, value=value):
            pass
        case _:
            return None
    name = dotted(target)
    return None if name is None else (name, value)


def called_on(found: ast.expr | ast.stmt | None, method: str) -> ast.Call | None:
    """Return the one call of a function or method of this name inside a statement."""
    if found is None:
        return None
    calls = [
        part
        for part in ast.walk(found)
        if isinstance(part, ast.Call) and (dotted(part.func) or _method(part)).endswith(method)
    ]
    return calls[0] if len(calls) == 1 else None


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def argument(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    """Return an argument of a call, given by position or by keyword."""
    for given in call.keywords:
        if given.arg == keyword:
            return given.value
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
        return call.args[position]
    return None


def item(part: ast.expr | None, position: int) -> ast.expr | None:
    """Return one item of a tuple or list as written; a lone expression is its own first item."""
    if isinstance(part, ast.Tuple | ast.List):
        return part.elts[position] if position < len(part.elts) else None
    return part if position == 0 else None


def last_assignment(filename: str, name: str, before: int, after: int = 0) -> ast.stmt | None:
    """Return the nearest statement above a line that assigns to a name, alone or among others.

    Statements above the line ``after``, where a function begins, are not looked at.
    """
    syntax = parsed(filename)
    if syntax is None:
        return None
    above = sorted((line for line in syntax.statements if after <= line < before), reverse=True)
    for line in above:
        for found in syntax.statements[line]:
            if name in assigned_names(found):
                return found
    return None


def assignments(filename: str, first: int, after: ast.stmt) -> Iterator[tuple[str, ast.expr, int]]:
    """Yield name, value and line of assignments below a statement, then of those above it.

    Args:
        filename: The file.
        first: The line that they begin at.
        after: The statement.
    """
    syntax = parsed(filename)
    lines = [] if syntax is None else sorted(each for each in syntax.statements if each >= first)
    for line in sorted(lines, key=lambda each: (each <= after.lineno, each)):
        for found in () if syntax is None else syntax.statements[line]:
            one = assigned(found)
            if one is not None:
                yield (*one, line)


def assigned_names(found: ast.stmt) -> list[str]:
    """Return every name that a statement assigns to."""
    if isinstance(found, ast.AnnAssign | ast.AugAssign):
        targets: list[ast.expr] = [found.target]
    else:
        targets = list(found.targets) if isinstance(found, ast.Assign) else []
    names: list[str] = []
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        names += [name for part in parts if (name := dotted(part)) is not None]
    return names


def unrecorded(filename: str, line: int) -> str | None:
    """Return what keeps a line from being recorded, such as ``torch.no_grad()`` around it."""
    syntax = parsed(filename)
    blocks = () if syntax is None else syntax.unrecorded
    return next((text for first, last, text in blocks if first <= line <= last), None)
