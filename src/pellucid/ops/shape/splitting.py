"""Parts of tensors: places and slices along dimensions, and taking tensors apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.storage import Storage
from pellucid.autograd.variable import TensorBase
from pellucid.core import families
from pellucid.core.call.compiled import replayable
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.dtypes import scalar_name
from pellucid.errors import ArgumentTypeError, DimensionError, DtypeError, ShapeError
from pellucid.ops.shape.views import along, basic_index, slices_backward
from pellucid.shapes import Like, dim_from_end, items_of

#: this many tensors of a few hundred bytes each; the compiled module has the same bound
_MOST_PARTS = 2**24


def _check_count(name: str, count: int) -> None:
    if count > _MOST_PARTS:
        raise ShapeError(
            f"{name}(): {count} parts are more tensors than can be made at once: at most "
            f"{_MOST_PARTS}. Go through the dimension in pieces, with narrow()."
        )


@public("select", method=True)
@families.view(compiled_body=True)
def select(be, input, /, dim, index):
    """Return a view of one slice along a dimension, without that dimension.

    Raises IndexError for an index that is out of range.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension to cut.
        index: Position along ``dim``; a negative one counts from the end.

    >>> torch.arange(6).view(2, 3).select(1, 0)
    tensor([0, 3])
    """
    if not input.ndim:
        raise DimensionError("select() cannot be applied to a 0-dim tensor.")
    axis = dim_from_end(dim, input.ndim)
    size = input.shape[axis]
    if not -size <= index < size:
        raise DimensionError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
            f"dimension {axis}"
        )
    return input[along(axis, index)]


@select.vjp("input")
def select_input(g, input: Like, dim, index):
    shape = tuple(input.shape)
    return slices_backward([g], [along(dim_from_end(dim, len(shape)), index)], shape)


@public("narrow", method=True)
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """Return a view of ``length`` elements along a dimension, from ``start`` on.

    Args:
        input, dim: As for `select`.
        start: First position to keep, an int or a 0-d integer tensor.
        length: Number of positions to keep.

    Raises:
        RuntimeError: If the part is not within the dimension.
        IndexError: If ``start`` is out of range.

    >>> torch.arange(5).narrow(0, 1, 3)
    tensor([1, 2, 3])
    """
    shape = tuple(input.shape)
    if not shape:
        raise ShapeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = dim_from_end(dim, len(shape))
    place = getattr(start, "_array", None)
    if place is not None and (place.ndim or place.dtype.kind not in "iu"):
        raise ShapeError("start must be an 0-dim integral Tensor.")
    start = int(start)
    if length < 0:
        raise ShapeError("narrow(): length must be non-negative.")
    if not -shape[dim] <= start <= shape[dim]:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-shape[dim]}, {shape[dim]}], "
            "but "
            f"got {start})"
        )
    start = start + shape[dim] if start < 0 else start
    if start + length > shape[dim]:
        raise ShapeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({shape[dim]})."
        )
    return basic_index(input, along(dim, slice(start, start + length)))


@public("unbind", method=True)
@families.view(many=True, compiled_body=True, faces=Face("dim"))
def unbind(be, input, /, dim=0):
    """Split a tensor into its slices along a dimension, without that dimension.

    Args:
        input, dim: As for `select`.

    Raises:
        IndexError: If the tensor has no dimensions.

    >>> torch.tensor([1, 2]).unbind()
    (tensor(1), tensor(2))
    """
    if not input.ndim:
        raise DimensionError("Dimension specified as 0 but tensor has no dimensions")
    axis = dim_from_end(dim, input.ndim)
    _check_count("unbind", input.shape[axis])
    return [input[along(axis, number)] for number in range(input.shape[axis])]


@unbind.vjp("input")
def unbind_input(g, input: Like, dim):
    axis = dim_from_end(dim, len(input.shape))
    return slices_backward(g, [along(axis, number) for number in range(len(g))], tuple(input.shape))


class Sizes(tuple[int, ...]):
    """The borders of parts whose sizes were given."""


def _split_name(node: Any) -> str:
    return f"Split{'WithSizes' if type(node.params[0]) is Sizes else ''}Backward0"


def _split_sizes_shown(node: Any) -> tuple[int, ...]:
    return tuple(end - start for start, end in _between(node.params[0]))


@families.view(
    many=True,
    node_name="split",
    compiled_body=True,
    named=_split_name,
    faces={
        "SplitBackward0": Face("dim self_sym_sizes", split_size=lambda node: node.params[0][1]),
        "SplitWithSizesBackward0": Face("dim self_sym_sizes", split_sizes=_split_sizes_shown),
    },
)
def split_at(be, input, /, borders, dim):
    """Split a tensor along a dimension, at the given ends of the parts.

    Args:
        input: Tensor of any shape.
        borders: Indices at which to cut.
        dim: Dimension to cut.

    >>> torch.arange(4).tensor_split((1,))
    (tensor([0]), tensor([1, 2, 3]))
    """
    axis = dim_from_end(dim, input.ndim)
    return [input[along(axis, slice(*part))] for part in _between(borders)]


def _between(borders: Sequence[int]) -> list[tuple[int, int]]:
    return list(itertools.pairwise(borders))


@split_at.vjp("input")
def split_at_input(g, input: Like, borders, dim):
    axis = dim_from_end(dim, len(input.shape))
    indices = [along(axis, slice(*part)) for part in _between(borders)]
    return slices_backward(g, indices, tuple(input.shape))


@public("split functional.split", method=True, reads_late=True)
@replayable
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Take a tensor apart along a dimension: in parts of one size, or of the given sizes.

    The last part may be smaller. Raises RuntimeError where given sizes do not add up.

    Args:
        tensor: Tensor to cut.
        split_size_or_sections: Size of each part, or the list of all sizes.
        dim: Dimension to cut.

    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    shape = tensor._array.shape
    if not shape:
        raise ShapeError("split expects at least a 1-dimensional tensor")
    extent, sizes = shape[dim_from_end(dim, len(shape))], split_size_or_sections
    if isinstance(sizes, tuple | list):
        return _split_sizes(tensor, list(items_of(sizes)), dim, extent)
    if sizes == 0 and extent:
        raise ShapeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {extent}"
        )
    if sizes < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={sizes}")
    return split_at(tensor, _borders(extent, sizes), dim)


@families.view(
    many=True,
    node_name="unsafe_split",
    compiled_body=True,
    faces=Face("dim self_sym_sizes", split_size=lambda node: node.params[0][1]),
)
def unsafe_split_at(be, input, /, borders, dim):
    """Do what `split_at` does; its results are made independent tensors by `_made_independent`.

    Args:
        input: Tensor of any shape.
        borders: Indices at which to cut.
        dim: Dimension to cut.
    """
    axis = dim_from_end(dim, input.ndim)
    return [input[along(axis, slice(*part))] for part in _between(borders)]


unsafe_split_at.vjp("input")(split_at_input)


def _made_independent(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return tensors that count as views of no other, although they share its memory.

    As in PyTorch they stay views in inference mode.
    """
    for part in parts:
        part._view, part._storage = part._view if modes.inference else None, Storage()
    return parts


@public("unsafe_split", method=True)
def unsafe_split(input: Any, split_size: int, dim: int = 0) -> tuple[Any, ...]:
    """Take a tensor apart as `split` does, into parts that autograd takes for independent tensors.

    They may be changed in place, as long as the input and the other parts are not used then.
    Raises RuntimeError if the tensor has no dimensions, or for a negative size.

    Args:
        input: Tensor of at least one dimension.
        split_size: Size of each part.
        dim: Dimension to cut.

    >>> torch.arange(3).unsafe_split(2)
    (tensor([0, 1]), tensor([2]))
    """
    shape = input._array.shape
    if not shape:
        raise ShapeError("split expects at least a 1-dimensional tensor")
    extent = shape[dim_from_end(dim, len(shape))]
    if split_size < 0 or (not split_size and extent):
        raise ShapeError(
            f"split expects split_size be non-negative, but got split_size={split_size}"
        )
    return _made_independent(unsafe_split_at(input, _borders(extent, split_size), dim))


@public("unsafe_chunk", method=True)
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Take a tensor apart as `chunk` does, into parts as those of `unsafe_split`.

    Raises RuntimeError if the tensor has no dimensions, or ``chunks`` is not positive.

    Args:
        input: Tensor of at least one dimension.
        chunks: Number of parts.
        dim: Dimension to cut.

    >>> torch.arange(3).unsafe_chunk(2)
    (tensor([0, 1]), tensor([2]))
    """
    shape = input._array.shape
    if not shape:
        raise ShapeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return unsafe_split(input, max(-(-shape[dim_from_end(dim, len(shape))] // chunks), 0), dim)


def _borders(extent: int, size: int) -> tuple[int, ...]:
    if not extent:
        return (0, 0)
    _check_count("split", -(-extent // max(size, 1)))
    return (*range(0, extent, size or 1), extent)


def _split_sizes(tensor: Any, sizes: list[int], dim: int, extent: int) -> tuple[Any, ...]:
    if sum(sizes) != extent or any(size < 0 for size in sizes):
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {extent} (input tensor's "
            "size at "
            f"dimension {dim}), but got split_sizes={sizes}"
        )
    borders = [0]
    for size in sizes:
        borders.append(borders[-1] + size)
    return split_at(tensor, Sizes(borders), dim)


@public("split_with_sizes", method=True)
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Split a tensor along a dimension, into parts of the given sizes.

    Raises RuntimeError where the sizes do not add up.

    Args:
        input: Tensor of at least one dimension.
        split_sizes: Size of each part.
        dim: Dimension to cut.

    >>> torch.split_with_sizes(torch.arange(5), [2, 3])
    (tensor([0, 1]), tensor([2, 3, 4]))
    """
    if not isinstance(split_sizes, tuple | list):
        raise ArgumentTypeError(
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not "
            f"{type(split_sizes).__name__}"
        )
    return split(input, split_sizes, dim)


@public("chunk", method=True)
@replayable
def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Split a tensor along a dimension, into at most ``chunks`` parts of equal size.

    Args:
        input: Tensor of at least one dimension.
        chunks: Number of parts.
        dim: Dimension to cut.

    Raises:
        RuntimeError: If the tensor has no dimensions, or ``chunks`` is not positive.

    >>> torch.arange(5).chunk(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    shape = input._array.shape
    if not shape:
        raise ShapeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    extent = shape[dim_from_end(dim, len(shape))]
    if not extent:
        return split(input, [0] * chunks, dim)
    return split_at(input, _borders(extent, -(-extent // chunks)), dim)


def _check_cuts(array: Any) -> None:
    """Raise RuntimeError unless a tensor can tell how to split another."""
    if array.ndim > 1:
        raise ShapeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
            f"one-dimensional tensor, but got a tensor with {array.ndim} dims"
        )
    if array.dtype != np.int64:
        raise DtypeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
            f"{scalar_name(array.dtype)}"
        )


@public("tensor_split", method=True)
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Split a tensor into nearly equal parts, or before the given indices.

    Args:
        input: Tensor of at least one dimension.
        indices_or_sections: Number of equal parts, or the indices at which to cut.
        dim: Dimension to cut.

    Raises:
        RuntimeError: If the tensor has no dimensions, or the number of sections is not positive.

    >>> torch.arange(5).tensor_split(3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    shape = input._array.shape
    if not shape:
        raise ShapeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    dim = dim_from_end(dim, len(shape))
    extent, wanted = shape[dim], indices_or_sections
    if isinstance(wanted, TensorBase):
        _check_cuts(wanted._array)
        wanted = wanted._array.tolist()
    if isinstance(wanted, int):
        if wanted <= 0:
            raise ShapeError(f"number of sections must be larger than 0, got {wanted}")
        _check_count("tensor_split", wanted)
        size, extra = divmod(extent, wanted)
        ends = [size * number + min(number, extra) for number in range(1, wanted + 1)]
        return _slices(input, dim, ends)
    ends = [*(slice(0, index).indices(extent)[1] for index in items_of(wanted)), extent]
    return _slices(input, dim, ends)


def _slices(input: Any, dim: int, ends: list[int]) -> tuple[Any, ...]:
    """Return the parts of a tensor that end there, each a slice that may be changed in place."""
    parts = zip([0, *ends[:-1]], ends, strict=True)
    return tuple(
        basic_index(input, along(dim, slice(start, max(start, end)))) for start, end in parts
    )


def _splitalong(name: str, input: Any, parts: Any, dim: int, least: int) -> tuple[Any, ...]:
    if not isinstance(parts, int | list | tuple):
        raise ArgumentTypeError(
            f"{name}(): argument 'indices_or_sections' (position 2) must be int or tuple of ints, "
            f"not {type(parts).__name__}"
        )
    shape = input._array.shape
    if len(shape) < least:
        raise ShapeError(
            f"torch.{name} requires a tensor with at least {least} dimension"
            f"{'s' if least > 1 else ''}, but got a tensor with {len(shape)} dimensions!"
        )
    if isinstance(parts, int) and parts and shape[dim] % parts:
        raise ShapeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{shape[dim]} is not divisible by the split_size {parts}!"
        )
    return tensor_split(input, parts, dim)


@public("hsplit", method=True)
def hsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Split a tensor along dimension 1, or along dimension 0 of a vector.

    Args:
        input, indices_or_sections: As for `tensor_split`.

    >>> torch.hsplit(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    dim = 0 if input._array.ndim == 1 else 1
    return _splitalong("hsplit", input, indices_or_sections, dim, 1)


@public("vsplit", method=True)
def vsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Split a tensor along dimension 0.

    Args:
        input: Tensor of at least two dimensions.
        indices_or_sections: Number of equal parts, or the indices at which to cut.

    >>> torch.vsplit(torch.eye(2), 2)
    (tensor([[1., 0.]]), tensor([[0., 1.]]))
    """
    return _splitalong("vsplit", input, indices_or_sections, 0, 2)


@public("dsplit", method=True)
def dsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Split a tensor along dimension 2.

    Args:
        input: Tensor of at least three dimensions.
        indices_or_sections: Number of equal parts, or the indices at which to cut.

    >>> [part.shape for part in torch.dsplit(torch.ones(1, 1, 2), 2)]
    [torch.Size([1, 1, 1]), torch.Size([1, 1, 1])]
    """
    return _splitalong("dsplit", input, indices_or_sections, 2, 3)
