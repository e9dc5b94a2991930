"""Sums and products of many elements by the routines that use the whole width of the processor."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.backends._sizes import MANY

Array = NDArray[Any]

# positional arguments are the quickest, and unknown to NumPy's type hints
_multiply: Any = np.multiply.reduce

#: how many elements BLAS adds up in one go, so that errors stay as small as in pairwise summation
_CHUNK = 512
#: one long row takes several calls
_LONG_ROW = 1 << 15
_LONGEST_ROW = 4096
_FEW_FACTORS = 64


@cache
def _ones(count: int, dtype: np.dtype[Any]) -> Array:
    made = np.ones(count, dtype)
    made.flags.writeable = False
    return made


def total(x: Any, axes: Any, keepdims: bool) -> Array:
    """Add up over `axes`, or over all of them for ``None``, in the dtype of `x`.

    Rows that lie in memory one after another are multiplied by a vector of ones: BLAS adds several
    elements at a time, NumPy's own loop one. Where the axes lie at both ends, the last go first.
    """
    if x.size < MANY or not x.flags.c_contiguous or x.dtype.char not in "fd":
        return np.add.reduce(x, axis=axes, keepdims=keepdims)
    kept = _kept_in_front(x, axes)
    if kept is None and axes is not None:
        front = _summed_in_front(axes)
        if 0 < front < len(axes):
            x = total(x, axes[front:], True)
            return np.add.reduce(x, axis=axes, keepdims=keepdims)
        return _total_in_front(x, axes, keepdims)
    sums = None if kept is None else _row_sums(x, kept)
    if sums is None or kept is None:
        return np.add.reduce(x, axis=axes, keepdims=keepdims)
    shape = x.shape[:kept] + ((1,) * (x.ndim - kept) if keepdims else ())
    return sums.reshape(shape)


def _summed_in_front(axes: tuple[int, ...]) -> int:
    """Return how many of the axes are the first dimensions, one after the other."""
    return next((place for place, axis in enumerate(axes) if axis != place), len(axes))


def _total_in_front(x: Any, axes: Any, keepdims: bool) -> Array:
    front = len(axes)
    if _summed_in_front(axes) < front or not x.size:
        return np.add.reduce(x, axis=axes, keepdims=keepdims)
    rows = x.reshape(prod(x.shape[:front]), -1)
    sums = total(rows[:, 0], None, False) if rows.shape[1] == 1 else _sum_of_rows(rows)
    return sums.reshape(((1,) * front if keepdims else ()) + x.shape[front:])


def _sum_of_rows(rows: Array) -> Array:
    """Add up the rows of a matrix, of a tall one in several goes, so that errors stay small."""
    count, width = rows.shape
    if count <= _LONGEST_ROW:
        return _ones(count, rows.dtype) @ rows
    whole = count - count % _LONGEST_ROW
    parts = _ones(_LONGEST_ROW, rows.dtype) @ rows[:whole].reshape(-1, _LONGEST_ROW, width)
    return np.add.reduce(parts, axis=0) + np.add.reduce(rows[whole:], axis=0)


def _kept_in_front(x: Array, axes: tuple[int, ...] | None) -> int | None:
    """Return how many dimensions stay if it is the last ones that are summed."""
    if axes is None:
        return 0
    kept = x.ndim - len(axes)
    return kept if sorted(axes) == list(range(kept, x.ndim)) else None


def _row_sums(x: Array, kept: int) -> Array | None:
    count = prod(x.shape[kept:])
    if count < 2:
        return None
    rows = x.reshape(-1, count)
    if len(rows) == 1 and count > _LONGEST_ROW:
        if count < _LONG_ROW:
            return None
        whole = count - count % _CHUNK
        parts = rows[0, :whole].reshape(-1, _CHUNK) @ _ones(_CHUNK, x.dtype)
        return np.add.reduce(parts) + np.add.reduce(rows[0, whole:])
    if count <= _LONGEST_ROW:
        return rows @ _ones(count, x.dtype)
    if count % _CHUNK == 0:
        parts = rows.reshape(-1, _CHUNK) @ _ones(_CHUNK, x.dtype)
        return np.add.reduce(parts.reshape(len(rows), -1), 1)
    return None


def product(x: Any, axis: Any, dtype: Any, keepdims: bool) -> Array:
    """Multiply over one dimension or over all, as NumPy's ``multiply.reduce``.

    Along rows in memory NumPy multiplies one element at a time; halves are multiplied with each
    other first.
    """
    last = axis in (x.ndim - 1, (x.ndim - 1,))
    if last and x.size >= MANY and x.dtype.kind in "fc" and x.dtype == np.dtype(dtype or x.dtype):
        while x.shape[-1] > _FEW_FACTORS:
            half = x.shape[-1] // 2
            folded = x[..., :half] * x[..., half : 2 * half]
            if x.shape[-1] % 2:
                folded[..., 0] *= x[..., -1]
            x = folded
    return _multiply(x, axis, dtype, None, keepdims)
