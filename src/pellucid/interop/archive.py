"""PyTorch's container: a zip archive of uncompressed records, each starting at a multiple of 64.

Note [Layout of the archive]
PyTorch can map a file into memory and work out where each record starts without reading the
directory. So the layout follows its writer byte for byte where that matters: sizes stand in a
descriptor after the data (none after an empty record), and an extra field "FB" pads the header.
The descriptor also lets an archive be written to something that cannot seek.
"""

from __future__ import annotations

import contextlib
import mmap
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from pellucid.interop.errors import EmptyFileError, FileError

ALIGNMENT = 64

#: sizes and offsets from here on stand in the wider fields of zip64
ZIP32_LIMIT = 0xFFFFFFFF
_ZIP32_ENTRIES = 0xFFFF
_SEE_WIDE_FIELD = 0xFFFFFFFF

_RECORD = b"PK\3\4"
_ENCRYPTED = 0x0001
_DESCRIPTOR_FOLLOWS = 0x0008
_NAMES_ARE_UTF8 = 0x0800
_CHUNK = 1 << 20
#: bytes of a record's header before its name
_FIXED_HEADER = 30
#: bytes that the records of an archive may have when they are decompressed: so many, and so many
#: more for each byte of the archive
_LEAST_UNPACKED = 1 << 26
_UNPACKED_PER_BYTE = 16
#: the same for the records that are not numbers, such as the description of the objects
_LEAST_DESCRIPTION = 1 << 20

#: stands where the checksum would, in records that have none
_NO_CHECKSUM = 0

Array = np.ndarray[Any, Any]


class _Entry(NamedTuple):
    name: bytes
    offset: int
    size: int
    checksum: int

    @property
    def flags(self) -> int:
        return _NAMES_ARE_UTF8 | (_DESCRIPTOR_FOLLOWS if self.size else 0)

    @property
    def is_wide(self) -> bool:
        return self.size >= ZIP32_LIMIT or self.offset >= ZIP32_LIMIT

    def wide_fields(self) -> bytes:
        """Return the extra field of zip64: what does not fit into 32 bits."""
        values = [self.size, self.size] if self.size >= ZIP32_LIMIT else []
        values += [self.offset] if self.offset >= ZIP32_LIMIT else []
        return struct.pack(f"<HH{len(values)}Q", 1, 8 * len(values), *values) if values else b""


class ArchiveWriter:
    """A writer of records one after the other, then the directory; ``write`` takes bytes."""

    def __init__(
        self, write: Callable[[Any], Any], prefix: str = "archive", checksums: bool = True
    ) -> None:
        self._sink = write
        self._prefix = prefix
        self._has_checksums = checksums
        self._position = 0
        self._entries: list[_Entry] = []

    def add(self, name: str, data: Any) -> None:
        """Write one record: bytes, or an array of bytes."""
        view = memoryview(data)
        path = f"{self._prefix}/{name}".encode()
        checksum = zlib.crc32(view) if self._has_checksums else _NO_CHECKSUM
        entry = _Entry(path, self._position, view.nbytes, checksum)
        self._write(_local_header(entry))
        self._write(view)
        if entry.size:
            sizes = "QQ" if entry.is_wide else "II"
            self._write(
                struct.pack(f"<4sI{sizes}", b"PK\7\10", entry.checksum, entry.size, entry.size)
            )
        self._entries.append(entry)

    def finish(self) -> None:
        """Write the directory, without which the archive cannot be read."""
        start = self._position
        for entry in self._entries:
            self._write(_directory_header(entry))
        size, count = self._position - start, len(self._entries)
        if max(start, size) >= ZIP32_LIMIT or count >= _ZIP32_ENTRIES:
            end = self._position
            self._write(
                struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
                + struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
            )
        shown = min(count, _ZIP32_ENTRIES)
        ends = (shown, shown, _narrow(size), _narrow(start), 0)
        self._write(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, *ends))

    def checksums(self) -> list[tuple[bytes, int]]:
        """Return names and checksums of what was written so far."""
        return [(entry.name, entry.checksum) for entry in self._entries]

    def _write(self, data: Any) -> None:
        write_all(self._sink, data)
        self._position += memoryview(data).nbytes


def write_all(write: Callable[[Any], Any], data: Any) -> None:
    """Write bytes, or an array of bytes, to what may take less than it is given."""
    view = memoryview(data)
    while view.nbytes:
        written = write(view)
        view = view[view.nbytes if written is None else written :]


def _narrow(value: int) -> int:
    return value if value < ZIP32_LIMIT else _SEE_WIDE_FIELD


def _local_header(entry: _Entry) -> bytes:
    wide = entry.wide_fields()
    start = entry.offset + 30 + len(entry.name) + len(wide) + 4
    padding = -start % ALIGNMENT
    extra = wide + struct.pack("<2sH", b"FB", padding) + b"Z" * padding
    unknown = _SEE_WIDE_FIELD if entry.size >= ZIP32_LIMIT else 0
    fixed = struct.pack(
        "<4sHHHHHIIIHH",
        _RECORD, 45 if entry.is_wide else 20, entry.flags, 0, 0, _FIRST_DAY, 0, unknown, unknown,
        len(entry.name), len(extra),
    )  # fmt: skip
    return fixed + entry.name + extra


def _directory_header(entry: _Entry) -> bytes:
    wide = entry.wide_fields()
    size, offset = _narrow(entry.size), _narrow(entry.offset)
    version = 45 if entry.is_wide else 20
    fixed = struct.pack(
        "<4sHHHHHHIIIHHHHHII",
        b"PK\1\2", version, version, entry.flags, 0, 0, _FIRST_DAY, entry.checksum, size, size,
        len(entry.name), len(wide), 0, 0, 0, 0, offset,
    )  # fmt: skip
    return fixed + entry.name + wide


#: 1980-01-01: the same objects give the same bytes whenever they are saved
_FIRST_DAY = 1 << 5 | 1

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, LookupError, OverflowError,
    NotImplementedError, RuntimeError, OSError,
)  # fmt: skip


@contextlib.contextmanager
def _damage_reported(what: str) -> Iterator[None]:
    try:
        yield
    except FileError:
        raise
    except _DAMAGE as error:
        raise FileError(
            f"PytorchStreamReader failed reading {what}: {error}. The file is damaged or was not "
            "written to its end: save or transfer it again."
        ) from error


class _Seekable:
    """A file that can seek, whether or not it has the method that says so."""

    def __init__(self, file: Any) -> None:
        self.read = file.read
        self.tell = file.tell
        self._seek = file.seek

    def seek(self, *place: int) -> int:
        """Go to a place; return where that is."""
        self._seek(*place)
        return self.tell()

    def seekable(self) -> bool:
        """Return True."""
        return True


class ArchiveReader:
    """A reader of an archive's records, which checks their checksums.

    Raises RuntimeError for a file that is not such an archive, is damaged, or is compressed in a
    way that PyTorch does not use. A ``mapping`` of the file into memory lets records be looked at
    without being read.
    """

    def __init__(self, file: Any, mapping: mmap.mmap | None = None) -> None:
        with _damage_reported("zip archive: failed finding central directory"):
            file.seek(0, 2)
            self._length = file.tell()
            self._zip = zipfile.ZipFile(_Seekable(file))
            self._file = file
            names = self._zip.namelist()
        if not names:
            raise EmptyFileError("PytorchStreamReader: the archive has no records.")
        self._mapping = mapping
        #: bytes of the file, and bytes in memory, that the records still to be read may have
        self._packed_left = self._length
        self._unpacked_left = _LEAST_UNPACKED + _UNPACKED_PER_BYTE * self._length
        self._prefix = names[0].partition("/")[0]

    def has(self, name: str) -> bool:
        """Return whether there is a record of this name."""
        return f"{self._prefix}/{name}" in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """Return a record that describes objects or the archive itself."""
        info = self._info(name)
        if info.file_size > _LEAST_DESCRIPTION + self._length:
            raise _too_much(name, info.file_size)
        with _damage_reported(f"record '{name}'"), self._zip.open(info) as record:
            return record.read()

    def read_array(self, name: str) -> Array:
        """Return a record as an array of bytes: a copy, or the mapped file where it is aligned."""
        info = self._info(name)
        if self._mapping is not None and info.compress_type == zipfile.ZIP_STORED:
            return self._mapped(name, info, self._mapping)
        array = np.empty(info.file_size, np.uint8)
        is_stored = info.compress_type == zipfile.ZIP_STORED and hasattr(self._file, "readinto")
        fill = self._read_stored if is_stored else self._read_in_chunks
        with _damage_reported(f"record '{name}'"):
            if fill(info, array) != info.file_size:
                raise EOFError("it ends too early")
        return array

    def _read_in_chunks(self, info: zipfile.ZipInfo, array: Array) -> int:
        """Fill an array with any record; return with how many bytes."""
        filled = 0
        with self._zip.open(info) as record:
            while chunk := record.read(_CHUNK):
                array[filled : filled + len(chunk)] = np.frombuffer(chunk, np.uint8)
                filled += len(chunk)
        return filled

    def _read_stored(self, info: zipfile.ZipInfo, array: Array) -> int:
        """Fill an array with a record that is not compressed; return with how many bytes."""
        name = _name_in_header(info)
        self._file.seek(info.header_offset)
        header = self._file.read(_FIXED_HEADER + len(name))
        self._file.seek(info.header_offset + _header_length(header, name))
        view, filled = array.data, 0
        while count := self._file.readinto(view[filled:]):
            filled += count
        if hasattr(info, "CRC") and zlib.crc32(view[:filled]) != info.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
        return filled

    def _mapped(self, name: str, info: zipfile.ZipInfo, mapping: mmap.mmap) -> Array:
        with _damage_reported(f"record '{name}'"):
            at, name_here = info.header_offset, _name_in_header(info)
            header = mapping[at : at + _FIXED_HEADER + len(name_here)]
            start = at + _header_length(header, name_here)
            array = np.frombuffer(mapping, np.uint8, info.file_size, start)
        # Elements must start at multiples of their size; 16 serves all dtypes.
        return array if start % 16 == 0 else array.copy()

    def _info(self, name: str) -> zipfile.ZipInfo:
        info = self._zip.NameToInfo.get(f"{self._prefix}/{name}")
        if info is None:
            raise FileError(
                f"PytorchStreamReader failed locating file {name}: file not found. The archive was "
                "not written by torch.save, or is damaged."
            )
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(f"record '{name}' is compressed by a method that is not read here")
        if getattr(info, "CRC", None) == _NO_CHECKSUM:
            del info.CRC  # which tells zipfile that there is nothing to check
        # Records that lie inside each other claim more than the file has, all taken together.
        self._packed_left -= info.compress_size
        self._unpacked_left -= info.file_size
        is_too_large = info.compress_type == zipfile.ZIP_STORED and info.file_size > self._length
        if is_too_large or self._packed_left < 0 or self._unpacked_left < 0:
            raise _too_much(name, info.file_size)
        return info


def _name_in_header(info: zipfile.ZipInfo) -> bytes:
    encoding = "utf-8" if info.flag_bits & _NAMES_ARE_UTF8 else "cp437"
    return info.orig_filename.encode(encoding)


def _header_length(header: bytes, name: bytes) -> int:
    """Return the length of a record's header, of which its beginning and the name are given."""
    signature, flags, name_length, extra_length = struct.unpack_from("<4s2xH18xHH", header)
    if signature != _RECORD or header[_FIXED_HEADER:] != name or name_length != len(name):
        raise zipfile.BadZipFile("the directory has another name for it")
    if flags & _ENCRYPTED:
        raise zipfile.BadZipFile("it is encrypted")
    return _FIXED_HEADER + name_length + extra_length


def _too_much(name: str, size: int) -> FileError:
    return FileError(
        f"record '{name}' claims {size} bytes, more than the file can hold: the file is damaged, "
        "forged, or compressed to a small part of its size (write the archive without compression)."
    )
