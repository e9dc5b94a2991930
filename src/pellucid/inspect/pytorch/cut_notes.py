"""Calls of PyTorch's that give values without the history of what they were computed from."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Iterator
from typing import Any

from pellucid.autograd.cuts import note_leaves, note_none_of
from pellucid.inspect.pytorch.graphs import TorchLeaf, node_of

torch: Any = importlib.import_module("torch")

#: functions that give numbers or arrays, and how a program writes them
NUMBERS = {
    "item": "item()", "tolist": "tolist()", "numpy": "numpy()", "__array__": "NumPy",
    "__float__": "float()", "__int__": "int()",
}  # fmt: skip
_LONGEST_WALK, _MOST_LEAVES = 2000, 1000


class _Leaf:
    """A leaf by weak reference: what stands for it, as long as there is one."""

    __slots__ = ("reference",)

    def __init__(self, tensor: Any) -> None:
        self.reference = weakref.ref(tensor)

    def __call__(self) -> Any:
        tensor = self.reference()
        return None if tensor is None else _StandIn(tensor)


class _StandIn(TorchLeaf):
    """What stands for a leaf whose graph may be gone."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = self.function = tensor

    @property
    def leaf(self) -> Any:
        return self.tensor


def note_none(function: Any) -> None:
    """Note that the backward of a custom function gave None for an input that needs a gradient.

    Args:
        function: The node of the function.
    """
    reference = weakref.ref(function)

    def node() -> Any:
        found = reference()
        return None if found is None else node_of(found)

    note_none_of(node)


def note_cut(how: str, tensors: list[Any], scope: str | None) -> None:
    """Note that the user's line gives a value without the history of tensors.

    Args:
        how: What was called.
        tensors: Those with a history.
        scope: The module that runs.
    """
    note_leaves(how, scope, lambda: {id(each): _Leaf(each) for each in _leaves(tensors)})


def _leaves(tensors: list[Any]) -> Iterator[Any]:
    """Yield leaves below tensors, the nearest first, as far as a walk of bounded length finds."""
    yield from (each for each in tensors if each.grad_fn is None)
    waiting = [each.grad_fn for each in tensors if each.grad_fn is not None]
    seen, found = set(waiting), 0
    for function in waiting:  # which grows
        if hasattr(function, "variable"):
            yield function.variable
            found += 1
        if found >= _MOST_LEAVES or len(seen) >= _LONGEST_WALK:
            return
        for below, _ in function.next_functions:
            if below is not None and below not in seen:
                seen.add(below)
                waiting.append(below)


def how_written(name: str) -> str:
    """Return how a program writes a call that cut a history off."""
    if name in NUMBERS:
        return NUMBERS[name]
    return f"torch.{name}()" if name in ("tensor", "as_tensor") else f"{name}()"
