"""Values of a pass that is about to run, read from a node when a check asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.node import Node
from pellucid.inspect.pytorch.graphs import (
    HiddenValue,
    TorchLeaf,
    TorchNode,
    array_of,
    stored,
    stored_value,
)
from pellucid.inspect.pytorch.saved_values import Storage

#: values of more elements are not read
_MOST = 5_000_000
_NOTHING = (None, Storage(0), 0)


def read_when_asked(node: Node) -> None:
    """Defer reading the saved values of a node, or the value of a leaf, until they are needed."""
    if isinstance(node, TorchNode):
        node.saved_later(_saved)
    elif isinstance(node, TorchLeaf):
        node.value_later(_value)


def _saved(node: TorchNode) -> Any:
    node.read_saved()
    if not isinstance(node.saved, tuple):
        return node.saved
    return tuple([
        _entry(name, *stored_value(node.function, attribute, raw))
        for name, attribute, raw in stored(node.function)
    ])  # fmt: skip


def _value(leaf: TorchLeaf) -> Any:
    return _array(leaf.leaf)


def _entry(name: str, tensor: Any, hook: Any) -> Any:
    if hook is not None:
        return HiddenValue(name)
    if tensor is None:
        return _NOTHING
    return (_array(tensor), Storage(0), 0)


def _array(tensor: Any) -> Any:
    """Return the values of a tensor, copied from another device; empty where they are not read."""
    found = None if tensor.numel() > _MOST else array_of(tensor)
    return np.empty(0) if found is None else found
