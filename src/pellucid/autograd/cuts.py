"""Where the history of tensors was cut off, noted by the few calls that do so.

Notes keep nothing alive: they refer weakly to the node that was left behind and to the leaves below
it. To find these takes a walk through the graph, so on lines that cut often it is done seldom.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from time import perf_counter
from types import CodeType
from typing import Any, NamedTuple

from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.sites import Site, user_frame

_REMEMBERED = 256
#: nodes that a walk for leaves goes through, and leaves that a line keeps, at most
_LONGEST_WALK = 2000
_MOST_LEAVES = 1000
#: a line's walks take at most this part of the time
_PART_OF_TIME = 0.01


class Cut(NamedTuple):
    """One line that gave tensors without the history of others.

    Attributes:
        how: What was called, as ``"detach()"``.
        site: The user's line.
        node: The node whose history was left behind last, if it is still alive.
        scope: The dotted name of the module that made it.
        leaves: The leaves that are still alive of those found below what was left behind.
    """

    how: str
    site: Site
    node: Node | None
    scope: str | None
    leaves: frozenset[Node]


class _Note:
    """What is remembered of one line."""

    __slots__ = ("leaves", "next_walk", "node")

    def __init__(self) -> None:
        self.node: weakref.ref[Node] | None = None
        self.leaves: dict[int, Callable[[], Any]] = {}
        self.next_walk = 0.0


#: by what was called, code, position and module; the latest last
_notes: dict[tuple[str, CodeType, int, str | None], _Note] = {}


def note_cut(how: str, node: Node) -> None:
    """Note that the user's line gives a tensor without the history that leads to a node."""
    note = note_leaves(how, node.scope, lambda: _leaves(node), depth=3)
    note.node = weakref.ref(node)


def note_leaves(
    how: str, scope: str | None, found: Callable[[], dict[int, Callable[[], Any]]], depth: int = 2
) -> _Note:
    """Note that the user's line gives a tensor without the history that leads to leaves.

    Args:
        how: What was called.
        scope: The name of the module that runs.
        found: Returns the leaves, each by a weak reference; called seldom, as it may take long.
        depth: How many frames up the line is looked for.
    """
    key = (how, *user_frame(depth), scope)
    note = _notes.pop(key, None) or _Note()
    began = perf_counter()
    if began >= note.next_walk:
        leaves = note.leaves
        leaves.update(found())
        while len(leaves) > _MOST_LEAVES:
            leaves.pop(next(iter(leaves)))
        ended = perf_counter()
        note.next_walk = ended + (ended - began) / _PART_OF_TIME
    _notes[key] = note
    while len(_notes) > _REMEMBERED:
        _notes.pop(next(iter(_notes), key), None)
    return note


def _leaves(node: Node) -> dict[int, Callable[[], Any]]:
    """Return the leaves below a node, by weak reference."""
    seen, waiting = {node}, deque([node])
    leaves: dict[int, Callable[[], Any]] = {}
    while waiting and len(seen) < _LONGEST_WALK:
        each = waiting.popleft()
        if isinstance(each, AccumulateGrad):
            leaves[id(each)] = weakref.ref(each)
        for edge in each.edges:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                waiting.append(edge[0])
    return leaves


_gave_none: deque[Callable[[], Node | None]] = deque(maxlen=_REMEMBERED)


def note_none(node: Node) -> None:
    """Note that the backward of a custom function gave None for an input that needs a gradient."""
    note_none_of(weakref.ref(node))


def note_none_of(reference: Callable[[], Node | None]) -> None:
    """Note the same of a node that a reference gives as long as it is there."""
    _gave_none.append(reference)


def gave_none() -> set[Node]:
    """Return the nodes of custom functions whose backward gave None of late."""
    return {node for reference in list(_gave_none) if (node := reference()) is not None}


def recent_cuts() -> list[Cut]:
    """Return the latest cuts, the last one first; one for each line."""
    found: dict[tuple[str, Site], Cut] = {}
    for (how, code, lasti, scope), note in reversed(list(_notes.items())):
        site = Site(code, lasti)
        node = None if note.node is None else note.node()
        alive = {each for ref in list(note.leaves.values()) if (each := ref()) is not None}
        known = found.get((how, site))
        if known is None:
            found[how, site] = Cut(how, site, node, scope, frozenset(alive))
        else:
            found[how, site] = known._replace(
                node=node if known.node is None else known.node, leaves=known.leaves | alive
            )
    return list(found.values())
