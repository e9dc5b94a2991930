"""The memory behind arrays: who owns it, and arrays of other sizes over it."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from pellucid.core.memory.memory_formats import copied, in_memory_order, memory_format, shaped
from pellucid.core.memory.unset import filled_if_asked
from pellucid.errors import ShapeError
from pellucid.kernels.meta import is_meta

#: the arrays of others whose memory tensors share, by identity; such memory cannot be made larger
_foreign: dict[int, weakref.ref[Any]] = {}
#: no array looks through more objects into memory; what calls itself its base would have no end
MOST_BASES = 100


def with_all_samples(array: Any) -> Any:
    """Return an array, or the one that holds all samples of a batched one."""
    while hasattr(array, "__batched_tensor__"):
        array = array.value._array
    return array


def owner_of(array: Any) -> Any:
    """Return the array that owns the memory."""
    array = with_all_samples(array)
    # Between an array and what NumPy's as_strided made of it stands an object that is not an array.
    for _ in range(MOST_BASES):
        if not hasattr(array.base, "__array_interface__") or not hasattr(array.base, "base"):
            break
        array = array.base
    return array


def storage_offset_of(array: Any) -> int:
    """Return how many elements lie between the start of the memory and the first element."""
    array = with_all_samples(array)
    return _bytes_before(array) // array.itemsize


def copied_with_memory(array: Any, memo: dict[Any, Any]) -> Any:
    """Return an array at the same place in a copy of the memory, one copy for all of a `deepcopy`.

    ``memo`` is that of the deep copy.
    """
    owner = owner_of(array)
    if type(owner) is not np.ndarray or not in_memory_order(owner).flags.forc:
        return copied(array)
    copies = memo.setdefault("torch", {})
    if id(owner) not in copies:
        copies[id(owner)] = copied(owner)
    memory = copies[id(owner)]
    if array is owner:
        return memory
    return at_the_same_place(array, owner, in_memory_order(memory).view(np.uint8))


def at_the_same_place(array: Any, owner: Any, memory: Any) -> Any:
    """Return an array that lies in some memory, which is bytes, as a given one in its owner's."""
    before = _address(array) - _address(owner)
    return np.ndarray(array.shape, array.dtype, memory, before, array.strides)


def storage_length_of(array: Any) -> int:
    """Return how many elements of this dtype the memory holds."""
    return owner_of(array).nbytes // array.itemsize


def _bytes_before(array: Any) -> int:
    return _address(array) - _address(owner_of(array))


def _address(array: Any) -> int:
    return array.__array_interface__["data"][0]


def note_foreign(array: Any) -> Any:
    """Return the array over memory that belongs to somebody else and keeps its size.

    Of a part of an array only that part is the memory of the tensor, as in PyTorch.
    """
    if array.base is not None:
        array = _without_the_rest(array)
    owner = owner_of(array)
    key = id(owner)
    _foreign[key] = weakref.ref(owner, lambda _: _foreign.pop(key, None))
    return array


class _Part:
    """The memory of an array from its first to its last element, as NumPy asks for it.

    It has no ``base``, so that who looks for the owner does not find what lies around it.
    """

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array: Any, nbytes: int) -> None:
        self.array = array
        pointer = array.__array_interface__["data"]
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (nbytes,), "data": pointer,
        }  # fmt: skip


def _without_the_rest(array: Any) -> Any:
    nbytes = 0
    if array.size:
        steps = zip(array.strides, array.shape, strict=True)
        nbytes = array.itemsize + sum(step * (size - 1) for step, size in steps)
    if nbytes == owner_of(array).nbytes or any(step < 0 for step in array.strides):
        return array
    part = np.asarray(_Part(array, nbytes))
    return np.ndarray(array.shape, array.dtype, part, strides=array.strides)


def is_resizable(array: Any) -> bool:
    """Return whether the memory behind an array may be made larger."""
    owner = owner_of(array)
    found = _foreign.get(id(owner))
    return found is None or found() is not owner


def resized(array: Any, shape: tuple[int, ...], wanted: memory_format | None = None) -> Any:
    """Return an array of a shape over the same memory, from the first element on.

    Where the memory is too small, the result has memory of its own, with what was there.

    Raises RuntimeError where the memory is too small and belongs to somebody else.
    """
    count = math.prod(shape)
    if is_meta(array):
        flat = in_memory_order(array)
        enough = flat[:count] if count <= flat.size else np.empty_like(flat, shape=(count,))
        return shaped(enough, shape, wanted)
    size, start = array.itemsize, _bytes_before(array)
    held = in_memory_order(owner_of(array)).view(np.uint8)
    end = start + count * size
    if end > held.size:
        held = _enlarged(array, held, end)
    return shaped(held[start:end].view(array.dtype), shape, wanted)


def _enlarged(array: Any, held: Any, size: int) -> Any:
    if not is_resizable(array):
        raise ShapeError(
            "Trying to resize storage that is not resizable: the memory belongs to the object that "
            "the tensor was made from. Resize a clone() of the tensor."
        )
    larger = np.empty(size, np.uint8)
    larger[: held.size] = held
    filled_if_asked(larger[held.size :].view(array.dtype))
    return larger
