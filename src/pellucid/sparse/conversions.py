"""A tensor in another layout."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.memory.memory_formats import layout as layout_class
from pellucid.core.memory.memory_formats import sparse_coo, strided
from pellucid.errors import ArgumentError, ShapeError, UnimplementedError
from pellucid.ops.index.index_slices import index_select
from pellucid.ops.shape.views import reshape
from pellucid.sparse.compressed import FORMATS, CompressedTensor, compressed, made_compressed
from pellucid.sparse.coordinate import CoordinateTensor, coordinates_of, empty_of, made
from pellucid.sparse.tensor import SparseTensor


def to_layout(
    tensor: Any, layout: layout_class | None, *, sparse_dim: int | None = None,
    blocksize: Any = None, dense_dim: int | None = None,
) -> Any:  # fmt: skip
    """Return a dense or sparse tensor in a sparse layout."""
    if layout is strided:
        return tensor.to_dense() if isinstance(tensor, SparseTensor) else tensor
    if layout is None or layout is sparse_coo:
        return _to_coordinate(tensor, sparse_dim)
    if layout not in FORMATS:
        raise UnimplementedError(f"to_sparse(): layout {layout} is not supported")
    kind = FORMATS[layout]
    if isinstance(tensor, CompressedTensor) and tensor.layout is layout:
        if not kind.blocks or blocksize is None or _pair(blocksize) == tensor.blocksize:
            return tensor
    if kind.blocks and blocksize is None:
        raise ArgumentError(f"to_sparse(): blocksize is missing for layout {layout}")
    if not kind.blocks and blocksize is not None:
        raise ShapeError(
            "to_sparse for Strided to SparseCsr conversion does not use specified blocksize"
        )
    if tensor.ndim < 2:
        raise ShapeError(
            f"to_sparse(): a layout of rows and columns needs a matrix, not {tensor.ndim} "
            "dimensions; use layout=torch.sparse_coo"
        )
    batch = tensor.batch_dim if isinstance(tensor, CompressedTensor) else 0
    if batch and kind.blocks and not tensor._format.blocks:
        raise ShapeError(
            f"sparse_compressed_to_{layout.name}: conversion from {tensor.layout.title} to "
            f"{layout.title} for batched inputs is not supported; use Tensor.to_dense() first"
        )
    if not isinstance(tensor, SparseTensor):
        batch = tensor.ndim - 2 - (dense_dim or 0)
        tensor = from_dense(tensor, tensor.ndim - (dense_dim or 0))
    made = compressed(tensor.coordinate(), layout, _pair(blocksize or 1), batch)
    return made.with_indices_as(tensor) if isinstance(tensor, CompressedTensor) else made


def empty_in_layout(sizes: tuple[int, ...], layout: layout_class, like: Any) -> SparseTensor:
    """Return a sparse tensor without elements, of all sparse dimensions.

    Raises RuntimeError for layouts of blocks, whose size is not known.
    """
    if layout is sparse_coo:
        return empty_of(sizes, len(sizes), like)
    kind = FORMATS[layout]
    if kind.blocks:
        raise ShapeError(
            "zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{layout.title}"
        )
    if len(sizes) < 2:
        raise ShapeError(
            "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but "
            f"got size {list(sizes)}"
        )
    *batch, rows, columns = sizes
    ends = np.zeros((*batch, (rows, columns)[kind.major] + 1), np.int64)
    others = np.zeros((*batch, 0), np.int64)
    entries = new_tensor(np.zeros((*batch, 0), like._array.dtype))
    return made_compressed(kind, ends, others, entries, sizes)


def _pair(blocksize: Any) -> tuple[int, int]:
    if isinstance(blocksize, int):
        return (blocksize, blocksize)
    if len(blocksize) != 2:
        raise ArgumentError(
            f"to_sparse(): blocksize has to be two numbers, but got {list(blocksize)}"
        )
    return (int(blocksize[0]), int(blocksize[1]))


def _to_coordinate(tensor: Any, sparse_dim: int | None) -> CoordinateTensor:
    if not isinstance(tensor, SparseTensor):
        return from_dense(tensor, sparse_dim)
    if sparse_dim is not None and sparse_dim != tensor.sparse_dim():
        name = tensor.layout.title
        raise ShapeError(
            f"to_sparse: conversion from {name} to Sparse with sparse_dim argument "
            "!=self.sparse_dim() is not supported: use to_dense().to_sparse(sparse_dim)"
        )
    return tensor.coordinate()


def from_dense(dense: Any, sparse_dim: int | None = None) -> CoordinateTensor:
    """Return a dense tensor's elements that are not zero as a sparse tensor.

    Args:
        dense: Tensor of any shape and dtype.
        sparse_dim: How many of the first dims are sparse; all by default. With fewer, what is kept
            or not is the part of the tensor at an index of these dims.

    Returns:
        A sparse tensor of the same shape and dtype.

    Raises:
        RuntimeError: If there are not this many dims.

    >>> torch.tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse(1)
    tensor(indices=tensor([[0]]),
           values=tensor([[0., 3.]]),
           size=(2, 2), nnz=1, layout=torch.sparse_coo)
    """
    count = dense.ndim if sparse_dim is None else sparse_dim
    if not min(1, dense.ndim) <= count <= dense.ndim:
        raise ShapeError(
            f"sparse_dim argument must be in >0 and <={dense.ndim}: it is {sparse_dim}"
        )
    sizes, rest = tuple(dense.shape[:count]), tuple(dense.shape[count:])
    parts = dense._array.reshape(prod(sizes), prod(rest))
    flat = np.flatnonzero((parts != 0).any(1))
    entries = index_select(reshape(dense, (prod(sizes), *rest)), 0, new_tensor(flat))
    return made(coordinates_of(flat, sizes), entries, dense.shape, merged=True)
