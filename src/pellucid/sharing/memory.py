"""Memory shared by several processes: anonymous files, mapped, and arrays over them.

An anonymous file has no name, so nothing is left behind however the processes end. It travels as a
file descriptor: to a child that is being forked by itself, to any other through a connection.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

#: where an array begins in memory, at the least: a cache line
ALIGNMENT = 64


class SharedMap(mmap.mmap):
    """Memory mapped from an anonymous file, whose descriptor is kept for sending it on."""

    descriptor: int = -1
    _bytes: weakref.ref[np.ndarray[Any, Any]] | None = None

    def bytes(self) -> np.ndarray[Any, Any]:
        """Return the one array of all bytes, which owns the memory of the arrays over it."""
        result = self._bytes() if self._bytes is not None else None
        if result is None:
            result = np.frombuffer(self, np.uint8)
            self._bytes = weakref.ref(result)
        return result

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


#: the maps of this process, by device and number of the file
_maps: weakref.WeakValueDictionary[tuple[int, int], SharedMap] = weakref.WeakValueDictionary()


def anonymous_file(nbytes: int) -> int:
    """Return the descriptor of a new file without a name."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("pellucid")
    else:
        import tempfile

        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, nbytes)
    return descriptor


def mapped(descriptor: int, nbytes: int) -> SharedMap:
    """Return the map of a file into memory, one for this process; it owns the descriptor."""
    status = os.fstat(descriptor)
    place = (status.st_dev, status.st_ino)
    if (known := _maps.get(place)) is not None:
        os.close(descriptor)
        return known
    result = _maps[place] = SharedMap(descriptor, nbytes)
    result.descriptor = descriptor
    return result


def mapped_without_descriptor(descriptor: int, nbytes: int) -> memoryview:
    """Map a file into memory in a way that needs no open file from then on.

    The standard library's maps keep a descriptor each, of which a process has only so many; the
    system's own call does not. It is unmapped when nothing uses the memory any more.
    """
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    rights = mmap.PROT_READ | mmap.PROT_WRITE
    address = system.mmap(None, nbytes, rights, mmap.MAP_SHARED, descriptor, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "cannot map shared memory")
    memory = (ctypes.c_ubyte * nbytes).from_address(address)
    weakref.finalize(memory, system.munmap, address, nbytes).atexit = False
    return memoryview(memory).cast("B")


def shared_copy(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array of equal values and order in shared memory."""
    # NumPy cannot map a file of no bytes.
    memory = mapped(*_sized(max(array.nbytes, 1)))
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    held = memory.bytes() if array.nbytes else memory
    result = np.ndarray(array.shape, array.dtype, held, order=order)
    result[...] = array
    return result


def _sized(nbytes: int) -> tuple[int, int]:
    return anonymous_file(nbytes), nbytes


def map_of(array: Any) -> SharedMap | None:
    """Return the shared memory that an array lies in, or ``None``."""
    while isinstance(array, np.ndarray):
        array = array.base
    owner = array.obj if isinstance(array, memoryview) else array
    return owner if isinstance(owner, SharedMap) else None


def handle_of(array: np.ndarray[Any, Any], sent: Callable[[int], Any]) -> tuple[Any, ...]:
    """Return what another process needs to find the array; ``sent`` prepares its descriptor."""
    memory = map_of(array)
    assert memory is not None
    first = memory.bytes().__array_interface__["data"][0]
    offset = array.__array_interface__["data"][0] - first
    return sent(memory.descriptor), len(memory), offset, array.shape, array.strides, array.dtype


def found(
    handle: Any, nbytes: int, offset: int, shape: Any, strides: Any, dtype: Any
) -> np.ndarray[Any, Any]:
    """Return the array that `handle_of` names, in the same memory."""
    return np.ndarray(shape, dtype, mapped(handle.detach(), nbytes).bytes(), offset, strides)
