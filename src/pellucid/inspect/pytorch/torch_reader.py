"""Reads PyTorch's tensors for the tools of `pellucid.inspect`."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from pellucid import dtypes
from pellucid.autograd.backward import GradientEdge
from pellucid.autograd.node import Node
from pellucid.autograd.reading import Reader
from pellucid.autograd.variable import Edge
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.pytorch.graphs import (
    TorchLeaf,
    TorchNode,
    array_of,
    function_of,
    is_function,
    meta_of,
    node_of,
    nodes_of,
    saved_tensors,
)
from pellucid.inspect.pytorch.line_mode import Lines, mode_stack
from pellucid.inspect.pytorch.passes import ALL
from pellucid.inspect.pytorch.saved_values import Memories, storage_key
from pellucid.tensors.creation import empty

torch: Any = importlib.import_module("torch")


class TorchReader(Reader):
    """Reads PyTorch's tensors."""

    library = "torch"

    @property
    def notes_cuts(self) -> bool:
        """Whether lines are noted now, and calls that cut history off with them."""
        return any(isinstance(each, Lines) for each in mode_stack())

    def reads(self, kind: type) -> bool:
        """Return whether values of a class are tensors, nodes or gradient edges of PyTorch's."""
        graph = torch.autograd.graph
        known = (torch.Tensor, graph.GradientEdge, TorchNode, TorchLeaf)
        return issubclass(kind, known) or issubclass(kind, graph.Node)

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def edges_of(self, values: Iterable[Any]) -> list[Edge | None]:
        given = list(values)
        with torch._C.DisableTorchFunction():
            functions = [function_of(each) for each in given]
            found = read([each for each in functions if each is not None])
            for function, value in zip(functions, given, strict=True):
                node = found.get(function)
                if node is not None and node.shape is None and self.is_tensor(value):
                    meta = meta_of(value)
                    node.shape, node.dtype = meta.shape, meta.dtype
            return [
                None if each is None else (found[each], getattr(value, "output_nr", 0))
                for each, value in zip(functions, given, strict=True)
            ]

    def for_a_pass(self, values: list[Any]) -> list[Any]:
        return [
            _Described(value) if edge is None else GradientEdge(*edge)
            for value, edge in zip(values, self.edges_of(values), strict=True)
        ]

    def gradients_for_a_pass(self, given: Any) -> Any:
        if given is None or self.is_tensor(given):
            return given if given is None else _gradient(given)
        return [None if each is None else _gradient(each) for each in given]

    def parts_to_keep(self, retain_graph: Any) -> Any:
        if retain_graph is None or isinstance(retain_graph, bool | int):
            return retain_graph
        raise ArgumentTypeError(f"retain_graph takes True or False for PyTorch's tensors: {ALL}")

    def can_run(self, what: str) -> None:
        raise ArgumentTypeError(
            f"{what} takes pellucid's tensors only: it runs operations of the graph again, and "
            "what those of PyTorch's were given cannot be had from outside"
        )

    def can_cut(self) -> None:
        raise ArgumentTypeError(
            "cut() cannot change PyTorch's graphs: its nodes do not let go of their operands from "
            "outside. Compute what is to come from tensor.detach(), and drop what was computed "
            "from the tensor before"
        )

    def gradient_of(self, tensor: Any) -> Any:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def values_of(self, tensor: Any) -> Any:
        return array_of(tensor)

    def memory_of(self, value: Any) -> tuple[Any, int] | None:
        if not self.is_tensor(value):
            return None
        with torch._C.DisableTorchFunction():
            key = storage_key(value)
            return None if key is None else (key, value.untyped_storage().nbytes())

    def once_differentiable(self, kind: Any) -> Any:
        kind = getattr(kind, "_forward_cls", kind)  # of a node
        backward = getattr(kind, "backward", None)
        made_in = getattr(backward, "__globals__", {}).get("__name__")
        decorated = hasattr(backward, "__wrapped__") and made_in == "torch.autograd.function"
        return kind if decorated else None

    def node_of(self, value: Any) -> Node | None:
        return node_of(value) if is_function(value) else None

    def referents(self, objects: Sequence[Any]) -> list[Any]:
        found = gc.get_referents(*objects)
        with torch._C.DisableTorchFunction():
            for each in objects:
                if isinstance(each, torch.Tensor):
                    parts = (each.grad_fn, self.gradient_of(each), each._base)
                    found += [part for part in parts if part is not None]
                elif is_function(each):
                    found += [below for below, _ in each.next_functions if below is not None]
                    found += [tensor for _, tensor in saved_tensors(each)]
                    if hasattr(each, "variable"):
                        found.append(each.variable)
        return found

    def hop(self, owner: Any, owned: Any) -> str | None:
        with torch._C.DisableTorchFunction():
            if isinstance(owner, torch.Tensor):
                parts = (
                    (owner.grad_fn, "grad_fn"),
                    (self.gradient_of(owner), ".grad"),
                    (owner._base, "view of"),
                    (owner._backward_hooks, "hooks of the tensor"),
                )
                return next((word for part, word in parts if part is owned), None)
            if not is_function(owner):
                return None
            if is_function(owned) or owned is getattr(owner, "variable", None):
                return ""
            return next(
                (f"saved {name}" for name, each in saved_tensors(owner) if each is owned), None
            )


def read(functions: Iterable[Any]) -> dict[Any, Node]:
    """Return what `nodes_of` does, all of it read, and the memory of the leaves."""
    with torch._C.DisableTorchFunction():
        found = nodes_of(functions)
        for node in found.values():
            if isinstance(node, TorchNode):
                node.read()
        Memories(found.values()).fill()
    return found


class _Described:
    """What errors say of a tensor without history."""

    edge = None

    def __init__(self, tensor: Any) -> None:
        meta = meta_of(tensor)
        self.shape, self.dtype = meta.shape, meta.dtype
        self.is_floating_point, self.is_complex = tensor.is_floating_point, tensor.is_complex


def _gradient(tensor: Any) -> Any:
    """Return a tensor of pellucid's that is like one of PyTorch's, without values."""
    meta = meta_of(tensor)
    return empty(meta.shape, dtype=dtypes.from_numpy_dtype(meta.dtype), device="meta")


READER = TorchReader()
