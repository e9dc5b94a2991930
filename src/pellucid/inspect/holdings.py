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
from pellucid.inspect.survey import Survey, owner_of

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
