"""Steps that have a node of their own in PyTorch, and are a part of another node here."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from pellucid.autograd.node import Node
from pellucid.autograd.shown_edges import of_shown_edges, with_shown_edges

_known: weakref.WeakValueDictionary[tuple[int, int], Passage] = weakref.WeakValueDictionary()


class Passage(Node):
    """A step between a node and one of its operands, shown and hooked as a node of its own.

    Args:
        node: The node that the step is a part of.
        place: The position of the operand's edge.
        turned: Makes of the operand's gradient that of the step's result, and the other way round.
    """

    __slots__ = ("_node", "_place", "_turned")

    def __init__(self, node: Node, place: int, turned: Callable[[Any], Any]) -> None:
        edge = node.edges[place]
        assert edge is not None
        self.edges, self.params, self.saved, self.extra = (edge,), None, None, None
        self.metas, self.scope, self.seq = None, node.scope, node.seq
        self.code, self._lasti = node.code, node._lasti
        meta = edge[0].output_meta(edge[1])
        self.shape, self.dtype = meta.shape[::-1], meta.dtype
        self._node, self._place, self._turned = node, place, turned

    def register_hook(self, fn: Callable[[Any, Any], Any]) -> Any:
        def run(grad_inputs: Any, _: Any) -> Any:
            g = self._own(grad_inputs)
            replaced = None if g is None else fn((g,), (self._turned(g),))
            return None if replaced is None else self._replaced(grad_inputs, replaced[0])

        return self._node.register_hook(run)

    def register_prehook(self, fn: Callable[[Any], Any]) -> Any:
        def run(grad_inputs: Any, _: Any) -> Any:
            g = self._own(grad_inputs)
            replaced = None if g is None else fn((self._turned(g),))
            if replaced is None:
                return None
            return self._replaced(grad_inputs, self._turned(replaced[0]))

        return self._node.register_hook(run)

    def _own(self, grad_inputs: Any) -> Any:
        return with_shown_edges(self._node, self._nothing(), grad_inputs)[self._place]

    def _replaced(self, grad_inputs: Any, g: Any) -> Any:
        given = list(with_shown_edges(self._node, self._nothing(), grad_inputs))
        given[self._place] = g
        return of_shown_edges(self._node, tuple(given))

    def _nothing(self) -> tuple[None, ...]:
        return (None,) * len(self._node.edges)


def passage_of(node: Node, place: int, kind: type[Passage], turned: Callable[[Any], Any]) -> Node:
    """Return the step in front of an operand of a node: the same one as long as somebody has it."""
    known = _known.get((id(node), place))
    if known is None or known._node is not node:
        known = _known[id(node), place] = kind(node, place, turned)
    return known
