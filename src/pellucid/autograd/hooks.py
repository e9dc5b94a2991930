"""Running the hooks of a node, in PyTorch's order.

Tensor hooks on the arriving gradient, then the gradient is written to tensors that retain it, then
the node's pre-hooks; the node runs; then its post-hooks. Hooks see tensors, whatever flows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.node_extra import NodeExtra, node_extra
from pellucid.autograd.shown_edges import of_shown_edges, with_shown_edges
from pellucid.autograd.storage import InferenceStorage
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.errors import ArgumentTypeError, GraphError, InvalidGradientError

if TYPE_CHECKING:
    from pellucid.autograd.gradient_ops import Gradients


def run_tensor_hooks(node: Node, g: Any, gradients: Gradients) -> Any:
    """Pass a node's arriving gradient through its tensor hooks, and retain it where asked."""
    extra = node.extra
    if extra is None or not (extra.tensor_hooks or extra.retained):
        return g
    if node.metas is None:
        return _hooked(node, extra, 0, g, gradients)
    arrived = [None] * len(node.metas) if g is None else g
    hooked = [_hooked(node, extra, slot, each, gradients) for slot, each in enumerate(arrived)]
    return None if g is None else hooked


def run_leaf_hooks(leaf: Node, g: Any, changes: int, gradients: Gradients) -> tuple[Any, int]:
    """Do the same for a leaf; count what hooks change in a gradient that was changed before."""
    extra = leaf.extra
    if extra is None:
        return g, changes
    hooks = extra.tensor_hooks.get(0)
    if hooks:
        g, is_same, written = _called(hooks, g, gradients)
        changes = written + changes if is_same else written
    return _retained(extra, 0, g, gradients), changes


def _hooked(node: Node, extra: NodeExtra, slot: int, g: Any, gradients: Gradients) -> Any:
    hooks = extra.tensor_hooks.get(slot)
    if hooks:
        g = _called(hooks, g, gradients)[0]
    return _retained(extra, slot, g, gradients)


def _called(hooks: dict[int, Any], g: Any, gradients: Gradients) -> tuple[Any, bool, int]:
    """Return a gradient after hooks, whether it is the same tensor, and its number of changes."""
    given = tensor = _handed_out(g, gradients)
    for hook in list(hooks.values()):
        result = hook(tensor)
        if result is not None:
            _check_replacement(hook, tensor, result)
            tensor = result
    if tensor is given and not _was_written(given):
        return g, True, 0
    storage = getattr(tensor, "_storage", None)
    return (
        None if tensor is None else gradients.unwrap(tensor),
        tensor is given,
        0 if storage is None or isinstance(storage, InferenceStorage) else storage.version,
    )


def _retained(extra: NodeExtra, slot: int, g: Any, gradients: Gradients) -> Any:
    """Return what has arrived at a tensor, having written it to its ``.grad`` where asked."""
    reference = extra.retained.get(slot)
    retaining = None if reference is None else reference()
    if retaining is not None and g is not None:
        with extra.lock:
            gradients.retain(retaining, g)
    return g


def _was_written(given: Any) -> bool:
    """Return whether hooks may have written to what they were given."""
    if not hasattr(given, "_storage"):  # None, or a sparse tensor
        return True
    storage = given._storage
    return storage is not None and (isinstance(storage, InferenceStorage) or storage.version > 0)


def _handed_out(g: Any, gradients: Gradients) -> Any:
    """Return a gradient as a tensor that a hook may write to."""
    return None if g is None else gradients.wrap(gradients.own(g))


def _check_replacement(hook: Callable[..., Any], before: Any, after: Any) -> None:
    """Refuse a hook's result that could not stand in for the gradient."""
    name = getattr(hook, "__name__", type(hook).__name__)
    result: object = after
    if not isinstance(result, TensorBase):
        raise ArgumentTypeError(
            f"expected Variable, but hook returned '{type(after).__name__}'\n"
            f"  A hook returns a Tensor or None; look at hook '{name}'."
        )
    if before is None:
        raise InvalidGradientError(
            f"can't replace a None gradient with a non-None value: look at hook '{name}'"
        )
    if after.shape != before.shape:
        raise InvalidGradientError(
            f"hook '{name}' has changed the size of value\n  The gradient has shape "
            f"{list(before.shape)}, the hook returned {list(after.shape)}."
        )
    if after.dtype != before.dtype:
        raise InvalidGradientError(
            f"hook '{name}' has changed the type of value (was {before.type()} got {after.type()})"
        )


def run_pre_hooks(node: Node, g: Any, gradients: Gradients) -> Any:
    """Call each pre-hook with the gradients that have arrived; a hook may replace them."""
    arrived = tuple(_handed_out(each, gradients) for each in _as_sequence(node, g))
    for hook in list(node_extra(node).pre_hooks.values()):
        result = hook(arrived)
        if result is not None:
            arrived = _checked_tuple(hook, result, len(arrived))
    unwrapped = [None if each is None else gradients.unwrap(each) for each in arrived]
    return unwrapped[0] if node.metas is None else unwrapped


def run_post_hooks(
    node: Node, grads: tuple[Any, ...], g: Any, gradients: Gradients
) -> tuple[Any, ...]:
    """Call each post-hook with the node's results and arguments; a hook may replace the results."""
    arrived = tuple(_handed_out(each, gradients) for each in _as_sequence(node, g))
    grads = tuple(map(partial(_fitted, gradients), grads, node.edges))
    returned = tuple(_handed_out(each, gradients) for each in of_shown_edges(node, grads))
    for hook in list(node_extra(node).post_hooks.values()):
        result = hook(returned, arrived)
        if result is not None:
            returned = _checked_tuple(hook, result, len(returned))
    replaced = tuple(None if each is None else gradients.unwrap(each) for each in returned)
    return with_shown_edges(node, grads, replaced)


def _fitted(gradients: Gradients, grad: Any, edge: Edge | None) -> Any:
    """Return a gradient in the shape and dtype of what it belongs to."""
    if grad is None or edge is None:
        return grad
    return gradients.sum_to_size(grad, edge[0].output_meta(edge[1]))


def run_post_accumulate_hooks(leaf: AccumulateGrad) -> None:
    """Call each hook once the leaf's ``.grad`` is complete."""
    tensor = leaf.variable
    for hook in list(node_extra(leaf).post_accumulate_hooks.values()):
        if hook(tensor) is not None:
            raise GraphError("Tensor post accumulate grad hooks should return None.")


def _as_sequence(node: Node, g: Any) -> list[Any]:
    if node.metas is None:
        return [g]
    return [None] * len(node.metas) if g is None else list(g)


def _checked_tuple(hook: Callable[..., Any], result: Any, expected: int) -> tuple[Any, ...]:
    if not isinstance(result, tuple):
        raise ArgumentTypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != expected:
        name = getattr(hook, "__name__", type(hook).__name__)
        raise InvalidGradientError(
            f"hook '{name}' has returned an incorrect number of values "
            f"(got {len(result)}, but expected {expected})"
        )
    return result
