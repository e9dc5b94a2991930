"""Derivatives that are the same wherever they are taken, and still a part of the graph."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.variable import Edge
from pellucid.core.backward.plan import choose_backward
from pellucid.core.call.call import make_node
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.families import elementwise, nograd, op
from pellucid.ops.reduce.reductions import sum
from pellucid.ops.shape.broadcasting import expand

# Note [Flat derivatives]
# The derivative of a piecewise linear operation, such as relu, is the same wherever it is taken
# within a piece. Still it depends on its operand as far as the graph knows, as in PyTorch: the
# second derivative is zeros, not an operand that was not used. So a network of such operations has
# a Hessian. Where the derivative is an op of the operand, it has `zeros_of` as the vjp by it; where
# it needs nothing of the operand (a pool saves where its elements came from), the op says `flat=`,
# and its gradients get `kept_operand` as their last node. It saves nothing, and there is none
# unless gradients are recorded.


@nograd(kernel="zeros_like", batch=Batch.ELEMENTWISE)
def zeros_of(be, input, /):
    """Return zeros without history, which no tangent moves."""


@elementwise(named=lambda node: node.params[0])
def kept_operand(be, grad, operand, /, name):
    """Return ``grad``, which is the same for every value of ``operand``."""
    return be.add(grad, be.zeros_like(operand))


@kept_operand.vjp("grad")
def kept_operand_grad(g):
    return g


@kept_operand.vjp("operand")
def kept_operand_operand(g):
    return zeros_of(g)


@op(named=lambda node: node.params[0], faces=Face(""))
def kept_operand_of_shape(be, grad, operand, /, name, shape):
    """Return ``grad``, which is the same for every value of an operand of another shape."""
    return be.array(grad)


@kept_operand_of_shape.vjp("grad")
def kept_operand_of_shape_grad(g):
    return g


@kept_operand_of_shape.vjp("operand")
def kept_operand_of_shape_operand(g, shape):
    return expand(zeros_of(sum(g)), shape)


class _State(threading.local):
    """What one thread is about."""

    transposing: bool = False


_state = _State()


@contextmanager
def transposing() -> Iterator[None]:
    """Differentiate a linear function: where that is done is not part of the gradient's history."""
    before, _state.transposing = _state.transposing, True
    try:
        yield
    finally:
        _state.transposing = before


def _keep_operand(grad: Any, edge: Edge, name: str) -> None:
    if _state.transposing:
        return
    while hasattr(grad._array, "__batched_tensor__"):  # the history is that of all samples
        grad = grad._array.value
    array = grad._array
    shape = tuple(edge[0].output_meta(edge[1]).shape)
    kind, params = kept_operand.op, (name,)
    if shape != array.shape:  # the tangent of a product
        kind, params = kept_operand_of_shape.op, (name, shape)
    node = make_node(kind, (grad, None), [array], params, None, (grad._edge, edge))
    node.shape, node.dtype, node.metas = array.shape, array.dtype, None
    node.backward = choose_backward(kind, array.dtype, node.backward)
    grad._edge = (node, 0)


gradient_ops.keep_operand = _keep_operand
