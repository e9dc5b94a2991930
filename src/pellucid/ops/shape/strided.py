"""Views by strides: any part of a tensor's memory, and windows that overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.core import families
from pellucid.core.definition.public import public
from pellucid.core.families import linear
from pellucid.core.memory.ownership import storage_length_of, storage_offset_of
from pellucid.errors import ShapeError
from pellucid.ops.aliasing.region import Geometry, address_of, region
from pellucid.ops.shape.broadcasting import strided_view
from pellucid.ops.shape.views import along
from pellucid.shapes import Like, as_tuple, dim_from_end


@public("as_strided", method=True)
def as_strided(
    input: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Any:
    """Return a view of a tensor's memory with any sizes and strides, counted in elements.

    The offset counts from the start of the memory, by default the tensor's own. Raises RuntimeError
    for negative strides and where the view would leave the memory.

    Args:
        input: Tensor of any shape.
        size: Sizes of the result.
        stride: Distance in memory between elements, one per dimension.
        storage_offset: Index in the storage of the first element.

    >>> torch.arange(4).as_strided((2, 2), (1, 1))
    tensor([[0, 1],
            [1, 2]])
    """
    array = input._array
    sizes, strides = as_tuple(size, "as_strided", "size"), as_tuple(stride, "as_strided", "stride")
    if hasattr(array, "__batched_tensor__"):
        return _batched_strided(array, sizes, strides, storage_offset)
    if len(sizes) != len(strides):
        raise ShapeError(
            f"mismatch in length of strides and shape: {len(strides)} strides, {len(sizes)} sizes"
        )
    if any(step < 0 for step in strides):
        raise ShapeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(strides)}"
        )
    start = storage_offset_of(array)
    offset = start if storage_offset is None else storage_offset
    end = offset + 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
    length = storage_length_of(array)
    if 0 not in sizes and (offset < 0 or end > length):
        raise ShapeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset "
            f"{offset}, and "
            f"itemsize {array.itemsize} requiring a storage size of {end * array.itemsize} are "
            "out of "
            f"bounds for storage of size {length * array.itemsize}"
        )
    own_strides = tuple(step // array.itemsize for step in array.strides)
    geometry = Geometry(array.shape, own_strides, sizes, strides, offset - start, address_of(array))
    geometry.storage_offset = storage_offset
    return region(input, geometry)


def _batched_strided(
    array: Any, sizes: tuple[int, ...], strides: tuple[int, ...], storage_offset: int | None
) -> Any:
    """Look at the memory of every sample; an offset counts as if each were the first of them."""
    samples = array.value
    seen = as_strided(
        samples, (len(samples), *sizes), (samples.stride(0), *strides), storage_offset
    )
    return type(array)(seen, array.level).__batched_tensor__()


@public(method="unfold")
@families.view(compiled_body=True)
def unfold(be, input, /, dimension, size, step):
    """Return a view of the windows along a dimension, ``step`` apart, as a last dimension.

    Args:
        input: Tensor of at least one dimension.
        dimension: Dimension to cut into windows.
        size: Number of elements in a window.
        step: Distance between windows.

    >>> torch.arange(4).unfold(0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    shape = input.shape or (1,)
    dim = dim_from_end(dimension, input.ndim)
    if size < 0:
        raise ShapeError(f"size is {size} but must be >= 0")
    if size > shape[dim]:
        raise ShapeError(
            f"maximum size for tensor at dimension {dim} is {shape[dim]} but size is {size}"
        )
    if step <= 0:
        raise ShapeError(f"step is {step} but must be > 0")
    strides = input.strides or (input.itemsize,)
    count = (shape[dim] - size) // step + 1
    return strided_view(
        be, input,
        (*shape[:dim], count, *shape[dim + 1 :], size) if input.ndim else (size,),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim])
        if input.ndim else strides,
    )  # fmt: skip


@unfold.vjp("input")
def unfold_input(g, input: Like, dimension, size, step):
    return unfold_backward(g, tuple(input.shape), dimension, size, step)


@linear
def unfold_backward(be, g, /, shape, dimension, size, step):
    """Add up windows along a dimension where they came from: the transpose of `unfold`."""
    out = be.zeros(shape, g.dtype)
    if not shape:
        return out + g.reshape(())
    dim = dim_from_end(dimension, len(shape))
    count = g.shape[dim]
    for position in range(size):
        out[along(dim, slice(position, position + (count - 1) * step + 1, step))] += g[
            ..., position
        ]
    return out


@unfold_backward.vjp("g")
def unfold_backward_g(g, dimension, size, step):
    return unfold(g, dimension, size, step)
