"""Cutting history off after it has been used: the past uses of a tensor are cut off with it."""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from pellucid.autograd import reading
from pellucid.autograd.engine import plan_all
from pellucid.autograd.node import AccumulateGrad, Node, end_history
from pellucid.autograd.variable import TensorBase
from pellucid.errors import ArgumentError
from pellucid.inspect.holdings import owners_of_memory
from pellucid.inspect.leaf_names import names_along
from pellucid.inspect.tables import count_text, size_text


@dataclass(frozen=True, slots=True)
class CutReport:
    """What was cut off, and what that has freed.

    Attributes:
        ended: The number of nodes that gradients go no further than.
        nodes: The number of nodes that are gone.
        bytes: The memory that is gone with them.
        leaves: The names of the leaves below: they get no more gradient through the tensor.

    >>> w = torch.ones(2, requires_grad=True)
    >>> h = (w * 2).exp()
    >>> print(torch.inspect.cut(h))
    cut at 1 node: 1 node and 0 B freed; no more gradient through it for w
    """

    ended: int
    nodes: int
    bytes: int
    leaves: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dictionary."""
        return asdict(self)

    def __str__(self) -> str:
        leaves = ", ".join(self.leaves) or "any leaf"
        return (
            f"cut at {count_text(self.ended, 'node')}: {count_text(self.nodes, 'node')} and "
            f"{size_text(self.bytes)} freed; no more gradient through it for {leaves}"
        )


def cut(tensor: TensorBase, depth: int = 0) -> CutReport:
    """Cut a tensor off its history, for what has been computed from it already as well.

    ``detach_`` changes what is computed from the tensor from then on; here, gradients of earlier
    uses end at it too. What only its history has kept alive is freed at once. With a depth, the
    latest part of the history stays, as in truncated backpropagation through time.

    Args:
        tensor: A tensor with history, of any shape.
        depth: How many nodes of history stay, counted from the tensor by the shortest way.

    Returns:
        A report; it prints as a line.

    Raises:
        TypeError: For anything else than a tensor; for one of PyTorch's, whose nodes cannot be
            changed.
        ValueError: For a negative depth.

    >>> w = torch.ones(2, requires_grad=True)
    >>> h = w * 2
    >>> loss = (h * w).sum()
    >>> report = torch.inspect.cut(h)
    >>> loss.backward()
    >>> w.grad
    tensor([2., 2.])
    """
    reading.of_tensors([tensor], "cut").can_cut()
    if depth < 0:
        raise ArgumentError(f"cut() takes a depth of at least 0, not {depth}")
    edge = tensor.edge
    if edge is None or isinstance(edge[0], AccumulateGrad):
        return CutReport(0, 0, 0, ())
    ends = _at_depth(edge[0], depth)
    plan = plan_all(ends)
    last = [node for node, _ in plan.leaves]
    leaves = {leaf: number for number, leaf in enumerate(filter(_is_leaf, last), 1)}
    inner = [*plan.nodes, *(node for node in last if node not in leaves)]
    names = names_along(inner, leaves)
    leaf_names = tuple(names[number] for number in leaves.values())
    nodes = [weakref.ref(node) for node in inner if node not in ends]
    owners = _memory_of(inner, leaves)
    del plan, last, leaves, inner, names
    if depth == 0 and tensor._view is None:
        tensor._edge = None
    del edge
    for node in ends:
        end_history(node)
    gone = sum(size for reference, size in owners if reference() is None)
    freed = sum(reference() is None for reference in nodes)
    return CutReport(len(ends), freed, gone, leaf_names)


def _is_leaf(node: Node) -> bool:
    return isinstance(node, AccumulateGrad)


def _at_depth(start: Node, depth: int) -> list[Node]:
    """Return the nodes that lie ``depth`` edges from the first and have a history."""
    distance = {start: 0}
    waiting = deque([start])
    found: list[Node] = []
    while waiting:
        node = waiting.popleft()
        if distance[node] == depth:
            found.append(node)
            continue
        for edge in node.edges:
            if edge is not None and edge[0] not in distance and not _is_leaf(edge[0]):
                distance[edge[0]] = distance[node] + 1
                waiting.append(edge[0])
    return found


def _memory_of(nodes: list[Node], leaves: dict[Node, int]) -> list[tuple[Any, int]]:
    """Return weak references to the memory that nodes have saved, with its size."""
    of_leaves = {id(owner) for leaf in leaves for owner in owners_of_memory(leaf)}
    found: dict[int, tuple[Any, int]] = {}
    for node in nodes:
        for owner in owners_of_memory(node):
            if id(owner) not in of_leaves:
                found[id(owner)] = weakref.ref(owner), owner.nbytes
    return list(found.values())
