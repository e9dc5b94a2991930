"""Reading files in the format that PyTorch wrote before 1.6.

Note [The format before the archive]
Descriptions follow one another in the file: a number that marks the format, its version, facts of
the machine, and the object, whose storages are told by key and size only. Then come the list of the
keys, and for each the number of its elements and their bytes, little-endian on every machine. So
storages are made empty, and filled at the end.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.interop.errors import FileError, UnpicklingError
from pellucid.interop.reading import Machine, StorageSource, no_storage
from pellucid.interop.rebuilding import LoadedStorage, StorageType

Array = np.ndarray[Any, Any]

_MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
#: how the number is described; before it stand the instruction that opens a description, and the
#: version of pickle
_MAGIC = b"\x8a\x0a" + _MAGIC_NUMBER.to_bytes(10, "little") + b"."
_MAGIC_AT = 2
_VERSION = 1001
_COUNT = struct.Struct("<q")


def is_legacy(beginning: bytes) -> bool:
    """Tell whether a file that begins so is of this format."""
    return beginning[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] == _MAGIC


#: how many bytes `is_legacy` has to see
BEGINNING = _MAGIC_AT + len(_MAGIC)

#: makes the object described at a place of the file; returns it, and where its description ends
Runner = Callable[[bytes, int, StorageSource], tuple[Any, int]]
#: puts a storage with the location that the file tells where it is to be
Placer = Callable[[LoadedStorage, str], LoadedStorage]


def load_legacy(content: bytes, run: Runner, place: Placer) -> Any:
    """Return the object in a file; raise RuntimeError for one that is damaged or forged."""
    if sys.byteorder != "little":
        raise FileError("files in the format before PyTorch 1.6 are read on little-endian machines")
    version, at = _plain(content, BEGINNING)
    if version != _VERSION:
        raise FileError(f"Invalid protocol version: {version}; {_VERSION} was expected")
    _, at = _plain(content, at)
    storages = _Storages(len(content), place)
    result, at = run(content, at, storages.source)
    keys, at = _plain(content, at)
    storages.fill(keys, content, at)
    return result


def _plain(content: bytes, at: int) -> tuple[Any, int]:
    machine = Machine(content, no_storage, {}, "utf-8", at)
    return machine.run(), machine.position


class _Storages:
    """Make empty storages while the object is made, and fill them afterwards."""

    def __init__(self, most_bytes: int, place: Placer) -> None:
        self._bytes_left = most_bytes
        self._place = place
        self._made: dict[str, tuple[Array, int]] = {}

    def source(self, kind: StorageType, key: str, location: str, count: int) -> LoadedStorage:
        """Return the storage of a key, making it when it is first named."""
        itemsize = kind.dtype.itemsize
        if key not in self._made:
            self._bytes_left -= count * itemsize
            if self._bytes_left < 0:
                raise FileError(
                    f"storage '{key}' claims {count * itemsize} bytes, more than the file can "
                    "hold: the file is damaged or forged."
                )
            made = LoadedStorage(np.zeros(count * itemsize, np.uint8), kind.dtype)
            self._made[key] = self._place(made, location).array, itemsize
        array, _ = self._made[key]
        if count * itemsize > array.nbytes:
            raise FileError(
                f"storage '{key}' has {array.nbytes} bytes, fewer than the {count} elements of "
                f"{kind.dtype} that it is said to have. The file is damaged or forged."
            )
        return LoadedStorage(array, kind.dtype)

    def fill(self, keys: Any, content: bytes, at: int) -> None:
        """Copy the bytes of all storages to where the tensors look."""
        if not isinstance(keys, list) or sorted(map(str, keys)) != sorted(self._made):
            raise UnpicklingError("the file holds other storages than its tensors look into")
        for key in keys:
            array, itemsize = self._made[key]
            start = at + _COUNT.size
            at = start + array.nbytes
            if at > len(content):
                raise FileError(f"storage '{key}' ends too early: the file is damaged")
            (count,) = _COUNT.unpack_from(content, start - _COUNT.size)
            if count * itemsize != array.nbytes:
                raise FileError(
                    f"storage '{key}' has {count} elements, not the {array.nbytes // itemsize} "
                    "that its tensors look into: the file is damaged"
                )
            array[:] = np.frombuffer(content, np.uint8, array.nbytes, start)
