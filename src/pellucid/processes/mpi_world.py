"""The processes that MPI has started together.

# Note [Ending together]

MPI ends a program well only if all ranks do: a rank that fails while the others wait for it would
leave them waiting. So each rank writes on the board how it ends. One that fails stays until the
others have seen it, or a few seconds have passed, and then exits with its code, whereupon the
launcher of MPI ends whatever is left. One that ends well waits for the others to end.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from typing import Any

from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.processes.board import MpiBoard, State
from pellucid.processes.communicator import Communicator, MpiCommunicator
from pellucid.processes.supervisor import hide_shared_memory
from pellucid.processes.work import named_ranks
from pellucid.processes.world import GRACE, Transport, World

#: seconds for which a rank that waits only gives way to other processes, and does not sleep
_YIELDING = 2e-4
#: seconds of a pause: short at first, as large messages move on only when MPI is asked
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1e-6, 1e-3


class MpiTransport:
    """What makes communicators of one of MPI's, which it duplicates."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self._is_given = False

    def communicator(self) -> Communicator:
        """Return one over MPI's own, and then over its duplicates."""
        comm = self._comm.Dup() if self._is_given else self._comm
        self._is_given = True
        return MpiCommunicator(comm)


class MpiWorld(World):
    """The processes that MPI has started together."""

    def __init__(self, mpi: Any) -> None:
        self._mpi = mpi
        self._comm = mpi.COMM_WORLD.Dup()
        super().__init__(self._comm.rank, self._comm.size, MpiBoard(self._comm))
        hide_shared_memory()  # all ranks have found it: the board was made by all together
        self.can_use_threads = mpi.Query_thread() == mpi.THREAD_MULTIPLE

    def join(self, rank: int) -> tuple[list[int], Transport]:
        """Return the world's ranks in the order that they wish for, and what connects them."""
        comm = self._comm.Split(0, rank)
        wished = comm.allgather(rank)
        if wished != [*range(self.size)]:
            raise ArgumentError(
                f"Invalid rank {rank}: the processes are given the ranks {wished}, and need "
                f"{named_ranks([*range(self.size)])}. MPI numbers them: leave rank out."
            )
        return comm.allgather(self.rank), MpiTransport(comm)

    def transport(self, ranks: list[int], name: str) -> Transport:
        """Return what connects some of the ranks, who all call this."""
        everyone = self._comm.Get_group()
        members = everyone.Incl(ranks)
        comm = self._comm.Create_group(members, tag=zlib.crc32(name.encode()) % 32768)
        members.Free()
        everyone.Free()
        return MpiTransport(comm)

    def give_way(self, waited: float) -> None:
        """Leave the core to other processes, for longer the longer this one has waited."""
        if waited < _YIELDING:
            os.sched_yield()
        else:
            time.sleep(min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, waited / 2000)))

    def rest(self, seconds: float) -> None:
        """Sleep this many seconds: MPI tells nobody when messages can go on."""
        time.sleep(seconds)

    def leave(self) -> None:
        """End together with the other ranks: see Note [Ending together]."""
        super().leave()
        if not self._failed:
            self.board.write(State.FINISHED)
        limit = time.monotonic() + GRACE if self._failed else float("inf")
        pause = 0.001
        others = [rank for rank in range(self.size) if rank != self.rank]
        well = not self._failed
        while others and time.monotonic() < limit:
            self._comm.Iprobe()  # lets MPI deliver what this rank has sent
            well &= not any(self._ended_badly(rank) for rank in others)
            if not well:
                limit = min(limit, time.monotonic() + GRACE)
            others = [rank for rank in others if not self.has_ended(rank)]
            time.sleep(pause)
            pause = min(0.05, pause * 1.5)
        if well and not others and not self._mpi.Is_finalized():
            self.board.close()
            self._mpi.Finalize()

    def _ended_badly(self, rank: int) -> bool:
        entry = self.board.read(rank)
        return entry is not None and (
            entry.state in (State.FAILED, State.FOLLOWING)
            or (entry.state != State.FINISHED and self.board.is_gone(rank))
        )


def start_mpi() -> World:
    """Start MPI, and return the world of the processes that it has started.

    Raises NotImplementedError if mpi4py is missing.
    """
    try:
        import mpi4py
    except ModuleNotFoundError as error:
        raise UnimplementedError(
            "a process group over MPI needs mpi4py and an MPI library: pip install 'pellucid[mpi]'"
        ) from error
    if "mpi4py.MPI" not in sys.modules:
        mpi4py.rc.finalize = False  # see Note [Ending together]
    from mpi4py import MPI

    return MpiWorld(MPI)
