"""The graphs of PyTorch's tensors, as nodes that the rest of `pellucid.inspect` can read.

They are read through ``grad_fn`` and ``next_functions``; no saved tensor is unpacked. Where a node
was made, and which pass freed it, is in its metadata, written by `pellucid.inspect.pytorch.lines`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.core.definition.op import registry
from pellucid.errors import NoGraphError
from pellucid.inspect.pytorch.notes import freed_by, made_by
from pellucid.shapes import Meta

torch: Any = importlib.import_module("torch")


def _refuse(_: Any) -> Any:
    raise NoGraphError("a value that PyTorch has saved is not unpacked")


class HiddenValue(PackedValue):
    """A value that PyTorch has saved, of which only the name can be seen without unpacking."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__(None, _refuse)
        self.name = name


class TorchNode(Node):
    """A node of PyTorch's, read at one moment."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function
        self.seq = function._sequence_nr()
        self.params = self.extra = None
        kind: Any = type(self)
        self.backward = kind  # nodes are told apart by it; it is never called
        self.code, self._lasti, self.scope = made_by(function) or (None, 0, None)
        names = [each for each in dir(function) if each.startswith("_raw_saved_")]
        saved = tuple(HiddenValue(each.removeprefix("_raw_saved_")) for each in names)
        self.saved = freed_by(function) or saved or None
        metas = [_meta_of(each) for each in function._input_metadata]
        self.metas = tuple(metas) if len(metas) > 1 else None
        first = metas[0] if metas else Meta((), None)
        self.shape, self.dtype = first.shape, first.dtype
        self.edges = ()

    @property
    def life(self) -> Any:
        from pellucid.inspect.pytorch.lives import life_of

        return life_of(self.function)


class TorchLeaf(AccumulateGrad):
    """The end of a graph of PyTorch's, at a leaf."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function
        tensor = function.variable
        self.edges, self.seq = (), function._sequence_nr()
        self._born = 0  # PyTorch does not say when: any node may come after it
        self.saved = self.params = self.metas = self.extra = self.scope = self.code = None
        self._lasti = 0
        meta = _meta_of(tensor)
        self.shape, self.dtype = meta.shape, meta.dtype
        self.value = _values(tensor)

    @property
    def leaf(self) -> Any:
        return self.function.variable


def _dtype_name(dtype: Any) -> Any:
    return str(dtype).removeprefix("torch.")


def _meta_of(described: Any) -> Meta:
    """Return shape and dtype; a nested tensor has no shape that could be told, and gets ()."""
    try:
        shape = tuple(described.shape)
    except RuntimeError:
        shape = ()
    return Meta(shape, _dtype_name(described.dtype))


def _values(tensor: Any) -> Any:
    """Return a leaf's values as an array over the same memory; an empty one if NumPy has none."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return np.empty(0)  # what a subclass computes is seen by its own code
    try:
        return tensor.detach().numpy()
    except (TypeError, RuntimeError):
        return np.empty(0)


@functools.cache
def _node_class(name: str) -> type[TorchNode]:
    """Return the class for the nodes of one name, with pellucid's op of that name, if any."""
    return type(name, (TorchNode,), {"__slots__": (), "op": _ops().get(name)})


@functools.cache
def _ops() -> dict[str, Any]:
    return {kind.__name__: op for op in registry.values() if (kind := op.node_class)}


def nodes_of(functions: Iterable[Any]) -> dict[Any, Node]:
    """Return, for all of PyTorch's nodes that some lead to, what stands for them here."""
    found: dict[Any, Node] = {}
    stack = list(functions)
    while stack:
        function = stack.pop()
        if function in found:
            continue
        if hasattr(function, "variable"):
            found[function] = TorchLeaf(function)
        else:
            found[function] = _node_class(function.name())(function)
            stack += [below for below, _ in function.next_functions if below is not None]
    for function, node in found.items():
        node.edges = tuple(
            None if below is None else (found[below], slot)
            for below, slot in function.next_functions
        )
    return found


def roots_of(tensors: Iterable[Any]) -> list[Node]:
    """Return what stands for the nodes of tensors; raise RuntimeError for one without history."""
    functions = [function_of(each) for each in tensors]
    if None in functions:
        raise NoGraphError(
            f"element {functions.index(None)} of tensors does not require grad and does not have "
            "a grad_fn: it has no graph to look at"
        )
    found = nodes_of(functions)
    return [found[each] for each in functions]


def function_of(tensor: Any) -> Any:
    """Return PyTorch's node of a tensor or gradient edge; None if it has no history."""
    if not isinstance(tensor, torch.Tensor):
        return getattr(tensor, "node", None)
    if tensor.grad_fn is None and tensor.requires_grad:
        with torch.enable_grad():
            view = tensor.view_as(tensor).grad_fn  # tensors of torch.func may have none
        return None if view is None else view.next_functions[0][0]
    return tensor.grad_fn


def run_of(call: str, roots: list[Node]) -> BackwardRun:
    """Return the record of a pass of PyTorch's that begins, from the user's line."""
    run = BackwardRun.here(call, roots)
    run.seq = torch._C._autograd._get_sequence_nr()
    return run
