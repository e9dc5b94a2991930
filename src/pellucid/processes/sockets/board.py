"""The board of processes that MPI has not started: memory, and a thread for other machines."""

from __future__ import annotations

import contextlib
import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import Any, NamedTuple

import numpy as np

from pellucid.processes.board import SLOT, Board
from pellucid.processes.sockets.links import Links
from pellucid.processes.sockets.memory import Memory
from pellucid.processes.stores import secret


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
    """Start the thread that shows a slot to other machines; return its address."""
    listener = Listener((host, 0), authkey=secret())
    threading.Thread(
        target=_serve, args=(listener, slot), daemon=True, name="pellucid board"
    ).start()
    _, port = listener.address
    return host, int(port)


def _serve(listener: Listener, slot: np.ndarray[Any, Any]) -> None:
    while True:
        with (
            contextlib.suppress(OSError, EOFError, AuthenticationError),
            listener.accept() as client,
        ):
            client.send_bytes(slot.tobytes())


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
            client: Connection = Client(self._addresses[rank], authkey=secret())
            with client:
                return client.recv_bytes(SLOT)
        except (OSError, EOFError, AuthenticationError):
            return None
