"""The processes that have found one another through a store."""

from __future__ import annotations

import time

from pellucid.processes.board import State
from pellucid.processes.communicator import Communicator
from pellucid.processes.sockets.communicator import SocketCommunicator
from pellucid.processes.sockets.connecting import connect
from pellucid.processes.sockets.links import Links
from pellucid.processes.stores import Store
from pellucid.processes.world import GRACE, Transport, World

#: seconds after which a rank that waits for a message looks up
_PAUSE = 1e-3


class SocketTransport:
    """What makes communicators between some of the ranks.

    Args:
        links: The connections.
        ranks: World ranks of the members.
        rank: World rank of this process.
        name: What tells it from other transports, the same on all members.
    """

    def __init__(self, links: Links, ranks: list[int], rank: int, name: str) -> None:
        self._links = links
        self._ranks = ranks
        self._rank = rank
        self._name = name
        self._made = 0

    def communicator(self) -> Communicator:
        """Return a new one, which all ranks ask for in the same order."""
        self._made += 1
        name = f"{self._name} {self._ranks} {self._made}"
        return SocketCommunicator(self._links, self._ranks, self._rank, name)


class SocketWorld(World):
    """Processes that are connected with one another by sockets.

    Args:
        store: The store through which they find one another.
        rank: The rank of this process.
        size: The number of processes.
        timeout: How long to wait for the others, in seconds.
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: float) -> None:
        self._links, board = connect(store, rank, size, timeout)
        super().__init__(rank, size, board)
        self._store = store  # which rank 0 serves as long as it runs
        self._asked: dict[tuple[int, ...], int] = {}

    def join(self, rank: int) -> tuple[list[int], Transport]:
        """Return all ranks, and what connects them."""
        everyone = list(range(self.size))
        return everyone, self.transport(everyone, "default")

    def transport(self, ranks: list[int], name: str) -> Transport:
        """Return what connects some of the ranks, who all call this in the same order."""
        key = tuple(ranks)
        self._asked[key] = self._asked.get(key, 0) + 1
        return SocketTransport(self._links, ranks, self.rank, f"{name} {self._asked[key]}")

    def give_way(self, waited: float) -> None:
        """Leave the core to other processes until a message comes, or a while has passed."""
        self._links.wait(_PAUSE)

    def rest(self, seconds: float) -> None:
        """Sleep until a message comes, or this many seconds have passed."""
        self._links.rest(seconds)

    def leave(self) -> None:
        """Send what is on its way, and tell the others that this rank has ended."""
        super().leave()
        limit = time.monotonic() + GRACE
        while self._links.has_outgoing() and time.monotonic() < limit:
            self._links.drive()
            time.sleep(0.001)
        if not self._failed:
            self.board.write(State.FINISHED)
