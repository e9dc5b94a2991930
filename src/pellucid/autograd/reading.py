"""How the tools read a tensor: one of pellucid's, or one of an installed PyTorch.

A tool never asks which it is. It asks the functions of this module, and what it gets are nodes, as
`autograd.node` defines them. See Note [Two libraries, one reader each].
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from pellucid.autograd.node import Node
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.errors import ArgumentTypeError, NoGraphError
from pellucid.outbuildings import outbuildings

# Note [Two libraries, one reader each]
# What the tools need of a graph is what `Node` has: edges, saved values as (array, storage,
# version), site, scope, who freed it, and at its ends leaves with their memory. A reader gives
# nodes for tensors. That of pellucid's tensors gives the nodes themselves; that of PyTorch's, in
# `inspect.pytorch`, gives nodes that stand for PyTorch's, made when it is asked. Beside nodes there
# is little: a tensor's gradient and values, and how objects refer to each other.


class Reader:
    """Reads pellucid's tensors; a reader of another library's overrides all of it."""

    #: pages and messages tell by this what it reads
    library = "pellucid"
    #: whether calls that cut history off are noted wherever they happen
    notes_cuts = True

    def is_tensor(self, value: Any) -> bool:
        """Return whether a value is a tensor, not a node or a gradient edge."""
        return isinstance(value, TensorBase)

    def edges_of(self, values: Iterable[Any]) -> list[Edge | None]:
        """Return where gradients of tensors, nodes and gradient edges go: nodes of one graph.

        None stands for a tensor without history.
        """
        return [self._edge(each) for each in values]

    def _edge(self, value: Any) -> Edge | None:
        if isinstance(value, Node):
            return (value, 0)
        return (value[0], value[1]) if isinstance(value, tuple) else value.edge

    def for_a_pass(self, values: list[Any]) -> list[Any]:
        """Return what a pass is asked with in place of tensors, so that it can be looked at."""
        return values

    def gradients_for_a_pass(self, given: Any) -> Any:
        """Return the same for the gradients that it starts with."""
        return given

    def parts_to_keep(self, retain_graph: Any) -> Any:
        """Return ``retain_graph``; raise TypeError if no part of a graph can be kept."""
        return retain_graph

    def can_run(self, what: str) -> None:
        """Raise TypeError if a tool cannot run nodes itself."""

    def can_cut(self) -> None:
        """Raise TypeError if the edges of nodes cannot be changed."""

    def gradient_of(self, tensor: Any) -> Any:
        """Return the ``.grad`` of a tensor, without a warning where there can be none."""
        return tensor._grad

    def values_of(self, tensor: Any) -> Any:
        """Return the values of a tensor as an array; something else, or None, if it has none."""
        return (tensor._values() if tensor.is_sparse else tensor)._array

    def memory_of(self, value: Any) -> tuple[Any, int] | None:
        """Return what is equal for values with the same memory, and its bytes; None without one."""
        owner = None
        base = getattr(value, "_array", value)
        while base is not None:
            if hasattr(base, "nbytes"):
                owner = base
            base = getattr(base, "base", None)  # an object of NumPy's may stand between two arrays
        return None if owner is None else (id(owner), owner.nbytes)

    def once_differentiable(self, kind: Any) -> Any:
        """Return a custom function whose backward, by its decorator, is not recorded; or None."""
        backward = getattr(kind, "backward", None)
        return kind if getattr(backward, "once_differentiable", False) else None

    def node_of(self, value: Any) -> Node | None:
        """Return the node that an object is; None if it is something else."""
        return value if isinstance(value, Node) else None

    def referents(self, objects: Sequence[Any]) -> list[Any]:
        """Return what objects refer to, also where Python's garbage collector does not see it."""
        return gc.get_referents(*objects)

    def hop(self, owner: Any, owned: Any) -> str | None:
        """Return how a tensor or node refers to an object; None if `inspect.hops` knows it."""
        return None


own = Reader()
#: by class of a value: its reader
_readers: dict[type, Reader | None] = {}
_MOST_CLASSES = 100_000


def reader_of(value: Any) -> Reader | None:
    """Return what reads a tensor, node or gradient edge; None for everything else."""
    kind = type(value)
    if kind not in _readers:
        if len(_readers) > _MOST_CLASSES:
            _readers.clear()
        _readers[kind] = _reader_of(kind)
    return _readers[kind]


def _reader_of(kind: type) -> Reader | None:
    if issubclass(kind, TensorBase):
        return own
    for other in others():
        theirs = other.reader()
        if theirs.reads(kind):
            return theirs
    is_edge = kind.__module__.startswith("pellucid.") and hasattr(kind, "output_nr")
    return own if is_edge or issubclass(kind, Node) else None


def others() -> list[Any]:
    """Return the libraries that the program uses beside this one: PyTorch, if it is imported.

    That is PyTorch itself, not this library by its name.
    """
    core = getattr(sys.modules.get("torch"), "_C", None)
    return [outbuildings.pytorch()] if getattr(core, "__name__", "") == "torch._C" else []


def once_differentiable(kind: Any) -> Any:
    """Return a custom function whose backward, by its decorator, is not recorded; or None."""
    readers = [own, *(each.reader() for each in others())]
    return next((found for each in readers if (found := each.once_differentiable(kind))), None)


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor."""
    reader = reader_of(value)
    return reader is not None and reader.is_tensor(value)


def of_tensors(values: Sequence[Any], caller: str) -> Reader:
    """Return what reads tensors; raise TypeError for anything else, or of different libraries."""
    for each in values:
        if not is_tensor(each):
            wanted = "a tensor" if len(values) == 1 else "tensors"
            raise ArgumentTypeError(f"{caller}() takes {wanted}, not {type(each).__name__}")
    return common_reader(values)


def common_reader(values: Iterable[Any]) -> Reader:
    """Return what reads all of some values; raise TypeError if they are of different libraries."""
    readers = {reader for each in values if (reader := reader_of(each)) is not None}
    if len(readers) > 1:
        raise ArgumentTypeError("a tensor of PyTorch's and one of pellucid's have no common graph")
    return readers.pop() if readers else own


def edge_of(tensor: Any) -> Edge | None:
    """Return where the gradient of a tensor goes; None for what has no history."""
    reader = reader_of(tensor)
    if reader is None:
        return getattr(tensor, "edge", None)  # of what stands for a tensor
    return reader.edges_of([tensor])[0]


def gradient_of(tensor: Any) -> Any:
    """Return the ``.grad`` of a tensor."""
    return (reader_of(tensor) or own).gradient_of(tensor)


def values_of(tensor: Any) -> Any:
    """Return the values of a tensor as an array; something else, or None, if it has none."""
    return (reader_of(tensor) or own).values_of(tensor)


def memory_of(tensor: Any) -> tuple[Any, int] | None:
    """Return what is equal for tensors with the same memory, and its size; None without memory."""
    return common_reader([tensor]).memory_of(tensor)


def root_nodes(values: Iterable[Any], caller: str) -> list[Node]:
    """Return the nodes that tensors, nodes and gradient edges stand for.

    Raises RuntimeError for a tensor without history, TypeError for anything else.
    """
    given = list(values)
    for each in given:
        if reader_of(each) is None:
            raise ArgumentTypeError(f"{caller}() takes tensors, not {type(each).__name__}")
    edges = common_reader(given).edges_of(given)
    for position, edge in enumerate(edges):
        if edge is None:
            raise NoGraphError(
                f"element {position} of tensors does not require grad and does not have a "
                "grad_fn: it has no graph to look at"
            )
    return [edge[0] for edge in edges if edge is not None]
