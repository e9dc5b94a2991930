"""Messages between processes: one connection to each rank, driven by whoever waits.

# Note [Messages over sockets]

A message is a header (channel, tag, length) and its bytes. Sockets never block: `Links.drive`
writes and reads what the system takes and gives at the moment, and returns. A message whose
receiver has said where it belongs is read straight into that memory; one that comes earlier is kept
until somebody asks for it. A sent message counts as done once the system has all of it.
"""

from __future__ import annotations

import collections
import contextlib
import selectors
import socket
import struct
import threading
from typing import Any, cast

import numpy as np

from pellucid.processes.communicator import as_bytes

Array = np.ndarray[Any, Any]

_HEADER = struct.Struct("<QqQ")
#: bytes for which one call of the system is asked
_MOST = 1 << 20


class Sending:
    """A message on its way out."""

    __slots__ = ("_links", "parts")

    def __init__(self, links: Links, parts: list[memoryview]) -> None:
        self._links = links
        #: what is left to be written
        self.parts = parts

    def Test(self) -> bool:
        """Drive all messages, and tell whether this one is out."""
        if self.parts:
            self._links.drive()
        return not self.parts


class Receiving:
    """A message on its way here, which says who sent it and how long it was."""

    __slots__ = ("_is_done", "_links", "_ranks", "memory", "nbytes", "source")

    def __init__(self, links: Links, memory: memoryview, ranks: list[int]) -> None:
        self._links = links
        self._ranks = ranks
        self.memory = memory
        self._is_done = False
        self.source: int | None = None
        self.nbytes: int | None = None

    def end(self, source: int, nbytes: int) -> None:
        """Note that the message of a world rank is here."""
        self.source, self.nbytes, self._is_done = self._ranks.index(source), nbytes, True

    def Test(self) -> bool:
        """Drive all messages, and tell whether this one is here."""
        if not self._is_done:
            self._links.drive()
        return self._is_done


class _Incoming:
    """The message that a connection is in the middle of reading."""

    __slots__ = ("key", "memory", "nbytes", "receiving", "seen")

    def __init__(self) -> None:
        self.memory = memoryview(bytearray(_HEADER.size))
        self.seen = 0
        self.key: tuple[int, int] | None = None
        self.nbytes = 0
        self.receiving: Receiving | None = None


class _Link:
    """The connection to one rank."""

    def __init__(self, rank: int, connection: socket.socket) -> None:
        self.rank = rank
        self.socket = connection
        self.outgoing: collections.deque[Sending] = collections.deque()
        self.incoming = _Incoming()
        self.is_closed = False


class Links:
    """The connections of this process, and the messages that are under way over them.

    Args:
        connections: A connected socket for the rank of each other process.
    """

    def __init__(self, connections: dict[int, socket.socket]) -> None:
        self._links = {rank: _Link(rank, each) for rank, each in connections.items()}
        self._selector = selectors.DefaultSelector()
        self._lock = threading.RLock()
        self._is_driven = False
        #: where messages belong that have not come, and messages that nobody has asked for
        self._asked: dict[tuple[int, int], list[tuple[int | None, Receiving]]] = {}
        self._early: dict[tuple[int, int], list[tuple[int, memoryview]]] = {}
        for link in self._links.values():
            link.socket.setblocking(False)
            with contextlib.suppress(OSError):  # sockets of one machine need no such option
                link.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(link.socket, selectors.EVENT_READ, link)

    def send(self, array: Array, to: int, channel: int, tag: int) -> Sending:
        """Start to send a contiguous array to a rank."""
        memory = as_bytes(array).data
        header = memoryview(_HEADER.pack(channel, tag, memory.nbytes))
        sending = Sending(self, [header, memory] if memory.nbytes else [header])
        with self._lock:
            link = self._links[to]
            link.outgoing.append(sending)
            self._write(link)
        return sending

    def receive(
        self, array: Array, source: int | None, channel: int, tag: int, ranks: list[int]
    ) -> Receiving:
        """Start to receive into a contiguous array, from one of these ranks or from any."""
        receiving = Receiving(self, as_bytes(array).data, ranks)
        key = channel, tag
        with self._lock:
            early = self._early.get(key, [])
            for at, (rank, message) in enumerate(early):
                if source is None or rank == source:
                    del early[at]
                    if not early:
                        del self._early[key]
                    _copy(message, receiving)
                    receiving.end(rank, message.nbytes)
                    return receiving
            self._asked.setdefault(key, []).append((source, receiving))
        return receiving

    def is_closed(self, rank: int) -> bool:
        """Return whether the connection to a rank has ended."""
        return rank in self._links and self._links[rank].is_closed

    def drive(self) -> None:
        """Write and read what can be written and read at the moment."""
        if not self._lock.acquire(blocking=False):
            return  # another thread drives
        try:
            for link in self._links.values():
                if link.outgoing:
                    self._write(link)
            for key, _ in self._selector.select(0):
                self._read(cast(_Link, key.data))
        finally:
            self._lock.release()

    def has_outgoing(self) -> bool:
        """Return whether messages are left to be written to ranks that are there."""
        return any(link.outgoing and not link.is_closed for link in self._links.values())

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            self._selector.close()
            for link in self._links.values():
                link.socket.close()

    def _write(self, link: _Link) -> None:
        while link.outgoing and not link.is_closed:
            parts = link.outgoing[0].parts
            try:
                written = link.socket.sendmsg([part[:_MOST] for part in parts])
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                self._end(link)
                return
            while parts and written >= parts[0].nbytes:
                written -= parts.pop(0).nbytes
            if parts:
                parts[0] = parts[0][written:]
            else:
                link.outgoing.popleft()

    def _read(self, link: _Link) -> None:
        """Read until there is nothing left, or a large piece has been read."""
        taken = 0
        while taken < _MOST:
            message = link.incoming
            try:
                got = link.socket.recv_into(message.memory[message.seen :][:_MOST])
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                got = 0
            if not got:
                self._end(link)
                return
            taken += got
            message.seen += got
            if message.seen == message.memory.nbytes:
                self._take(link, message)

    def _take(self, link: _Link, message: _Incoming) -> None:
        """Go on after a header, or after the bytes of a message."""
        if message.key is None:
            channel, tag, message.nbytes = _HEADER.unpack(message.memory)
            message.key = channel, tag
            message.receiving = self._asked_for(link.rank, message.key)
            message.seen = 0
            fits = message.receiving and message.receiving.memory.nbytes >= message.nbytes
            message.memory = (
                message.receiving.memory[: message.nbytes]
                if message.receiving is not None and fits
                else memoryview(bytearray(message.nbytes))
            )
            if message.nbytes:
                return
        link.incoming = _Incoming()
        if message.receiving is None:  # asked for while it was read, perhaps
            message.receiving = self._asked_for(link.rank, message.key)
            if message.receiving is None:
                self._early.setdefault(message.key, []).append((link.rank, message.memory))
                return
            _copy(message.memory, message.receiving)
        message.receiving.end(link.rank, message.nbytes)

    def _asked_for(self, rank: int, key: tuple[int, int]) -> Receiving | None:
        """Take out the oldest receive that a message of this rank belongs to."""
        asked = self._asked.get(key, [])
        for at, (source, receiving) in enumerate(asked):
            if source is None or source == rank:
                del asked[at]
                if not asked:
                    del self._asked[key]
                return receiving
        return None

    def _end(self, link: _Link) -> None:
        """Note that a rank has closed its end; why is read from the board."""
        if not link.is_closed:
            link.is_closed = True
            self._selector.unregister(link.socket)


def _copy(message: memoryview, receiving: Receiving) -> None:
    """Copy a message, or as much of it as there is room for."""
    fitting = min(message.nbytes, receiving.memory.nbytes)
    receiving.memory[:fitting] = message[:fitting]
