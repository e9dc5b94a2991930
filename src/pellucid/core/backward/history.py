"""Where a tensor's gradient goes, also after the tensor it is a view of was changed in place."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.node import UndefinedGrad
from pellucid.autograd.variable import Edge
from pellucid.dtypes import is_differentiable


def edge_of(tensor: Any) -> Edge | None:
    """Return the tensor's edge, made again for a view whose base changed or requires grad now."""
    view = tensor._view
    if view is not None and (
        view.is_stale(tensor._storage) or (tensor._edge is None and view.base._edge is not None)
    ):
        gradient_ops.renew_view_edge(tensor)
    return tensor._edge


def requires_grad(tensor: Any) -> bool:
    """Return whether the tensor requires grad, also of a view that may not be used any more."""
    view = tensor._view
    if view is not None and view.origin and view.is_stale(tensor._storage):
        base_counts = view.base._edge is not None and is_differentiable(tensor._array.dtype)
        edge = tensor._edge
        return base_counts or (edge is not None and not isinstance(edge[0], UndefinedGrad))
    return edge_of(tensor) is not None
