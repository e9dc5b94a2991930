"""Whether a node of PyTorch's is still there, which its wrapper in Python cannot tell.

PyTorch's nodes have no weak references, and what Python sees of one is made anew each time. But the
metadata of a node live as long as it does: so a mark in them tells.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from typing import Any

from pellucid.inspect.checks.growth import Life
from pellucid.inspect.pytorch.graphs import nodes_of

torch: Any = importlib.import_module("torch")

_LIFE = "pellucid.life"
#: nodes that a search goes through
_LONGEST_SEARCH = 50_000


class Mark(Life):
    """What lives as long as a node of PyTorch's."""

    __slots__ = ()

    def find(self) -> tuple[Any, Any]:
        """Return the node, and a later node or else a tensor that keeps it, as far as found."""
        seen: set[Any] = set()
        kept: tuple[Any, Any] = (None, None)
        for tensor in _results():
            function = tensor.grad_fn
            if self._is_on(function):
                kept = function, tensor
            for user in _below(function, seen):
                for below, _ in user.next_functions:
                    if below is not None and self._is_on(below):
                        nodes = nodes_of([user])
                        return nodes[below], nodes[user]
        function, tensor = kept
        return (None, None) if function is None else (nodes_of([function])[function], tensor)

    def _is_on(self, function: Any) -> bool:
        return function.metadata.get(_LIFE) is self


def life_of(function: Any) -> Mark:
    """Return what lives as long as one of PyTorch's nodes."""
    metadata = function.metadata
    return metadata.get(_LIFE) or metadata.setdefault(_LIFE, Mark())


def _results() -> Iterator[Any]:
    """Yield the tensors of the program that have a history."""
    for each in gc.get_objects():
        if issubclass(type(each), torch.Tensor) and _has_history(each):
            yield each


def _has_history(tensor: Any) -> bool:
    try:
        return tensor.grad_fn is not None
    except RuntimeError:  # of one that is about to go, in PyTorch 2.4
        return False


def _below(function: Any, seen: set[Any]) -> Iterator[Any]:
    """Yield the nodes from one on that were not seen before, unless these are too many."""
    stack = [function]
    while stack and len(seen) < _LONGEST_SEARCH:
        function = stack.pop()
        if function not in seen:
            seen.add(function)
            yield function
            stack += [below for below, _ in function.next_functions if below is not None]
