"""The board of processes that MPI has not started: mapped files, and a thread for other hosts."""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pellucid.processes.board import SLOT, Board
from pellucid.processes.sockets.links import Links
from pellucid.processes.stores import secret


class Place(NamedTuple):
    """Where a rank runs, and where its slot can be read."""

    host: str
    pid: int
    #: the file with its slot, for processes of the same host
    file: str
    #: where a thread answers the processes of other hosts
    address: tuple[str, int]


class Slot:
    """The memory of one process's slot, in a file that other processes map.

    The file goes as soon as everybody has mapped it, so that none is left by a process that is
    killed.
    """

    def __init__(self) -> None:
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        descriptor, path = tempfile.mkstemp(prefix="pellucid-board-", dir=folder)
        os.ftruncate(descriptor, SLOT)
        self.path = Path(path)
        self.memory = np.frombuffer(mmap.mmap(descriptor, SLOT), np.uint8)
        os.close(descriptor)

    def answer(self, host: str) -> tuple[str, int]:
        """Start the thread that shows the slot to other hosts; return its address."""
        listener = Listener((host, 0), authkey=secret())
        threading.Thread(
            target=self._serve, args=(listener,), daemon=True, name="pellucid board"
        ).start()
        _, port = listener.address
        return host, int(port)

    def _serve(self, listener: Listener) -> None:
        while True:
            with (
                contextlib.suppress(OSError, EOFError, AuthenticationError),
                listener.accept() as client,
            ):
                client.send_bytes(self.memory.tobytes())


class SocketBoard(Board):
    """The slots of ranks that are connected by sockets.

    Args:
        rank: The rank of this process.
        slot: Its slot.
        places: Where each rank is.
        links: The connections, which show that a process of another host is gone.
    """

    def __init__(self, rank: int, slot: Slot, places: list[Place], links: Links) -> None:
        super().__init__(rank, slot.memory, [(each.host, each.pid) for each in places])
        self._links = links
        self._addresses = [each.address for each in places]
        here = places[rank].host
        self._mapped = {
            number: _mapped(each.file) for number, each in enumerate(places) if each.host == here
        }

    def is_gone(self, rank: int) -> bool:
        """Return whether the process of a rank has ended."""
        if rank in self._mapped:
            return super().is_gone(rank)
        return self._links.is_closed(rank)

    def _slot_of(self, rank: int) -> bytes | None:
        if rank in self._mapped:
            return self._mapped[rank][:SLOT]
        try:
            client: Connection = Client(self._addresses[rank], authkey=secret())
            with client:
                return client.recv_bytes(SLOT)
        except (OSError, EOFError, AuthenticationError):
            return None


def _mapped(path: str) -> Any:
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), SLOT, access=mmap.ACCESS_READ)
