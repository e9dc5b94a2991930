"""Tensors with one part replaced."""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.faces import Face, unsigned
from pellucid.core.definition.public import public
from pellucid.core.families import linear, multilinear
from pellucid.core.memory.memory_formats import copied
from pellucid.errors import IndexingError, ShapeError
from pellucid.ops.aliasing.region import Geometry, replace_region
from pellucid.ops.shape.diagonal import diagonal
from pellucid.ops.shape.splitting import select
from pellucid.ops.shape.strided import as_strided
from pellucid.ops.shape.views import along, basic_index, last_step
from pellucid.shapes import dim_from_end


def _item(node: Any) -> Any:
    return last_step(node.params[1])[2]


def _scatter_name(node: Any) -> str:
    view, place = node.params
    return f"{'Diagonal' if view is diagonal else last_step(place)[0]}ScatterBackward0"


@multilinear(
    additive=True,
    half="bitwise",
    float8=True,
    named=_scatter_name,
    faces={
        "SliceScatterBackward0": Face(
            dim=lambda node: last_step(node.params[1])[1],
            start=lambda node: unsigned(_item(node).start),
            end=lambda node: unsigned(_item(node).stop),
            step=lambda node: _item(node).step,
        ),
        "SelectScatterBackward0": Face(
            dim=lambda node: last_step(node.params[1])[1],
            index=lambda node: unsigned(_item(node)),
        ),
        "DiagonalScatterBackward0": Face(
            offset=lambda node: unsigned(node.params[1][0]),
            dim1=lambda node: unsigned(node.params[1][1]),
            dim2=lambda node: unsigned(node.params[1][2]),
        ),
    },
)
def put_part(be, input, src, /, view, place):
    """Return a copy with other values in the part that a view shows."""
    out = copied(input)
    view(out, *place)[...] = src
    return out


@put_part.vjp("input")
def put_part_input(g, view, place):
    return clear_part(g, view, place)


@put_part.vjp("src")
def put_part_src(g, view, place):
    return view(g, *place)


@linear(half="bitwise", float8=True)
def clear_part(be, input, /, view, place):
    """Return a copy with zeros in the part that a view shows."""
    out = copied(input)
    view(out, *place)[...] = 0
    return out


@clear_part.vjp("input")
def clear_part_input(g, view, place):
    return clear_part(g, view, place)


def _check_part(part: Any, src: Any, name: str) -> None:
    if part._array.shape != src._array.shape:
        raise ShapeError(
            f"expected src to have a size equal to the {name} of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
        )


@public("slice_scatter", method=True)
def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> Any:  # fmt: skip
    """Return a copy with other values in a slice along a dimension.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        dim: Dimension that ``index`` counts along.
        start: Index of the first slice.
        end: Index after the last slice.
        step: Distance from one element to the next.

    Raises:
        IndexError: If the tensor has no dimensions.

    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1)
    tensor([0., 1., 1.])
    """
    if not input._array.ndim:
        raise IndexingError("slice() cannot be applied to a 0-dim tensor.")
    axis = dim_from_end(dim, input._array.ndim)
    index = along(axis, slice(start, end, step))
    _check_part(basic_index(input.detach(), index), src, "slice")
    return put_part(input, src.to(input.dtype), basic_index, (index,))


@public("select_scatter", method=True)
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """Return a copy with other values at one index of a dimension.

    Args:
        input, src, dim: As for `slice_scatter`.
        index: Indices (int64) along ``dim``.

    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    _check_part(select(input.detach(), dim, index), src, "slice")
    place = along(dim_from_end(dim, input._array.ndim), index)
    return put_part(input, src.to(input.dtype), basic_index, (place,))


@public("as_strided_scatter", method=True)
def as_strided_scatter(
    input: Any, src: Any, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    """Return a copy with other values in a strided part of the memory.

    Args:
        input, src: As for `slice_scatter`.
        size: Sizes of ``src``.
        stride: Steps in memory along the dimensions of ``src``.
        storage_offset: Index in the storage of the first element.

    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    result = input.clone()
    part = as_strided(result, size, stride, storage_offset)
    _check_part(part, src, "slice")
    if hasattr(input._array, "__batched_tensor__"):  # of which each sample has the region
        part.copy_(src)
        return result
    geometry = Geometry.of(part._array, result._array)
    geometry.storage_offset = storage_offset
    return replace_region(input, src.to(input.dtype), geometry)


@public("diagonal_scatter", method=True)
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return a copy with other values on a diagonal.

    Args:
        input, offset, dim1, dim2: As for `diagonal`.
        src: Tensor with the values to write.

    Raises:
        RuntimeError: If ``src`` does not have the shape of the diagonal.

    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    place = (offset, dim1, dim2)
    _check_part(diagonal(input.detach(), *place), src, "diagonal")
    return put_part(input, src.to(input.dtype), diagonal, place)
