"""Which memory a node keeps alive: found without unpacking, and without holding on to it."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy import ndarray

from pellucid.autograd.explanations.saved_values import op_of, saved_name
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.reading import root_nodes
from pellucid.autograd.saved import PackedValue
from pellucid.autograd.variable import TensorBase
from pellucid.inspect.survey import Survey, owner_of, survey

#: the name of a value, or its position among those that a node has saved
Name = TypeVar("Name", int, str)

#: attributes of a context that are the library's
_OF_LIBRARY = ("_to_save", "_for_forward", "_dirty", "_non_differentiable", "_node")


def held_values(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the arrays that a node has saved, each with its name."""
    if isinstance(node.saved, tuple):
        for position, entry in enumerate(node.saved):
            yield from arrays_in(saved_name(node, position) or f"value {position}", entry)


def held_by_context(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the arrays that a custom function has put on its context, each with its name."""
    context = getattr(node, "ctx", None) if hasattr(type(node), "ctx") else None
    if context is not None:
        for name, value in vars(context).items():
            if name not in _OF_LIBRARY:
                yield from arrays_in(f"ctx.{name}", (value,))


def held_params(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the arrays among the parameters of a node's op, such as indices."""
    op = op_of(node)
    names = [] if op is None else [param.name for param in op.params]
    for position, value in enumerate(node.params or ()):
        name = names[position] if position < len(names) else "parameter"
        yield from arrays_in(name, (value,))


def kept_otherwise(
    found: Survey, nodes: list[Node]
) -> Iterator[tuple[int, Iterator[tuple[str, Any]]]]:
    """Yield the numbers of nodes that keep arrays otherwise than as saved values, with these.

    Args:
        found: What a survey has found.
        nodes: The nodes that it was made of.
    """
    for number in found.odd_params.tolist():
        yield number, held_params(nodes[number - 1])
    custom = [kind for kind, number in enumerate(found.examples.tolist())
              if hasattr(type(nodes[number - 1]), "ctx")]  # fmt: skip
    for number in (np.flatnonzero(np.isin(found.kind_of, custom)) + 1).tolist() if custom else ():
        yield number, held_by_context(nodes[number - 1])


def odd_values(found: Survey, nodes: list[Node]) -> Iterator[tuple[int, Iterator[tuple[Any, Any]]]]:
    """Yield the nodes of saved values that are not arrays, with the arrays in each.

    Args:
        found: What a survey has found.
        nodes: The nodes that it was made of.
    """
    for number, position in zip(
        found.odd_nodes.tolist(), found.odd_positions.tolist(), strict=True
    ):
        node = nodes[number - 1]
        assert isinstance(node.saved, tuple)
        name = saved_name(node, position) or f"value {position}"
        yield number, arrays_in(name, node.saved[position])


def arrays_in(name: Name, entry: Any) -> Iterator[tuple[Name | str, Any]]:
    """Yield the arrays in what a node keeps as one value.

    What a pack hook has made is looked at where it is a tensor or an array, never unpacked.
    """
    value = entry[0] if isinstance(entry, tuple) else entry
    if isinstance(value, Node):  # of CopySlices: the change that was made to a view
        yield from held_values(value)
        return
    for array in _within(value, 0):
        yield name, array


#: how deep containers and objects are looked through
_DEEPEST = 5


def _within(value: Any, depth: int) -> Iterator[Any]:
    """Yield the arrays in a value that a node or a pack hook keeps."""
    if isinstance(value, np.generic):
        yield np.asarray(value)
    elif isinstance(value, ndarray):
        yield value
    elif isinstance(value, TensorBase):
        array = getattr(value, "_array", None)
        if isinstance(array, ndarray):
            yield array
    elif depth < _DEEPEST:
        for each in _parts(value):
            yield from _within(each, depth + 1)


def _parts(value: Any) -> Iterable[Any]:
    """Return what a value that is not an array holds: a packed one also by what unpacks it."""
    match value:
        case PackedValue():
            owner = getattr(value.unpacked_by, "__self__", None)
            return (value.packed, *kept_for_backward(owner))
        case list() | tuple() | set() | frozenset():
            return value
        case dict():
            return value.values()
    if isinstance(value, _LEFT_OUT):
        return ()
    return (*kept_for_backward(value), *getattr(value, "__dict__", {}).values())


_LEFT_OUT = (type, types.ModuleType, types.FunctionType, Node, str, bytes, int, float)


def kept_for_backward(owner: Any) -> Iterable[Any]:
    """Return what an object that unpacks values keeps for that, if it is one that says so."""
    method = getattr(type(owner), "kept_for_backward", None)
    return () if method is None else method(owner)


def owners_of_memory(node: Node) -> Iterator[Any]:
    """Yield the arrays that own the memory which a node, or the leaf that it stands for, keeps."""
    if isinstance(node, AccumulateGrad):
        yield owner_of(node.value)
    for _, array in (*held_values(node), *held_params(node), *held_by_context(node)):
        yield owner_of(array)


def kept_bytes(seen: list[Node]) -> int:
    """Return how much memory nodes keep alive, each counted once, beside that of the leaves."""
    nodes = root_nodes(seen, "kept_bytes")  # with what they have saved
    leaves = {
        id(owner_of(edge[0].value))
        for node in nodes
        for edge in node.edges
        if edge is not None and isinstance(edge[0], AccumulateGrad)
    }
    owners = (owner_of(array) for node in nodes for _, array in held_values(node))
    held = {id(owner): owner.nbytes for owner in owners}
    return sum(size for key, size in held.items() if key not in leaves)


class Kept:
    """Which memory the nodes of a graph keep, as numbers and text; it keeps none of them.

    Args:
        nodes: The nodes, the youngest first.
        leaves: The leaves at their ends; what is theirs does not count.
    """

    def __init__(self, nodes: list[Node], leaves: list[Any]) -> None:
        self.survey = found = survey(nodes, leaves)
        #: by block
        self.sizes: list[int] = found.sizes.tolist()
        self.like_of: list[int] = found.like_of.tolist()
        self.likes = list(found.likes)
        self.in_use: list[bool] = found.in_use.astype(bool).tolist()
        #: by block: what the values saved of it are like; `_DIFFERENT` where they are not alike
        self.saved_like = _likes_of_values(nodes, found, self.likes)
        #: blocks that nodes hold as long as they exist: no backward pass frees them
        self.lasting: set[int] = set()
        #: (node, block, name) of what nodes keep otherwise than as saved arrays
        self._others: list[tuple[int, int, str]] = []
        #: packed values in which nothing of known size was found
        self.unseen = 0
        self._blocks: dict[int, int] = {}
        #: by number of a leaf: how many times nodes have saved it
        self.saved_leaves: list[int] = np.bincount(
            -found.value_blocks[found.value_blocks < 0], minlength=len(leaves) + 1
        ).tolist()
        self._keep_others(nodes, leaves)
        own = found.value_blocks >= 0
        others = np.array([each[:2] for each in self._others], np.int64).reshape(-1, 2)
        #: by value that a node keeps: its node and its block
        self.nodes_of = np.concatenate([found.value_nodes[own], others[:, 0]])
        self.blocks_of = np.concatenate([found.value_blocks[own], others[:, 1]])
        #: the positions in their nodes of the first ones, and the names of those after them
        self.positions = found.value_positions[own]
        self.names = [name for *_, name in self._others]

    def _keep_others(self, nodes: list[Node], leaves: list[Any]) -> None:
        """Note what nodes keep otherwise than as saved arrays, which few do."""
        found = self.survey
        otherwise = list(kept_otherwise(found, nodes))
        if not (otherwise or len(found.odd_nodes)):
            return
        self._blocks = {address: n for n, address in enumerate(found.addresses.tolist())}
        for number, leaf in enumerate(leaves, 1):
            self._blocks.setdefault(id(owner_of(leaf.value)), -number)
        for number, held in odd_values(found, nodes):
            values = list(held)
            self.unseen += not values
            self._keep(number, values)
        for number, held in otherwise:
            self._keep(number, held, freeable=False)

    def _keep(
        self, number: int, values: Iterable[tuple[int | str, Any]], freeable: bool = True
    ) -> None:
        for name, array in values:
            owner = owner_of(array)
            block = self._blocks.get(id(owner))
            if block is None:
                block = self._blocks[id(owner)] = len(self.sizes)
                self.sizes.append(owner.nbytes)
                self.like_of.append(len(self.likes))
                self.likes.append((owner.shape, owner.dtype))
                self.in_use.append(False)
                self.saved_like.append(_NONE)
            if block < 0:
                self.saved_leaves[-block] += 1
                continue
            self._note_like(block, array)
            # which references to it are the graph's own is not known
            self.in_use[block] = False
            self._others.append((number, block, str(name)))
            if not freeable:
                self.lasting.add(block)

    def _note_like(self, block: int, array: Any) -> None:
        """Note what one more value that is saved of a block is like."""
        like = (array.shape, array.dtype)
        known = self.saved_like[block]
        if known == _NONE:
            self.likes.append(like)
            self.saved_like[block] = len(self.likes) - 1
        elif known >= 0 and self.likes[known] != like:
            self.saved_like[block] = _DIFFERENT


#: in place of what the saved values of a block are like: none is known, or they are not alike
_NONE, _DIFFERENT = -1, -2


def _likes_of_values(nodes: list[Node], found: Survey, likes: list[Any]) -> list[int]:
    """Return for each block what the values that nodes have saved of it are like.

    Nodes of one kind have saved the like, so one of each kind is looked at.
    """
    numbers = {like: number for number, like in enumerate(likes)}
    result = np.full(len(found.sizes), _NONE)
    own = found.value_blocks >= 0
    kinds = found.kind_of[found.value_nodes[own] - 1]
    width = int(found.value_positions.max(initial=0)) + 1
    table = np.full(len(found.examples) * width, _NONE)
    for kind, number in enumerate(found.examples.tolist()):
        saved = nodes[number - 1].saved
        for position, entry in enumerate(saved if isinstance(saved, tuple) else ()):
            value = entry[0] if isinstance(entry, tuple) and entry else entry
            if isinstance(value, np.ndarray):
                like = (value.shape, value.dtype)
                if like not in numbers:
                    numbers[like] = len(likes)
                    likes.append(like)
                table[kind * width + position] = numbers[like]
    values, blocks = table[kinds * width + found.value_positions[own]], found.value_blocks[own]
    least, most = np.full(len(result), len(likes)), result.copy()
    np.minimum.at(least, blocks, values)
    np.maximum.at(most, blocks, values)
    return np.where(least == most, most, np.where(most == _NONE, _NONE, _DIFFERENT)).tolist()
