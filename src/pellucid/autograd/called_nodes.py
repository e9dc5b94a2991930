"""Nodes called as functions, as hooks and walkers of graphs call them."""

from __future__ import annotations

from typing import Any

from pellucid.autograd import explanations
from pellucid.autograd.node import Node
from pellucid.autograd.shown_edges import of_shown_edges
from pellucid.autograd.variable import TensorBase
from pellucid.dtypes import is_differentiable
from pellucid.errors import ArgumentTypeError


def gradients_of(node: Node, *grad_outputs: TensorBase | None) -> Any:
    """Run a node's backward on gradients of its outputs alone, without hooks.

    Args:
        node: The node.
        *grad_outputs: A gradient, or None, for each output that can have one.

    Returns:
        The gradient of the only edge, or a tuple of one for each, not yet summed over dimensions
        along which an operand was repeated; they are recorded where gradients are enabled.

    Raises:
        TypeError: If there are more or fewer gradients, or one is not a tensor.
        FreedGraphError: If a pass has freed what the node had saved.

    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).grad_fn(torch.ones(2))
    (tensor([1., 1.], grad_fn=<MulBackward0>), tensor([1., 1.], grad_fn=<MulBackward0>))
    """
    _check(node, grad_outputs)
    if all(each is None for each in grad_outputs):
        found: tuple[Any, ...] = (None,) * len(node.edges)
    else:
        if node.freed_by is not None:
            raise explanations.freed_graph.freed_meanwhile(node)
        missing = (None,) * (node.output_count - len(grad_outputs))
        g = grad_outputs[0] if node.metas is None else [*grad_outputs, *missing]
        found = tuple(
            None if edge is None else each
            for each, edge in zip(node.backward_on_tensors(g), node.edges, strict=True)
        )
    found = of_shown_edges(node, found)
    return found[0] if len(found) == 1 else found


def _check(node: Node, grad_outputs: tuple[Any, ...]) -> None:
    metas = (node,) if node.metas is None else node.metas
    count = sum(1 for each in metas if each.dtype is None or is_differentiable(each.dtype))
    if len(grad_outputs) != count:
        raise ArgumentTypeError(
            f"expected {count} arguments, got {len(grad_outputs)} instead\n"
            f"  {node.name()} takes one gradient for each of its outputs"
        )
    for position, each in enumerate(grad_outputs):
        if each is not None and not isinstance(each, TensorBase):
            raise ArgumentTypeError(f"argument {position} is not a Variable")
