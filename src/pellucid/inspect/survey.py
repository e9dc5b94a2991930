"""What the nodes of a graph have in common, where they lead and what they keep, as arrays.

Every account of a whole graph starts from one pass over its nodes, and goes on with arrays of
numbers: a graph may have millions of nodes, and few kinds of them.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from pellucid._native import compiled
from pellucid.autograd.node import Node
from pellucid.core.memory.ownership import MOST_BASES

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]

#: types of parameters that hold no memory to speak of
_PLAIN = {int, float, bool, complex, str, type(None)}


class Survey(NamedTuple):
    """The nodes of a graph in numbers: nodes count from 1, leaves from -1 downwards.

    A value is an array that a node has saved, a block the memory of one. Values that are kept in
    another way, as by saved-tensor hooks, are only listed, as ``odd``.
    """

    #: by node: its kind; nodes of one kind were made by one instruction, and keep the like
    kind_of: Numbers
    #: by kind: its first node
    examples: Numbers
    #: by node, and at the end: where its edges begin
    starts: Numbers
    #: by edge: the node or leaf that it leads to; 0 for none
    targets: Numbers
    #: by edge: which output of the target it belongs to
    slots: Numbers
    #: by value: the node that keeps it, its position there, and its block; a leaf's number where
    #: the memory is that of a leaf
    value_nodes: Numbers
    value_positions: Numbers
    value_blocks: Numbers
    #: by block: its bytes, the address of the array that owns it, and what that is like
    sizes: Numbers
    addresses: Numbers
    like_of: Numbers
    #: shapes, each with a dtype
    likes: list[tuple[tuple[int, ...], Any]]
    #: by block: whether something beside the nodes refers to it
    in_use: Numbers
    #: the nodes of odd values, and their positions there
    odd_nodes: Numbers
    odd_positions: Numbers
    #: nodes with parameters that may hold memory
    odd_params: Numbers

    def uses(self, leaves: int) -> list[int]:
        """Return for each of this many leaves how many edges lead to it."""
        return np.bincount(-self.targets[self.targets < 0], minlength=leaves + 1)[1:].tolist()


def survey(nodes: list[Node], leaves: list[Any]) -> Survey:
    """Return what the nodes of a graph are; nothing is unpacked.

    Args:
        nodes: All nodes, in the order in which they are numbered.
        leaves: The ends of the graph with a ``value``, in the same way.
    """
    owners = [owner_of(leaf.value) for leaf in leaves]
    if compiled is not None:
        return Survey(*compiled.survey(nodes, leaves, owners))
    return _Surveyor(nodes, leaves, owners).look()


def owner_of(value: Any) -> Any:
    """Return the array that owns the memory which an array looks into."""
    owner, base = value, getattr(value, "base", None)
    for _ in range(MOST_BASES):
        if base is None:
            break
        if isinstance(base, ndarray):
            owner = base
        base = getattr(base, "base", None)  # an object of NumPy's may stand between two arrays
    return owner


class _Surveyor:
    """The definition of a survey, and how it is made without the compiled module."""

    def __init__(self, nodes: list[Node], leaves: list[Any], owners: list[Any]) -> None:
        self.nodes = nodes
        self.numbers: dict[Any, int] = {node: number for number, node in enumerate(nodes, 1)}
        #: by address of the array that owns it
        self.blocks: dict[int, int] = {}
        for number, (leaf, owner) in enumerate(zip(leaves, owners, strict=True), 1):
            self.numbers[leaf] = -number
            self.blocks.setdefault(id(owner), -number)
        self.kinds: dict[Any, int] = {}
        self.likes: dict[Any, int] = {}
        self.kind_of: list[int] = []
        self.examples: list[int] = []
        self.starts = [0]
        self.targets: list[int] = []
        self.slots: list[int] = []
        #: node, position and block
        self.values: list[tuple[int, int, int]] = []
        #: bytes, address and like
        self.sizes: list[tuple[int, int, int]] = []
        #: by block: references beside those of the graph
        self.others: list[int] = []
        #: by address of an array that owns nothing: its block, and references to it
        self.views: dict[int, list[int]] = {}
        self.odd: list[tuple[int, int]] = []
        self.odd_params: list[int] = []

    def look(self) -> Survey:
        """Go through all nodes."""
        for number, node in enumerate(self.nodes, 1):
            self._note_edges(node)
            kind = self.kinds.setdefault(self._kind(number, node), len(self.kinds))
            self.kind_of.append(kind)
            if kind == len(self.examples):
                self.examples.append(number)
            if node.params is not None and not _PLAIN.issuperset(map(type, node.params)):
                self.odd_params.append(number)
        in_use = [others > 0 for others in self.others]
        for block, others in self.views.values():
            in_use[block] |= others > 0
        value_nodes, value_positions, value_blocks = _columns(self.values, 3)
        sizes, addresses, like_of = _columns(self.sizes, 3)
        odd_nodes, odd_positions = _columns(self.odd, 2)
        return Survey(
            _numbers(self.kind_of), _numbers(self.examples), _numbers(self.starts),
            _numbers(self.targets), _numbers(self.slots), value_nodes, value_positions,
            value_blocks, sizes, addresses, like_of, list(self.likes), _numbers(in_use), odd_nodes,
            odd_positions, _numbers(self.odd_params),
        )  # fmt: skip

    def _note_edges(self, node: Node) -> None:
        for edge in node.edges:
            self.targets.append(0 if edge is None else self.numbers.get(edge[0], 0))
            self.slots.append(0 if edge is None else edge[1])
        self.starts.append(len(self.targets))

    def _kind(self, number: int, node: Node) -> tuple[Any, ...]:
        """Return what is equal for nodes of one kind, and take note of what the node keeps."""
        metas = (node,) if node.metas is None else node.metas
        outputs = tuple([(each.shape, each.dtype) for each in metas])
        kept: Any = node.saved
        if isinstance(kept, tuple):
            kept = tuple([self._keep(number, i, entry) for i, entry in enumerate(kept)])
        # the code's address, as to hash code takes as long as all the rest
        return (
            node.__class__, node.backward, id(node.code), node._lasti, node.scope, outputs, kept,
        )  # fmt: skip

    def _keep(self, number: int, position: int, entry: Any) -> Any:
        """Return what a saved value is like, and take note of it."""
        value = entry[0] if entry.__class__ is tuple and entry else entry
        if value is None:
            return None
        if value is entry or value.__class__ is not ndarray:
            self.odd.append((number, position))
            return number
        others = getrefcount(value) - _SOLE  # not further down: a call holds one, too
        owner = owner_of(value)
        block = self.blocks.get(id(owner))
        if block is None:
            block = self.blocks[id(owner)] = len(self.sizes)
            self.sizes.append((owner.nbytes, id(owner), self._like(owner)))
            self.others.append(getrefcount(owner) - _SOLE + 1 if owner is not value else others + 1)
        if block >= 0 and owner is value:
            self.others[block] -= 1
        elif block >= 0:
            known = self.views.setdefault(id(value), [block, others + 1])
            self.others[block] -= known[1] == others + 1 and value.base is owner
            known[1] -= 1
        self.values.append((number, position, block))
        return self._like(value), min(block, 0)

    def _like(self, array: Any) -> int:
        return self.likes.setdefault((array.shape, array.dtype), len(self.likes))


def _sole_count() -> int:
    """Return the count of references that `_keep` sees to an array of only one node."""
    entry = (np.zeros(()), None, 0)
    value = entry[0]
    return getrefcount(value)


_SOLE = _sole_count()


def _numbers(numbers: Any) -> Numbers:
    return np.array(numbers, np.int64)


def _columns(rows: list[tuple[int, ...]], count: int) -> Any:
    return _numbers(rows).reshape(-1, count).T
