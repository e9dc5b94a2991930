"""Reductions in memory that the processes of one machine share.

# Note [Reductions in shared memory]

MPI copies a large array through small buffers, or has the system copy it, and then reduces it. Here
each rank copies it, piece by piece, to places that the others can read, and reduces what is there.
Two counters of each rank say how many pieces it has put there and how many it has taken, so that no
message is sent, and a place is written again once all have taken what was in it. The pieces of all
reductions are numbered in one row, which is why all ranks have to reduce the same arrays in the
same order: whoever calls this knows that they do. All combine the operands in the order of the
ranks, so that all have the same bits.

That the others see a piece before they see it counted is a promise of x86-64 processors, not of
all; MPI reduces everything on others.
"""

from __future__ import annotations

import collections
import functools
import platform
import socket
import threading
from typing import Any

import numpy as np

from pellucid.processes.reductions import UFUNCS, RedOpType
from pellucid.processes.sockets.memory import PIECE, Memory, OwnMemory, mapped_memory

Array = np.ndarray[Any, Any]

#: bytes of an array that is reduced here: MPI is quicker with fewer, and no slower with more
SMALLEST, LARGEST = 1 << 14, 1 << 23
#: places of a rank for its pieces, few enough to stay in the cache of its core
_PLACES = 4
#: ranks up to which each reads what all the others have put into their memory
_FEW = 4
_CAN_SHARE = platform.machine() in ("x86_64", "AMD64")


class Reduction:
    """A reduction that has been started.

    Args:
        shared: The memory.
        array: The array, which is replaced.
        combine: The operation.
        factor: What the elements are multiplied by before.
        first: The number of its first piece.
    """

    def __init__(
        self, shared: SharedMemory, array: Array, combine: np.ufunc, factor: float, first: int
    ) -> None:  # fmt: skip
        self._shared = shared
        self._flat = array.reshape(-1)
        self._step = PIECE // array.itemsize
        self.combine = combine
        self.factor = None if factor == 1 else array.dtype.type(factor)
        self.first = first
        #: the number of the piece after its last one
        self.stop = first + -(-self._flat.size // self._step)

    def piece(self, number: int) -> Array:
        """Return the elements of a piece."""
        start = (number - self.first) * self._step
        return self._flat[start : start + self._step]

    def Test(self) -> bool:
        """Drive the reductions, and tell whether this one is done."""
        return self._shared.taken >= self.stop or self._shared.drive() >= self.stop


class SharedMemory:
    """Memory of some ranks of a machine, for the reductions of one communicator.

    Args:
        memories: That of each rank.
        rank: The rank of this process.
    """

    def __init__(self, memories: list[Memory], rank: int) -> None:
        self._rank = rank
        self._places = [each.outbox(0) for each in memories]
        #: how many pieces each rank has put into its memory, and how many it has taken from others
        self._puts = [each.slot[:8].view(np.int64) for each in memories]
        self._takes = [each.slot[64:72].view(np.int64) for each in memories]
        self._others = [other for other in range(len(memories)) if other != rank]
        #: how many pieces this rank has put into its memory, and how many it has taken
        self.put = self.taken = 0
        self._stop = 0
        self._to_put: collections.deque[Reduction] = collections.deque()
        self._to_take: collections.deque[Reduction] = collections.deque()
        #: held by whoever moves pieces
        self._lock = threading.Lock()

    def all_reduce(self, array: Array, op: RedOpType, factor: float) -> Reduction:
        """Start to replace a contiguous array by the reduction of its multiples on all ranks."""
        reduction = Reduction(self, array, UFUNCS[op], factor, self._stop)
        self._stop = reduction.stop
        self._to_take.append(reduction)
        self._to_put.append(reduction)
        self.drive()
        return reduction

    def drive(self) -> int:
        """Put and take what can be at the moment; return how many pieces have been taken."""
        if not self._lock.acquire(blocking=False):
            return self.taken  # another thread does
        try:
            while self._put_one() | self._take_one():
                pass
        finally:
            self._lock.release()
        return self.taken

    def _put_one(self) -> bool:
        """Put a piece into this rank's memory, if one is left and its place is free."""
        if not self._to_put:
            return False
        if any(taken[0] <= self.put - _PLACES for taken in self._takes):
            return False
        reduction = self._to_put[0]
        piece = reduction.piece(self.put)
        place = self._place(self._rank, self.put, piece)
        if reduction.factor is None:
            np.copyto(place, piece)
        else:
            np.multiply(piece, reduction.factor, out=place)
        self.put += 1
        self._puts[self._rank][0] = self.put
        if self.put == reduction.stop:
            self._to_put.popleft()
        return True

    def _take_one(self) -> bool:
        """Reduce a piece, if all have put theirs into their memory."""
        number = self.taken
        if number == self.put or any(self._puts[other][0] <= number for other in self._others):
            return False
        reduction = self._to_take[0]
        piece = reduction.piece(number)
        *early, last = (self._place(rank, number, piece) for rank in range(len(self._places)))
        combine = reduction.combine
        combine(functools.reduce(combine, early), last, out=piece)
        self._takes[self._rank][0] = number + 1
        if number + 1 == reduction.stop:
            self._to_take.popleft()
        self.taken = number + 1
        return True

    def _place(self, rank: int, number: int, piece: Array) -> Array:
        """Return the memory of a rank in which it has a piece, as elements like these."""
        return self._places[rank][number % _PLACES, : piece.nbytes].view(piece.dtype)


def shared_memory(comm: Any) -> SharedMemory | None:
    """Return memory for the ranks of an MPI communicator, who all call this.

    None if they are not on one machine, or are many.
    """
    if not _CAN_SHARE or not 1 < comm.size <= _FEW:
        return None
    mine = OwnMemory(1)
    told = comm.allgather((socket.gethostname(), mine.path, mine.mark))
    memories: list[Memory | None] = [
        mapped_memory(path, mark) if host == socket.gethostname() else None
        for host, path, mark in told
    ]
    memories[comm.rank] = mine
    found = [each for each in memories if each is not None]
    all_have_all = all(comm.allgather(len(found) == comm.size))
    mine.hide()
    return SharedMemory(found, comm.rank) if all_have_all else None
