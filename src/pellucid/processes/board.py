"""A board on which each rank writes what it is doing, and which the others can read at any time.

It is memory that MPI exposes: reading takes nothing of the rank that is read, so that it also
works where that rank computes, hangs or has been killed.
"""

from __future__ import annotations

import enum
import os
import socket
import time
from typing import Any, NamedTuple

import numpy as np

_SLOT = 512
#: seconds after which a rank counts as one that cannot be read
_READING = 1.0


class State(enum.IntEnum):
    """What a rank is about."""

    RUNNING = 0
    #: in an exchange
    WAITING = 1
    #: an error of its own ends it
    FAILED = 2
    #: it ends because another has failed
    FOLLOWING = 3
    #: its program is over
    FINISHED = 4


class Entry(NamedTuple):
    """What one rank has written."""

    state: State
    text: str


class Board:
    """The slots of all ranks of an MPI communicator."""

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self.rank = comm.rank
        self._window = MPI.Win.Allocate(_SLOT, 1, comm=comm)
        self._window.Lock_all(MPI.MODE_NOCHECK)
        memory: Any = self._window.tomemory()
        self._mine = np.frombuffer(memory, np.uint8)
        self._mine[:] = 0
        self._window.Sync()
        #: where each rank runs: host and process id
        self.places: list[tuple[str, int]] = comm.allgather((socket.gethostname(), os.getpid()))

    def write(self, state: State, text: bytes | None = None) -> None:
        """Replace this rank's entry, or its state only."""
        if text is not None:
            text = text[: _SLOT - 2] + b"\0"
            self._mine[1 : len(text) + 1] = np.frombuffer(text, np.uint8)
        self._mine[0] = state

    def read(self, rank: int) -> Entry | None:
        """Return a rank's entry; ``None`` if it does not answer."""
        slot = bytearray(_SLOT)
        if rank == self.rank:
            slot[:] = self._mine.tobytes()
        else:
            request = self._window.Rget(slot, rank)
            limit = time.monotonic() + _READING
            while not request.Test():
                if time.monotonic() > limit:
                    return None
        return Entry(State(slot[0]), bytes(slot[1:]).partition(b"\0")[0].decode(errors="replace"))

    def close(self) -> None:
        """Give the memory back, when all ranks have ended well."""
        self._window.Unlock_all()
        self._mine = np.zeros(_SLOT, np.uint8)
        self._window.Free()

    def is_gone(self, rank: int) -> bool:
        """Return whether the process of a rank on this machine has ended."""
        host, pid = self.places[rank]
        if host != self.places[self.rank][0]:
            return False
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
        except FileNotFoundError:
            return os.path.exists("/proc/self/stat") or not _exists(pid)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
