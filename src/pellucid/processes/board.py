"""A board on which each rank writes what it is doing, and which the others can read at any time.

It is memory that the others can see: reading takes nothing of the rank that is read, so that it
also works where that rank computes, hangs or has been killed.
"""

from __future__ import annotations

import enum
import os
import socket
import struct
import time
import zlib
from typing import Any, NamedTuple

import numpy as np

from pellucid.processes.errors import DistBackendError
from pellucid.processes.supervisor import has_ended

#: bytes of a slot: a state and what the rank is doing; from a place on where it is; and a note
SLOT = 3072
_PLACE, _NOTE = 512, 1024
#: before a note: its length and checksum
_HEAD = struct.Struct("<II")
#: the most bytes of a note
MOST_OF_NOTE = SLOT - _NOTE - _HEAD.size
#: seconds after which a rank counts as one that cannot be read
READING = 1.0


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
    #: lines of the program that the rank computes, as far as they were noted
    place: str
    #: the time at which it has come there, 0 if that is not known
    since: float


class Board:
    """The slots of all ranks.

    Args:
        rank: The rank of this process.
        mine: The memory of its slot, as bytes.
        places: Where each rank runs: host and process id.
    """

    def __init__(
        self, rank: int, mine: np.ndarray[Any, Any], places: list[tuple[str, int]]
    ) -> None:
        self.rank = rank
        self.places = places
        self._mine = mine
        self._mine[:] = 0

    def write(self, state: State, text: bytes | None = None) -> None:
        """Replace this rank's entry, or its state only."""
        if text is not None:
            text = text[: _PLACE - 2] + b"\0"
            self._mine[1 : len(text) + 1] = np.frombuffer(text, np.uint8)
        self._mine[0] = state

    def write_place(self, text: bytes) -> None:
        """Replace what is noted of the place where this rank's program is: since when, and where.

        The text is empty for a moment, rather than one half of it that of another place.
        """
        text = text[: _NOTE - _PLACE - 1] + b"\0"
        self._mine[_PLACE] = 0
        self._mine[_PLACE + 1 : _PLACE + len(text)] = np.frombuffer(text[1:], np.uint8)
        self._mine[_PLACE] = text[0]

    def write_note(self, note: bytes) -> None:
        """Replace this rank's note, of at most `MOST_OF_NOTE` bytes."""
        whole = _HEAD.pack(len(note), zlib.crc32(note)) + note
        self._mine[_NOTE : _NOTE + len(whole)] = np.frombuffer(whole, np.uint8)

    def note_of(self, rank: int) -> bytes:
        """Return a rank's note; empty if it has none, or is just writing another."""
        slot = self._read(rank) or bytes(SLOT)
        length, checksum = _HEAD.unpack_from(slot, _NOTE)
        note = slot[_NOTE + _HEAD.size :][:length]
        return note if zlib.crc32(note) == checksum else b""

    def _read(self, rank: int) -> bytes | None:
        return self._mine.tobytes() if rank == self.rank else self._slot_of(rank)

    def read(self, rank: int) -> Entry | None:
        """Return a rank's entry; ``None`` if it does not answer."""
        slot = self._read(rank)
        if slot is None:
            return None
        text, noted = (
            part.partition(b"\0")[0].decode(errors="replace")
            for part in (slot[1:_PLACE], slot[_PLACE:_NOTE])
        )
        since, _, place = noted.partition(" ")
        return Entry(State(slot[0]), text, place, float(since or 0))

    def close(self) -> None:
        """Give the memory back, when all ranks have ended well."""
        self._mine = np.zeros(SLOT, np.uint8)

    def _slot_of(self, rank: int) -> bytes | None:
        """Return the slot of another rank; ``None`` if it cannot be read."""
        raise NotImplementedError

    def is_gone(self, rank: int) -> bool:
        """Return whether the process of a rank on this machine has ended."""
        host, pid = self.places[rank]
        if host != self.places[self.rank][0]:
            return False
        return has_ended(pid)


class MpiBoard(Board):
    """The slots of all ranks of an MPI communicator, in memory that MPI exposes."""

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self._error: type[Exception] = MPI.Exception
        #: ranks of other machines whose memory can no longer be reached
        self._lost: set[int] = set()
        try:
            self._window = MPI.Win.Allocate(SLOT, 1, comm=comm)
        except MPI.Exception as error:
            raise DistBackendError(
                "MPI cannot give the ranks memory in common, by which each sees what the others "
                "do. Open MPI 4 has it between machines without threads: set "
                "MPI4PY_RC_THREAD_LEVEL=serialized, or with UCX OMPI_MCA_osc=ucx, for all ranks"
            ) from error
        self._window.Lock_all(MPI.MODE_NOCHECK)
        memory: Any = self._window.tomemory()
        places = comm.allgather((socket.gethostname(), os.getpid()))
        super().__init__(comm.rank, np.frombuffer(memory, np.uint8), places)
        self._window.Sync()
        comm.Barrier()  # nobody reads what has not been cleared

    def close(self) -> None:
        """Give the memory back, when all ranks have ended well."""
        self._window.Unlock_all()
        super().close()
        self._window.Free()

    def is_gone(self, rank: int) -> bool:
        """Return whether the process of a rank has ended, or cannot be reached any more."""
        return rank in self._lost or super().is_gone(rank)

    def _slot_of(self, rank: int) -> bytes | None:
        if rank in self._lost:
            return None
        slot = bytearray(SLOT)
        limit = time.monotonic() + READING
        try:
            request = self._window.Rget(slot, rank)
            while not request.Test():
                if time.monotonic() > limit:
                    return None
        except self._error:  # the process at the other end of the network is not there
            self._lost.add(rank)
            return None
        return bytes(slot)
