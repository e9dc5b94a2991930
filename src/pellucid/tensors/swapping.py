"""The exchange of two tensors in all places at once."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.graph import leaf_edge
from pellucid.errors import GraphError
from pellucid.tensors import Tensor

_ABSENT = object()


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange two tensors: whoever has one has the other afterwards.

    Values, gradients, history, attributes and classes are exchanged.

    Args:
        t1: A tensor.
        t2: Another tensor.

    Raises:
        RuntimeError: If they have not the same slots.

    >>> a, b = torch.ones(2), torch.zeros(3)
    >>> torch.utils.swap_tensors(a, b)
    >>> a, b
    (tensor([0., 0., 0.]), tensor([1., 1.]))
    """
    names = _slots(type(t1))
    if names != _slots(type(t2)):
        raise GraphError(
            f"Cannot swap t1 and t2 if they have different slots: {type(t1)} and {type(t2)}"
        )
    for name in (*names, "__dict__"):
        _swap_attribute(t1, t2, name)
    if type(t1) is not type(t2):
        t1.__class__, t2.__class__ = type(t2), type(t1)
    for tensor in (t1, t2):
        if tensor.is_leaf and tensor.requires_grad:
            leaf_edge(tensor)[0].rebind(tensor)


def _slots(cls: type) -> list[str]:
    found = [name for each in cls.__mro__ for name in _as_tuple(vars(each).get("__slots__", ()))]
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def _as_tuple(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _swap_attribute(first: Any, second: Any, name: str) -> None:
    values = getattr(first, name, _ABSENT), getattr(second, name, _ABSENT)
    for holder, value in zip((second, first), values, strict=True):
        if value is not _ABSENT:
            setattr(holder, name, value)
        elif getattr(holder, name, _ABSENT) is not _ABSENT:
            delattr(holder, name)
