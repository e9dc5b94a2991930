"""What each factor is multiplied by where factors meet at places, right where some are zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.ops.index.index_slices import index_select, index_select_backward
from pellucid.ops.reduce.scan import others_product
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import basic_index, reshape
from pellucid.shapes import dim_from_end

# Dividing the product by a factor is right up to the first derivative: where there are zeros, the
# product of the others is a number that no longer knows of the zeros among them, and its own
# derivative is not zero. Here the factors of a place are put in a row, where nothing is divided.

_Positions = tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]


def products_of_others(first: Any, index: Any, second: Any, dim: int) -> tuple[Any, Any]:
    """Return for each factor the product of the others at its place, where one of these is zero.

    ``first`` has one factor for each place, ``second`` one for each element of ``index``, which
    tells its place along ``dim``. What is returned for factors at places without a zero is 0.
    """
    count = first._array.size
    flat = cat([reshape(first, (-1,)), reshape(second, (-1,))], 0)
    positions = _flat_positions(first._array.shape, index._array, dim)
    rows, slots, members = _rows_of_factors(flat._array, positions, count)
    one = new_tensor(np.ones(1, flat._array.dtype))
    table = index_select(cat([flat, one], 0), 0, new_tensor(rows.reshape(-1)))
    others = reshape(others_product(reshape(table, rows.shape), 1), (-1,))
    found = index_select_backward(
        index_select(others, 0, new_tensor(slots)), new_tensor(members), flat._array.shape, 0
    )
    return (
        reshape(basic_index(found, slice(0, count)), first._array.shape),
        reshape(basic_index(found, slice(count, None)), second._array.shape),
    )


def _flat_positions(shape: tuple[int, ...], index: Any, dim: int) -> np.ndarray[Any, Any]:
    """Return the place of every factor, counted through a tensor of a shape."""
    own = np.arange(np.prod(shape, dtype=np.int64))
    if not shape:
        return np.concatenate([own, np.zeros(index.size, np.int64)])
    coordinates = list(np.indices(index.shape, sparse=True))
    coordinates[dim_from_end(dim, len(shape))] = index
    given = np.ravel_multi_index(tuple(np.broadcast_arrays(*coordinates)), shape)
    return np.concatenate([own, given.reshape(-1)])


def _rows_of_factors(factors: Any, positions: Any, count: int) -> _Positions:
    """Put the factors that meet at a place with a zero in one row.

    Returned are the rows of factors' numbers, filled up with the number after the last; where in
    the rows the members are; and their numbers.
    """
    has_zero = np.zeros(count, np.bool_)
    has_zero[positions[factors == 0]] = True
    members = np.flatnonzero(has_zero[positions])
    members = members[np.argsort(positions[members], kind="stable")]
    _, starts, row, lengths = np.unique(
        positions[members], return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.arange(len(members)) - starts[row]
    rows = np.full((len(starts), max(lengths, default=1)), len(factors))
    rows[row, rank] = members
    return rows, row * rows.shape[1] + rank, members
