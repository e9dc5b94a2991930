"""Which line put the elements of a tensor into an order that ``view`` cannot take."""

from __future__ import annotations

import ast
from typing import Any

from pellucid.autograd.explanations import source
from pellucid.autograd.explanations.cut_words import called_name
from pellucid.autograd.lost_paths import Written
from pellucid.autograd.sites import Site, user_site

#: methods and attributes whose results are views of elements in another order
_REORDERING = frozenset({
    "transpose", "permute", "t", "T", "mT", "H", "mH", "swapaxes", "swapdims", "movedim",
    "moveaxis", "expand", "expand_as", "unfold", "diagonal", "rot90",
})  # fmt: skip
#: methods whose results have their elements in order
_IN_ORDER = frozenset({"contiguous", "clone", "reshape"})
#: assignments that are followed backward at most
_MOST_STEPS = 20


def view_refused(method: str = "view") -> str:
    """Return what follows the error for a ``view``, as a line of its own; empty if unknown."""
    site = user_site()
    call = source.called_on(site.statement, method)
    if call is None or not isinstance(call.func, ast.Attribute):
        return ""
    found = _line_of(call.func.value, site)
    if found is None:
        return ""
    at, how = found
    return (
        f"\n  {how} at {at}   {at.text} has put its elements into another order. reshape() copies "
        "them where view() cannot; or call .contiguous() there."
    )


def _line_of(written: ast.expr, site: Site) -> tuple[Written, str] | None:
    """Return the line that reordered an expression's elements, and by what."""
    line = site.line
    for _ in range(_MOST_STEPS):
        how = _reordering(written)
        if how is not None:
            return Written.of(written, line, site), how
        name = source.dotted(written)
        made = None if name is None else source.last_assignment(
            site.filename, name, line, site.code.co_firstlineno
        )  # fmt: skip
        value = getattr(made, "value", None)
        if made is None or value is None:
            return None
        how = _reordering(value)
        if how is not None:
            return Written.of(made, made.lineno, site), how
        written, line = value, made.lineno
    return None


def _reordering(value: ast.expr) -> str | None:
    """Return what in an expression has put elements into another order, the last in it first."""
    part: Any = value
    while isinstance(part, ast.Call | ast.Attribute | ast.Subscript):
        name = called_name(part) or getattr(part, "attr", "")
        if name in _REORDERING:
            return name if isinstance(part, ast.Attribute) else f"{name}()"
        if name in _IN_ORDER:
            return None
        called = part.func if isinstance(part, ast.Call) else part
        part = getattr(called, "value", None)
    return None
