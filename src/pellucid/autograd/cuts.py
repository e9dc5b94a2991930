"""Where the history of tensors was cut off, noted by the few calls that do so.

A note is two references to compiled code and a weak one to the node that was left behind, so it
keeps nothing alive. Only the latest are kept.
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any, NamedTuple

from pellucid.autograd.node import Node
from pellucid.autograd.sites import Site, user_frame

_REMEMBERED = 256


class Cut(NamedTuple):
    """One call that gave a tensor without the history of another.

    Attributes:
        how: What was called, as ``"detach()"``.
        site: The user's line.
        node: The node whose history was left behind, if it is still alive.
        scope: The dotted name of the module that made it.
    """

    how: str
    site: Site
    node: Node | None
    scope: str | None


_notes: deque[tuple[Any, ...]] = deque(maxlen=_REMEMBERED)


def note_cut(how: str, node: Node) -> None:
    """Note that the user's line gives a tensor without the history that leads to a node."""
    _notes.append((how, *user_frame(2), weakref.ref(node), node.scope))


_gave_none: deque[weakref.ref[Node]] = deque(maxlen=_REMEMBERED)


def note_none(node: Node) -> None:
    """Note that the backward of a custom function gave None for an input that needs a gradient."""
    _gave_none.append(weakref.ref(node))


def gave_none() -> set[Node]:
    """Return the nodes of custom functions whose backward gave None of late."""
    return {node for reference in list(_gave_none) if (node := reference()) is not None}


def recent_cuts() -> list[Cut]:
    """Return the latest cuts, the last one first; one for each line."""
    found: dict[tuple[str, Site], Cut] = {}
    for how, code, lasti, reference, scope in reversed(list(_notes)):
        site, node = Site(code, lasti), reference()
        known = found.get((how, site))
        if known is None or (known.node is None and node is not None):
            found[how, site] = Cut(how, site, node, scope)
    return list(found.values())
