"""The inputs of a transform: fresh tensors of its own, and who else is in the graph."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any

from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.storage import Storage
from pellucid.autograd.variable import extra_of, is_inference
from pellucid.blocks import Block, temporary
from pellucid.dtypes import is_differentiable
from pellucid.errors import GraphError
from pellucid.interpreters.vmap.batched import batched, level_of
from pellucid.ops.shape.views import of_level


class _Frames(threading.local):
    """The leaves of the transforms that are running in this thread, outermost first."""

    frames: tuple[set[Any], ...] = ()


_running = _Frames()
#: every leaf that a transform has made
_made: weakref.WeakSet[Any] = weakref.WeakSet()


@temporary
def own_leaves(block: Block) -> set[Any]:
    """Open a frame for the leaves of one transform, while its function runs."""
    frame: set[Any] = set()
    block._push(_running, "frames", frame)
    block._set(modes, "transforms", modes.transforms + 1)
    block._set(modes, "inference", False)
    return frame


@temporary
def outside_inference(block: Block) -> None:
    """Leave inference mode for a block: derivatives are computed there too."""
    block._set(modes, "inference", False)


def alias(tensor: Any) -> Any:
    """Return another tensor of the same values, with the history and the tangent of the first."""
    return of_level(tensor)


def new_leaf(tensor: Any, frame: set[Any]) -> Any:
    """Return an input of a transform: a stranger to whatever else the function uses.

    Raises RuntimeError for a dtype that is neither floating point nor complex.
    """
    if tensor.requires_grad and not is_inference(tensor):
        leaf = alias(tensor)
        extra_of(leaf).begins_level = True
        return leaf
    if not is_differentiable(tensor._array.dtype):
        raise GraphError(
            "only Tensors of floating point dtype can require gradients"
            f"\n  This one is {tensor.dtype}: name another argument (argnums)."
        )
    leaf = tensor.detach()
    if modes.forward_levels:
        before, modes.grad_enabled = modes.grad_enabled, False
        try:
            leaf = alias(tensor)
        finally:
            modes.grad_enabled = before
    if is_inference(leaf):  # the function may save it: it is a tensor of its own for it
        leaf._storage = Storage()
    leaf._switch_recording(True)
    node = leaf.edge[0]
    frame.add(node)
    _made.add(node)
    return leaf


def leads_outside(tensors: Iterable[Any]) -> bool:
    """Return whether a graph reaches anything that is not a finished transform's own."""
    active = _running.frames
    seen: set[Any] = set()
    stack = [each.edge[0] for each in tensors if each.edge is not None]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, AccumulateGrad) and (
            node not in _made or any(node in frame for frame in active)
        ):
            return True
        stack += [edge[0] for edge in node.edges if edge is not None]
    return False


def detach_if_closed(tensor: Any) -> Any:
    """Return a result without the history that belongs to finished transforms alone."""
    level = level_of(tensor)
    if level is not None:  # the history is that of all samples
        return batched(detach_if_closed(tensor.value), level)
    if tensor.requires_grad and (not modes.grad_enabled or not leads_outside([tensor])):
        return _detached(tensor)
    return tensor


def _detached(tensor: Any) -> Any:
    """Return a tensor without its history, with its tangent if an outer transform has given one."""
    result = tensor.detach()
    tangent = gradient_ops.tangents.tangent_of(tensor) if modes.forward_levels else None
    if tangent is not None:
        gradient_ops.tangents.set_tangent(result, detach_if_closed(tangent))
    return result
