"""What a tensor tells of itself: its sizes, its place in memory, the kind of its numbers."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.variable import is_inference as variable_is_inference
from pellucid.core.definition.public import public
from pellucid.core.memory import memory_formats
from pellucid.core.memory.memory_formats import contiguous_format, memory_format
from pellucid.core.memory.ownership import storage_offset_of
from pellucid.dtypes import from_numpy_dtype, is_complex_dtype
from pellucid.kernels.meta import is_meta
from pellucid.shapes import Size, contiguous_strides, real_dim


@public(method="dim ndimension", checked=False)
def dim(self: Any) -> int:
    """Return the number of dimensions."""
    return self._array.ndim


@public(method="size", checked=False)
def size(self: Any, dim: int | None = None) -> Any:
    """Return all sizes, or that of one dimension.

    Args:
        dim: Dimension; all if None.
    """
    shape = self._array.shape
    if dim is None:
        return Size(shape)
    return shape[real_dim(dim, len(shape))]


@public(method="stride", checked=False)
def stride(self: Any, dim: int | None = None) -> Any:
    """Return the steps in memory, in elements, to the next place along all or one dimension.

    Args:
        dim: Dimension; all if None.
    """
    array = self._array
    # Sizes of 1 have no steps that matter; NumPy's are those of an array without gaps.
    steps = tuple(step // array.itemsize for step in array.strides)
    if not array.size and not any(steps):  # NumPy gives new arrays without elements no steps at all
        steps = contiguous_strides(array.shape)
    if dim is None:
        return steps
    return steps[real_dim(dim, array.ndim)]


@public(method="storage_offset")
def storage_offset(self: Any) -> int:
    """Return how many elements lie before the first one in memory."""
    return storage_offset_of(self._array)


@public(method="data_ptr const_data_ptr")
def data_ptr(self: Any) -> int:
    """Return the address of the first element; 0 where there are no values."""
    if is_meta(self._array) or not self._array.size:
        return 0
    return self._array.__array_interface__["data"][0]


@public("numel")
@public(method="numel nelement", checked=False)
def numel(input: Any) -> int:
    """Return the number of elements.

    Args:
        input: Tensor of any shape.

    >>> torch.numel(torch.ones(2, 3))
    6
    """
    return input._array.size


@public(method="element_size", checked=False)
def element_size(self: Any) -> int:
    """Return the bytes of one element."""
    return self._array.itemsize


@public(method="is_contiguous", checked=False)
def is_contiguous(self: Any, *, memory_format: memory_format = contiguous_format) -> bool:
    """Return whether the elements lie in memory one after the other.

    Args:
        memory_format: Order of the dimensions in memory that is asked about.
    """
    return memory_formats.is_contiguous(self._array, memory_format)


@public("is_floating_point")
@public(method="is_floating_point", checked=False)
def is_floating_point(input: Any) -> bool:
    """Return whether the dtype is one of floating point.

    Args:
        input: Tensor of any shape.

    >>> torch.is_floating_point(torch.ones(1))
    True
    """
    return input._array.dtype.kind in "fV"


@public("is_complex")
@public(method="is_complex", checked=False)
def is_complex(input: Any) -> bool:
    """Return whether the dtype is complex.

    Args:
        input: Tensor of any shape.

    >>> torch.is_complex(torch.ones(1))
    False
    """
    return is_complex_dtype(input._array.dtype)


@public("is_signed", method=True)
def is_signed(self: Any) -> bool:
    """Return whether the dtype has negative numbers.

    Args:
        self: Tensor of any shape and dtype.

    >>> torch.is_signed(torch.ones(2)), torch.is_signed(torch.ones(2, dtype=torch.uint8))
    (True, False)
    """
    return from_numpy_dtype(self._array.dtype).is_signed


@public("is_nonzero", method="is_nonzero __nonzero__")
def is_nonzero(input: Any) -> bool:
    """Return whether the one element is not zero; raise RuntimeError if there is not just one.

    Args:
        input: Tensor of any shape.

    >>> torch.is_nonzero(torch.tensor([0.5]))
    True
    """
    return bool(input)


@public("is_inference", method=True)
def is_inference(self: Any) -> bool:
    """Return whether the tensor was made in inference mode.

    Args:
        self: Tensor of any shape and dtype.

    >>> torch.is_inference(torch.ones(2))
    False
    """
    return variable_is_inference(self)


@public(method="_is_view")
def _is_view(self: Any) -> bool:
    """Return whether the tensor looks into the memory of another."""
    return self._view is not None


@public(method="get_device")
def get_device(self: Any) -> int:
    """Return the number of the device: -1 for the CPU."""
    return -1
