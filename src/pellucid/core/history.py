"""Where a tensor's gradient goes, also after the tensor it is a view of was changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.node import UndefinedGrad
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.dtypes import is_differentiable


class _Renewal:
    """How a view's edge is made anew; `inplace`, which comes above, puts it here."""

    view_edge: Callable[[TensorBase], None]


renewal = _Renewal()


def edge_of(tensor: Any) -> Edge | None:
    """Return the tensor's edge, made anew for a view whose base has another history by now."""
    view = tensor._view
    if view is not None and view.is_stale(tensor._storage):
        renewal.view_edge(tensor)
    return tensor._edge


def requires_grad(tensor: Any) -> bool:
    """Return whether the tensor requires grad, also of a view that may not be used any more."""
    view = tensor._view
    if view is not None and view.origin and view.is_stale(tensor._storage):
        base_counts = view.base._edge is not None and is_differentiable(tensor._array.dtype)
        edge = tensor._edge
        return base_counts or (edge is not None and not isinstance(edge[0], UndefinedGrad))
    return edge_of(tensor) is not None
