"""The errors that come up while a pass runs."""

from __future__ import annotations

import sys
import warnings

from pellucid.autograd.explanations.saved_values import op_of
from pellucid.autograd.explanations.text import Row, as_text, describe
from pellucid.autograd.modes import anomaly
from pellucid.autograd.node import LAST_SEQUENCE, Node
from pellucid.autograd.sites import user_stacklevel
from pellucid.errors import AnomalyError, FreedGraphError, SavedModifiedError

_SINGULAR = (
    "Its derivative is not finite at some of the operands, or what arrived was infinite: keep the "
    "operands away from there before the operation. A where() afterwards does not help, as its "
    "zero gradient times infinity is nan."
)


def nan(node: Node, position: int) -> AnomalyError:
    """Return the error of anomaly detection."""
    op = op_of(node)
    operands = () if op is None or op.variadic else op.operands
    which = f"the gradient of {operands[position].name}" if position < len(operands) else ""
    rows: list[Row] = [("made", node.site, _in_scope(node))]
    edge = node.edges[position] if position < len(node.edges) else None
    if edge is not None:
        which += f", {describe(edge[0].output_meta(edge[1]))}"
    about = f"\n  It is {which}. {_SINGULAR}" if which else f"\n  {_SINGULAR}"
    return AnomalyError(
        f"Function '{node.short_name()}' returned nan values in its {position}th output."
        f"{as_text(rows)}{about}"
    )


def _in_scope(node: Node) -> str:
    meta = node.output_meta(0)
    shape = "" if meta.shape is None else describe(meta)
    return f"{shape} in {node.scope}" if node.scope else shape


#: errors that name the lines themselves
_EXPLAINED = (FreedGraphError, SavedModifiedError, AnomalyError)


def warn_of_error(node: Node | None) -> None:
    """Warn, while anomalies are looked for, of the node at which a pass fails."""
    if not anomaly.enabled or node is None:
        return
    site = node.site
    made = "No forward pass information available."
    if site is not None:
        made = (
            "Traceback of forward call that caused the error:\n"
            f'  File "{site.filename}", line {site.line}, in {site.function}\n    {site.text}\n'
        )
    _warn_beside_an_error(f"Error detected in {node.name()}. {made}")


def _warn_beside_an_error(text: str) -> None:
    """Warn while an error is on its way, which stays the error where warnings are errors."""
    try:
        warnings.warn(text, UserWarning, stacklevel=user_stacklevel())
    except UserWarning as refused:
        sys.stderr.write(f"UserWarning: {refused}\n")


def name_line(error: Exception, node: Node | None) -> None:
    """Add to the error's text which line made the node whose backward raised it.

    The error keeps its class; one whose text cannot be changed gets a note instead.
    """
    warn_of_error(node)
    site = None if node is None or node.seq == LAST_SEQUENCE else node.site
    if node is None or site is None or isinstance(error, _EXPLAINED) or hasattr(error, "__notes__"):
        return
    if "\n  in the backward of " in str(error):
        return
    text = f"  in the backward of {node.short_name()}{as_text([('made', site, _in_scope(node))])}"
    match error.args:
        case (str(sentence),) if not isinstance(error, KeyError | OSError):
            error.args = (f"{sentence}\n{text}",)
        case _:
            error.add_note(text)
