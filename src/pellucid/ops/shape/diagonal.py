"""Diagonals and triangles, repetition, and other orders of the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core import families
from pellucid.core.call.call import new_tensor
from pellucid.core.construct import numpy_dtype_of, placed_tensor
from pellucid.core.definition import float8_rules
from pellucid.core.definition.autocasting import Autocast
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.arguments import require
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import linear
from pellucid.core.memory.layouts import contiguous, of_images
from pellucid.core.memory.memory_formats import contiguous_format, copied
from pellucid.errors import ArgumentTypeError, DtypeError, ShapeError
from pellucid.kernels.meta import NoValues, as_meta, is_meta
from pellucid.ops.index.index_slices import index_select
from pellucid.ops.reduce.reductions import sum as total
from pellucid.ops.shape.broadcasting import expand, strided_view
from pellucid.ops.shape.views import flatten, reshape, unsqueeze
from pellucid.shapes import (
    Like,
    as_tuple,
    dim_from_end,
    dims_from_end,
    items_of,
    real_dim,
    several,
    shape_from_args,
)

# ---- diagonals ------------------------------------------------------------------------------


def _diagonal_view(be: Any, array: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Look at a diagonal; unlike NumPy's, the result may be written to."""
    first, second = dim_from_end(dim1, array.ndim), dim_from_end(dim2, array.ndim)
    if first == second:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    down, right = max(-offset, 0), max(offset, 0)
    length = max(min(array.shape[first] - down, array.shape[second] - right), 0)
    rest = [axis for axis in range(array.ndim) if axis not in (first, second)]
    start = [slice(None)] * array.ndim
    if length:
        start[first], start[second] = slice(down, None), slice(right, None)
    return strided_view(
        be,
        array[tuple(start)],
        (*(array.shape[axis] for axis in rest), length),
        (*(array.strides[axis] for axis in rest), array.strides[first] + array.strides[second]),
    )


@public("diagonal", method=True)
@families.view(compiled_body=True)
def diagonal(be, input, /, offset=0, dim1=0, dim2=1):
    """Return a view of a diagonal of two dimensions, as the last dimension.

    Args:
        input: Tensor of at least two dimensions.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.

    >>> torch.arange(4).view(2, 2).diagonal()
    tensor([0, 3])
    """
    return _diagonal_view(be, input, offset, dim1, dim2)


@diagonal.vjp("input")
def diagonal_input(g, input: Like, offset, dim1, dim2):
    return diagonal_backward(g, tuple(input.shape), offset, dim1, dim2)


@linear(float8=True, layout=contiguous, compiled_body=True)
def diagonal_backward(be, g, /, shape, offset, dim1, dim2):
    """Put a diagonal into zeros: the transpose of looking at it."""
    out = be.zeros(shape, g.dtype)
    _diagonal_view(be, out, offset, dim1, dim2)[...] = g
    return out


@diagonal_backward.vjp("g")
def diagonal_backward_g(g, offset, dim1, dim2):
    return diagonal(g, offset, dim1, dim2)


@public("diag_embed", method=True)
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Make matrices that have the vectors of the last dimension on a diagonal, zeros elsewhere.

    Args:
        input: Vectors ``[*, n]``.
        offset, dim1, dim2: As for `diagonal`.

    Raises:
        RuntimeError: If ``dim1`` and ``dim2`` are the same dimension.

    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    shape = list(input._array.shape)
    if shape and dim1 == -2 and dim2 == -1:
        side = shape[-1] + abs(offset)
        return diagonal_backward(input, (*shape[:-1], side, side), offset, -2, -1)
    ndim = len(shape) + 1
    first, second = dim_from_end(dim1, ndim), dim_from_end(dim2, ndim)
    if first == second:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    side = shape.pop() + abs(offset)
    for axis in sorted((first, second)):
        shape.insert(axis, side)
    return diagonal_backward(input, tuple(shape), offset, first, second)


@public("diag", method=True, out=EXACT)
def diag(input: Any, diagonal: int = 0) -> Any:
    """Return a matrix's diagonal, or a matrix with a vector on its diagonal.

    Raises RuntimeError for other numbers of dimensions.

    Args:
        input: Vector ``[n]`` or matrix ``[n, m]``.
        diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

    >>> torch.diag(torch.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    ndim = input._array.ndim
    if ndim == 1:
        return diag_embed(input, diagonal)
    if ndim != 2:
        raise ShapeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return _diagonal_copy(input, diagonal)


def _diagonal_copy(input: Any, offset: int) -> Any:
    return diagonal(input, offset, 0, 1).clone()


@public("diagflat", method=True)
def diagflat(input: Any, offset: int = 0) -> Any:
    """Make a matrix with all elements on a diagonal.

    Args:
        input: Tensor of any shape.
        offset: As for `diagonal`.

    >>> torch.diagflat(torch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag_embed(reshape(input, (input._array.size,)), offset)


@public("trace", method=True)
@linear(torch_kernel_name="trace", gradient_changes=2, autocast=Autocast.FLOAT32)
def trace(be, input, /):
    """Add up the diagonal of a matrix; raise RuntimeError for other numbers of dimensions.

    Args:
        input: Matrix ``[n, m]``.

    >>> torch.trace(torch.eye(3))
    tensor(3.)
    """
    if input.ndim != 2:
        raise ShapeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    kind = input.dtype.kind
    if kind == "b":
        raise unsupported("trace", input.dtype)
    return be.trace(input, dtype=np.int64 if kind in "bui" else None)


@trace.vjp("input")
def trace_input(g, input: Like):
    shape = tuple(input.shape)
    return diagonal_backward(expand(g.reshape((1,)), (min(shape),)), shape, 0, 0, 1)


def _check_matrix(name: str, ndim: int) -> None:
    if ndim < 2:
        raise ShapeError(f"{name}: input tensor must have at least 2 dimensions")


@public("tril", method=True, inplace=True, out=EXACT)
@linear(
    torch_kernel_name="tril", layout=contiguous, batch=Batch.LAST_DIMS, compiled_kernel=("tril", 1)
)
def tril(be, input, /, diagonal=0):
    """Keep the lower triangle of matrices, up to a diagonal; put zeros above.

    Args:
        input: Matrices ``[*, n, m]``.
        diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

    >>> torch.tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    require("tril", "int", diagonal=diagonal)
    _check_matrix("tril", input.ndim)
    return be.tril(input, diagonal)


@tril.vjp("input")
def tril_input(g, diagonal):
    return tril(g, diagonal)


@public("triu", method=True, inplace=True, out=EXACT)
@linear(
    torch_kernel_name="triu", layout=contiguous, batch=Batch.LAST_DIMS, compiled_kernel=("triu", 1)
)
def triu(be, input, /, diagonal=0):
    """Keep the upper triangle of matrices, from a diagonal on; put zeros below.

    Args: As for `tril`.

    >>> torch.triu(torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    require("triu", "int", diagonal=diagonal)
    _check_matrix("triu", input.ndim)
    return be.triu(input, diagonal)


@triu.vjp("input")
def triu_input(g, diagonal):
    return triu(g, diagonal)


def _check_triangle(row: int, col: int) -> None:
    for name, size in (("row", row), ("col", col)):
        if size < 0:
            raise ShapeError(f"{name} must be non-negative, got{size}")


@public("tril_indices")
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None,
    layout: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Return the indices of a lower triangle: rows in the first line, columns in the second.

    Args:
        row: Number of rows.
        col: Number of columns.
        offset: As for `diagonal`.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.
        layout: Memory layout; only ``torch.strided`` is there.
        requires_grad: Whether operations on the result are recorded; integers cannot.
        pin_memory: Has no effect: there is no device to copy to.

    Raises:
        RuntimeError: If a size is negative.

    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    _check_triangle(row, col)
    positions = np.stack(np.tril_indices(row, offset, col))
    made = positions.astype(numpy_dtype_of(dtype, np.dtype(np.int64)), copy=False)
    return placed_tensor(made, device, pin_memory, requires_grad)


@public("triu_indices")
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None,
    layout: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Return the indices of an upper triangle: rows in the first line, columns in the second.

    Args: As for `tril_indices`.

    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    _check_triangle(row, col)
    positions = np.stack(np.triu_indices(row, offset, col))
    made = positions.astype(numpy_dtype_of(dtype, np.dtype(np.int64)), copy=False)
    return placed_tensor(made, device, pin_memory, requires_grad)


# ---- other orders ---------------------------------------------------------------------------


@linear(
    half="bitwise", float8=float8_rules.unless_along_memory, node_name="flip",
    batch=Batch.ALONG_DIMS, compiled_kernel=("flipped", 1),
)  # fmt: skip
def flip_dims(be, input, /, dims):
    """Reverse the order along dimensions."""
    positions = dims_from_end(dims, input.ndim) if dims else ()
    return copied(be.flip(input, positions)) if input.ndim else be.array(input)


@flip_dims.vjp("input")
def flip_dims_input(g, dims):
    return flip_dims(g, dims)


@public("flip")
def flip(input: Any, dims: Sequence[int]) -> Any:
    """Reverse the order along dimensions; always a copy.

    Args:
        input: Tensor of any shape.
        dims: Dimensions to work on.

    >>> torch.flip(torch.tensor([1, 2, 3]), (0,))
    tensor([3, 2, 1])
    """
    return flip_dims(input, as_tuple(dims, "flip", "dims"))


@public(method="flip")
def flip_method(self: Any, *positions: Any, dims: Any = None) -> Any:
    """Reverse the order along dimensions, given one by one or as a sequence.

    Args:
        places: Dimensions to reverse.
        dims: The same as a sequence.
    """
    if len(positions) != 1 or positions[0].__class__ is not int:
        positions = shape_from_args(positions, "flip", "dims", dims)
    return flip_dims(self, positions)


@public("fliplr", method=True)
def fliplr(input: Any) -> Any:
    """Reverse the order along dimension 1.

    Args:
        input: Tensor of at least two dimensions.

    Raises:
        RuntimeError: If the tensor has fewer than two dimensions.

    >>> torch.fliplr(torch.tensor([[1, 2]]))
    tensor([[2, 1]])
    """
    if input._array.ndim < 2:
        raise ShapeError("Input must be >= 2-d.")
    return flip_dims(input, (1,))


@public("flipud", method=True)
def flipud(input: Any) -> Any:
    """Reverse the order along dimension 0.

    Args:
        input: Tensor of at least one dimension.

    Raises:
        RuntimeError: If the tensor has no dimensions.

    >>> torch.flipud(torch.tensor([1, 2]))
    tensor([2, 1])
    """
    if input._array.ndim < 1:
        raise ShapeError("Input must be >= 1-d.")
    return flip_dims(input, (0,))


@public("roll", method=True)
@linear(
    half="bitwise", float8=True, layout=of_images, compiled_kernel=("roll", 2),
    faces=Face("dims() shifts()"),
)  # fmt: skip
def roll(be, input, /, shifts, dims=None):
    """Shift the elements along dimensions; what leaves at one end comes in at the other.

    Without ``dims`` the elements are shifted through the whole tensor. Raises RuntimeError where
    there are not as many shifts as dimensions.

    Args:
        input: Tensor of any shape.
        shifts: How far to shift, one for each of ``dims``.
        dims: Dimensions to shift; without them the flattened tensor is shifted.

    >>> torch.roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    steps, axes = several(shifts), () if dims is None else several(dims)
    require("roll", "sizes", shifts=steps)
    if not axes:
        if len(steps) != 1:
            raise ShapeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:0")
        return be.roll(input, steps[0])
    if len(axes) != len(steps):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}"
        )
    positions = tuple(real_dim(axis, input.ndim) for axis in axes)
    return be.roll(input, steps, positions)


@roll.vjp("input")
def roll_input(g, shifts, dims):
    return roll(g, tuple(-step for step in several(shifts)), dims)


@public("rot90", method=True)
def rot90(input: Any, k: int = 1, dims: Sequence[int] = (0, 1)) -> Any:
    """Rotate by 90 degrees ``k`` times, from the first of two dimensions to the second.

    Args:
        input: Tensor of at least two dimensions.
        k: Number of quarter turns.
        dims: Dimensions to work on.

    Raises:
        RuntimeError: If ``dims`` are not two different dimensions of the tensor.
        IndexError: If one of ``dims`` is out of range.

    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    ndim, dims = input._array.ndim, items_of(dims)
    if len(dims) != 2:
        raise ShapeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2 and not getattr(input, "is_batched", False):
        raise ShapeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = (dim_from_end(dim, ndim) for dim in dims)
    if first == second:
        raise ShapeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return turned(input, k, (first, second))


@linear(
    float8=float8_rules.unless_turned_along_memory, half="bitwise", node_name="rot90",
    batch=Batch.ALONG_DIMS, faces=Face("dims k"),
)  # fmt: skip
def turned(be, input, /, k, dims):
    """Rotate by quarter turns in the plane of two dimensions."""
    first, second = dims_from_end(dims, input.ndim)
    turns = k % 4
    if turns == 0:
        return be.array(input, order="C")
    if turns == 2:
        return copied(be.flip(input, (first, second)))
    return copied(be.flip(input, second if turns == 1 else first)).swapaxes(first, second)


@turned.vjp("input")
def turned_input(g, k, dims):
    return turned(g, -k, dims)


# ---- repetition -----------------------------------------------------------------------------


@linear(
    half="bitwise", float8=True, node_name="repeat", layout=contiguous,
    compiled_kernel=("repeated", 1),
)  # fmt: skip
def repeat_tiles(be, input, /, repeats):
    """Repeat a tensor along each dimension."""
    if len(repeats) < input.ndim:
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor: {len(repeats)} for {input.ndim}"
        )
    if any(count < 0 for count in repeats):
        raise ShapeError(
            f"Trying to create tensor with negative dimension: repeats {list(repeats)}"
        )
    if not input.size or not repeats:
        return be.tile(input, repeats)
    sizes = (1,) * (len(repeats) - input.ndim) + input.shape
    positions = tuple(
        be.arange(size * count) % size for size, count in zip(sizes, repeats, strict=True)
    )
    return be.take_grid(input.reshape(sizes), positions)


@repeat_tiles.vjp("input")
def repeat_tiles_input(g, input: Like, repeats):
    sizes = (1,) * (len(repeats) - len(input.shape)) + tuple(input.shape)
    pairs = tuple(each for pair in zip(repeats, sizes, strict=True) for each in pair)
    if not pairs:
        return g
    return total(g.reshape(pairs), tuple(range(0, len(pairs), 2)))


@public(method="repeat")
def repeat(input: Any, *counts: Any, repeats: Any = None) -> Any:
    """Repeat a tensor along each dimension; more counts than dimensions add leading dimensions.

    Args:
        input: Tensor of any shape.
        *counts: How often to repeat along each dimension.
        repeats: The same as a sequence.

    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    return repeat_tiles(input, shape_from_args(counts, "repeat", "repeats", repeats))


@public("tile")
def tile(input: Any, dims: Sequence[int]) -> Any:
    """Repeat a tensor along each dimension; fewer counts than dimensions repeat the last ones.

    Args:
        input: Tensor of any shape.
        dims: How often to repeat along each dimension.

    Raises:
        TypeError: If ``dims`` is neither a tuple of ints nor ints.

    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    if not isinstance(dims, tuple | list):
        raise ArgumentTypeError(
            "tile(): argument 'dims' (position 2) must be tuple of ints, not "
            f"{'Tensor' if isinstance(dims, TensorBase) else type(dims).__name__}"
        )
    return tile_method(input, dims)


@public(method="tile")
def tile_method(self: Any, *counts: Any, dims: Any = None) -> Any:
    """Repeat a tensor along each dimension; fewer counts than dimensions repeat the last ones.

    Args:
        counts: How often along each dimension, one by one or as a sequence.
        dims: The same as a sequence.
    """
    counts = shape_from_args(counts, "tile", "dims", dims)
    return repeat_tiles(self, (1,) * (self._array.ndim - len(counts)) + counts)


@public("repeat_interleave", method=True)
def repeat_interleave(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Repeat each element, or each slice along ``dim``, as often as its count says.

    Raises RuntimeError for negative counts and where there are not as many counts as slices.

    Args:
        input: Tensor of any shape.
        repeats: How often to repeat.
        dim: Dimension to work along; a negative one counts from the end.
        output_size: Sum of the counts, if it is known.

    >>> torch.repeat_interleave(torch.tensor([7, 8]), torch.tensor([1, 2]))
    tensor([7, 8, 8])
    """
    if repeats is None:
        if input._array.dtype not in (np.int64, np.int32):
            raise unsupported("repeat_interleave_cpu", input._array.dtype)
        if input._array.ndim != 1:
            raise ShapeError("repeat_interleave only accept 1D vector as repeat")
        return new_tensor(np.repeat(np.arange(input._array.size), _counts(input)))
    if dim is None:
        input, dim = flatten(input), 0
    axis = real_dim(dim, input._array.ndim)
    extent = input._array.shape[axis]
    counts = _counts(repeats)
    if counts.__class__ is np.ndarray and counts.size == 1 and counts.ndim < 2 and input.ndim:
        return _each_repeated(input, int(counts.item()), axis)
    if counts.ndim > 1:
        raise ShapeError("repeats must be 0-dim or 1-dim tensor")
    if counts.size not in (1, extent):
        raise ShapeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({axis}) = {extent}"
        )
    if is_meta(counts):
        if output_size is None:
            raise NoValues
        positions = as_meta(np.zeros(output_size, np.int64))
    else:
        positions = np.arange(extent).repeat(counts)
    return index_select(input, axis, new_tensor(positions))


def _each_repeated(input: Any, count: int, axis: int) -> Any:
    """Repeat each slice as often as the others."""
    shape = list(input._array.shape)
    shape.insert(axis + 1, count)
    return flatten(
        expand(unsqueeze(input, axis + 1), tuple(shape)).clone(memory_format=contiguous_format),
        axis,
        axis + 1,
    )


def _counts(repeats: Any) -> Any:
    if isinstance(repeats, TensorBase):
        counts = repeats._array
        if counts.dtype not in (np.int64, np.int32):
            raise DtypeError("repeats has to be Long or Int tensor")
        negative = counts.size and counts.min() < 0
    elif isinstance(repeats, int) and not isinstance(repeats, bool):
        counts, negative = np.asarray(repeats), repeats < 0
    else:
        raise ArgumentTypeError(
            f"repeat_interleave(): argument 'repeats' must be Tensor or int, not "
            f"{type(repeats).__name__}"
        )
    if negative:
        raise ShapeError("repeats can not be negative")
    return counts
