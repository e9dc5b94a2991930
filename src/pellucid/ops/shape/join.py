"""Joining tensors: end to end, or along a new dimension."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase
from pellucid.core.construct import fresh
from pellucid.core.definition.dtype_rules import COMMON
from pellucid.core.definition.faces import Face
from pellucid.core.definition.op import Tensors
from pellucid.core.definition.public import JOINING, public
from pellucid.core.families import multilinear
from pellucid.core.memory.layouts import contiguous, of_all_joined
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.ops.index.indexing import gather_index
from pellucid.ops.shape.broadcasting import check_tensors, meshgrid, unpacked_sequence
from pellucid.ops.shape.copying import to
from pellucid.ops.shape.splitting import unbind
from pellucid.ops.shape.views import (
    along,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    basic_index,
    reshape,
    slices_backward,
)
from pellucid.shapes import Like, dim_from_end, items_of


def lengths(arrays: Any, dim: int) -> tuple[int, ...]:
    """Return how long each array is along the dimension along which they are joined."""
    return tuple(0 if array.shape == (0,) else array.shape[dim] for array in arrays)


@public("cat concat concatenate", out=JOINING)
@multilinear(
    dtypes=COMMON,
    half="bitwise",
    float8=True,
    additive=True,
    noted=lengths,
    layout=of_all_joined,
    compiled_body=True,
    faces=Face("dim"),
)
def cat(be, tensors: Tensors, /, dim=0):
    """Join tensors end to end along a dimension; their other sizes must agree.

    Different dtypes meet in a common one. Raises RuntimeError where sizes do not agree.

    Args:
        tensors: Tensors of the same shape but for ``dim``; a vector without elements is left out.
        dim: Dimension along which to join.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    # An empty tensor of one dimension joins anything, as it always has in PyTorch.
    joined = [array for array in tensors if array.shape != (0,)]
    if not joined:  # whatever the dimension
        joined, dim = tensors[:1], 0
    if not all(array.ndim for array in joined):
        _check_ranks(tensors, joined)
    axis = dim_from_end(dim, joined[0].ndim)
    try:
        return be.concatenate(joined, axis)
    except ValueError:
        _check_ranks(tensors, joined)
        _check_sizes(tensors, joined[0], axis)
        raise


@cat.check
def check_cat(*arguments):
    _check_tensors("torch.cat()", arguments[:-1], ArgumentError)


def _check_tensors(name: str, tensors: Any, empty: type[Exception]) -> None:
    """Raise where there are none, or something else is among them."""
    if not tensors:
        raise empty(f"{name}: expected a non-empty list of Tensors")
    for position, each in enumerate(tensors):
        if not isinstance(each, np.ndarray):
            raise ArgumentTypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(each).__name__}"
            )


@cat.vjp("tensors")
def cat_tensors(g, tensors: Like, dim, lengths):
    axis = dim_from_end(dim, len(g.shape))
    ends = [0, *accumulate(lengths)]
    metas: Any = tensors
    return [
        None
        if meta is None
        else basic_index(g, along(axis, slice(start, end))).reshape(tuple(meta.shape))
        if meta.shape != (0,)
        else None
        for meta, start, end in zip(metas, ends[:-1], ends[1:], strict=True)
    ]


def _check_ranks(tensors: Any, joined: Any) -> None:
    ndim = joined[0].ndim
    for position, array in enumerate(tensors):
        if not array.ndim:
            raise ShapeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated; "
                "stack joins such tensors"
            )
    wrong = next((array for array in joined if array.ndim != ndim), None)
    if wrong is not None:
        raise ShapeError(
            f"Tensors must have same number of dimensions: got {ndim} and {wrong.ndim}"
        )


def _check_sizes(tensors: Any, first: Any, axis: int) -> None:
    for position, array in enumerate(tensors):
        if array.shape == (0,):
            continue
        for dim, (have, want) in enumerate(zip(array.shape, first.shape, strict=True)):
            if dim != axis and have != want:
                raise ShapeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size "
                    f"{want} "
                    f"but got size {have} for tensor number {position} in the list."
                )


@public("stack", out=JOINING)
@multilinear(
    dtypes=COMMON,
    half="bitwise",
    float8=True,
    additive=True,
    layout=contiguous,
    compiled_body=True,
    faces=Face("dim"),
)
def stack(be, tensors: Tensors, /, dim=0):
    """Join tensors of one shape along a new dimension.

    Raises RuntimeError where the shapes differ.

    Args:
        tensors: Tensors of one shape.
        dim: Dimension along which to join.

    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    first = tensors[0]
    for position, array in enumerate(tensors):
        if array.shape != first.shape:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first.shape)} at "
                "entry 0 "
                f"and {list(array.shape)} at entry {position}"
            )
    return be.ascontiguousarray(be.stack(tensors, axis=dim_from_end(dim, first.ndim + 1)))


@stack.check
def check_stack(*arguments):
    if len(arguments) == 1:
        raise ShapeError("stack expects a non-empty TensorList")
    _check_tensors("stack", arguments[:-1], ShapeError)


@stack.vjp("tensors")
def stack_tensors(g, tensors: Like, dim):
    metas: Any = tensors
    return [
        None if meta is None else part
        for meta, part in zip(metas, unbind(g, dim_from_end(dim, len(g.shape))), strict=True)
    ]


def checked_sequence(name: str, tensors: Any) -> Sequence[Any]:
    """Return a sequence of tensors; raise where it is not one, or is empty."""
    if isinstance(tensors, TensorBase) or not isinstance(tensors, tuple | list):
        raise ArgumentTypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    if not tensors:
        raise ShapeError(f"{name} expects a non-empty TensorList")
    return items_of(tensors)


@public("hstack", out=JOINING)
def hstack(tensors: Sequence[Any]) -> Any:
    """Join tensors side by side: along dimension 1, or 0 for vectors.

    Args:
        tensors: Tensors to join.

    >>> torch.hstack([torch.tensor([1, 2]), torch.tensor(3)])
    tensor([1, 2, 3])
    """
    parts = [atleast_1d(tensor) for tensor in checked_sequence("hstack", tensors)]
    return cat(parts, 0 if parts[0]._array.ndim == 1 else 1)


@public("vstack row_stack", out=JOINING)
def vstack(tensors: Sequence[Any]) -> Any:
    """Join tensors one below the other, vectors as rows.

    Args:
        tensors: Tensors to join.

    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([atleast_2d(tensor) for tensor in checked_sequence("vstack", tensors)], 0)


@public("dstack", out=JOINING)
def dstack(tensors: Sequence[Any]) -> Any:
    """Join tensors along dimension 2.

    Args:
        tensors: Tensors to join.

    >>> torch.dstack([torch.tensor([1]), torch.tensor([2])])
    tensor([[[1, 2]]])
    """
    return cat([atleast_3d(tensor) for tensor in checked_sequence("dstack", tensors)], 2)


@public("column_stack", out=JOINING)
def column_stack(tensors: Sequence[Any]) -> Any:
    """Join tensors side by side, vectors as columns.

    Args:
        tensors: Tensors to join.

    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    parts = checked_sequence("column_stack", tensors)
    return cat([x if x._array.ndim > 1 else reshape(x, (x._array.size, 1)) for x in parts], 1)


@public("block_diag functional.block_diag", reads_late=True)
def block_diag(*tensors: Any) -> Any:
    """Make a matrix that has matrices along its diagonal, zeros elsewhere.

    Args:
        *tensors: Tensors to join.

    Raises:
        RuntimeError: If a tensor has more than two dimensions.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if not tensors:
        return fresh(np.empty((1, 0), dtypes.default()))
    blocks = [atleast_2d(tensor) for tensor in unpacked_sequence(tensors)]
    for number, block in enumerate(blocks):
        if block._array.ndim > 2:
            raise ShapeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{number} has {block._array.ndim} dimensions"
            )
    common = dtypes.from_numpy_dtype(dtypes.result_dtype([block._array for block in blocks]))
    indices, row, column = [], 0, 0
    for block in blocks:
        height, width = block._array.shape
        indices.append((slice(row, row + height), slice(column, column + width)))
        row, column = row + height, column + width
    return slices_backward([to(block, common) for block in blocks], indices, (row, column))


@public("cartesian_prod functional.cartesian_prod", reads_late=True)
def cartesian_prod(*tensors: Any) -> Any:
    """Return all choices of one element from each vector, one per row.

    Args:
        *tensors: Tensors to join.

    Raises:
        RuntimeError: If a tensor is not a vector.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3]))
    tensor([[1, 3],
            [2, 3]])
    """
    vectors = unpacked_sequence(tensors)
    check_tensors(vectors)
    for vector in vectors:
        if vector._array.ndim != 1:
            raise ShapeError(f"Expect a 1D vector, but got shape {list(vector._array.shape)}")
    if len(vectors) == 1:
        return vectors[0]
    grids = meshgrid(*vectors, indexing="ij")
    return stack([reshape(grid, (grid._array.size,)) for grid in grids], 1)


@public("combinations")
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Return all combinations of ``r`` elements of a vector, one per row.

    Args:
        input: Vector ``[N]``.
        r: Number of elements in a combination.
        with_replacement: Whether an element may occur more than once.

    Raises:
        RuntimeError: If the input is not a vector.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if input._array.ndim != 1:
        raise ShapeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r == 0:
        return input[:0]
    positions = np.indices((input._array.size,) * r).reshape(r, -1)
    steps = np.diff(positions, axis=0)
    rising = (steps >= 0 if with_replacement else steps > 0).all(axis=0)
    return gather_index(input, (positions[:, rising].T,))
