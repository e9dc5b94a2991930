"""The board of processes that MPI has not started: memory, and a thread for other machines."""

from __future__ import annotations

import socket
from multiprocessing import AuthenticationError
from typing import Any, NamedTuple

import numpy as np

from pellucid.processes.board import READING, SLOT, Board
from pellucid.processes.sockets.handshake import Server, bounded, call
from pellucid.processes.sockets.links import Links
from pellucid.processes.sockets.memory import Memory


class Place(NamedTuple):
    """Where a rank runs, and where its slot can be read."""

    host: str
    pid: int
    #: the file of its memory, for processes of the same machine, and its mark
    file: str
    mark: str
    #: where a thread answers the processes of other machines
    address: tuple[str, int]


def answer(slot: np.ndarray[Any, Any], host: str) -> tuple[str, int]:
    """Start to show a slot to other machines; return where."""
    listening = socket.create_server((host, 0))
    Server(listening, lambda caller: caller.send_bytes(slot.tobytes()), "pellucid board")
    return host, int(listening.getsockname()[1])


class SocketBoard(Board):
    """The slots of ranks that are connected by sockets.

    Args:
        rank: The rank of this process.
        slot: Its slot.
        places: Where each rank is.
        shared: The memory of the ranks of this machine.
        links: The connections, which show that a process of another machine is gone.
    """

    def __init__(
        self, rank: int, slot: np.ndarray[Any, Any], places: list[Place], shared: dict[int, Memory],
        links: Links,
    ) -> None:  # fmt: skip
        super().__init__(rank, slot, [(each.host, each.pid) for each in places])
        self._links = links
        self._addresses = [each.address for each in places]
        self._shared = shared

    def is_gone(self, rank: int) -> bool:
        """Return whether the process of a rank has ended."""
        if rank in self._shared:
            return super().is_gone(rank)
        return self._links.is_closed(rank)

    def _slot_of(self, rank: int) -> bytes | None:
        if rank in self._shared:
            return self._shared[rank].slot.tobytes()
        try:
            with call(self._addresses[rank], READING) as raw, bounded(raw, READING) as connection:
                return connection.recv_bytes(SLOT)
        except (OSError, EOFError, AuthenticationError):
            return None
