"""Reading files in the format that PyTorch wrote before 1.6.

Note [The format before the archive]
Descriptions follow one another in the file: a number that marks the format, its version, facts of
the machine, and the object, with storages by key and size only. Then come the list of the
keys, and for each the number of its elements and their bytes, little-endian on every machine. So
storages are made empty, and filled at the end.
"""

from __future__ import annotations

import pickle
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.interop.archive import write_all
from pellucid.interop.errors import FileError, UnpicklingError
from pellucid.interop.limits import shown
from pellucid.interop.reading import Machine, StorageSource, no_storage
from pellucid.interop.rebuilding import LoadedStorage, StorageType, check_count

Array = np.ndarray[Any, Any]

_MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
#: how the number is described; before it stand the instruction that opens a description, and the
#: version of pickle
_MAGIC = b"\x8a\x0a" + _MAGIC_NUMBER.to_bytes(10, "little") + b"."
_MAGIC_AT = 2
_VERSION = 1001
_MACHINE = {
    "protocol_version": _VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}
#: of the parts that are not objects of the user's
_PROTOCOL = 2
_COUNT = struct.Struct("<q")


def is_legacy(beginning: bytes) -> bool:
    """Return whether a file that begins so is of this format."""
    return beginning[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] == _MAGIC


#: how many bytes `is_legacy` has to see
BEGINNING = _MAGIC_AT + len(_MAGIC)

#: makes the object described at a place of the file; returns it, and where its description ends
Runner = Callable[[bytes, int, StorageSource], tuple[Any, int]]
#: puts a storage with the location that the file tells where it is to be
Placer = Callable[[LoadedStorage, str], LoadedStorage]


def write_legacy(write: Callable[[Any], Any], program: bytes, memories: list[Array]) -> None:
    """Write a description and the storages that it numbers."""
    keys = [str(number) for number in range(len(memories))]
    # The order of the keys is that of the storages behind it, and readers want it sorted.
    in_order = sorted(keys)
    for each in (_MAGIC_NUMBER, _VERSION, _MACHINE):
        write_all(write, pickle.dumps(each, _PROTOCOL))
    write_all(write, program)
    write_all(write, pickle.dumps(in_order, _PROTOCOL))
    for key in in_order:
        memory = memories[int(key)]
        write_all(write, _COUNT.pack(memory.size))
        write_all(write, memory.view(np.uint8))


def load_legacy(content: bytes, run: Runner, place: Placer) -> tuple[Any, int]:
    """Return the object in a file, and how long the file is: another may follow.

    Raises RuntimeError for a file that is damaged or forged.
    """
    if sys.byteorder != "little":
        raise FileError("files in the format before PyTorch 1.6 are read on little-endian machines")
    version, at = _plain(content, BEGINNING)
    if type(version) is not int or version != _VERSION:
        raise FileError(f"Invalid protocol version: {shown(version)}; {_VERSION} was expected")
    _, at = _plain(content, at)
    storages = _Storages(len(content), place)
    result, at = run(content, at, storages.source)
    keys, at = _plain(content, at)
    return result, storages.fill(keys, content, at)


def _plain(content: bytes, at: int) -> tuple[Any, int]:
    machine = Machine(content, no_storage, {}, "utf-8", at)
    return machine.run(), machine.position


def _are_texts(keys: Any) -> bool:
    return isinstance(keys, list) and all(isinstance(key, str) for key in keys)


class _Storages:
    """The storages of an old file: empty while the object is made, and filled afterwards."""

    def __init__(self, most_bytes: int, place: Placer) -> None:
        self._bytes_left = most_bytes
        self._place = place
        #: the memory of each key, and the bytes per element that the file counts in
        self._arrays: dict[str, tuple[Array, int]] = {}
        self._storages: dict[tuple[str, StorageType], LoadedStorage] = {}

    def source(self, kind: StorageType, key: str, location: str, count: int) -> LoadedStorage:
        """Return the storage of a key, making it when it is first named."""
        if key not in self._arrays:
            self._arrays[key] = self._made(kind, key, location, count)
        if (key, kind) not in self._storages:
            self._storages[key, kind] = LoadedStorage(self._arrays[key][0], kind.dtype)
        check_count(self._storages[key, kind], key, count)
        return self._storages[key, kind]

    def _made(self, kind: StorageType, key: str, location: str, count: int) -> tuple[Array, int]:
        size = count * kind.dtype.itemsize
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise FileError(
                f"storage {shown(key)} claims {size} bytes, more than the file can hold: the file "
                "is damaged or forged."
            )
        made = LoadedStorage(np.zeros(size, np.uint8), kind.dtype)
        return self._place(made, location).array, kind.dtype.itemsize

    def fill(self, keys: Any, content: bytes, at: int) -> int:
        """Copy the bytes of all storages to where the tensors look; return where they end."""
        if not _are_texts(keys) or sorted(keys) != sorted(self._arrays):
            raise UnpicklingError("the file holds other storages than its tensors look into")
        for key in keys:
            array, itemsize = self._arrays[key]
            start = at + _COUNT.size
            at = start + array.nbytes
            if at > len(content):
                raise FileError(f"storage {shown(key)} ends too early: the file is damaged")
            (count,) = _COUNT.unpack_from(content, start - _COUNT.size)
            if count * itemsize != array.nbytes:
                raise FileError(
                    f"storage {shown(key)} has {count} elements, not the "
                    f"{array.nbytes // itemsize} that its tensors look into: the file is damaged"
                )
            array[:] = np.frombuffer(content, np.uint8, array.nbytes, start)
        return at
