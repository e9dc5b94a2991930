"""Order: sorting, the largest few, distinct values, and counts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import replayable
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import nograd, op, underived
from pellucid.core.memory.layouts import contiguous, follows_first_operand
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import (
    ArgumentTypeError,
    DimensionError,
    DtypeError,
    ShapeError,
)
from pellucid.kernels.meta import is_meta
from pellucid.ops.index.scatter import gather_backward
from pellucid.ops.shape.copying import COMPLEX_WARNING
from pellucid.shapes import Like, dim_from_end


def _require_order(array: Any) -> None:
    if is_complex_dtype(array.dtype):
        raise DtypeError(" Sort does not support complex dtypes on CPU")


def _given_back(g: Any, input: Like, indices: Any, dim: int) -> Any:
    return gather_backward(g, indices, tuple(input.shape), dim)


@public("sort", method=True, out=EXACT)
@op(
    torch_kernel_name="sorting_kernel_method_name",
    gradient_changes=2,
    returns=named("sort", "values", "indices"),
    batch=Batch.ALONG_DIMS,
    compiled_kernel=("sort", 3),
)
def sort(be, input, /, dim=-1, descending=False, stable=False):
    """Sort along a dimension; return the values and their indices (int64) in the input.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to sort along.
        descending: Whether the largest element comes first.
        stable: Whether equal elements keep their order.

    >>> torch.sort(torch.tensor([3, 1, 2])).values
    tensor([1, 2, 3])
    """
    _require_order(input)
    values, indices = be.sort(input, dim_from_end(dim, input.ndim), descending)
    return follows_first_operand(values, input), follows_first_operand(indices, input)


@sort.vjp("input")
def sort_input(g_values, input: Like, indices, dim):
    return _given_back(g_values, input, indices, dim)


@public("argsort", method=True)
@nograd(
    torch_kernel_name="sorting_kernel_method_name", batch=Batch.ALONG_DIMS,
    compiled_kernel=("argsort", 3),
)  # fmt: skip
def argsort(be, input, /, dim=-1, descending=False, stable=False):
    """Return the indices (int64) that sort a tensor along a dimension.

    Args: As for `sort`.

    >>> torch.argsort(torch.tensor([3, 1, 2]))
    tensor([1, 2, 0])
    """
    _require_order(input)
    indices = be.argsort(input, dim_from_end(dim, input.ndim), descending)
    return follows_first_operand(indices, input)


@public("msort", method=True, out=EXACT)
def msort(input: Any) -> Any:
    """Sort along the first dimension.

    Args:
        input: Real tensor of any shape.

    >>> torch.msort(torch.tensor([3, 1, 2]))
    tensor([1, 2, 3])
    """
    return sort(input, 0)[0]


@public("topk", method=True, out=EXACT)
@op(gradient_changes=2,
    returns=named("topk", "values", "indices"), layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("topk", 4),
)  # fmt: skip
def topk(be, input, /, k, dim=-1, largest=True, sorted=True):
    """Return the ``k`` largest (or smallest) elements along a dimension, and their indices (int64).

    Args:
        input: Real tensor of any shape.
        k: Number of elements.
        dim: Dimension to sort along.
        largest: Whether the largest are looked for rather than the smallest.
        sorted: Whether the result is in order.

    Raises:
        RuntimeError: If ``k`` is out of range, or the tensor is complex.

    >>> torch.topk(torch.tensor([3, 1, 2]), 2).values
    tensor([3, 2])
    """
    if is_complex_dtype(input.dtype):
        raise DtypeError("topk does not support complex dtypes on CPU")
    axis = dim_from_end(dim, input.ndim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise ShapeError("selected index k out of range")
    return be.topk(input, k, axis, largest, sorted)


@topk.vjp("input")
def topk_input(g_values, input: Like, indices, dim):
    return _given_back(g_values, input, indices, dim)


@public("kthvalue", method=True, out=EXACT)
@op(gradient_changes=2,
    returns=named("kthvalue", "values", "indices"), layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("kthvalue", 3),
)  # fmt: skip
def kthvalue(be, input, /, k, dim=-1, keepdim=False):
    """Return the ``k``-th smallest element along a dimension, counted from 1, and its index.

    Args:
        input: Tensor of any shape, not of booleans.
        k: Which element in increasing order, counted from 1.
        dim: Dimension to sort along.
        keepdim: Whether reduced dimensions stay, with size 1.

    Raises:
        RuntimeError: If ``k`` is out of range, or the tensor is of booleans.

    >>> torch.kthvalue(torch.tensor([3, 1, 2]), 2).values
    tensor(2)
    """
    if input.dtype.kind == "b":
        raise unsupported("kthvalue_cpu", input.dtype)
    axis = dim_from_end(dim, input.ndim)
    if input.ndim and not input.shape[axis]:
        raise DimensionError(f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 1 <= k <= (input.shape[axis] if input.ndim else 1):
        raise ShapeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    return be.kthvalue(input, k, axis, keepdim)


@kthvalue.vjp("input")
def kthvalue_input(g_values, input: Like, indices, dim, keepdim):
    ndim = len(input.shape)
    axis = dim_from_end(dim, ndim)
    if not keepdim and ndim:
        shape = (*input.shape[:axis], 1, *input.shape[axis + 1 :])
        g_values, indices = g_values.reshape(shape), indices.reshape(shape)
    return _given_back(g_values, input, indices, axis)


@underived(
    torch_kernel_name="unique",
    many=True,
    node_name="unique2",
    declared="_unique2",
    batch=Batch.DYNAMIC_SHAPE,
    compiled_kernel=("unique", 2),
)
def unique2(be, input, /, inverse, counts):
    """Return the distinct values, then inverse and counts as asked."""
    return _distinct(be, input, None, inverse, counts)


@underived(many=True, node_name="unique_dim", declared="unique_dim", batch=Batch.DYNAMIC_SHAPE)
def unique_dim(be, input, /, dim, inverse, counts):
    """Return the distinct slices along a dimension, then inverse and counts as asked."""
    return _distinct(be, input, dim, inverse, counts)


def _distinct(be: Any, input: Any, dim: int | None, inverse: bool, counts: bool) -> list[Any]:
    if is_complex_dtype(input.dtype):
        raise unsupported("unique", input.dtype)
    if dim is not None and input.ndim and 0 in input.shape and input.shape[dim]:
        raise ShapeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    found = be.unique(input, dim, inverse, counts)
    return [found[0], *(part.astype(np.int64, copy=False) for part in found[1:])]


@public("unique functional.unique", method=True, reads_late=True)
def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input, sorted: As for `topk`.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    if dim is None:
        parts = unique2(input, return_inverse, return_counts)
    else:
        axis = dim_from_end(dim, input.ndim)
        parts = unique_dim(input, axis, return_inverse, return_counts)
    return tuple(parts) if len(parts) > 1 else parts[0]


@underived(
    torch_kernel_name="unique",
    many=True,
    node_name="unique_consecutive",
    declared="unique_consecutive",
    batch=Batch.DYNAMIC_SHAPE,
)
def unique_consecutive_values(be, input, /, dim):
    """Return the values of runs of equal neighbours, then inverse and counts."""
    values, inverse, counts = be.unique_consecutive(input, dim)
    return [values, inverse.astype(np.int64, copy=False), counts.astype(np.int64, copy=False)]


@public("unique_consecutive functional.unique_consecutive", method=True, reads_late=True)
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements (or slices) that differ from the one before.

    Args:
        input, return_inverse, return_counts, dim: As for `unique`.

    Raises:
        NotImplementedError: For complex numbers.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    if is_complex_dtype(input._array.dtype):
        raise unsupported("unique", input._array.dtype)
    axis = None if dim is None else dim_from_end(dim, input.ndim)
    values, inverse, counts = unique_consecutive_values(input, axis)
    if return_inverse:
        return (values, inverse, counts) if return_counts else (values, inverse)
    return (values, counts) if return_counts else values


def _sorted_places(be: Any, edges: Any, values: Any, right: bool, out_int32: bool) -> Any:
    """Find where values would go into sorted rows of edges."""
    side = "right" if right else "left"
    dtype = np.int32 if out_int32 else np.int64
    if edges.ndim == 1:
        return be.asarray(be.searchsorted(edges, values, side)).astype(dtype)
    rows, wanted = edges.reshape(-1, edges.shape[-1]), values.reshape(-1, 1, values.shape[-1])
    below = rows[:, :, None] <= wanted if right else rows[:, :, None] < wanted
    return be.count_nonzero(below, axis=1).reshape(values.shape).astype(dtype)


@nograd(
    torch_kernel_name="searchsorted_out_cpu", node_name="searchsorted",
    compiled_kernel=("sorted_places", 1),
)  # fmt: skip
def search_rows(be, sorted_sequence, input, /, right, out_int32=False):
    """Find where values would go into sorted rows."""
    for array in (sorted_sequence, input) if input.size else ():
        if is_complex_dtype(array.dtype) or (array.dtype.kind == "b" and array.ndim):
            raise unsupported("searchsorted_out_cpu", array.dtype)
    return _sorted_places(be, sorted_sequence, input, right, out_int32)


def _values_to_look_for(function: str, values: Any) -> Any:
    """Return a tensor of the values; raise TypeError for what is neither a tensor nor a number."""
    if isinstance(values, TensorBase):
        return values
    if not is_number(values):
        found = type(values).__name__
        raise ArgumentTypeError(f"{function}(): argument 'input' must be Tensor, not {found}")
    return new_tensor(np.asarray(values))


@public("searchsorted", out=EXACT)
@replayable
def searchsorted(
    sorted_sequence: Any, input: TensorBase | float, *, out_int32: bool = False,
    right: bool = False, side: str | None = None, sorter: Any = None,
) -> Any:  # fmt: skip
    """Return the indices at which values would be inserted to keep each row of a sequence sorted.

    Equal values go before (``right=False``) or after. Raises RuntimeError where the first
    dimensions differ.

    Args:
        sorted_sequence: Tensor whose last dimension is in increasing order.
        input: Values ``[*, m]`` to look for, with the leading sizes of the sequence; or a number.
        out_int32: Whether indices are int32 rather than int64.
        right: Whether equal elements are passed to their right side.
        side: ``"left"`` or ``"right"``: the same as ``right``.
        sorter: Indices that put ``sorted_sequence`` in order.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]))
    tensor([1, 2])
    """
    if side not in (None, "left", "right"):
        raise ShapeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    edges = sorted_sequence if sorter is None else sorted_sequence.gather(-1, sorter)
    values = _values_to_look_for("searchsorted", input)
    if edges.ndim != 1 and tuple(edges.shape[:-1]) != tuple(values.shape[:-1]):
        raise ShapeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            f"dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(edges.shape)} and input value tensor {list(values.shape)}"
        )
    return search_rows(edges, values, right or side == "right", out_int32)


@public("bucketize", out=EXACT)
@replayable
def bucketize(
    input: TensorBase | float, boundaries: Any, *, out_int32: bool = False, right: bool = False
) -> Any:
    """Return the index (int64) of the bucket between sorted boundaries that each value is in.

    Args:
        input: Values: real tensor of any shape, or a number.
        boundaries: Vector in increasing order.
        out_int32, right: As for `searchsorted`.

    Raises:
        RuntimeError: If the boundaries are not a vector.

    >>> torch.bucketize(torch.tensor([2, 9]), torch.tensor([1, 3, 5]))
    tensor([1, 3])
    """
    if boundaries.ndim != 1:
        raise ShapeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    values = _values_to_look_for("bucketize", input)
    return searchsorted(boundaries, values, out_int32=out_int32, right=right)


@public("bincount", method=True)
@underived(batch=Batch.DYNAMIC_SHAPE, compiled_kernel=("bincount", 1))
def bincount(be, input, weights=None, /, minlength=0):
    """Count how often each non-negative integer occurs, or sum the weights of its occurrences.

    Args:
        input: Vector of integers, not negative.
        weights: Weight of each element, or ``None``.
        minlength: Smallest number of bins.

    Raises:
        RuntimeError: If the input is not a vector of integers that are not negative, or the weights
            differ in length.

    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if input.dtype.kind not in "iu":
        raise unsupported("bincount_cpu", input.dtype)
    refusal = "bincount only supports 1-d non-negative integral inputs."
    if input.ndim != 1:
        raise ShapeError(refusal)
    if weights is not None and weights.shape != input.shape and input.size:
        raise ShapeError("weights should be 1-d and have the same length as input")
    if not input.size:
        weights = None
    elif weights is not None and is_complex_dtype(weights.dtype):
        warnings.warn(COMPLEX_WARNING, UserWarning, stacklevel=user_stacklevel())
        weights = weights.real.astype(np.float64)
    try:
        counted = be.bincount(input, weights, minlength)
    except ValueError:
        if input.min(initial=0) < 0:
            raise ShapeError(refusal) from None
        raise
    if weights is None:
        return counted.astype(np.int64, copy=False)
    return counted.astype(np.float32 if weights.dtype == np.float32 else np.float64, copy=False)


@public("histc", method=True, out=EXACT)
@nograd(torch_kernel_name="aminmax_cpu", compiled_kernel=("histogram_counts", 3))
def histc(be, input, /, bins=100, min=0, max=0):
    """Count the elements in each of ``bins`` equal intervals from ``min`` to ``max``.

    With ``min == max`` the interval is that of the elements.

    Args:
        input: Floating-point tensor of any shape.
        bins: Number of bins, or their edges.
        min: Lower edge of the histogram.
        max: Upper edge of the histogram.

    Raises:
        RuntimeError: If the input is not floating point, ``bins`` is not positive, or ``max`` is
            below ``min``.

    >>> torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=2, min=0, max=3)
    tensor([2., 1.])
    """
    if bins <= 0:
        raise ShapeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    low, high = float(min), float(max)
    if low > high:
        raise ShapeError("torch.histc: max must be larger than min")
    if input.dtype.kind != "f":
        raise unsupported("histogram_cpu", input.dtype)
    if low == high and input.size and not is_meta(input):
        low, high = float(input.min()), float(input.max())
    if low == high:
        low, high = low - 1, high + 1
    counts, _ = be.histogram(input, bins, (low, high))
    return counts.astype(input.dtype)
