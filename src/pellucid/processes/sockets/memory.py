"""Memory that the processes of one machine share: each one's slot of the board, and its outboxes.

# Note [Outboxes]

Between processes of one machine, the bytes of a large message do not go through the socket. The
sender copies them, piece by piece, into the outbox that it has for the receiver, and tells it over
the socket which piece is there; the receiver takes, or reduces, it from there and says that the
place is free again. So each byte is copied once on either side, and the system orders what is
written before what is read.

On Linux the memory is a file without a name, which the others find among the descriptors of its
process: nothing is left behind, whenever that is killed.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.processes.board import SLOT

Array = np.ndarray[Any, Any]

#: bytes of a piece, a multiple of the size of any element; and pieces of an outbox
PIECE, PIECES = 1 << 18, 32
_MARK = 16
_START = mmap.PAGESIZE


class Memory:
    """Memory of one process that others of the machine map.

    Args:
        path: The file.
        mark: Random bytes in it, in hexadecimal, that tell it from any other.
        mapped: The mapped file.
    """

    def __init__(self, path: str, mark: str, mapped: mmap.mmap) -> None:
        self.path = path
        self.mark = mark
        self._bytes = np.frombuffer(mapped, np.uint8)
        #: the slot of the board
        self.slot = self._bytes[:SLOT]

    def outbox(self, rank: int) -> Array:
        """Return the pieces for a rank, one a row."""
        start = _START + rank * PIECE * PIECES
        return self._bytes[start : start + PIECE * PIECES].reshape(PIECES, PIECE)


class OwnMemory(Memory):
    """Memory of this process. It takes room only where it is written.

    Args:
        size: The number of processes.
    """

    def __init__(self, size: int) -> None:
        descriptor, path = _new_file()
        os.ftruncate(descriptor, _START + size * PIECE * PIECES)
        mapped = mmap.mmap(descriptor, 0)
        mark = secrets.token_bytes(_MARK)
        mapped[SLOT : SLOT + _MARK] = mark
        super().__init__(path, mark.hex(), mapped)
        self._descriptor = descriptor

    def hide(self) -> None:
        """Take the file away, when those who can have mapped it."""
        os.close(self._descriptor)
        if not self.path.startswith("/proc"):
            with contextlib.suppress(FileNotFoundError):
                Path(self.path).unlink()


def _new_file() -> tuple[int, str]:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("pellucid")
        return descriptor, f"/proc/{os.getpid()}/fd/{descriptor}"
    return tempfile.mkstemp(prefix="pellucid-board-")


def mapped_memory(path: str, mark: str) -> Memory | None:
    """Return the memory of another process; ``None`` if it cannot be seen from here."""
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    return Memory(path, mark, mapped) if mapped[SLOT : SLOT + _MARK].hex() == mark else None
