"""Tensors with one part replaced."""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.public import public
from pellucid.errors import ShapeError
from pellucid.ops.shape.splitting import select
from pellucid.ops.shape.strided import as_strided
from pellucid.ops.shape.views import along, basic_index
from pellucid.shapes import dim_from_end


def _with_part(input: Any, src: Any, part_of: Any) -> Any:
    """Return a copy of ``input`` in which the part that a function looks at is ``src``."""
    result = input.clone()
    part = part_of(result)
    if part._array.shape != src._array.shape:
        raise ShapeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
        )
    part.copy_(src)
    return result


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

    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1)
    tensor([0., 1., 1.])
    """
    axis = dim_from_end(dim, input._array.ndim)
    index = along(axis, slice(start, end, step))
    return _with_part(input, src, lambda x: basic_index(x, index))


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
    return _with_part(input, src, lambda x: select(x, dim, index))


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
    return _with_part(input, src, lambda x: as_strided(x, size, stride, storage_offset))
