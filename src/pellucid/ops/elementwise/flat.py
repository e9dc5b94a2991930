"""Derivatives that are the same wherever they are taken, and still a part of the graph."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.variable import Edge
from pellucid.core.backward.node_backward import of_all_samples
from pellucid.core.backward.plan import choose_backward
from pellucid.core.call.call import make_node
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.op import Op
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


@elementwise(
    named=lambda node: "AddBackward0", faces=Face(edges="first second", alpha=lambda node: 1)
)  # fmt: skip
def sum_with_zero(be, first, second, /):
    """Return the sum of a tangent, and of one that is zero for every value of its operand."""
    return be.add(first, second)


@sum_with_zero.vjp("first")
def sum_with_zero_first(g):
    return g


@sum_with_zero.vjp("second")
def sum_with_zero_second(g):
    return g


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
    if not _state.transposing:
        grad = of_all_samples(grad)
        grad._edge = _kept(grad, grad._edge, edge, name)


def add_zero(tangent: Any, edge: Edge, name: str, first: bool) -> None:
    """Make a tangent the sum of itself and of zero times an operand, which is added ``first``.

    The tangent of a product has a term for each operand: that of one which does not move is zero.
    """
    tangent = of_all_samples(tangent)
    edges = (tangent._edge, _kept(tangent, None, edge, name))
    tangent._edge = _edge_of_node(sum_with_zero.op, tangent, (), edges[::-1] if first else edges)


def _kept(grad: Any, own: Edge | None, edge: Edge, name: str) -> Edge:
    """Return an edge to a node that leads to an operand, and on the way of a gradient's own."""
    shape = tuple(edge[0].output_meta(edge[1]).shape)
    if shape != grad._array.shape:  # the tangent of a product
        return _edge_of_node(kept_operand_of_shape.op, grad, (name, shape), (own, edge))
    return _edge_of_node(kept_operand.op, grad, (name,), (own, edge))


def _edge_of_node(
    op: Op, grad: Any, params: tuple[Any, ...], edges: tuple[Edge | None, ...]
) -> Edge:
    array = grad._array
    node = make_node(op, (grad, None), [array], params, None, edges)
    node.shape, node.dtype, node.metas = array.shape, array.dtype, None
    node.backward = choose_backward(op, array.dtype, node.backward)
    return node, 0


gradient_ops.keep_operand = _keep_operand
