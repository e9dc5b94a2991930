"""Functions of the standard that bring many elements to few: sums, extremes, truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pellucid as torch
from pellucid.array_api.data_types import KINDS, promoted
from pellucid.dtypes import bool_
from pellucid.dtypes import dtype as Dtype
from pellucid.tensors import Tensor

Axes = int | tuple[int, ...] | None


def _reduce(
    function: Callable[..., Any], x: Tensor, axis: Axes, keepdims: bool, **options: Any
) -> Tensor:
    """Return what a function gives along axes; ``()`` means none, each element for itself."""
    if axis == ():
        return _reduce(function, x.unsqueeze(0), 0, False, **options)
    dims = tuple(range(x.ndim)) if axis is None else axis
    if dims == ():
        return function(x, **options)
    return function(x, dim=dims, keepdim=keepdims, **options)


def _sum_dtype(x: Tensor, dtype: Dtype | None) -> Dtype:
    """Return the dtype of a sum: integers become those of 64 bits, of the same kind."""
    if dtype is not None:
        return dtype
    if x.dtype in KINDS["unsigned integer"]:
        return torch.uint64
    return x.dtype if x.is_floating_point() or x.is_complex() else torch.int64


def sum(
    x: Tensor, /, *, axis: Axes = None, dtype: Dtype | None = None, keepdims: bool = False
) -> Tensor:
    """Return the sum along axes.

    Args:
        x: Array.
        axis: Axis, or several; all if None.
        dtype: Dtype of the result; decided by the arguments if None.
        keepdims: Whether axes that are reduced stay, with size 1.
    """
    return _reduce(torch.sum, x, axis, keepdims, dtype=_sum_dtype(x, dtype))


def prod(
    x: Tensor, /, *, axis: Axes = None, dtype: Dtype | None = None, keepdims: bool = False
) -> Tensor:
    """Return the product along axes.

    Args: As for `sum`.
    """
    return _reduce(_prod, x, axis, keepdims, dtype=_sum_dtype(x, dtype))


def _prod(
    x: Tensor, *, dtype: Dtype, dim: int | tuple[int, ...] = (), keepdim: bool = False
) -> Tensor:
    """Return the product along dimensions, of which PyTorch's function takes one."""
    dims = (dim,) if isinstance(dim, int) else dim
    x = x.to(dtype)
    for each in sorted((each % x.ndim for each in dims), reverse=True):
        x = torch.prod(x, each, keepdim, dtype=dtype)
    return x


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Return the mean along axes.

    Args:
        x, axis, keepdims: As for `sum`.
    """
    return _reduce(torch.mean, x, axis, keepdims)


def var(
    x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Return the variance along axes: squares divided by their number less ``correction``.

    Args:
        x, axis, keepdims: As for `sum`.
        correction: What is taken off the number of elements to divide by.
    """
    return _reduce(torch.var, x, axis, keepdims, correction=correction)


def std(
    x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Return the standard deviation along axes, the root of the variance.

    Args: As for `var`.
    """
    return _reduce(torch.std, x, axis, keepdims, correction=correction)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Return the largest element along axes.

    Args: As for `mean`.
    """
    return _reduce(torch.amax, x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Return the smallest element along axes.

    Args: As for `mean`.
    """
    return _reduce(torch.amin, x, axis, keepdims)


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Return whether all elements along axes are true.

    Args: As for `mean`.
    """
    return _reduce(torch.all, x.to(bool_), axis, keepdims)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Return whether some element along axes is true.

    Args: As for `mean`.
    """
    return _reduce(torch.any, x.to(bool_), axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Return how many elements along axes are not zero.

    Args: As for `mean`.
    """
    return _reduce(torch.sum, x.to(bool_), axis, keepdims)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the largest element; without an axis, among all in a row.

    Args:
        x: Array.
        axis: Axis; None for all elements in a row.
        keepdims: Whether axes that are reduced stay, with size 1.
    """
    return torch.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the smallest element; without an axis, among all in a row.

    Args: As for `argmax`.
    """
    return torch.argmin(x, axis, keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Dtype | None = None,
    include_initial: bool = False,
) -> Tensor:  # fmt: skip
    """Return the sums of all elements up to each along an axis.

    Args:
        x: Array.
        axis: Axis; may be left out for a vector.
        dtype: Dtype of the result; decided by the arguments if None.
        include_initial: Whether the result begins with what no elements give.
    """
    return _cumulative(torch.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Dtype | None = None,
    include_initial: bool = False,
) -> Tensor:  # fmt: skip
    """Return the products of all elements up to each along an axis.

    Args: As for `cumulative_sum`.
    """
    return _cumulative(torch.cumprod, 1, x, axis, dtype, include_initial)


def _cumulative(
    function: Callable[..., Any], initial: int, x: Tensor, axis: int | None, dtype: Dtype | None,
    include_initial: bool,
) -> Tensor:  # fmt: skip
    if axis is None:
        x, axis = x.reshape(-1), 0
    result = function(x, axis, dtype=_sum_dtype(x, dtype))
    if not include_initial:
        return result
    shape = list(x.shape)
    shape[axis] = 1
    return torch.cat([torch.full(shape, initial, dtype=result.dtype), result], dim=axis)


def diff(
    x: Tensor, /, n: int = 1, *, axis: int = -1, prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the differences of neighbours along an axis, taken ``n`` times.

    Args:
        x: Array.
        n: How often differences are taken.
        axis: Axis, counted from the end if negative.
        prepend: Array to put in front.
        append: Array to put behind.
    """
    parts = promoted(*(each for each in (prepend, x, append) if each is not None))
    return torch.diff(torch.cat(parts, dim=axis), n=n, dim=axis)
