"""Histograms: how many elements, or rows of coordinates, lie in each bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.construct import evenly_spaced
from pellucid.core.definition.public import EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import underived
from pellucid.dtypes import scalar_name
from pellucid.errors import ArgumentTypeError, DomainError, DtypeError, ShapeError
from pellucid.ops.shape.views import reshape
from pellucid.shapes import items_of

_histogram = named("histogram", "hist", "bin_edges")
_histogramdd = named("histogramdd", "hist", "bin_edges")
_C_NAMES = {"f": "float", "d": "double"}


@underived(node_name="histogramdd")
def binned(be, input, weight=None, /, edges=(), density=False):
    """Count (or add the weights of) the rows of ``[*, N]`` in the bins between N vectors of edges.

    A bin holds its left edge; the last holds its right edge too. ``density`` makes the integral 1.
    """
    rows = input.reshape(-1, len(edges))
    shape = [max(each.size - 1, 0) for each in edges]
    positions = np.zeros(len(rows), np.int64)
    inside = np.ones(len(rows), bool)
    for column, each, count in zip(rows.T, edges, shape, strict=True):
        inside &= (column >= each[0]) & (column <= each[-1])
        found = be.searchsorted(each, column, "right") - 1
        positions = positions * count + be.clip(found, 0, count - 1)
    weights = None if weight is None else weight.reshape(-1)[inside]
    counts = be.bincount(positions[inside], weights, int(np.prod(shape))).reshape(shape)
    if density:
        counts = counts / counts.sum()
        for dim, each in enumerate(edges):
            counts = counts / np.diff(each).reshape([-1] + [1] * (len(edges) - 1 - dim))
    return counts.astype(input.dtype)


@public("histogram", method=True, out=EXACT)
def histogram(
    input: Any, bins: int | TensorBase = 100, *, range: Any = None, weight: Any = None,
    density: bool = False,
) -> Any:  # fmt: skip
    """Count the elements in bins; return the counts and the edges of the bins.

    ``bins`` is how many there are of equal width over ``range`` (from the smallest element to the
    largest, if it is not given), or a vector of edges that rise. ``weight`` has the shape of the
    input; ``density`` makes the integral over the bins 1. As in PyTorch there is no derivative.
    Raises RuntimeError for bins, ranges and weights that do not fit.

    Args:
        input: Floating point tensor of any shape.
        bins: Number of bins, or their edges.
        range: Lowest and highest edge of the bins.
        weight: Weight of each element, or ``None``.
        density: Whether the counts are scaled to a probability density.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
    column = reshape(input, (*input._array.shape, 1))
    edges = _edges(column, [bins], range, weight)
    hist = binned(column, weight, tuple(edges), density)
    return _histogram([hist, bins if isinstance(bins, TensorBase) else new_tensor(edges[0])])


@public("histogramdd")
def histogramdd(
    input: Any, bins: int | Sequence[Any], range: Any = None, weight: Any = None,
    density: bool = False,
) -> Any:  # fmt: skip
    """Count rows of coordinates ``[*, N]`` in N-dimensional bins; return counts and N edges.

    ``bins`` is one number for all dimensions, one for each, or a list of vectors of edges.
    ``range`` gives the smallest and the largest coordinate of each dimension one after the other.
    As in PyTorch there is no derivative. Raises RuntimeError for bins, ranges and weights that do
    not fit.

    Args: As for `histogram`.

    >>> points = torch.tensor([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> torch.histogramdd(points, bins=[2, 1]).hist
    tensor([[1.],
            [2.]])
    """
    shape = input._array.shape
    if len(shape) < 2:
        raise ShapeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    every = [bins] * shape[-1] if isinstance(bins, int) else list(items_of(bins))
    if len(every) != shape[-1]:
        raise ShapeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    if not every:
        return _histogramdd([input.new_zeros(()), ()])
    edges = _edges(input, every, range, weight)
    hist = binned(input, weight, tuple(edges), density)
    shown = [
        e if isinstance(e, TensorBase) else new_tensor(a) for e, a in zip(every, edges, strict=True)
    ]
    return _histogramdd([hist, tuple(shown)])


def _edges(input: Any, bins: Sequence[Any], range: Any, weight: Any) -> list[Any]:
    """Check what a histogram is given; return the edges of the bins of each dimension."""
    array = input._array
    if array.dtype.char not in _C_NAMES:
        raise unsupported("histogramdd", array.dtype)
    _check_weight(array, weight)
    if isinstance(bins[0], TensorBase):
        return [_given_edges(array, each._array, dim) for dim, each in enumerate(bins)]
    for dim, count in enumerate(bins):
        if not hasattr(count, "__index__"):
            raise ArgumentTypeError(
                f"histogram(): argument 'bins' must be int, not {type(count).__name__}"
            )
        _check_count(count, dim)
    bounds = _bounds(array, range)
    return [
        evenly_spaced(low, high, int(count) + 1, array.dtype)
        for (low, high), count in zip(bounds, bins, strict=True)
    ]


def _check_count(count: int, dim: int) -> None:
    if count <= 0:
        raise ShapeError(
            f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}"
        )


def _given_edges(array: Any, edges: Any, dim: int) -> Any:
    if edges.dtype != array.dtype:
        names = [_C_NAMES.get(e.dtype.char, scalar_name(e.dtype)) for e in (array, edges)]
        raise DtypeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
            f"input with dtype {names[0]} and bins for dimension {dim} with dtype {names[1]}"
        )
    if edges.ndim != 1:
        raise ShapeError(
            "torch.histogramdd: bins tensor should have one dimension, but got "
            f"{edges.ndim} dimensions in the bins tensor for dimension {dim}"
        )
    if not edges.size:
        raise ShapeError(
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in "
            f"the bins tensor for dimension {dim}"
        )
    _check_count(edges.size - 1, dim)
    return edges


def _check_weight(array: Any, weight: Any) -> None:
    if weight is None:
        return
    if weight._array.dtype != array.dtype:
        names = [_C_NAMES.get(e.dtype.char, scalar_name(e.dtype)) for e in (array, weight._array)]
        raise DtypeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            f"should have the same dtype, but got input({names[0]}), and weight({names[1]})"
        )
    if weight._array.shape != array.shape[:-1]:
        raise ShapeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(array.shape)} and weight with shape {list(weight._array.shape)}"
        )


def _bounds(array: Any, range: Any) -> list[tuple[Any, Any]]:
    """Return the lowest and the highest edge of each dimension."""
    count = array.shape[-1]
    if range is None:
        rows = array.reshape(-1, count)
        lows, highs = (rows.min(0), rows.max(0)) if rows.size else (np.zeros(count), np.ones(count))
    else:
        if len(range) != 2 * count:
            raise ShapeError(
                f"torch.histogramdd: for a {count}-dimensional histogram range should have "
                f"{2 * count} elements, but got {len(range)}"
            )
        lows, highs = np.array(items_of(range), array.dtype).reshape(count, 2).T
    pairs = list(zip(lows, highs, strict=True))
    for dim, (low, high) in enumerate(pairs):
        if not (np.isfinite(low) and np.isfinite(high)):
            raise DomainError(
                f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite"
            )
        if low > high:
            raise DomainError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} "
                f"for dimension {dim}"
            )
    return [(low - 0.5, high + 0.5) if low == high else (low, high) for low, high in pairs]
