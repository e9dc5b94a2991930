"""Gathering and scattering by index: reading, writing and adding, where repeated indices add up."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import working_dtype

Ints = tuple[int, ...]


def add_at(size: int, positions: Array, values: Array) -> Array:
    """Sum `values` into a vector of zeros of length `size`, at flat `positions`."""
    total = np.zeros(size, working_dtype(values.dtype))
    np.add.at(total, positions.reshape(-1), values.reshape(-1).astype(total.dtype, copy=False))
    return total.astype(values.dtype, copy=False)


def _positions(shape: Ints, index: Array, dim: int) -> Array:
    """Turn an `index` along `dim` into flat positions in an array of `shape`.

    Raises RuntimeError for an index outside the dimension.
    """
    if index.size and (_largest_unsigned(index) >= shape[dim]):
        low, high = index.min(), index.max()
        worst = low if low < 0 else high
        raise RuntimeError(
            f"index {worst} is out of bounds for dimension {dim} with size {shape[dim]}"
        )
    step = prod(shape[dim + 1 :])
    positions = index.astype(np.intp, copy=False)
    if step != 1:
        positions = positions * step
    for axis, extent in enumerate(index.shape):
        if axis != dim and extent > 1:
            steps = (np.arange(extent) * prod(shape[axis + 1 :])).reshape(
                -1, *(1,) * (index.ndim - axis - 1)
            )
            if positions is index:
                positions = positions + steps
            else:
                positions += steps
    return positions


def _largest_unsigned(index: Array) -> int:
    """Return the largest index, where a negative one counts as very large."""
    return int(index.view(f"u{index.dtype.itemsize}").max())


def _dimension(dim: int, ndim: int) -> int:
    return dim + ndim if dim < 0 else dim


def _crop(values: Array, shape: Ints) -> Array:
    return values[tuple(slice(n) for n in shape)]


def take_along(x: Array, index: Array, dim: int) -> Array:
    """Read ``x[i][index[i, j, k]][k]`` (for ``dim=1``); `index` may be shorter in other dims.

    Raises RuntimeError for an index outside ``dim``.
    """
    if x.ndim == 0 or index.ndim == 0:
        return take_along(np.atleast_1d(x), np.atleast_1d(index), 0).reshape(index.shape)
    return x.reshape(-1).take(_positions(x.shape, index, _dimension(dim, x.ndim)))


def take_grid(x: Array, positions: tuple[Array, ...]) -> Array:
    """Read `x` at a vector of positions in each of its last dimensions."""
    for axis, indices in enumerate(positions, start=x.ndim - len(positions)):
        x = x.take(indices, axis)
    return x


def scatter_add_along(shape: Ints, index: Array, src: Array, dim: int) -> Array:
    """Transpose `take_along`: add `src` to zeros of `shape` where `index` points along `dim`."""
    if index.ndim == 0 or not shape:
        values = scatter_add_along((prod(shape),), np.atleast_1d(index), np.atleast_1d(src), 0)
        return values.reshape(shape)
    positions = _positions(tuple(shape), index, _dimension(dim, len(shape)))
    return add_at(prod(shape), positions, _crop(src, index.shape)).reshape(shape)


def scatter(x: Array, dim: int, index: Array, src: Any) -> Array:
    """Copy `x` and write `src`, an array or a number, where `index` points; the last one stays."""
    if x.ndim == 0 or index.ndim == 0:
        src = np.atleast_1d(src) if isinstance(src, np.ndarray) else src
        return scatter(np.atleast_1d(x), 0, np.atleast_1d(index), src).reshape(x.shape)
    out = np.array(x, order="C")
    values = _crop(src, index.shape) if isinstance(src, np.ndarray) and src.ndim else src
    out.reshape(-1)[_positions(x.shape, index, _dimension(dim, x.ndim))] = values
    return out


_REDUCTIONS = {
    "sum": (np.add, 0),
    "prod": (np.multiply, 1),
    "mean": (np.add, 0),
    "amax": (np.maximum, None),
    "amin": (np.minimum, None),
}


def scatter_reduce(
    x: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool = True
) -> Array:
    """Copy `x` and reduce `src` into it where `index` points along `dim`.

    `reduce` is one of sum, prod, mean, amax, amin. Without `include_self`, places that receive
    something forget what they held. An integer mean rounds down.
    """
    if x.ndim == 0 or index.ndim == 0:
        index, src = np.atleast_1d(index), np.atleast_1d(src)
        flat = scatter_reduce(np.atleast_1d(x), 0, index, src, reduce, include_self)
        return flat.reshape(x.shape)
    ufunc, identity = _REDUCTIONS[reduce]
    positions = _positions(x.shape, index, _dimension(dim, x.ndim)).reshape(-1)
    values = _crop(src, index.shape).reshape(-1)
    out = np.array(x, working_dtype(x.dtype), order="C")
    flat = out.reshape(-1)
    values = values.astype(out.dtype, copy=False)
    if not include_self:
        # For a maximum or minimum any of the values that arrive will do to start from.
        flat[positions] = values if identity is None else identity
    ufunc.at(flat, positions, values)
    if reduce == "mean":
        counts = np.bincount(positions, minlength=flat.size) + include_self
        divide = np.divide if out.dtype.kind in "fc" else np.floor_divide
        divide(flat, np.maximum(counts, 1).astype(out.dtype), out=flat)
    return out.astype(x.dtype, copy=False)


def embedding_to_weight(g: Array, indices: Array, num_rows: int) -> Array:
    """Sum the rows of ``g [*I, *D]`` by ``indices [*I]`` into an array ``[num_rows, *D]``.

    Raises IndexError for an index outside the rows.
    """
    from scipy.sparse import csc_matrix

    flat = indices.reshape(-1)
    if flat.size and (flat.min() < 0 or flat.max() >= num_rows):
        raise IndexError("index out of range in self")
    row_shape = g.shape[indices.ndim :]
    if not g.size or not num_rows:
        return np.zeros((num_rows, *row_shape), g.dtype)
    dtype = working_dtype(g.dtype)
    rows = g.reshape(flat.size, -1).astype(dtype, copy=False)
    # Column j of this matrix holds a single one, in row flat[j]: the product sums rows by index.
    selection = csc_matrix(
        (np.ones(flat.size, dtype), flat, np.arange(flat.size + 1)), shape=(num_rows, flat.size)
    )
    return (selection @ rows).reshape(num_rows, *row_shape).astype(g.dtype, copy=False)


def index_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    """Return `x` with the slices of `src` along `dim` added where the vector `index` points."""
    if x.ndim == 0:
        return x + src.sum(dtype=x.dtype)
    first = np.ascontiguousarray(np.moveaxis(src, dim, 0))
    places = index.reshape(-1)

    def scattered(values: Array) -> Array:
        rows = embedding_to_weight(values, places, x.shape[dim])
        return np.moveaxis(rows, 0, dim).astype(x.dtype, copy=False)

    return _added(x, scattered, first)


def index_put_added(
    out: Array, index: Any, values: Array, scatter: Callable[..., Array]
) -> None:  # fmt: skip
    """Add `values` to `out` at ``[index]``, in place; `scatter` is `index_put_add`."""

    def scattered(values: Array) -> Array:
        return scatter(out.shape, out.dtype, index, values)

    out[...] = _added(out, scattered, np.asarray(values, out.dtype))


def _added(x: Array, scattered: Callable[[Array], Array], values: Array) -> Array:
    """Return `x` plus scattered values; a negative zero stays one where only such are added."""
    sum = x + scattered(values)
    negative = _negative_zeros(x)
    if negative is None or not negative.any():
        return sum
    # what is scattered begins with zeros, which a negative zero does not survive
    added = _negative_zeros(values)
    others = np.ones(values.shape, x.dtype) if added is None else (~added).astype(x.dtype)
    return np.where(negative & (scattered(others) == 0), x, sum)


def _negative_zeros(x: Array) -> Array | None:
    """Return which elements are negative zeros; ``None`` for a dtype that has none, or complex."""
    return None if x.dtype.kind in "biuc" else (x == 0) & np.signbit(x)


def all_within(index: Array, size: int) -> bool:
    """Return whether all indices are from 0 to below `size`."""
    # a negative index, taken as unsigned, is a very large one
    return not index.size or bool(index.view(f"u{index.dtype.itemsize}").max() < size)


def index_put_add(shape: Ints, dtype: Any, index: Any, values: Array) -> Array:
    """Transpose indexing: add `values` to zeros of `shape` at ``[index]``, for any NumPy index."""
    index = index if isinstance(index, tuple) else (index,)
    out = np.zeros(shape, dtype)
    arrays = [i for i in index if isinstance(i, np.ndarray | list)]
    if all(np.asarray(i).dtype == np.bool_ for i in arrays) and len(arrays) <= 1:
        out[index] = values
        return out
    if len(index) == 1 and index[0] is arrays[0] and isinstance(arrays[0], np.ndarray):
        rows = arrays[0]
        rows = np.where(rows < 0, rows + shape[0], rows)
        values = np.broadcast_to(np.asarray(values, dtype), (*rows.shape, *shape[1:]))
        return embedding_to_weight(values, rows, shape[0])
    positions = _flat_positions(shape, index)
    spread = np.broadcast_to(np.asarray(values, dtype), positions.shape)
    return add_at(prod(shape), positions, spread).reshape(shape)


def _flat_positions(shape: Ints, index: tuple[Any, ...]) -> Array:
    """Read an imagined array of flat positions at `index`, without ever building it whole."""
    positions: Any = 0
    for axis, extent in enumerate(shape):
        steps = np.arange(extent) * prod(shape[axis + 1 :])
        along = steps.reshape(-1, *(1,) * (len(shape) - axis - 1))
        positions = positions + np.broadcast_to(along, shape)[index]
    return np.asarray(positions)
