"""Sums and products of many elements: as exact as pairwise summation in every memory layout."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.sizes import MANY

# positional arguments are the quickest, and unknown to NumPy's type hints
_add: Any = np.add.reduce
_multiply: Any = np.multiply.reduce

# Note [Sums of blocks]
# The error of a sum that is added up one element after the other grows with their number. Added up
# in blocks, and then the sums of the blocks, it grows with the length of a block and the logarithm
# of the number of blocks, as in pairwise summation (Higham, "The accuracy of floating point
# summation", 1993). NumPy does so along the last dimension in memory only. BLAS, which multiplies
# by a vector of ones faster than NumPy adds, does not, and adds side by side only a few partial
# sums in a row, fewer in a column, and in the columns left over from groups of four one. The
# lengths of the blocks follow from this.
_ROW_BLOCK = 128
_SHORTEST_ROW_BLOCK = 32
COLUMN_BLOCK = 64
UNEVEN_COLUMN_BLOCK = 32
#: NumPy is as fast for one row that is shorter
_LONG_ROW = 1 << 15
#: rows shorter than this are added up together, as if they were one
_WIDE = 1024
#: so few additions one after the other need no blocks
_FEW = 32
_FEW_ROWS = 16
_FEW_FACTORS = 64
#: from here on the additions of columns take longer than the calls that divide them into blocks
_MANY_IN_COLUMNS = 1 << 16


@cache
def _ones(count: int, dtype: np.dtype[Any]) -> Array:
    made = np.ones(count, dtype)
    made.flags.writeable = False
    return made


def total(x: Any, axes: tuple[int, ...] | None, keepdims: bool) -> Array:
    """Add up over `axes`, or over all of them for ``None``, in the dtype of `x`.

    See Note [Sums of blocks].
    """
    if x.dtype.char not in "fdFD" or _numpy_is_exact(x, axes):
        return _add(x, axes, None, None, keepdims)
    if axes is None:
        axes = tuple(range(x.ndim))
    if axes == (0,) and x.ndim == 2:
        sums = column_sums(x)
        return sums[None] if keepdims else sums
    sums = _total_of_any(x, axes)
    if keepdims:
        return sums
    return sums.reshape([size for axis, size in enumerate(x.shape) if axis not in axes])


def _total_of_any(x: Array, axes: tuple[int, ...]) -> Array:
    """Add up real or complex numbers in any layout; keep `axes`."""
    if x.dtype.kind == "c":
        return _total_of_any(x[..., None].view(x.dtype.char.lower()), axes).view(x.dtype)[..., 0]
    return _total_in_order(x, axes) if x.flags.c_contiguous else _total_of_strided(x, axes)


def total_of_squares(x: Array, axes: tuple[int, ...] | None, keepdims: bool) -> Array:
    """Add up the squares of real numbers over `axes`, as `total` does."""
    return total(x * x, axes, keepdims)


def _numpy_is_exact(x: Array, axes: tuple[int, ...] | None) -> bool:
    """Return whether NumPy adds only few elements of a small array one after the other."""
    if axes is None:
        return x.size <= _FEW or (x.size < _LONG_ROW and x.flags.c_contiguous)
    if x.size >= MANY:
        return not axes
    if not x.size or prod([x.shape[axis] for axis in axes]) <= _FEW:
        return True
    return x.flags.c_contiguous and min(axes) == x.ndim - len(axes)


def _total_of_strided(x: Array, axes: tuple[int, ...]) -> Array:
    """Add up elements that lie in memory in another order, with gaps or expanded; keep `axes`."""
    single = x[tuple(slice(1 if step == 0 else None) for step in x.strides)]
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    moved = tuple(order.index(axis) for axis in axes)
    sums = _total_in_order(np.ascontiguousarray(single.transpose(order)), moved)
    sums = sums.transpose(np.argsort(order))
    repeats = prod([x.shape[axis] // single.shape[axis] for axis in axes])
    if repeats > 1:
        sums = sums * x.dtype.type(repeats)
    shape = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    return np.ascontiguousarray(np.broadcast_to(sums, shape))


def _total_in_order(x: Array, axes: tuple[int, ...]) -> Array:
    """Add up a C-contiguous array, the last axes first and neighbours at once; keep `axes`."""
    sums, width = x, 1
    for is_summed, group in groupby(reversed(range(x.ndim)), axes.__contains__):
        count = prod([x.shape[axis] for axis in group])
        if is_summed:
            sums = _middle_sums(sums.reshape(-1, count, width))
        else:
            width *= count
    return sums.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)])


def _middle_sums(x: Array) -> Array:
    """Add up ``x [N, R, K]`` over its second dimension; the last two are contiguous."""
    outer, count, width = x.shape
    if width == 1:
        return row_sums(x[:, :, 0])[:, None]
    folds = _WIDE // width
    if folds > 1 and count >= 2 * folds:
        whole = count - count % folds
        folded = _middle_sums(x[:, :whole].reshape(outer, -1, folds * width))
        sums = _middle_sums(folded.reshape(outer, folds, width))
    elif count <= _FEW_ROWS:
        return _add(x, 1)
    elif folds > 1:
        whole = count - count % 2
        sums = _middle_sums(x[:, : whole // 2] + x[:, whole // 2 : whole])
    elif count <= (length := _column_block(width)):
        return _ones(count, x.dtype) @ x
    else:
        whole = count - count % length
        blocks = x[:, :whole].reshape(outer, -1, length, width)
        sums = _middle_sums(_ones(length, x.dtype) @ blocks)
    return sums if whole == count else sums + _middle_sums(x[:, whole:])


def _column_block(width: int) -> int:
    return UNEVEN_COLUMN_BLOCK if width % 4 else COLUMN_BLOCK


def column_sums(rows: Array) -> Array:
    """Add up each column of a matrix, as for the gradient of a bias."""
    if not rows.size:
        return _add(rows, 0)
    if not rows.flags.c_contiguous or rows.dtype.char not in "fd":
        return _total_of_any(rows, (0,))[0]
    count, width = rows.shape
    length = _column_block(width)
    if count <= length:
        return _ones(count, rows.dtype).dot(rows)
    if width == 1 or count > length * length or rows.size > _MANY_IN_COLUMNS:
        return _middle_sums(rows[None])[0]
    whole = count - count % length
    if whole == length:
        sums = _ones(length, rows.dtype).dot(rows[:length])
    else:
        blocks = _ones(length, rows.dtype) @ rows[:whole].reshape(-1, length, width)
        sums = _ones(len(blocks), rows.dtype).dot(blocks)
    if whole < count:
        sums += _ones(count - whole, rows.dtype).dot(rows[whole:])
    return sums


def row_sums(rows: Array) -> Array:
    """Add up each row of a matrix in single or double precision, whose rows are contiguous."""
    count = rows.shape[1]
    if count <= _ROW_BLOCK:
        return rows @ _ones(count, rows.dtype)
    if not (length := _row_block(rows)):
        return _add(rows, 1)
    whole = count - count % length
    blocks = rows[:, :whole].reshape(len(rows), -1, length)
    if whole == count and rows.flags.c_contiguous:
        parts = (blocks.reshape(-1, length) @ _ones(length, rows.dtype)).reshape(len(rows), -1)
    else:
        parts = blocks @ _ones(length, rows.dtype)
    sums = row_sums(parts)
    return sums if whole == count else sums + row_sums(rows[:, whole:])


def row_products(x: Array, y: Array) -> Array:
    """Return the dot product of each row of `x` with the same row of `y`, both ``[N, R]``."""
    count = x.shape[1]
    if count <= _ROW_BLOCK:
        return np.einsum("ij,ij->i", x, y)
    length = _divisor(count) or _ROW_BLOCK
    whole = count - count % length
    shape = (len(x), whole // length, length)
    blocks = x[:, :whole].reshape(shape), y[:, :whole].reshape(shape)
    sums = row_sums(np.einsum("ijk,ijk->ij", *blocks))
    return sums if whole == count else sums + row_products(x[:, whole:], y[:, whole:])


def _row_block(rows: Array) -> int:
    """Return the length of the blocks to add up rows in; 0 if NumPy's own way is the fastest."""
    count = rows.shape[1]
    length = _divisor(count) if rows.flags.c_contiguous else 0
    return length or (_ROW_BLOCK if count >= 8 * _ROW_BLOCK else 0)


@lru_cache(maxsize=1024)
def _divisor(count: int) -> int:
    """Return the longest length of a block that divides a row; 0 if all such are short."""
    lengths = range(_ROW_BLOCK, _SHORTEST_ROW_BLOCK - 1, -1)
    return next((length for length in lengths if count % length == 0), 0)


def product(x: Any, axis: Any, dtype: Any, keepdims: bool) -> Array:
    """Multiply over one dimension or over all, as NumPy's ``multiply.reduce``.

    Along rows in memory NumPy multiplies one element at a time; halves are multiplied by each
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


#: what single precision is accumulated in, as errors add up along the way
_WIDER = {"f": np.dtype(np.float64), "F": np.dtype(np.complex128)}


def cumsum(x: Array, axis: int) -> Array:
    """Return running sums along `axis`, those of single precision rounded once."""
    found = _accumulated(np.add, x, axis)
    if found.dtype.kind in "fc":
        found += 0  # sums begin with zero, so that none is a negative zero
    return found


def cumprod(x: Array, axis: int) -> Array:
    """Return running products along `axis`, those of single precision rounded once."""
    return _accumulated(np.multiply, x, axis)


def _accumulated(ufunc: np.ufunc, x: Array, axis: int) -> Array:
    found = ufunc.accumulate(x, axis=axis, dtype=_WIDER.get(x.dtype.char, x.dtype))
    return found.astype(x.dtype, copy=False)
