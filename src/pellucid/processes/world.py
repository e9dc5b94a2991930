"""All processes of a job, and how the program of each of them ends."""

from __future__ import annotations

import atexit
import functools
import multiprocessing
import multiprocessing.util
import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

from pellucid.autograd.sites import library_files
from pellucid.processes.board import Board, Entry, State
from pellucid.processes.communicator import Communicator
from pellucid.processes.environment import launched
from pellucid.processes.errors import PeerError
from pellucid.processes.whereabouts import Whereabouts

#: seconds that a failing rank stays for the others to see it
GRACE = 3.0
#: seconds after which it is said how long a rank has been at a line
_LONG = 2.0
ENDED = (State.FAILED, State.FOLLOWING, State.FINISHED)


class Transport(Protocol):
    """What makes communicators between the same ranks."""

    def communicator(self) -> Communicator:
        """Return a new one, which all ranks ask for in the same order."""
        ...


class World:
    """The processes that were started together, and their board.

    Args:
        rank: The rank of this process.
        size: The number of processes.
        board: Their board.
    """

    def __init__(self, rank: int, size: int, board: Board) -> None:
        self.rank = rank
        self.size = size
        self.board = board
        #: called before the processes part
        self.before_leaving: list[Callable[[], None]] = []
        #: whether several threads may exchange at once
        self.can_use_threads = True
        self._failed = False

    def join(self, rank: int) -> tuple[list[int], Transport]:
        """Return the world's ranks in the order that they wish for, and what connects them."""
        raise NotImplementedError

    def transport(self, ranks: list[int], name: str) -> Transport:
        """Return what connects some of the ranks, who all call this."""
        raise NotImplementedError

    def give_way(self, waited: float) -> None:
        """Leave the core to other processes, when this one has waited for this many seconds."""
        raise NotImplementedError

    def rest(self, seconds: float) -> None:
        """Sleep until messages can go on, or this many seconds have passed."""
        raise NotImplementedError

    def leave(self) -> None:
        """End, as far as the others need it."""
        for each in self.before_leaving:
            each()

    def fail(self, error: BaseException) -> None:
        """Write on the board that an error ends this rank."""
        self._failed = True
        state = State.FOLLOWING if isinstance(error, PeerError) else State.FAILED
        self.board.write(state, _error_text(error).encode(errors="replace"))

    def has_ended(self, rank: int) -> bool:
        """Return whether a rank's program is over, in whichever way."""
        entry = self.board.read(rank)
        return entry is None or entry.state in ENDED or self.board.is_gone(rank)

    def why_stopped(self, rank: int) -> tuple[Entry | None, str] | None:
        """Return a rank's entry and what has become of it; ``None`` while it goes on."""
        entry = self.board.read(rank)
        if entry is not None and entry.state == State.FAILED:
            return entry, f"rank {rank} failed: {entry.text}"
        if entry is not None and entry.state == State.FOLLOWING:
            return entry, entry.text  # why it ended, which is why this one cannot go on
        if entry is not None and entry.state == State.FINISHED:
            return entry, f"rank {rank} has left: its program is over{_last(entry)}"
        if self.board.is_gone(rank):
            host, pid = self.board.places[rank]
            return entry, f"rank {rank} died: its process {pid} on {host} is gone{_last(entry)}"
        return None


def _last(entry: Entry | None) -> str:
    if entry is None:
        return ""
    return (f"; its last exchange was {entry.text}" if entry.text else "") + place_in(entry)


def place_in(entry: Entry) -> str:
    """Return where a rank's program is, and for how long if that is long."""
    if not entry.place:
        return ""
    waited = time.time() - entry.since
    return f"; at {entry.place}" + (f", for {waited:.0f} s" if waited >= _LONG else "")


def _error_text(error: BaseException) -> str:
    """Return an error's class, its first line and the user's line that it comes from."""
    if isinstance(error, PeerError):
        return str(error).partition(". ")[0].rpartition(": because ")[2]
    first = str(error).partition("\n")[0]
    text = f"{type(error).__name__}: {first}" if first else type(error).__name__
    place = _users_line(error.__traceback__)
    return f"{text} ({place})" if place else text


def _users_line(traceback: TracebackType | None) -> str:
    found = ""
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if not library_files[filename] and not filename.startswith("<frozen"):
            found = f"{filename.replace(chr(92), '/').rpartition('/')[2]}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


class _Worlds:
    """The world of this process, once it has been entered."""

    entered: World | None = None
    #: the process that has entered it, whose forked children have not
    process: int = 0


def entered_world() -> World | None:
    """Return the world if this process has entered it."""
    return _Worlds.entered if _Worlds.process == os.getpid() else None


def enter_world(start: Callable[[], World]) -> World:
    """Start what connects the processes, on the first call, and return this one's world."""
    if _Worlds.entered is None or _Worlds.process != os.getpid():
        _Worlds.entered, _Worlds.process = start(), os.getpid()
        noting = Whereabouts(_Worlds.entered.board)
        noting.start()
        _Worlds.entered.before_leaving.append(noting.end)
        _at_end(_Worlds.entered)
        sys.excepthook = functools.partial(_report, _Worlds.entered, sys.excepthook)
    return _Worlds.entered


def _at_end(world: World) -> None:
    """Arrange that the world is left when the program ends, or the child of multiprocessing."""
    if multiprocessing.parent_process() is None:
        atexit.register(world.leave)
    else:
        multiprocessing.util.Finalize(None, _leave_child, (world,), exitpriority=0)


def _leave_child(world: World) -> None:
    error = sys.exc_info()[1]  # that of the function which the process ran, still on its way
    if error is not None and not isinstance(error, SystemExit):
        world.fail(error)
    world.leave()


def _report(
    world: World, hook: Any, kind: type[BaseException], error: BaseException,
    traceback: TracebackType | None,
) -> None:  # fmt: skip
    """Print the error with its rank, and write it on the board."""
    world.fail(error)
    sys.stderr.write(f"rank {world.rank} of {world.size} is ended by an error:\n")
    hook(kind, error, traceback)
    sys.stderr.flush()


def can_have_many() -> bool:
    """Return whether this process was started as one of several, and mpi4py is there."""
    import importlib.util

    return launched() is not None and importlib.util.find_spec("mpi4py") is not None
