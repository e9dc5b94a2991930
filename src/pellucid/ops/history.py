"""Where a tensor's gradient goes, also after the tensor it is a view of was changed in place."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.variable import Edge, TensorBase


def edge_of(tensor: Any) -> Edge | None:
    """Return the tensor's edge, made anew for a view whose base has another history by now."""
    view = tensor._view
    if view is not None and view.history != tensor._storage.history:
        _renew_edge(tensor)
    return tensor._edge


def _renew_edge(tensor: TensorBase) -> None:
    """Let the view hang on its base's present history, as a region of the base's memory."""
    from pellucid.ops.inplace import region_edge

    view = tensor._view
    assert view is not None and tensor._storage is not None
    view.history = tensor._storage.history
    if view.base._edge is not None:
        tensor._edge = region_edge(tensor, view.base)
