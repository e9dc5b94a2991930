"""Parts of sparse tensors, and sparse tensors joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.dtypes import bool_
from pellucid.errors import DimensionError, IndexingError, ShapeError, SparseLayoutError
from pellucid.ops.index import index_slices
from pellucid.ops.reduce import reductions
from pellucid.ops.shape import join, splitting, views
from pellucid.shapes import dim_from_end
from pellucid.sparse.compressed import CompressedTensor
from pellucid.sparse.coordinate import CoordinateTensor, made
from pellucid.sparse.tensor import Array, SparseTensor


def getitem(tensor: Any, index: Any) -> Any:
    """Return a part of a sparse tensor: by numbers, slices, None, ... and one vector of indices."""
    parts = index if isinstance(index, tuple) else (index,)
    count = sum(each is not None and each is not Ellipsis for each in parts)
    if count > tensor.ndim:
        raise IndexingError(f"too many indices for tensor of dimension {tensor.ndim}")
    whole = (slice(None),) * (tensor.ndim - count)
    if Ellipsis in [each for each in parts if each is None or each is Ellipsis]:
        position = next(i for i, each in enumerate(parts) if each is Ellipsis)
        parts = (*parts[:position], *whole, *parts[position + 1 :])
    result, dim, own = tensor, 0, -1
    for part in parts:
        own += part is not None
        if isinstance(part, int | np.integer) and not isinstance(part, bool):
            size = result.shape[dim]
            if not -size <= part < size:
                raise DimensionError(
                    f"index {part} is out of bounds for dimension {own} with size {size}"
                )
            result = splitting.select(result, dim, int(part))
            continue
        if part is None:
            result = views.unsqueeze(result, dim)
        elif isinstance(part, slice):
            result = _sliced(result, dim, part)
        else:
            result = index_slices.index_select(result, dim, _vector(part, result.shape, dim))
        dim += 1
    return result


def _vector(part: Any, shape: Sequence[int], dim: int) -> Any:
    """Return indices along a dimension as a tensor, counted from its start."""
    array = np.asarray(part._array if hasattr(part, "_array") else part)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise SparseLayoutError(
            "Could not run 'aten::index.Tensor' with arguments from the 'SparseCPU' backend: a "
            "sparse tensor is indexed by numbers, slices and vectors of integers; use "
            "Tensor.to_dense() first."
        )
    return new_tensor(_from_start(array, shape, dim))


def _from_start(indices: Array, shape: Sequence[int], dim: int) -> Array:
    """Return indices, which may be counted from the end, counted from the start of a dimension."""
    size = shape[dim]
    outside = indices[(indices < -size) | (indices >= size)]
    if len(outside):
        raise IndexingError(
            f"index_select(): index contains {outside[0]} that is out of range for tensor of size "
            f"{list(shape)} at dimension {dim}"
        )
    return np.where(indices < 0, indices + size, indices)


def select(input: CoordinateTensor | CompressedTensor, dim: int, index: int) -> Any:
    """Return one slice along a dimension, dense if no other dimension is sparse."""
    axis = dim_from_end(dim, input.ndim)
    size = input.shape[axis]
    if not -size <= index < size:
        raise DimensionError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
            f"dimension {axis}"
        )
    index %= size
    if isinstance(input, CompressedTensor):
        return input.selected(axis, index)
    inner = axis - input.sparse_dim() + 1
    if inner > 0:
        return input.with_values(splitting.select(input._entries, inner, index))
    kept = np.flatnonzero(input._coordinates[axis] == index)
    entries = _entries_at(input, kept)
    if input.sparse_dim() == 1:
        truths = entries.dtype is bool_
        return (
            reductions.any(entries, 0)
            if truths
            else reductions.sum(entries, 0, dtype=entries.dtype)
        )
    sizes = (*input.shape[:axis], *input.shape[axis + 1 :])
    sorted_still = input._merged and axis == input.sparse_dim() - 1
    return made(np.delete(input._coordinates[:, kept], axis, 0), entries, sizes, sorted_still)


def _entries_at(input: CoordinateTensor, kept: Array) -> Any:
    return index_slices.index_select(input._entries, 0, new_tensor(kept))


def _sliced(tensor: Any, dim: int, part: slice) -> Any:
    if part == slice(None):
        return tensor
    start, stop, step = part.indices(tensor.shape[dim])
    if step < 0:
        raise ShapeError("step must be greater than zero")
    return sliced(tensor.coordinate(), dim, start, max(stop, start), step)


def sliced(input: CoordinateTensor, dim: int, start: int, stop: int, step: int = 1) -> Any:
    """Return the part of a dimension from one place to another."""
    axis = dim_from_end(dim, input.ndim)
    inner = axis - input.sparse_dim() + 1
    if inner > 0:
        taken: Any = new_tensor(np.arange(start, stop, step))
        return input.with_values(index_slices.index_select(input._entries, inner, taken))
    along = input._coordinates[axis]
    kept = np.flatnonzero((along >= start) & (along < stop) & ((along - start) % step == 0))
    coordinates = input._coordinates[:, kept]
    coordinates[axis] = (coordinates[axis] - start) // step
    sizes = list(input.shape)
    sizes[axis] = len(range(start, stop, step))
    return made(coordinates, _entries_at(input, kept), sizes, input._merged)


def index_select(input: CoordinateTensor, index: Any, dim: int) -> Any:
    """Return the slices at a vector of indices along a dimension."""
    axis = dim_from_end(dim, input.ndim)
    wanted = _from_start(index._array.reshape(-1), input.shape, axis)
    inner = axis - input.sparse_dim() + 1
    if inner > 0:
        taken: Any = new_tensor(wanted)
        return input.with_values(index_slices.index_select(input._entries, inner, taken))
    order = np.argsort(input._coordinates[axis], kind="stable")
    along = input._coordinates[axis][order]
    first = np.searchsorted(along, wanted)
    counts = np.searchsorted(along, wanted, side="right") - first
    kept = order[ranges(first, counts)]
    coordinates = input._coordinates[:, kept]
    coordinates[axis] = np.repeat(np.arange(len(wanted)), counts)
    sizes = (*input.shape[:axis], len(wanted), *input.shape[axis + 1 :])
    return made(coordinates, _entries_at(input, kept), sizes)


def ranges(first: Array, counts: Array) -> Array:
    """Return the numbers from each first one on, as many as its count says, one after the other."""
    starts = np.cumsum(counts) - counts
    return np.repeat(first - starts, counts) + np.arange(counts.sum())


def unsqueeze(input: CoordinateTensor, dim: int) -> CoordinateTensor:
    """Return the tensor with a new dimension of size 1: dense if it comes behind a dense one."""
    axis = dim_from_end(dim, input.ndim + 1)
    sizes = (*input.shape[:axis], 1, *input.shape[axis:])
    inner = axis - input.sparse_dim() + 1
    if inner > 1 or (inner == 1 and input.dense_dim()):
        return made(
            input._coordinates, views.unsqueeze(input._entries, inner), sizes, input._merged
        )
    coordinates = np.insert(input._coordinates, axis, 0, axis=0)
    return made(coordinates, input._entries, sizes, input._merged)


def cat(tensors: tuple[Any, ...], dim: int = 0) -> CoordinateTensor:
    """Join sparse tensors along a dimension."""
    if not all(isinstance(each, SparseTensor) for each in tensors):
        raise ShapeError("Concatenating sparse tensors, but a dense tensor was found")
    parts = [each.coordinate() for each in tensors]
    first = parts[0]
    axis = dim_from_end(dim, first.ndim)
    for position, each in enumerate(parts[1:], 1):
        if each.sparse_dim() != first.sparse_dim() or not _same_but_for(first, each, axis):
            raise ShapeError(
                "All tensors must have the same shape: "
                f"{list(first.shape)} (except in the concatenating dimension), but found shape: "
                f"{list(each.shape)} at position {position}"
            )
    lengths = [each.shape[axis] for each in parts]
    starts = np.cumsum([0, *lengths])
    sizes = (*first.shape[:axis], int(starts[-1]), *first.shape[axis + 1 :])
    inner = axis - first.sparse_dim() + 1
    if inner > 0:
        entries = [
            _widened(each._entries, inner, int(before), int(starts[-1]))
            for each, before in zip(parts, starts, strict=False)
        ]
        return made(
            np.concatenate([each._coordinates for each in parts], 1), join.cat(entries), sizes
        )
    moved = [each._coordinates.copy() for each in parts]
    for coordinates, before in zip(moved, starts, strict=False):
        coordinates[axis] += before
    return made(np.concatenate(moved, 1), join.cat([each._entries for each in parts]), sizes)


def _same_but_for(first: Any, other: Any, position: int) -> bool:
    return first.ndim == other.ndim and all(
        a == b or dim == position
        for dim, (a, b) in enumerate(zip(first.shape, other.shape, strict=True))
    )


def _widened(entries: Any, dim: int, before: int, width: int) -> Any:
    """Return values with zeros before and behind them along a dimension."""
    coordinates: Any = new_tensor(np.arange(before, before + entries.shape[dim]))
    shape = (*entries.shape[:dim], width, *entries.shape[dim + 1 :])
    return index_slices.index_select_backward(entries, coordinates, shape, dim)


def stack(tensors: tuple[Any, ...], dim: int = 0) -> CoordinateTensor:
    """Join sparse tensors along a new dimension."""
    axis = dim_from_end(dim, tensors[0].ndim + 1)
    return cat(tuple(views.unsqueeze(each, axis) for each in tensors), axis)


setattr(SparseTensor, "__getitem__", getitem)  # noqa: B010 - it has its own names
