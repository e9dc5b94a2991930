"""Where gradients become zero: the nodes that get one which is not, and give zeros.

Note [Zeros are looked for where they are]: a node's result alone does not tell whether a gradient
of zeros is a fault. So a pass is looked at, once, while it runs, and only when a parameter had
zeros in the step before; what was seen is kept for whoever asks after the pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pellucid.autograd.explanations.saved_values import op_of
from pellucid.autograd.node import AccumulateGrad, Node, reachable
from pellucid.autograd.sites import Site
from pellucid.inspect.holdings import held_values
from pellucid.observe import Observer

#: more elements are not looked at
_MOST = 10_000_000


class Zero(NamedTuple):
    """A node that made zeros of a gradient that was not zero.

    Attributes:
        op: The operation.
        site: The line.
        seq: The number of the node.
        operand: What is known of its operand, ``"its operand goes from 3 to 7"``; empty if nothing.
        only_summed: Whether all that was computed of its result is sums of it, as in a penalty.
    """

    op: str
    site: Site | None
    seq: int
    operand: str
    only_summed: bool


#: by the end of the graph at a leaf: where its gradient became zero in the latest pass looked at
_kept: WeakKeyDictionary[Node, list[Zero]] = WeakKeyDictionary()


def zeros_of(leaf: Node) -> list[Zero]:
    """Return where the gradient of a leaf became zero in the latest pass that was looked at.

    Args:
        leaf: The end of the graph at the leaf.
    """
    return _kept.get(leaf, [])


class ZeroSearch(Observer):
    """A search through one pass for the nodes that make zeros of gradients.

    Args:
        nodes: The nodes of the pass.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = set(nodes)
        self.found: list[tuple[Zero, list[Node]]] = []
        self._summed = only_summed(nodes)
        self._arrived: list[tuple[Node, bool]] = []

    def node_began(self, node: Any, g: Any) -> None:
        self._arrived.append((node, node in self.nodes and _has_any(g)))

    def node_ended(self, node: Any, grads: Any) -> None:
        begun, had = self._arrived.pop()
        if begun is not node or not had or not grads:
            return
        below = [
            edge[0]
            for edge, grad in zip(node.edges, grads, strict=False)
            if edge is not None and grad is not None and not _has_any(grad)
        ]
        if below:
            name = name_of(node)
            self.found.append((
                Zero(name, node.site, node.seq, operand_text(node), node in self._summed), below,
            ))  # fmt: skip

    def keep(self) -> dict[Node, list[Zero]]:
        """Return and remember, for the leaves that the zeros lead to, where they come from."""
        made: dict[Node, list[Zero]] = {}
        for zero, below in self.found:
            for each in reachable(below):
                if isinstance(each, AccumulateGrad):
                    made.setdefault(each, []).append(zero)
        for leaf, zeros in made.items():
            zeros.sort(key=lambda zero: zero.seq)
            _kept[leaf] = zeros
        return made


#: ops whose results are sums of their operands, or the same numbers in another shape
_SUMS = frozenset({
    "sum", "mean", "add", "sub", "neg", "mul", "div", "reshape", "view", "expand", "squeeze",
    "unsqueeze", "select", "stack", "cat", "permute", "transpose", "cast", "to_copy", "clone",
})  # fmt: skip


def only_summed(nodes: list[Node]) -> set[Node]:
    """Return the nodes whose results are only summed and scaled until the pass begins.

    Args:
        nodes: Those of a pass, the youngest first.
    """
    found = {nodes[0]} if nodes else set[Node]()
    other: set[Node] = set()
    for node in nodes:
        passes = node in found and node not in other and name_of(node) in _SUMS
        for edge in node.edges:
            if edge is not None:
                (found if passes else other).add(edge[0])
    return found - other


def operand_text(node: Node) -> str:
    """Return from where to where the operand of a node goes, if the node has saved it.

    Args:
        node: One that has not been freed.
    """
    try:
        held = dict(held_values(node))
    except Exception:  # noqa: BLE001 - of a program's own function
        return ""
    for name in ("input", "self", "x"):
        array = held.get(name)
        if array is not None and array.dtype.kind == "f" and 0 < array.size <= _MOST:
            return f"its operand goes from {array.min():.3g} to {array.max():.3g}"
    return ""


def name_of(node: Node) -> str:
    """Return the name of what a node differentiates; empty for a program's own function.

    A quotient that is rounded is called ``rounded div``, as its derivative is another one.
    """
    op = op_of(node)
    if op is None:
        return ""
    params = zip((each.name for each in op.params), node.params or (), strict=False)
    theirs = getattr(node, "function", None)  # PyTorch's own node, of one of its graphs
    mode = getattr(theirs, "_saved_rounding_mode", None)
    return "rounded div" if dict(params).get("rounding_mode", mode) else op.torch_name


def _has_any(value: Any) -> bool:
    """Return whether a gradient, of a node with one or several outputs, is not all zeros."""
    if isinstance(value, list | tuple):
        return any(_has_any(each) for each in value)
    array = getattr(value, "_array", value)
    if value is None or not isinstance(array, np.ndarray | np.generic):
        return value is not None
    return array.size > _MOST or bool(np.any(array))
