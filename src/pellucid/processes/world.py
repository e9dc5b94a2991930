"""All processes that MPI has started together, and how the program of each of them ends.

# Note [Ending together]

MPI ends a program well only if all ranks do: a rank that fails while the others wait for it would
leave them waiting. So each rank writes on the board how it ends. One that fails stays until the
others have seen it, or a few seconds have passed, and then exits with its code, whereupon the
launcher of MPI ends whatever is left. One that ends well waits for the others to end.
"""

from __future__ import annotations

import atexit
import functools
import sys
import time
from types import TracebackType
from typing import Any

from pellucid.autograd.sites import library_files
from pellucid.errors import UnimplementedError
from pellucid.processes.board import Board, Entry, State
from pellucid.processes.environment import launched
from pellucid.processes.errors import PeerError

#: seconds that a failing rank stays for the others to see it
GRACE = 3.0
_ENDED = (State.FAILED, State.FOLLOWING, State.FINISHED)
_FAILED = (State.FAILED, State.FOLLOWING)


class World:
    """The processes that were started together: their communicator and their board."""

    def __init__(self, mpi: Any) -> None:
        self._mpi = mpi
        self.comm = mpi.COMM_WORLD.Dup()
        self.rank: int = self.comm.rank
        self.size: int = self.comm.size
        self.board = Board(self.comm)
        self._failed = False

    def fail(self, error: BaseException) -> None:
        """Write on the board that an error ends this rank."""
        self._failed = True
        state = State.FOLLOWING if isinstance(error, PeerError) else State.FAILED
        self.board.write(state, _error_text(error).encode(errors="replace"))

    def leave(self) -> None:
        """End together with the other ranks: see Note [Ending together]."""
        if not self._failed:
            self.board.write(State.FINISHED)
        limit = time.monotonic() + GRACE if self._failed else float("inf")
        pause = 0.001
        others = [rank for rank in range(self.size) if rank != self.rank]
        well = not self._failed
        while others and time.monotonic() < limit:
            self.comm.Iprobe()  # lets MPI deliver what this rank has sent
            well &= not any(self._ended_badly(rank) for rank in others)
            if not well:
                limit = min(limit, time.monotonic() + GRACE)
            others = [rank for rank in others if not self.has_ended(rank)]
            time.sleep(pause)
            pause = min(0.05, pause * 1.5)
        if well and not others and not self._mpi.Is_finalized():
            self.board.close()
            self._mpi.Finalize()

    def has_ended(self, rank: int) -> bool:
        """Return whether a rank's program is over, in whichever way."""
        entry = self.board.read(rank)
        return entry is None or entry.state in _ENDED or self.board.is_gone(rank)

    def _ended_badly(self, rank: int) -> bool:
        entry = self.board.read(rank)
        return entry is not None and (
            entry.state in _FAILED or (entry.state != State.FINISHED and self.board.is_gone(rank))
        )

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
    return f"; its last exchange was {entry.text}" if entry is not None and entry.text else ""


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


def entered_world() -> World | None:
    """Return the world if this process has entered it."""
    return _Worlds.entered


def enter_world() -> World:
    """Start MPI, on the first call, and return the world of this process.

    Raises NotImplementedError if mpi4py is missing.
    """
    if _Worlds.entered is None:
        _Worlds.entered = world = World(_started_mpi())
        atexit.register(world.leave)
        sys.excepthook = functools.partial(_report, world, sys.excepthook)
    return _Worlds.entered


def _started_mpi() -> Any:
    try:
        import mpi4py
    except ModuleNotFoundError as error:
        raise UnimplementedError(
            "a process group of more than one process needs mpi4py and an MPI library: "
            "pip install 'pellucid[mpi]'"
        ) from error
    if "mpi4py.MPI" not in sys.modules:
        mpi4py.rc.finalize = False  # see Note [Ending together]
    from mpi4py import MPI

    return MPI


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
