"""Messages between processes: one connection to each rank, driven by whoever waits.

# Note [Messages over sockets]

A connection carries frames: a header (kind, channel, tag, length) and, for a message that goes
through the socket, its bytes. A large one between processes of one machine goes through shared
memory, and its pieces are announced: see Note [Outboxes]. Sockets never block: `Links.drive` writes
and reads what the system takes and gives at the moment, and returns. A message whose receiver has
said where it belongs is put straight into that memory, or reduced with what is there; one that
comes earlier is kept until somebody asks for it. A sent message counts as done once its memory may
be changed.
"""

from __future__ import annotations

import collections
import contextlib
import enum
import selectors
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from pellucid.processes.communicator import as_bytes
from pellucid.processes.sockets.memory import PIECE, PIECES, Memory

Array = np.ndarray[Any, Any]
R = TypeVar("R", bound=int | None)
W = TypeVar("W")

_HEADER = struct.Struct("<BQqQ")
#: bytes for which one call of the system is asked
_MOST = 1 << 20
#: bytes that are read at once where it is not known what they are
_BUFFER = 1 << 16
#: bytes from which a message between processes of one machine goes through shared memory
_LARGE = 1 << 15


#: pieces that are taken before the sender hears that their places are free, if nothing else is sent
_FREED_TOGETHER = PIECES // 4


class _Kind(enum.IntEnum):
    """What a frame is."""

    #: a message, whose bytes follow
    MESSAGE = 0
    #: a message, whose pieces are announced one by one
    IN_PIECES = 1
    #: a piece is in the outbox, at the place that is named by the tag
    PIECE = 2
    #: this many pieces have been taken out of the outbox
    FREED = 3


_PIECE, _FREED = int(_Kind.PIECE), int(_Kind.FREED)


class Sending:
    """A message on its way out."""

    __slots__ = ("_links", "channel", "is_done", "memory", "sent", "tag")

    def __init__(self, links: Links, memory: Array, channel: int, tag: int) -> None:
        self._links = links
        self.memory = memory
        self.channel = channel
        self.tag = tag
        #: bytes that are in the outbox or have left it; -1 before the header
        self.sent = -1
        self.is_done = False

    def Test(self) -> bool:
        """Drive all messages, and tell whether this one is out."""
        if not self.is_done:
            self._links.drive()
        return self.is_done


class Reducing(NamedTuple):
    """How what comes is reduced with what is there.

    Args:
        combine: The operation.
        comes_first: Whether what comes is the first operand.
        is_wanted: Whether it is to be reduced at all, asked when it comes.
    """

    combine: np.ufunc
    comes_first: bool = False
    is_wanted: Callable[[], bool] = lambda: True


class Receiving:
    """A message on its way here, which says who sent it and how long it was.

    Args:
        links: The connections.
        array: Where it belongs.
        ranks: World ranks of the members of the group.
        reducing: How it is reduced with what is there; None to replace that.
    """

    __slots__ = (
        "_array",
        "_is_done",
        "_links",
        "_ranks",
        "_reducing",
        "memory",
        "nbytes",
        "source",
    )

    def __init__(
        self, links: Links, array: Array, ranks: list[int], reducing: Reducing | None
    ) -> None:
        self._links = links
        self._ranks = ranks
        self._array = array.reshape(-1)
        self._reducing = reducing
        self.memory = as_bytes(array)
        self._is_done = False
        self.source: int | None = None
        self.nbytes: int | None = None

    @property
    def is_replacing(self) -> bool:
        """Whether the message replaces what is there."""
        return self._reducing is None

    def take(self, start: int, piece: Array) -> None:
        """Take bytes of the message, of which these are the ones from ``start`` on."""
        fitting = piece[: max(0, self.memory.size - start)]
        if self._reducing is None:
            np.copyto(self.memory[start : start + fitting.size], fitting)
            return
        combine, comes_first, is_wanted = self._reducing
        if not is_wanted():
            return
        width = self._array.itemsize
        mine = self._array[start // width : (start + fitting.size) // width]
        theirs = fitting[: mine.nbytes].view(mine.dtype)
        first, second = (theirs, mine) if comes_first else (mine, theirs)
        combine(first, second, out=mine)

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

    __slots__ = ("key", "kept", "nbytes", "receiving", "seen")

    def __init__(self, key: tuple[int, int], nbytes: int, receiving: Receiving | None) -> None:
        self.key = key
        self.nbytes = nbytes
        self.receiving = receiving
        #: bytes that are here
        self.seen = 0
        #: its bytes, where they cannot be put where they belong at once
        self.kept: Array | None = None if receiving is not None else np.empty(nbytes, np.uint8)

    def take(self, piece: Array) -> None:
        """Take the bytes that follow."""
        if self.kept is not None:
            np.copyto(self.kept[self.seen : self.seen + piece.size], piece)
        elif self.receiving is not None:
            self.receiving.take(self.seen, piece)
        self.seen += piece.size

    def keep_unless_replacing(self) -> None:
        """Collect the bytes where pieces of any length may come, and cannot be reduced."""
        receiving = self.receiving
        if receiving is not None and not (
            receiving.is_replacing and receiving.memory.size >= self.nbytes
        ):
            self.kept = np.empty(self.nbytes, np.uint8)


class _Link:
    """The connection to one rank."""

    def __init__(self, rank: int, connection: socket.socket) -> None:
        self.rank = rank
        self.socket = connection
        self.outgoing: collections.deque[Sending] = collections.deque()
        #: what has been begun to be written: headers and bytes
        self.unwritten: list[memoryview] = []
        #: the message whose bytes are the ones that are left to be written
        self.writing: Sending | None = None
        self.buffer = bytearray(_BUFFER)
        self.view = np.frombuffer(self.buffer, np.uint8)
        #: bytes in the buffer that have not been looked at: from, to
        self.begin = self.stop = 0
        self.incoming: _Incoming | None = None
        #: whether the rest of the message comes as bytes, and not as pieces
        self.is_streaming = False
        #: for processes of this machine: pieces for that rank, and of it
        self.outbox: Array | None = None
        self.inbox: Array | None = None
        self.free = PIECES
        self.next_place = 0
        self.to_free = 0
        self.is_blocked = False
        self.is_closed = False


class Links:
    """The connections of this process, and the messages that are under way over them.

    Args:
        rank: The rank of this process.
        connections: A connected socket for the rank of each other process.
        mine: The memory that this process shares.
        shared: The memory of the ranks that share theirs with this one, and see that of this one.
    """

    def __init__(
        self, rank: int, connections: dict[int, socket.socket], mine: Memory,
        shared: dict[int, Memory],
    ) -> None:  # fmt: skip
        self._links = {rank: _Link(rank, each) for rank, each in connections.items()}
        self._selector = selectors.DefaultSelector()
        self._lock = threading.RLock()
        #: how many messages have been received or sent; and had been when somebody last waited
        self._ended = self._seen = 0
        #: where messages belong that have not come, and messages that nobody has asked for
        self._asked: dict[tuple[int, int], list[tuple[int | None, Receiving]]] = {}
        self._early: dict[tuple[int, int], list[tuple[int, Array]]] = {}
        for link in self._links.values():
            link.socket.setblocking(False)
            with contextlib.suppress(OSError):  # sockets of one machine need no such option
                link.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(link.socket, selectors.EVENT_READ, link)
            if link.rank in shared:
                link.outbox = mine.outbox(link.rank)
                link.inbox = shared[link.rank].outbox(rank)

    def send(self, array: Array, to: int, channel: int, tag: int) -> Sending:
        """Start to send a contiguous array to a rank."""
        with self._lock:
            sending = self.post(array, to, channel, tag)
            self.flush(to)
        return sending

    def held(self) -> threading.RLock:
        """Return what keeps other threads from reading and writing meanwhile."""
        return self._lock

    def post(self, array: Array, to: int, channel: int, tag: int) -> Sending:
        """Have a contiguous array sent to a rank with the next flush."""
        sending = Sending(self, as_bytes(array), channel, tag)
        self._links[to].outgoing.append(sending)
        return sending

    def flush(self, to: int) -> None:
        """Write what is to be sent to a rank, as far as it can be written."""
        self._write(self._links[to])

    def receive(
        self, array: Array, source: int | None, channel: int, tag: int, ranks: list[int],
        reducing: Reducing | None = None,
    ) -> Receiving:  # fmt: skip
        """Start to receive into a contiguous array, from one of these ranks or from any.

        With ``reducing`` what comes is reduced with what is there.
        """
        receiving = Receiving(self, array, ranks, reducing)
        key = channel, tag
        with self._lock:
            early = _taken_out(self._early, key, lambda rank: source is None or rank == source)
            if early is not None:
                rank, message = early
                receiving.take(0, message)
                receiving.end(rank, message.size)
                return receiving
            self._asked.setdefault(key, []).append((source, receiving))
        return receiving

    def is_closed(self, rank: int) -> bool:
        """Return whether the connection to a rank has ended."""
        return rank in self._links and self._links[rank].is_closed

    def wait(self, patience: float) -> None:
        """Wait at most this many seconds until a message can go on, unless one has just ended.

        Whose message it was has perhaps been asked before.
        """
        if self._seen == self._ended:
            self._handle(self._selector.select(patience))
        self._seen = self._ended

    def rest(self, patience: float) -> None:
        """Wait at most this many seconds until a message can go on."""
        self._selector.select(patience)

    def drive(self) -> None:
        """Write and read what can be written and read at the moment."""
        self._handle(self._selector.select(0))

    def _handle(self, found: list[tuple[selectors.SelectorKey, int]]) -> None:
        """Write and read where that is possible; an answer that is late finds nothing."""
        if not found or not self._lock.acquire(blocking=False):
            return  # another thread drives
        try:
            for key, events in found:
                link = cast(_Link, key.data)
                if events & selectors.EVENT_WRITE:
                    self._write(link)
                if events & selectors.EVENT_READ:
                    self._read(link)
        finally:
            self._lock.release()

    def has_outgoing(self) -> bool:
        """Return whether messages are left to be written to ranks that are there."""
        return any(
            (link.outgoing or link.unwritten) and not link.is_closed
            for link in self._links.values()
        )

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            self._selector.close()
            for link in self._links.values():
                link.socket.close()

    # ---- writing ----------------------------------------------------------------------------

    def _write(self, link: _Link) -> None:
        """Write until the system takes no more, or there is nothing left."""
        while not link.is_closed and (link.unwritten or self._begin(link)):
            try:
                written = link.socket.sendmsg([part[:_MOST] for part in link.unwritten])
            except (BlockingIOError, InterruptedError):
                self._watch(link, True)
                return
            except OSError:
                self._end(link)
                return
            parts = link.unwritten
            while parts and written >= parts[0].nbytes:
                written -= parts.pop(0).nbytes
            if parts:
                parts[0] = parts[0][written:]
            elif link.writing is not None:
                link.writing.is_done = True
                self._ended += 1
                link.writing = None
        if link.is_blocked and not link.is_closed:
            self._watch(link, False)

    def _begin(self, link: _Link) -> bool:
        """Lay out what is to be written next; return whether there is anything."""
        parts = link.unwritten
        if link.to_free:
            parts.append(_header(_FREED, 0, link.to_free, 0))
            link.to_free = 0
        while link.outgoing and link.writing is None:
            sending = link.outgoing[0]
            size = sending.memory.size
            if link.outbox is None or size < _LARGE:
                kind, link.writing = int(_Kind.MESSAGE), sending
                parts.append(_header(kind, sending.channel, sending.tag, size))
                if size:
                    parts.append(sending.memory.data)
                link.outgoing.popleft()
            elif not self._put(link, sending):
                break
        return bool(parts)

    def _put(self, link: _Link, sending: Sending) -> bool:
        """Put pieces of a message into the outbox; return whether all of them are there."""
        assert link.outbox is not None
        parts, memory = link.unwritten, sending.memory
        if sending.sent < 0:
            sending.sent = 0
            kind = int(_Kind.IN_PIECES)
            parts.append(_header(kind, sending.channel, sending.tag, memory.size))
        while link.free and sending.sent < memory.size:
            piece = memory[sending.sent : sending.sent + PIECE]
            np.copyto(link.outbox[link.next_place, : piece.size], piece)
            parts.append(_header(_PIECE, 0, link.next_place, piece.size))
            sending.sent += piece.size
            link.next_place = (link.next_place + 1) % PIECES
            link.free -= 1
            if link.free % 2:
                break  # the receiver begins while the next pieces are put there
        if sending.sent < memory.size:
            return False
        link.outgoing.popleft()
        sending.is_done = True
        self._ended += 1
        return True

    def _watch(self, link: _Link, is_blocked: bool) -> None:
        """Ask to hear when the system takes more, or no longer."""
        link.is_blocked = is_blocked
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if is_blocked else 0)
        self._selector.modify(link.socket, events, link)

    # ---- reading ----------------------------------------------------------------------------

    def _read(self, link: _Link) -> None:
        """Read until there is nothing left, or much has been read."""
        taken = 0
        while taken < _MOST and not link.is_closed:
            got = self._receive(link)
            if got <= 0:
                break
            taken += got
            if got < _BUFFER and not link.is_streaming:
                break
        if link.to_free >= _FREED_TOGETHER or link.outgoing:
            self._write(link)

    def _receive(self, link: _Link) -> int:
        """Read once, and take what is there apart; return the number of bytes."""
        message = link.incoming
        target: Any = None
        if link.is_streaming and message is not None and message.nbytes - message.seen >= _BUFFER:
            whole = message.kept
            if whole is None and message.receiving is not None:
                whole = message.receiving.memory[: message.nbytes]
            target = whole[message.seen : message.seen + _MOST] if whole is not None else None
        try:
            if target is not None:
                got = link.socket.recv_into(target.data)
            else:
                got = link.socket.recv_into(memoryview(link.buffer)[link.stop :])
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            got = 0
        if not got:
            self._end(link)
            return 0
        if target is not None and message is not None:
            message.seen += got
            if message.seen == message.nbytes:
                self._finish(link, message)
            return got
        link.stop += got
        self._take_apart(link)
        return got

    def _take_apart(self, link: _Link) -> None:
        """Take the frames in the buffer, and the bytes of messages, as far as they are there."""
        while link.begin < link.stop:
            message = link.incoming
            if link.is_streaming and message is not None:
                stop = min(link.stop, link.begin + message.nbytes - message.seen)
                message.take(link.view[link.begin : stop])
                link.begin = stop
                if message.seen == message.nbytes:
                    self._finish(link, message)
                continue
            if link.stop - link.begin < _HEADER.size:
                break
            kind, channel, tag, nbytes = _HEADER.unpack_from(link.buffer, link.begin)
            link.begin += _HEADER.size
            self._take(link, kind, channel, tag, nbytes)
        rest = link.buffer[link.begin : link.stop]
        link.buffer[: len(rest)] = rest
        link.begin, link.stop = 0, len(rest)

    def _take(self, link: _Link, kind: int, channel: int, tag: int, nbytes: int) -> None:
        """Go on after a header."""
        if kind == _PIECE and link.incoming is not None and link.inbox is not None:
            message = link.incoming
            message.take(link.inbox[tag, :nbytes])
            link.to_free += 1
            if message.seen == message.nbytes:
                self._finish(link, message)
        elif kind == _FREED:
            link.free += tag
        else:
            key = channel, tag
            message = link.incoming = _Incoming(key, nbytes, self._asked_for(link.rank, key))
            link.is_streaming = kind == _Kind.MESSAGE
            if link.is_streaming:
                message.keep_unless_replacing()
            if not nbytes:
                self._finish(link, message)

    def _finish(self, link: _Link, message: _Incoming) -> None:
        """Give a message that is here to whoever has asked for it, or keep it."""
        link.incoming, link.is_streaming = None, False
        self._ended += 1
        receiving = message.receiving
        if receiving is None:  # asked for while it was read, perhaps
            receiving = self._asked_for(link.rank, message.key)
        kept = message.kept
        if kept is not None:
            if receiving is None:
                self._early.setdefault(message.key, []).append((link.rank, kept))
                return
            receiving.take(0, kept)
        if receiving is not None:
            receiving.end(link.rank, message.nbytes)

    def _asked_for(self, rank: int, key: tuple[int, int]) -> Receiving | None:
        """Take out the oldest receive that a message of this rank belongs to."""
        asked = _taken_out(self._asked, key, lambda source: source is None or source == rank)
        return None if asked is None else asked[1]

    def _end(self, link: _Link) -> None:
        """Note that a rank has closed its end; why is read from the board."""
        if not link.is_closed:
            link.is_closed = True
            self._selector.unregister(link.socket)


def _taken_out(
    waiting: dict[tuple[int, int], list[tuple[R, W]]], key: tuple[int, int],
    fits: Callable[[R], bool],
) -> tuple[R, W] | None:  # fmt: skip
    """Take out the oldest entry of a channel and tag whose rank fits; None if there is none."""
    entries = waiting.get(key, [])
    for at, (rank, _) in enumerate(entries):
        if fits(rank):
            entry = entries.pop(at)
            if not entries:
                del waiting[key]
            return entry
    return None


def _header(kind: int, channel: int, tag: int, nbytes: int) -> memoryview:
    return memoryview(_HEADER.pack(kind, channel, tag, nbytes))
