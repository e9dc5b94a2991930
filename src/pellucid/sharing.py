"""Memory shared by several processes: anonymous files, mapped, and arrays over them.

An anonymous file has no name, so nothing is left behind however the processes end. It travels as a
file descriptor: to a child that is being forked by itself, to any other through a connection.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from typing import Any

import numpy as np

#: where an array begins in memory, at the least: a cache line
ALIGNMENT = 64


class SharedMap(mmap.mmap):
    """Memory mapped from an anonymous file, whose descriptor is kept for sending it on."""

    descriptor: int = -1

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


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
    """Map a file into memory; the map owns the descriptor from now on."""
    result = SharedMap(descriptor, nbytes)
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
    result = np.ndarray(array.shape, array.dtype, memory, order=order)
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


def handle_of(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Return what another process needs to find the array: for a pickle made by multiprocessing."""
    from multiprocessing import reduction

    memory = map_of(array)
    assert memory is not None
    first = np.frombuffer(memory, np.uint8).__array_interface__["data"][0]
    offset = array.__array_interface__["data"][0] - first
    handle = reduction.DupFd(memory.descriptor)
    return handle, len(memory), offset, array.shape, array.strides, array.dtype


def found(
    handle: Any, nbytes: int, offset: int, shape: Any, strides: Any, dtype: Any
) -> np.ndarray[Any, Any]:
    """Return the array that `handle_of` names, in the same memory."""
    return np.ndarray(shape, dtype, mapped(handle.detach(), nbytes), offset, strides)
