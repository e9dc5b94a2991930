"""Reductions: many elements to few."""

from __future__ import annotations

from math import inf
from math import prod as product_of
from typing import Any

import numpy as np

from pellucid.autograd.storage import ConvertedStorage
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, TRUTH, public
from pellucid.core.errors.arguments import require
from pellucid.core.families import linear, nograd, op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import (
    default,
    float32,
    is_complex_dtype,
    is_differentiable,
    is_half,
    scalar_name,
    to_numpy_dtype,
    wide_counterpart,
)
from pellucid.errors import DtypeError, ShapeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import exp
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.views import restore_dims
from pellucid.shapes import Like, dims_from_end

_SINGLE = np.dtype(np.float32)
_INT64 = np.dtype(np.int64)


def axes_of(dim: Any, ndim: int) -> Any:
    """Return the dimensions to reduce, counted from the front; ``None`` for all of them."""
    if dim is None:
        return None
    if dim.__class__ is int and 0 <= dim < ndim:
        return (dim,)
    return dims_from_end(dim, ndim)


def restored(g: Any, input: Like, dim: Any, keepdim: Any) -> Any:
    """Give a reduction's gradient or result the dimensions that were reduced, with size 1."""
    dims = axes_of(dim, len(input.shape))
    return g if dims is None else restore_dims(g, len(input.shape), dims, keepdim)


def reduced_count(shape: tuple[int, ...], dims: Any) -> int:
    """Return how many elements make one element of the result."""
    return product_of(shape) if dims is None else product_of([shape[dim] for dim in dims])


def overload(node: Any) -> str:
    """Number PyTorch's overloads: 0 reduces all elements, 1 given dimensions."""
    names = [param.name for param in node.op.params]
    given = dict(zip(names, node.params, strict=True))
    which = given["dim"] is not None
    return node.op.node_class.__name__[:-1] + str(int(which))


def _accumulated(be: Any, input: Any, axis: Any, keepdims: Any, dtype: Any) -> Any:
    """Add up: integers as int64, half precision in single."""
    given = input.dtype
    if dtype is not None:
        target = to_numpy_dtype(dtype)
    elif given.kind in "biu":
        target = _INT64
    else:
        target = given
    work = wide_counterpart(target)
    if is_complex_dtype(given) and not is_complex_dtype(work):
        input = input.real
    if work.char in "fF" or (work.kind in "fc" and input.dtype == work):
        total = be.total(input.astype(work, copy=False), axis, keepdims)
    else:
        total = be.add.reduce(input, axis, work, None, keepdims)
    return total if work is target else total.astype(target)


@public("sum", method=True, out=CASTING)
@linear(
    half="native",
    named=overload,
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_body=True,
    faces={
        "SumBackward0": Face("self_sym_sizes"),
        "SumBackward1": Face("dim()? keepdim self_sym_sizes"),
    },
)
def sum(be, input, /, dim=None, keepdim=False, *, dtype=None):
    """Add up the elements, of the given dimensions or of all.

    Booleans and integers give int64 unless ``dtype`` is given.

    Args:
        input: Tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.ones(2, 3).sum(dim=1)
    tensor([3., 3.])
    """
    dims = axes_of(dim, input.ndim)
    if input.dtype is _SINGLE and dtype is None:
        return be.total(input, dims, keepdim)
    return _accumulated(be, input, dims, keepdim, dtype)


@sum.vjp("input")
def sum_input(g, input: Like, dim, keepdim):
    if dim is not None:
        g = restored(g, input, dim, keepdim)
    return expand(g, input.shape)


def _require_averageable(name: str, source: str, dtype: Any) -> None:
    """Raise RuntimeError for a dtype in which there are no averages."""
    if not is_differentiable(dtype):
        raise DtypeError(
            f"{name}(): could not infer output dtype. {source} dtype must be either a floating "
            f"point or complex dtype. Got: {scalar_name(dtype)}"
        )


@public("mean", method=True, out=CASTING)
@linear(
    torch_kernel_name="sum_cpu",
    half="native",
    named=overload,
    layout=contiguous,
    batch=Batch.OVER_DIMS,
    compiled_body=True,
    faces={
        "MeanBackward0": Face("self_sym_numel self_sym_sizes"),
        "MeanBackward1": Face("dim()? keepdim self_sym_numel self_sym_sizes"),
    },
)
def mean(be, input, /, dim=None, keepdim=False, *, dtype=None):
    """Average the elements, of the given dimensions or of all.

    Raises RuntimeError for integers, unless ``dtype`` says in what to compute.

    Args:
        input: Floating-point or complex tensor of any shape, or any with ``dtype``.
        dim, keepdim, dtype: As for `sum`.

    >>> torch.tensor([[1.0, 3.0], [5.0, 7.0]]).mean(dim=1)
    tensor([2., 6.])
    """
    dims = axes_of(dim, input.ndim)
    count = input.size if dims is None else reduced_count(input.shape, dims)
    if input.dtype is _SINGLE and dtype is None:
        return be.divide(be.total(input, dims, keepdim), count)
    target = input.dtype if dtype is None else to_numpy_dtype(dtype)
    _require_averageable("mean", "Input" if dtype is None else "Optional", target)
    if not is_half(target):
        return _accumulated(be, input, dims, keepdim, dtype) / count
    return (_accumulated(be, input, dims, keepdim, float32) / count).astype(target)


@mean.vjp("input")
def mean_input(g, input: Like, dim, keepdim):
    dims = axes_of(dim, len(input.shape))
    count = reduced_count(input.shape, dims)
    if dims is not None:
        g = restore_dims(g, len(input.shape), dims, keepdim)
    # divided last, so that the gradient is an array of its own, as PyTorch's is
    return expand(g, input.shape) / count


@public("nansum", method=True, out=CASTING)
@linear(layout=contiguous, batch=Batch.OVER_DIMS)
def nansum(be, input, /, dim=None, keepdim=False, *, dtype=None):
    """Add up the elements that are not NaN.

    Args:
        input: Real tensor of any shape.
        dim, keepdim, dtype: As for `sum`.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.tensor([1.0, torch.nan]).nansum()
    tensor(1.)
    """
    if is_complex_dtype(input.dtype):
        raise DtypeError("nansum on CPU does not support complex inputs")
    dims = axes_of(dim, input.ndim)
    numbers = be.where(be.isnan(input), 0, input)
    return _accumulated(be, numbers.astype(input.dtype, copy=False), dims, keepdim, dtype)


@nansum.vjp("input")
def nansum_input(g, input, dim, keepdim):
    return restored(g, input, dim, keepdim) * (input == input)


@public("nanmean", method=True, out=CASTING)
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Average the elements that are not NaN.

    Raises RuntimeError for integers, and for an integer ``dtype``.

    Args:
        input: Floating-point or complex tensor of any shape.
        dim, keepdim, dtype: As for `sum`.

    >>> torch.tensor([1.0, 3.0, torch.nan]).nanmean()
    tensor(2.)
    """
    if not is_differentiable(input._array.dtype):
        raise DtypeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{scalar_name(input._array.dtype)}"
        )
    if dtype is not None:
        _require_averageable("nanmean", "Optional", to_numpy_dtype(dtype))
    total = nansum(input, dim, keepdim, dtype=dtype)
    count = sum(input == input, dim, keepdim)
    whole, count = count, count.to(total.dtype)
    count._storage = ConvertedStorage(whole._array.dtype)
    return total / count


@public("logsumexp special.logsumexp", method=True, out=CASTING)
@op(
    torch_kernel_name="max_values_cpu", layout=contiguous, batch=Batch.ALONG_DIMS,
    faces=Face("dim() keepdim result self"),
)  # fmt: skip
def logsumexp(be, input, /, dim, keepdim=False):
    """Return the logarithm of the sum of the exponentials over dimensions, without overflow.

    Args:
        input: Tensor of any shape; integers are computed in floating point.
        dim, keepdim: As for `sum`.

    Raises:
        RuntimeError: If ``dim`` names no dimension of a tensor that has some.

    >>> torch.logsumexp(torch.zeros(2), dim=0)
    tensor(0.6931)
    """
    require("logsumexp", "dims", dim=dim)
    if input.ndim and (dim == () or dim == []):
        raise ShapeError(
            "output with shape [] doesn't match the broadcast shape "
            f"{[1] * input.ndim}: name the dimensions to reduce"
        )
    work = input if input.dtype.kind in "fc" else input.astype(default())
    return be.logsumexp(work, dims_from_end(dim, input.ndim), keepdim)


@logsumexp.vjp("input")
def logsumexp_input(g, input, out, dim, keepdim):
    shift = restored(out, input, dim, keepdim)
    # Where all elements are -inf, so is the result, and their difference has no meaning.
    shift = where(shift == -inf, 0, shift)
    return restored(g, input, dim, keepdim) * exp(input - shift)


def _axes_or_none(dim: Any, ndim: int) -> Any:
    """Return the axes as `axes_of`, but none if no dimension is named."""
    return () if dim == () or dim == [] else axes_of(dim, ndim)


def _truth_dtype(input: Any) -> Any:
    return np.uint8 if input.dtype == np.uint8 else np.bool_


@public("all", method=True, out=TRUTH)
@nograd(float8=True, layout=contiguous, batch=Batch.OVER_DIMS, compiled_kernel=("all_true", 2))
def all(be, input, /, dim=None, keepdim=False):
    """Return a bool: whether all elements are true (not zero), along dimensions or altogether.

    Args:
        input, dim, keepdim: As for `sum`.

    >>> torch.tensor([[True, False], [True, True]]).all(dim=1)
    tensor([False,  True])
    """
    truth = be.logical_and.reduce(input, _axes_or_none(dim, input.ndim), None, None, keepdim)
    return truth.astype(_truth_dtype(input))


@public("any", method=True, out=TRUTH)
@nograd(float8=True, layout=contiguous, batch=Batch.OVER_DIMS, compiled_kernel=("any_true", 2))
def any(be, input, /, dim=None, keepdim=False):
    """Return a bool: whether any element is true (not zero), along dimensions or altogether.

    Args: As for `all`.

    >>> torch.tensor([[True, False], [False, False]]).any(dim=1)
    tensor([ True, False])
    """
    truth = be.logical_or.reduce(input, _axes_or_none(dim, input.ndim), None, None, keepdim)
    return truth.astype(_truth_dtype(input))


@public("count_nonzero", method=True)
@nograd(
    torch_kernel_name="nonzero_count_cpu", layout=contiguous, batch=Batch.OVER_DIMS,
    compiled_kernel=("nonzero_count", 1),
)  # fmt: skip
def count_nonzero(be, input, /, dim=None):
    """Count the elements that are not zero (int64), along dimensions or altogether.

    Args:
        input, dim: As for `sum`.

    >>> torch.count_nonzero(torch.tensor([0, 1, 2]))
    tensor(2)
    """
    return be.asarray(be.count_nonzero(input, axis=axes_of(dim, input.ndim)), np.int64)
