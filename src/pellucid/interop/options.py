"""What is set once for all files: byte order, checksums, and how files are mapped into memory."""

from __future__ import annotations

import enum
import mmap
import sys

from pellucid.errors import ArgumentError, ArgumentTypeError

#: Windows has no such flags; there, changes of a mapped file stay in memory
_PRIVATE = getattr(mmap, "MAP_PRIVATE", None)
_SHARED = getattr(mmap, "MAP_SHARED", None)


class LoadEndianness(enum.Enum):
    """The byte order of a file that does not say which it has."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Options:
    """The values that are set."""

    endianness: LoadEndianness | None = None
    compute_crc32: bool = True
    mmap_flags: int | None = _PRIVATE


_options = _Options()


def get_default_load_endianness() -> LoadEndianness | None:
    """Return the byte order of files that do not say which they have.

    >>> torch.serialization.get_default_load_endianness() is None
    True
    """
    return _options.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order of files that do not say which they have; ``None`` is the machine's.

    Args:
        endianness: A `LoadEndianness`, or None.

    Raises:
        TypeError: If it is neither.

    >>> torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness.NATIVE)
    >>> torch.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness | None):
        raise ArgumentTypeError(
            "Invalid argument type in function set_default_load_endianness: LoadEndianness or None "
            f"expected, not {type(endianness).__name__}"
        )
    _options.endianness = endianness


def default_byte_order() -> str:
    """Return "little" or "big": the byte order of files that do not say which they have."""
    if _options.endianness in (None, LoadEndianness.NATIVE):
        return sys.byteorder
    return "little" if _options.endianness is LoadEndianness.LITTLE else "big"


def get_crc32_options() -> bool:
    """Return whether `save` computes checksums.

    >>> torch.serialization.get_crc32_options()
    True
    """
    return _options.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether `save` computes a checksum of each record.

    Without it saving is faster, and programs that unpack zip archives take the file for damaged;
    `load` does not.

    Args:
        compute_crc32: Whether checksums are computed.

    >>> torch.serialization.set_crc32_options(True)
    """
    _options.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """Return how ``load(mmap=True)`` maps files: ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``.

    >>> import mmap
    >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return _options.mmap_flags


class set_default_mmap_options:  # noqa: N801 - PyTorch's name
    """A setting of how ``load(mmap=True)`` maps files, for good or for a block.

    ``flags`` is ``mmap.MAP_PRIVATE``: what is written to the tensors stays in memory; or
    ``mmap.MAP_SHARED``: it goes into the file. Raises ValueError for anything else.

    >>> import mmap
    >>> with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags: int) -> None:
        if flags is None or flags not in (_PRIVATE, _SHARED):
            raise ArgumentError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE "
                f"or mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = _options.mmap_flags
        _options.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        _options.mmap_flags = self.prev


def maps_shared() -> bool:
    """Return whether what is written to mapped tensors goes into the file."""
    return _SHARED is not None and _options.mmap_flags == _SHARED
