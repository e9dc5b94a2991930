"""The exchanges of a group, made of messages between its members.

# Note [Algorithms over sockets]

Each exchange is a generator that starts messages, yields them, and goes on once they are done. What
costs is to wake another process, more than to copy: so two ranks swap their arrays as a whole, and
a few swap small ones each with each, together with the number on which they have to agree. Large
arrays are reduced and gathered in a ring, in which each rank sends 2 (p-1)/p of the array,
as little as can be (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
workstations", 2009), and one rank computes each element. Small ones of many are swapped with
the rank 1, 2, 4, ... away, in about log2(p) messages one after the other (recursive doubling).
Where the same element is computed by several, they compute the same operations on the same operands
in the same order. So all ranks have the same bits.
"""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

from pellucid.processes.communicator import (
    AgreeingByReduction,
    Agreement,
    Request,
    as_bytes,
)
from pellucid.processes.reductions import UFUNCS, RedOpType
from pellucid.processes.sockets.links import Links, Receiving, Reducing, Sending

Array = np.ndarray[Any, Any]
#: an exchange, which yields the messages that it waits for
Steps = Generator[Sequence[Sending | Receiving], None, None]

#: bytes up to which an array is reduced in as few messages as can be
_SMALL = 1 << 14
#: ranks up to which each tells each on what it agrees
_FEW = 8
#: bytes up to which two ranks swap arrays; and those which one rank sends of more
_SWAPPED, _SENT_TO_ALL = 1 << 22, 1 << 19
_NOTHING = np.empty(0, np.uint8)


class Exchange:
    """An exchange that has been started, which goes from step to step when it is asked."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._messages: list[Sending | Receiving] = []
        self._is_done = False
        self.Test()

    def Test(self) -> bool:
        """Drive the exchange, and tell whether it is done."""
        while not self._is_done:
            while self._messages and self._messages[-1].Test():
                self._messages.pop()
            if self._messages:
                return False
            try:
                self._messages = list(next(self._steps))
            except StopIteration:
                self._is_done = True
        return True


class SocketCommunicator(AgreeingByReduction):
    """The transport of a group over the connections of its processes.

    Args:
        links: The connections.
        ranks: World ranks of the members.
        rank: World rank of this process.
        name: What tells this transport from the others, the same on all members.
    """

    def __init__(self, links: Links, ranks: list[int], rank: int, name: str) -> None:
        self._links = links
        self._ranks = ranks
        self._rank = ranks.index(rank)
        self._size = len(ranks)
        self._channel = zlib.crc32(name.encode()) << 1
        self._tags = itertools.count()

    def free(self) -> None:
        """Leave: there is nothing to give back."""

    def barrier(self) -> list[Request]:
        """Wait until all ranks are here."""
        return [Exchange(self._barrier(next(self._tags)))]

    def agree(self, number: int) -> Agreement:
        """Find out whether all ranks have the same number."""
        if self._size > _FEW:
            return super().agree(number)
        made = Agreement(number)
        made.requests = [Exchange(self._swap(made, None, RedOpType.SUM, next(self._tags)))]
        return made

    def agree_and_reduce(self, number: int, array: Array, op: RedOpType) -> Agreement | None:
        """Do both in one exchange, if the array is small enough."""
        if not self._can_swap(array.nbytes):
            return None
        made = Agreement(number)
        made.requests = [Exchange(self._swap(made, array.reshape(-1), op, next(self._tags)))]
        return made

    def _can_swap(self, nbytes: int) -> bool:
        """Return whether it is best that each rank sends this many bytes to each."""
        if self._size == 2:
            return nbytes <= _SWAPPED
        return self._size <= _FEW and nbytes * (self._size - 1) <= _SENT_TO_ALL

    def all_reduce(self, array: Array, op: RedOpType) -> list[Request]:
        """Replace the array by the reduction over all ranks."""
        tag, flat = next(self._tags), array.reshape(-1)
        if self._can_swap(array.nbytes):
            return [Exchange(self._swap(None, flat, op, tag))]
        if array.nbytes <= _SMALL:
            return [Exchange(self._double(flat, op, tag))]
        return [Exchange(self._ring(flat, op, tag))]

    def reduce(self, array: Array, op: RedOpType, root: int) -> list[Request]:
        """Replace the root's array by the reduction over all ranks."""
        flat = array.reshape(-1)
        mine = flat if self._rank == root else flat.copy()
        return [Exchange(self._reduce(mine, op, root, next(self._tags)))]

    def reduce_scatter(self, out: Array, array: Array, op: RedOpType) -> list[Request]:
        """Reduce the arrays, of which each rank gets its part."""
        return [Exchange(self._reduce_scatter(out, array, op, next(self._tags)))]

    def broadcast(self, array: Array, root: int) -> list[Request]:
        """Copy the root's array to all ranks."""
        return [Exchange(self._broadcast(array, root, next(self._tags)))]

    def all_gather(self, out: Array, array: Array, counts: list[int] | None) -> list[Request]:
        """Join the arrays of all ranks, of ``counts`` bytes each if they differ."""
        parts = _parts(as_bytes(out), counts or [array.nbytes] * self._size)
        parts[self._rank][...] = as_bytes(array)
        return [Exchange(self._pass_around(parts, self._rank, next(self._tags)))]

    def gather(self, out: Array | None, array: Array, root: int) -> list[Request]:
        """Join the arrays of all ranks at the root."""
        tag = next(self._tags)
        if out is None:
            return [self._send(array, root, tag)]
        parts = _parts(as_bytes(out), [array.nbytes] * self._size)
        parts[self._rank][...] = as_bytes(array)
        return [self._receive(parts[rank], rank, tag) for rank in self._others()]

    def scatter(self, array: Array, parts: Array | None, root: int) -> list[Request]:
        """Give each rank its part of the root's array."""
        tag = next(self._tags)
        if parts is None:
            return [self._receive(array, root, tag)]
        each = _parts(as_bytes(parts), [array.nbytes] * self._size)
        as_bytes(array)[...] = each[self._rank]
        return [self._send(each[rank], rank, tag) for rank in self._others()]

    def all_to_all(
        self, out: Array, out_counts: list[int], array: Array, counts: list[int]
    ) -> list[Request]:
        """Send a part to, and get a part from, each rank; counts are in bytes."""
        tag = next(self._tags)
        outgoing, incoming = _parts(as_bytes(array), counts), _parts(as_bytes(out), out_counts)
        incoming[self._rank][...] = outgoing[self._rank]
        messages: list[Request] = []
        for rank in self._others():
            messages.append(self._receive(incoming[rank], rank, tag))
            messages.append(self._send(outgoing[rank], rank, tag))
        return messages

    def send(self, array: Array, to: int, tag: int) -> Request:
        """Send an array to one rank."""
        return self._links.send(array, self._ranks[to], self._channel + 1, tag)

    def receive(self, array: Array, source: int | None, tag: int) -> Request:
        """Receive an array from one rank, or from any."""
        world_rank = None if source is None else self._ranks[source]
        return self._links.receive(array, world_rank, self._channel + 1, tag, self._ranks)

    def _send(self, array: Array, to: int, tag: int) -> Sending:
        return self._links.send(array, self._ranks[to], self._channel, tag)

    def _receive(
        self, array: Array, source: int, tag: int, combine: np.ufunc | None = None
    ) -> Receiving:
        rank = self._ranks[source]
        reducing = None if combine is None else Reducing(combine)
        return self._links.receive(array, rank, self._channel, tag, self._ranks, reducing)

    def _others(self) -> Iterator[int]:
        """Return the other members, each rank beginning with the one after it."""
        return ((self._rank + by) % self._size for by in range(1, self._size))

    def _barrier(self, tag: int) -> Steps:
        """Send to the rank 1, 2, 4, ... further on, and hear from the one as far back."""
        by = 1
        while by < self._size:
            back, on = (self._rank - by) % self._size, (self._rank + by) % self._size
            yield [self._send(_NOTHING, on, tag), self._receive(_NOTHING, back, tag)]
            by *= 2

    def _broadcast(self, array: Array, root: int, tag: int) -> Steps:
        """Receive from the parent in a binomial tree, and send to the children."""
        place = (self._rank - root) % self._size
        by = 1
        while by < self._size and not place & by:
            by *= 2
        if place:
            yield [self._receive(array, (place - by + root) % self._size, tag)]
        children: list[Sending | Receiving] = []
        while by > 1:
            by //= 2
            if place + by < self._size:
                children.append(self._send(array, (place + by + root) % self._size, tag))
        yield children

    def _reduce(self, array: Array, op: RedOpType, root: int, tag: int) -> Steps:
        """Combine what the children in a binomial tree send, and send it to the parent."""
        place = (self._rank - root) % self._size
        combine = UFUNCS[op]
        by = 1
        while by < self._size:
            if place & by:
                yield [self._send(array, (place - by + root) % self._size, tag)]
                return
            if place + by < self._size:
                yield [self._receive(array, (place + by + root) % self._size, tag, combine)]
            by *= 2

    def _swap(
        self, agreement: Agreement | None, array: Array | None, op: RedOpType, tag: int
    ) -> Steps:
        """Send number and array to all others, and reduce what comes of them once all agree."""
        others = list(self._others())
        numbers, parts = np.empty(self._size, np.int64), list[Array]()
        sent, data = list[Sending](), list[Receiving]()
        with self._links.held():  # nothing is read meanwhile
            for rank in others:
                to = self._ranks[rank]
                if agreement is not None:
                    sent.append(self._links.post(agreement.both[:1], to, self._channel, tag))
                if array is not None:
                    sent.append(self._links.post(array, to, self._channel, tag))
                self._links.flush(to)
            # What has been sent, or is in an outbox, may be replaced by what comes.
            in_place = len(others) == 1 and all(each.is_done for each in sent)
            messages: list[Sending | Receiving] = [*sent]
            if agreement is not None:
                numbers[self._rank] = agreement.both[0]
                messages += [self._receive(numbers[at : at + 1], at, tag) for at in others]
            if array is not None and in_place:
                data = [self._reducing(array, op, others[0], tag, agreement, numbers)]
            elif array is not None:
                everyone = range(self._size)
                parts = [array if at == self._rank else np.empty_like(array) for at in everyone]
                data = [self._receive(parts[at], at, tag) for at in others]
        yield messages
        if agreement is not None:
            agreement.both[:] = numbers.max(), -numbers.min()
            if not agreement.is_reached:
                return  # the others may send nothing more
        yield data
        if array is not None and parts:
            np.copyto(array, functools.reduce(UFUNCS[op], parts))

    def _reducing(
        self, array: Array, op: RedOpType, other: int, tag: int, agreement: Agreement | None,
        numbers: Array,
    ) -> Receiving:  # fmt: skip
        """Start to reduce an array with that of another rank, unless their numbers differ."""

        def is_wanted() -> bool:
            return agreement is None or numbers[0] == numbers[1]

        return self._links.receive(
            array, self._ranks[other], self._channel, tag, self._ranks,
            Reducing(UFUNCS[op], self._rank > other, is_wanted),
        )  # fmt: skip

    def _double(self, array: Array, op: RedOpType, tag: int) -> Steps:
        """Swap with the rank 1, 2, 4, ... away, and reduce; what is above a power of 2 waits."""
        combine, rank = UFUNCS[op], self._rank
        power = 1 << (self._size.bit_length() - 1)
        if rank >= power:
            yield [self._send(array, rank - power, tag)]
            yield [self._receive(array, rank - power, tag)]
            return
        waiting = rank + power < self._size
        if waiting:
            yield [self._receive(array, rank + power, tag, combine)]
        by = 1
        while by < power:
            other = rank ^ by
            theirs = np.empty_like(array)
            yield [self._send(array, other, tag), self._receive(theirs, other, tag)]
            low, high = (array, theirs) if rank < other else (theirs, array)
            combine(low, high, out=array)
            by *= 2
        if waiting:
            yield [self._send(array, rank + power, tag)]

    def _ring(self, array: Array, op: RedOpType, tag: int) -> Steps:
        """Reduce each part on its way around the ring, and pass the results around."""
        parts = np.array_split(array, self._size)
        yield from self._reduce_around(parts, op, tag)
        yield from self._pass_around(parts, (self._rank + 1) % self._size, tag)

    def _reduce_scatter(self, out: Array, array: Array, op: RedOpType, tag: int) -> Steps:
        flat = array.reshape(-1).copy()
        parts = list(flat.reshape(self._size, -1))
        # The ring completes the part after the rank's own: here, the one of its number.
        turned = [parts[(at - 1) % self._size] for at in range(self._size)]
        yield from self._reduce_around(turned, op, tag)
        out.reshape(-1)[...] = parts[self._rank]

    def _reduce_around(self, parts: list[Array], op: RedOpType, tag: int) -> Steps:
        """Reduce the parts in place; that of the next rank's number is complete in the end."""
        combine, size = UFUNCS[op], self._size
        on, back = (self._rank + 1) % size, (self._rank - 1) % size
        for step in range(size - 1):
            mine, theirs = parts[(self._rank - step) % size], parts[(self._rank - step - 1) % size]
            yield [self._send(mine, on, tag), self._receive(theirs, back, tag, combine)]

    def _pass_around(self, parts: list[Array], first: int, tag: int) -> Steps:
        """Send on what has come last, beginning with the part of this number."""
        size = self._size
        on, back = (self._rank + 1) % size, (self._rank - 1) % size
        for step in range(size - 1):
            mine, theirs = parts[(first - step) % size], parts[(first - step - 1) % size]
            yield [self._send(mine, on, tag), self._receive(theirs, back, tag)]


def _parts(memory: Array, counts: list[int]) -> list[Array]:
    """Return the parts of these lengths of an array."""
    return np.split(memory, np.cumsum(counts)[:-1])
