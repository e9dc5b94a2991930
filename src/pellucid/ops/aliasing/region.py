"""Regions of a tensor's memory.

``as_strided``, in-place changes of views, and views of changed tensors have them in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.families import linear, multilinear, view
from pellucid.core.memory.layouts import as_strided
from pellucid.core.memory.memory_formats import in_memory_order
from pellucid.core.memory.ownership import owner_of, storage_offset_of
from pellucid.shapes import may_overlap


def _offset_after_all(array: Any, base: Any, offset: int, size: int) -> int:
    if owner_of(array) is owner_of(base):
        return offset
    starts = [storage_offset_of(each) * each.itemsize for each in (array, base)]
    return (starts[0] - starts[1]) // size


class Geometry:
    """The elements of a base that a region has: sizes and strides of both, in elements.

    The offset is that of the region's first element from the base's, and is negative for a region
    that begins before its base. Where one of them is complex and the other real, elements are real
    numbers, and the complex one has a last dimension of pairs; `base_pairs` and `pairs` tell which
    one. A region that leaves its base is read only around an array that begins at the address
    `origin`, as the base did.
    """

    __slots__ = (
        "base_pairs", "base_shape", "base_strides", "offset", "origin", "pairs", "shape",
        "storage_offset", "strides",
    )  # fmt: skip

    def __init__(
        self, base_shape: tuple[int, ...], base_strides: tuple[int, ...],
        shape: tuple[int, ...], strides: tuple[int, ...], offset: int, origin: int | None = None,
    ) -> None:  # fmt: skip
        self.base_shape = base_shape
        self.base_strides = base_strides
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.origin = origin
        self.base_pairs = self.pairs = False
        #: where the region begins in the memory, as nodes show it: nowhere if nobody said so
        self.storage_offset: int | None = offset

    @classmethod
    def of(cls, array: Any, base: Any) -> Geometry:
        """Return where an array's elements lie within a base.

        The base has been given other memory if it does not share the array's: then they lie where
        they would if it had not.
        """
        size = min(array.itemsize, base.itemsize)
        origin = address_of(base)
        offset = (address_of(array) - origin) // size
        if not (array.base is base or array.base is base.base is not None):
            offset = _offset_after_all(array, base, offset, size)
        geometry = cls(*_layout(base, size), *_layout(array, size), offset, origin)
        geometry.base_pairs, geometry.pairs = base.itemsize > size, array.itemsize > size
        return geometry

    def of_samples(self, count: int, array: Any) -> Geometry:
        """Return where the regions of all samples lie: in an array, or one after the other."""
        step, *inner = (0,) if array is None else _in_elements(array)
        if array is None or tuple(inner) != self.base_strides or self.leaves_base:
            step = self.extent
        geometry = Geometry(
            (count, *self.base_shape), (step, *self.base_strides),
            (count, *self.shape), (step, *self.strides), self.offset, self.origin,
        )  # fmt: skip
        geometry.base_pairs, geometry.pairs = self.base_pairs, self.pairs
        return geometry

    @property
    def extent(self) -> int:
        """Number of elements from the first to the last of base and region."""
        return self.base_start + max(
            self.base_extent, self.offset + _extent(self.shape, self.strides)
        )

    @property
    def base_extent(self) -> int:
        """Number of elements from the first to the last of the base."""
        return _extent(self.base_shape, self.base_strides)

    @property
    def base_start(self) -> int:
        """Number of elements before the base, of a region that begins there."""
        return max(0, -self.offset)

    @property
    def leaves_base(self) -> bool:
        """Whether the region has elements before the base's first or after its last."""
        after = self.offset + _extent(self.shape, self.strides)
        return self.offset < 0 or after > self.base_extent

    @property
    def overlaps(self) -> bool:
        """Whether one element of the base may stand in the region more than once."""
        return may_overlap(self.shape, self.strides)

    @property
    def base_overlaps(self) -> bool:
        """Whether one element of the memory may stand in the base more than once."""
        return may_overlap(self.base_shape, self.base_strides)

    def base_view(self, buffer: Any) -> Any:
        """Return the base's elements in a flat buffer."""
        return _strided(buffer[self.base_start :], self.base_shape, self.base_strides)

    def region_view(self, buffer: Any) -> Any:
        """Return the region's elements in a flat buffer."""
        return _strided(buffer[self.base_start + self.offset :], self.shape, self.strides)

    def laid_out(self, array: Any) -> Any:
        """Return a fresh flat buffer holding the array in the base's memory layout."""
        buffer = np.zeros(self.extent, array.dtype)
        self.base_view(buffer)[...] = array
        return buffer

    def averaged(self, array: Any) -> Any:
        """Return a fresh flat buffer with the means of the base's elements in the same place."""
        buffer = np.zeros(self.extent, array.dtype)
        np.add.at(buffer, self.base_view(np.arange(self.extent)), array)
        return buffer / self.base_counts(array.dtype)

    def base_counts(self, dtype: Any) -> Any:
        """Return how often each element of the memory stands in the base, at least 1."""
        positions = self.base_view(np.arange(self.extent)).reshape(-1)
        return np.maximum(np.bincount(positions, minlength=self.extent), 1).astype(dtype)


def address_of(array: Any) -> int:
    """Return the address of an array's first element."""
    return array.__array_interface__["data"][0]


def _layout(array: Any, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return shape and strides counted in elements of a size: the array's, or half as large."""
    strides = tuple(stride // size for stride in array.strides)
    if array.itemsize == size:
        return array.shape, strides
    return (*array.shape, 2), (*strides, 1)


def _in_elements(array: Any) -> tuple[int, ...]:
    return tuple(stride // array.itemsize for stride in array.strides)


def _extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def _strided(buffer: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    size = buffer.itemsize
    steps = tuple(stride * size for stride in strides)
    return as_strided(np.lib, buffer, shape, steps)


_FACE = Face(
    size=lambda node: node.params[0].shape,
    stride=lambda node: node.params[0].strides,
    storage_offset=lambda node: node.params[0].storage_offset,
)


@view(node_name="as_strided", batch=Batch.REGION, faces=_FACE, gradient_changes=1)
def region(be, input, /, geometry):
    """Look at a region of the memory of a tensor."""
    if _in_elements(input) == geometry.base_strides:
        if geometry.leaves_base:
            around = _memory_around(input, geometry)
        else:
            around = as_strided(
                np.lib,
                input,
                (geometry.base_extent,),
                (input.itemsize,),
                writeable=input.flags.writeable,
            )
        if around is not None:
            return geometry.region_view(around)
    if geometry.base_overlaps:
        return geometry.region_view(geometry.averaged(input))
    return geometry.region_view(geometry.laid_out(input))


def _memory_around(array: Any, geometry: Geometry) -> Any:
    """Return the memory from the first to the last element of base and region, in one dimension.

    None for another array than the region was taken from, as gradients are: there the elements
    outside of the base are zeros.
    """
    owner = owner_of(array)
    first = address_of(array) - address_of(owner) - geometry.base_start * array.itemsize
    last = first + geometry.extent * array.itemsize
    if address_of(array) != geometry.origin or first < 0 or last > owner.nbytes:
        return None
    memory = in_memory_order(owner).view(np.uint8)[first:last].view(array.dtype)
    memory.flags.writeable &= array.flags.writeable
    return memory


@region.vjp("input")
def region_input(g, geometry):
    return region_backward(g, geometry)


@linear(batch=Batch.REGION)
def region_backward(be, g, /, geometry):
    """Put a region's elements where they are in the base, zeros elsewhere; overlaps add up.

    An element that the base has several times is divided among them.
    """
    buffer = np.zeros(geometry.extent, g.dtype)
    if geometry.overlaps:
        positions = geometry.region_view(np.arange(geometry.extent))
        np.add.at(buffer, positions, g)
    else:
        geometry.region_view(buffer)[...] = g
    if geometry.base_overlaps:
        buffer /= geometry.base_counts(g.dtype)
    return geometry.base_view(buffer)


@region_backward.vjp("g")
def region_backward_g(g, geometry):
    return region(g, geometry)


@multilinear(
    float8=True, additive=True, batch=Batch.REGION, node_name="as_strided_scatter", faces=_FACE
)
def replace_region(be, input, values, /, geometry):
    """Return a copy of the base with other values in the region."""
    buffer = geometry.laid_out(input)
    geometry.region_view(buffer)[...] = values
    return geometry.base_view(buffer)


@replace_region.vjp("input")
def replace_region_input(g, geometry):
    return clear_region(g, geometry)


@replace_region.vjp("values")
def replace_region_values(g, geometry):
    return region(g, geometry)


@linear(batch=Batch.REGION)
def clear_region(be, input, /, geometry):
    """Return a copy of the base with zeros in the region."""
    buffer = geometry.laid_out(input)
    geometry.region_view(buffer)[...] = 0
    return geometry.base_view(buffer)


@clear_region.vjp("input")
def clear_region_input(g, geometry):
    return clear_region(g, geometry)
