"""Why a tensor has no history, read from the program: through the lines that it was computed by."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NamedTuple

from pellucid.autograd.cuts import Cut, recent_cuts
from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.cut_words import cut_word
from pellucid.autograd.node import AccumulateGrad, Node, reachable
from pellucid.autograd.sites import Site, shortened

NOTHING_REQUIRES = (
    "Nothing that it was computed from requires grad, or it was computed while nothing was "
    "recorded (no_grad, detach, .data, .item()). If nothing requires grad, set requires_grad=True "
    "on the tensors whose gradients you want, before computing with them."
)
#: assignments that are followed backward at most
_MOST_STEPS = 40


class Written(NamedTuple):
    """A statement as it is written in the program.

    Attributes:
        where: ``file.py:LINE``.
        text: The statement, on one line.
    """

    where: str
    text: str

    @classmethod
    def of(cls, statement: ast.stmt | ast.expr, line: int, site: Site) -> Written:
        """Return what stands on a line of the file of a site."""
        text = shortened(" ".join(ast.unparse(statement).split()))
        return cls(f"{str(site).rpartition(':')[0]}:{line}", text)

    def __str__(self) -> str:
        return self.where


class LostHistory(NamedTuple):
    """A line at which a tensor is left without history.

    Attributes:
        name: The tensor that the line makes, as written.
        at: The line.
        reason: Why it has no history.
    """

    name: str
    at: Written
    reason: str


def lost_history(site: Site, written: ast.expr | None) -> list[LostHistory]:
    """Return the lines at which an expression, as written at a site, is left without history.

    Its names are followed through the assignments above the site, the nearest first.
    """
    if written is None:
        return []
    reason = _reason_within(written)
    if reason is not None:
        at = Written.of(written, site.line, site)
        return [LostHistory(source.dotted(written) or at.text, at, reason)]
    found: list[LostHistory] = []
    seen: set[int] = set()
    waiting = [(name, site.line) for name in _names(written)]
    while waiting and len(seen) < _MOST_STEPS:
        name, before = waiting.pop(0)
        made = source.last_assignment(site.filename, name, before, _first_line(site, name))
        if made is None or id(made) in seen:
            continue
        seen.add(id(made))
        block = source.unrecorded(site.filename, made.lineno)
        value: ast.expr | None = getattr(made, "value", None)
        reason = None if value is None else _reason_within(value)
        if block is not None:
            reason = f"It was computed inside {block}, where nothing is recorded."
        if reason is not None:
            found.append(LostHistory(name, Written.of(made, made.lineno, site), reason))
        elif value is not None:
            waiting += [(each, made.lineno) for each in _names(value)]
    return found


def assignment(site: Site, name: str) -> Written | None:
    """Return the nearest statement above a site that assigns to a name."""
    found = source.last_assignment(site.filename, name, site.line, _first_line(site, name))
    return None if found is None else Written.of(found, found.lineno, site)


def _first_line(site: Site, name: str) -> int:
    """Return where the function of a site begins, if the name is local to it; or else 0."""
    is_local = name.partition(".")[0] in site.code.co_varnames
    return site.code.co_firstlineno if is_local else 0


def cuts_behind(node: Node) -> list[Cut]:
    """Return the latest calls that left a history behind in which a node has a part.

    They tell nothing of whether another tensor was computed from what they gave.
    """
    return [
        cut
        for cut in recent_cuts()
        if node in cut.leaves
        or (isinstance(node, AccumulateGrad) and _is_among(node, cut.leaves))
        or (cut.node is not None and (cut.node is node or node in reachable([cut.node])))
    ]


def _is_among(leaf: AccumulateGrad, leaves: Iterable[Any]) -> bool:
    """Return whether one of the ends of a graph is at the same leaf."""
    return any(each.leaf is leaf.leaf for each in leaves)


def integer_reason(tensor: Any) -> str | None:
    """Return why a tensor of this dtype has no derivative, if it has none."""
    if tensor.is_floating_point() or tensor.is_complex():
        return None
    return f"Its dtype is {tensor.dtype}: only floating point and complex numbers have derivatives."


def _names(part: ast.expr) -> list[str]:
    """Return the names and dotted names in an expression, but not what is called."""
    called = {id(each.func) for each in ast.walk(part) if isinstance(each, ast.Call)}
    names: dict[str, None] = {}
    for each in ast.walk(part):
        if isinstance(each, ast.Name | ast.Attribute) and id(each) not in called:
            name = source.dotted(each)
            if name is not None:
                names[name] = None
    return list(names)


def _reason_within(value: ast.expr) -> str | None:
    """Return how an expression cuts off history, if it is written there."""
    waiting: list[ast.AST] = [value]
    while waiting:
        part = waiting.pop(0)
        called = isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
        word = cut_word(part)
        if word is not None:
            return word.reason
        match part:
            case ast.Subscript(value=inner):  # what chooses elements is not part of the value
                waiting.append(inner)
            case ast.IfExp(body=body, orelse=orelse):
                waiting += [body, orelse]
            case ast.Call(func=function, args=given, keywords=named) if called:
                receiver = function.value if isinstance(function, ast.Attribute) else function
                waiting += [receiver, *given, *named]
            case _:
                waiting += ast.iter_child_nodes(part)
    return None
