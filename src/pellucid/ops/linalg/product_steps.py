"""Of which steps of PyTorch's the products of matrices are, which are one node here.

The rules are those of ``at::matmul`` and ``at::linear``: batches are folded to the rows of one
matrix where they can be, and else expanded and multiplied one by one.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.core.backward.steps import Step
from pellucid.shapes import broadcast_shapes


class Factor(NamedTuple):
    """An operand on its way into a product: its values, and the step or the edge that it is from.

    Of what was freed only the shape is known; it counts as laid out in order.
    """

    shape: tuple[int, ...]
    array: Any
    link: Step | int | None

    def moved(self, name: str, array: Any, shape: tuple[int, ...], order: Any = None) -> Factor:
        """Return the factor after a step that moves its elements."""
        into = self.link
        return Factor(
            shape, array, None if into is None else Step(name, shape, (into,), order=order)
        )

    def reshaped(self, *shape: int) -> Factor:
        """Return the factor in another shape, through the steps that ``reshape`` takes."""
        array = self.array
        if array is None or array.flags.c_contiguous:
            made = None if array is None else array.reshape(shape)
            return self.moved("ViewBackward0", made, shape)
        try:
            return self.moved("ReshapeAliasBackward0", array.reshape(shape, copy=False), shape)
        except ValueError:
            copied = self.moved("CloneBackward0", None, self.shape)
            return copied.moved("UnsafeViewBackward0", None, shape)

    def expanded(self, *shape: int) -> Factor:
        """Return the factor broadcast to a shape."""
        array = None if self.array is None else np.broadcast_to(self.array, shape)
        return self.moved("ExpandBackward0", array, shape)

    def turned(self, name: str = "TransposeBackward0") -> Factor:
        """Return the factor with its last two dimensions exchanged."""
        ndim = len(self.shape)
        order = (*range(ndim - 2), ndim - 1, ndim - 2) if ndim > 1 else tuple(range(ndim))
        array = None if self.array is None else self.array.transpose(order)
        return self.moved(name, array, tuple([self.shape[dim] for dim in order]), order)

    def squeezed(self) -> Factor:
        """Return a batch of one without the batch."""
        array = None if self.array is None else self.array[0]
        return self.moved("SqueezeBackward1", array, self.shape[1:])


def _factor(node: Any, place: int, ndim: int) -> Factor:
    """Return an operand of a node; what is not known any more has as many dimensions."""
    edge, array = node.edges[place], node.array_of(node.op.operands[place].name)
    if edge is not None:
        shape = tuple(edge[0].output_meta(edge[1]).shape)
    else:
        shape = (1,) * ndim if array is None else array.shape
    return Factor(shape, array, None if edge is None else place)


def _after(name: str, shape: tuple[int, ...], *into: Any, **facts: Any) -> Step:
    return Step(name, shape, into, after=True, **facts)


def steps_of_product(node: Any) -> Step:
    """Return the steps of ``matmul``, or of a function that makes one kind of product."""
    if node.in_place:  # it was made by `bmm`
        return _after(type(node).__name__, node.shape, *_places(node))
    shape = node.shape
    return _product(
        _factor(node, 0, max(len(shape), 1)), _factor(node, 1, min(max(len(shape), 1), 2)), shape
    )


def _places(node: Any) -> list[int | None]:
    return [None if edge is None else place for place, edge in enumerate(node.edges)]


#: what the nodes of `linear` are called at first, and later, if there is a bias
_BIASED = ("LinearBackward0", "AddmmBackward0", "ViewBackward0", "AddBackward0")


def name_of_product(node: Any) -> str:
    """Return the name of the last step; a node that was freed keeps the one that it has."""
    return type(node).__name__ if _is_named(node) else steps_of_product(node).name


def name_of_linear(node: Any) -> str:
    """Return the name of the last step; a node that was freed keeps the one that it has."""
    return type(node).__name__ if _is_named(node) else steps_of_linear(node).name


def _is_named(node: Any) -> bool:
    given = ("MatmulBackward0", "LinearBackward0", "UnbiasedBackward0")
    return node.freed_by is not None and type(node).__name__ not in given


def steps_of_linear(node: Any) -> Step:
    """Return the steps of ``linear``."""
    shape = node.shape
    input, weight = _factor(node, 0, len(shape)), _factor(node, 1, 2)
    turned = weight.turned("TBackward0")
    bias = None if node.edges[2] is None else 2
    has_bias = bias is not None or type(node).__name__ in _BIASED
    if not has_bias or len(weight.shape) != 2:
        return _product(input, turned, shape)
    if len(input.shape) == 2:
        return _after("AddmmBackward0", shape, bias, input.link, turned.link)
    if input.array is not None and not input.array.flags.c_contiguous:
        return _after("AddBackward0", shape, _product(input, turned, shape), bias)
    rows = prod(shape[:-1])
    folded = input.reshaped(rows, input.shape[-1])
    added = _after("AddmmBackward0", (rows, shape[-1]), bias, folded.link, turned.link)
    return _after("ViewBackward0", shape, added, views=True)


def _product(left: Factor, right: Factor, shape: tuple[int, ...]) -> Step:
    """Return the steps of a product by the dimensions of its factors."""
    dims = (len(left.shape), len(right.shape))
    if dims == (1, 2):
        row = left.moved("UnsqueezeBackward0", None, (1, *left.shape))
        product = _after("MmBackward0", (1, *shape), row.link, right.link)
        return _after("SqueezeBackward4", shape, product)
    plain = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (2, 2): "MmBackward0"}.get(dims)
    if plain is not None:
        return _after(plain, shape, left.link, right.link)
    if _folds(left, right):
        return _folded(left, right, shape)
    if dims == (3, 3) and left.shape[0] != right.shape[0]:
        if left.shape[0] == 1 and left.link is not None:
            return _product(left.squeezed(), right, shape)
        if right.shape[0] == 1 and right.link is not None:
            return _product(left, right.squeezed(), shape)
    return _batched(left, right, shape)


def _folds(left: Factor, right: Factor) -> bool:
    """Return whether the batch becomes the rows of one matrix."""
    first = len(left.shape) >= len(right.shape)
    larger, smaller = (left, right) if first else (right.turned(), left)
    if len(smaller.shape) > 2:
        return False
    if smaller.link is not None:
        return True
    if len(left.shape) == 2:
        return False
    if not prod(larger.shape) or larger.array is None:
        return True
    strides, sizes = larger.array.strides, larger.shape
    return all(strides[dim] == strides[dim + 1] * sizes[dim + 1] for dim in range(len(sizes) - 2))


def _folded(left: Factor, right: Factor, shape: tuple[int, ...]) -> Step:
    exchanged = len(right.shape) > len(left.shape)
    larger, smaller = (right.turned(), left) if exchanged else (left, right)
    if exchanged and len(left.shape) == 2:
        smaller = left.turned("TBackward0")
    rows = larger.reshaped(prod(larger.shape[:-1]), larger.shape[-1])
    if len(smaller.shape) == 1:
        product = _after("MvBackward0", rows.shape[:1], rows.link, smaller.link)
        return _after("UnsafeViewBackward0", shape, product)
    columns = smaller.shape[-1]
    product = _after("MmBackward0", (rows.shape[0], columns), rows.link, smaller.link)
    if not exchanged:
        return _after("UnsafeViewBackward0", shape, product)
    ndim = len(shape)
    unfolded = _after("UnsafeViewBackward0", (*larger.shape[:-1], columns), product)
    order = (*range(ndim - 2), ndim - 1, ndim - 2)
    turned = _after("TransposeBackward0", shape, unfolded, order=order)
    return _after("CloneBackward0", shape, turned)


def _batched(left: Factor, right: Factor, shape: tuple[int, ...]) -> Step:
    batch = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    count, inner = prod(batch), left.shape[-1]
    rows = left.shape[-2] if len(left.shape) > 1 else 1
    first = left.expanded(*batch, rows, inner).reshaped(count, rows, inner)
    if len(right.shape) == 1:
        second = right.expanded(*batch, inner).reshaped(count, inner)
        second = second.moved("UnsqueezeBackward0", None, (count, inner, 1))
        product = _after("BmmBackward0", (count, rows, 1), first.link, second.link)
        product = _after("SqueezeBackward1", (count, rows), product)
    else:
        columns = right.shape[-1]
        second = right.expanded(*batch, inner, columns).reshaped(count, inner, columns)
        product = _after("BmmBackward0", (count, rows, columns), first.link, second.link)
    return _after("UnsafeViewBackward0", shape, product)
