"""What a process group needs of its transport, and the transport of a group of one.

Every method starts an exchange of contiguous arrays and returns requests; the arrays must stay
as they are until all requests are done. Ranks are those within the group.
"""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import numpy as np

from pellucid.processes.reductions import RedOpType
from pellucid.processes.shared_reductions import LARGEST, SMALLEST, SharedMemory, shared_memory

Array = np.ndarray[Any, Any]


class Request(Protocol):
    """An exchange that has been started."""

    def Test(self) -> bool:
        """Drive the exchange, and tell whether it is done."""
        ...


class Done:
    """An exchange that was done at once."""

    def Test(self) -> bool:
        return True


class Agreement:
    """A number of each rank, of which all ranks are to see whether it is the same on all.

    Args:
        number: The number of this rank.
    """

    def __init__(self, number: int) -> None:
        #: the greatest number of all ranks, and of their opposites, once the requests are done
        self.both = np.array([number, -number], np.int64)
        self.requests: list[Request] = []

    @property
    def is_reached(self) -> bool:
        """Whether all ranks have the same number."""
        return bool(self.both[0] == -self.both[1])


class Communicator(Protocol):
    """Exchanges between the ranks of one group."""

    def free(self) -> Any:
        """Give back what it holds of the transport."""
        ...

    def agree(self, number: int) -> Agreement:
        """Find out whether all ranks have the same number."""
        ...

    def agree_and_reduce(self, number: int, array: Array, op: RedOpType) -> Agreement | None:
        """Do both in one exchange, and reduce nothing unless all agree; None if that cannot be.

        Other ranks may call `agree` meanwhile, and see that the numbers differ.
        """
        ...

    def barrier(self) -> list[Request]:
        """Wait until all ranks are here."""
        ...

    def all_reduce(self, array: Array, op: RedOpType) -> list[Request]:
        """Replace the array by the reduction over all ranks."""
        ...

    def all_reduce_agreed(
        self, array: Array, op: RedOpType, factor: float = 1.0
    ) -> list[Request]:  # fmt: skip
        """Do the same where all ranks are known to do so, with arrays of one size.

        The arrays are multiplied by the factor before that. Unless the ranks have called
        `share_memory` before, they wait for one another here.
        """
        ...

    def share_memory(self) -> None:
        """Have large arrays on which all agree reduced in memory in common, if there is any.

        All ranks call this at the same place.
        """
        ...

    def reduce(self, array: Array, op: RedOpType, root: int) -> list[Request]:
        """Replace the root's array by the reduction over all ranks."""
        ...

    def reduce_scatter(self, out: Array, array: Array, op: RedOpType) -> list[Request]:
        """Reduce the arrays, of which each rank gets its part."""
        ...

    def broadcast(self, array: Array, root: int) -> list[Request]:
        """Copy the root's array to all ranks."""
        ...

    def all_gather(self, out: Array, array: Array, counts: list[int] | None) -> list[Request]:
        """Join the arrays of all ranks, of ``counts`` bytes each if they differ."""
        ...

    def gather(self, out: Array | None, array: Array, root: int) -> list[Request]:
        """Join the arrays of all ranks at the root."""
        ...

    def scatter(self, array: Array, parts: Array | None, root: int) -> list[Request]:
        """Give each rank its part of the root's array."""
        ...

    def all_to_all(
        self, out: Array, out_counts: list[int], array: Array, counts: list[int]
    ) -> list[Request]:
        """Send a part to, and get a part from, each rank; counts are in bytes."""
        ...

    def send(self, array: Array, to: int, tag: int) -> Request:
        """Send an array to one rank."""
        ...

    def receive(self, array: Array, source: int | None, tag: int) -> Request:
        """Receive an array from one rank, or from any."""
        ...


def as_bytes(array: Array) -> Array:
    """Return the memory of a contiguous array as bytes."""
    return array.reshape(-1).view(np.uint8)


class AgreeingByReduction:
    """What finds out whether all ranks agree by a reduction, and reduces in one way only."""

    def all_reduce(self, array: Array, op: RedOpType) -> list[Request]:
        """Replace the array by the reduction over all ranks."""
        raise NotImplementedError

    def all_reduce_agreed(
        self, array: Array, op: RedOpType, factor: float = 1.0
    ) -> list[Request]:  # fmt: skip
        if factor != 1:
            array *= array.dtype.type(factor)
        return self.all_reduce(array, op)

    def share_memory(self) -> None:
        pass

    def agree(self, number: int) -> Agreement:
        made = Agreement(number)
        made.requests = self.all_reduce(made.both, RedOpType.MAX)
        return made

    def agree_and_reduce(self, number: int, array: Array, op: RedOpType) -> Agreement | None:
        return None


class SoloCommunicator(AgreeingByReduction):
    """The transport of a group of one, whose exchanges are copies."""

    def free(self) -> None:
        pass

    def barrier(self) -> list[Request]:
        return []

    def all_reduce(self, array: Array, op: RedOpType) -> list[Request]:
        return []

    def reduce(self, array: Array, op: RedOpType, root: int) -> list[Request]:
        return []

    def reduce_scatter(self, out: Array, array: Array, op: RedOpType) -> list[Request]:
        return self._copied(out, array)

    def broadcast(self, array: Array, root: int) -> list[Request]:
        return []

    def all_gather(self, out: Array, array: Array, counts: list[int] | None) -> list[Request]:
        return self._copied(out, array)

    def gather(self, out: Array | None, array: Array, root: int) -> list[Request]:
        return [] if out is None else self._copied(out, array)

    def scatter(self, array: Array, parts: Array | None, root: int) -> list[Request]:
        return [] if parts is None else self._copied(array, parts)

    def all_to_all(
        self, out: Array, out_counts: list[int], array: Array, counts: list[int]
    ) -> list[Request]:
        return self._copied(out, array)

    def send(self, array: Array, to: int, tag: int) -> Request:
        return Done()

    def receive(self, array: Array, source: int | None, tag: int) -> Request:
        return Done()

    def _copied(self, out: Array, array: Array) -> list[Request]:
        as_bytes(out)[...] = as_bytes(array)
        return []


def _free(comm: Any, mpi: Any) -> None:
    """Free a communicator; what is still under way over it is completed first."""
    if comm != mpi.COMM_NULL and not mpi.Is_finalized():
        comm.Free()


#: bytes that ranks reduce in one call: MPICH takes ten times as long for four times 16 MiB
_MOST_AT_ONCE = 1 << 24


class MpiCommunicator(AgreeingByReduction):
    """The transport over an MPI communicator: non-blocking calls on the arrays' own memory.

    MPI has some thousand communicators; this one is freed with its group, or once nobody has it.
    """

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self.comm = comm
        self._mpi = MPI
        self._freeing = weakref.finalize(self, _free, comm, MPI)
        self._freeing.atexit = False  # MPI's own end frees what is left
        self._has_tried_to_share = False
        self._shared: SharedMemory | None = None
        self._ops = {
            RedOpType.SUM: MPI.SUM, RedOpType.PRODUCT: MPI.PROD, RedOpType.MIN: MPI.MIN,
            RedOpType.MAX: MPI.MAX, RedOpType.BAND: MPI.BAND, RedOpType.BOR: MPI.BOR,
            RedOpType.BXOR: MPI.BXOR,
        }  # fmt: skip

    def free(self) -> None:
        self._freeing()
        self._shared = None

    def share_memory(self) -> None:
        if not self._has_tried_to_share:
            self._has_tried_to_share = True
            self._shared = shared_memory(self.comm)

    def all_reduce_agreed(
        self, array: Array, op: RedOpType, factor: float = 1.0
    ) -> list[Request]:  # fmt: skip
        if SMALLEST <= array.nbytes <= LARGEST:
            self.share_memory()
            if self._shared is not None:
                return [self._shared.all_reduce(array, op, factor)]
        return super().all_reduce_agreed(array, op, factor)

    def barrier(self) -> list[Request]:
        return [self.comm.Ibarrier()]

    def all_reduce(self, array: Array, op: RedOpType) -> list[Request]:
        if array.nbytes <= _MOST_AT_ONCE:
            parts = [array]
        else:
            flat, step = array.ravel("K"), _MOST_AT_ONCE // array.itemsize
            parts = [flat[first : first + step] for first in range(0, flat.size, step)]
        return [self.comm.Iallreduce(self._mpi.IN_PLACE, each, self._ops[op]) for each in parts]

    def reduce(self, array: Array, op: RedOpType, root: int) -> list[Request]:
        if self.comm.rank == root:
            return [self.comm.Ireduce(self._mpi.IN_PLACE, array, self._ops[op], root)]
        return [self.comm.Ireduce(array, None, self._ops[op], root)]

    def reduce_scatter(self, out: Array, array: Array, op: RedOpType) -> list[Request]:
        return [self.comm.Ireduce_scatter_block(array, out, self._ops[op])]

    def broadcast(self, array: Array, root: int) -> list[Request]:
        return [self.comm.Ibcast(self._bytes(array), root)]

    def all_gather(self, out: Array, array: Array, counts: list[int] | None) -> list[Request]:
        if counts is None:
            return [self.comm.Iallgather(self._bytes(array), self._bytes(out))]
        return [self.comm.Iallgatherv(self._bytes(array), self._parts(out, counts))]

    def gather(self, out: Array | None, array: Array, root: int) -> list[Request]:
        target = None if out is None else self._bytes(out)
        return [self.comm.Igather(self._bytes(array), target, root)]

    def scatter(self, array: Array, parts: Array | None, root: int) -> list[Request]:
        source = None if parts is None else self._bytes(parts)
        return [self.comm.Iscatter(source, self._bytes(array), root)]

    def all_to_all(
        self, out: Array, out_counts: list[int], array: Array, counts: list[int]
    ) -> list[Request]:
        return [self.comm.Ialltoallv(self._parts(array, counts), self._parts(out, out_counts))]

    def send(self, array: Array, to: int, tag: int) -> Request:
        return self.comm.Isend(self._bytes(array), to, tag)

    def receive(self, array: Array, source: int | None, tag: int) -> Request:
        anyone = self._mpi.ANY_SOURCE if source is None else source
        return Receiving(self.comm.Irecv(self._bytes(array), anyone, tag), self._mpi)

    def _bytes(self, array: Array) -> list[Any]:
        return [as_bytes(array), self._mpi.BYTE]

    def _parts(self, array: Array, counts: list[int]) -> list[Any]:
        starts = np.concatenate(([0], np.cumsum(counts)[:-1])).tolist()
        return [as_bytes(array), (counts, starts), self._mpi.BYTE]


class Receiving:
    """A message on its way here, which says who sent it and how long it was."""

    def __init__(self, request: Any, mpi: Any) -> None:
        self._request = request
        self._mpi = mpi
        self._status = mpi.Status()
        self.source: int | None = None
        self.nbytes: int | None = None

    def Test(self) -> bool:
        if not self._request.Test(self._status):
            return False
        if self.source is None:
            self.source = self._status.Get_source()
            self.nbytes = self._status.Get_count(self._mpi.BYTE)
        return True
