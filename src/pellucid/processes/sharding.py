"""Tensors of which each rank of a group has some rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.processes.communicator import Communicator
from pellucid.processes.groups import ProcessGroup
from pellucid.processes.reductions import RedOpType
from pellucid.processes.work import Work

Array = np.ndarray[Any, Any]


class Sharding:
    """How the rows of a tensor are dealt out: equally many to each rank, fewer to the last ones."""

    def __init__(self, members: ProcessGroup, comm: Communicator, shape: tuple[int, ...]) -> None:
        self.members = members
        self.comm = comm
        #: the shape of the whole tensor, of 1 or more dims
        self.shape = shape
        #: rows of each rank, where there are enough
        self.rows = -(-shape[0] // members.size())

    def part_of(self, rank: int) -> slice:
        """Return the rows of a rank of the group."""
        count = self.shape[0]
        return slice(min(rank * self.rows, count), min((rank + 1) * self.rows, count))

    @property
    def mine(self) -> slice:
        """The rows of this rank."""
        return self.part_of(self.members.rank())

    def padded(self, part: Array, dtype: np.dtype[Any]) -> Array:
        """Return a rank's rows as flat memory that is as long for all ranks."""
        flat = np.zeros((self.rows, *self.shape[1:]), dtype)
        flat[: len(part)] = part
        return flat.reshape(-1)

    def gathered(self, part: Array) -> Array:
        """Return the whole array, of which each rank gives its part; all ranks ask for it."""
        whole = np.empty((self.members.size() * self.rows, *self.shape[1:]), part.dtype)
        action = self.members.action(f"all_gather of a sharded tensor {list(self.shape)}")
        requests = self.comm.all_gather(whole, self.padded(part, part.dtype), None)
        Work(action, requests).wait()
        return whole[: self.shape[0]]

    def reduced(self, value: float, op: str) -> float:
        """Return the reduction of a number over the ranks; ``op`` is a name of `RedOpType`."""
        if self.members.size() == 1:
            return value
        number = np.array([value], np.float64)
        action = self.members.action("norm of sharded gradients")
        Work(action, self.comm.all_reduce(number, RedOpType[op])).wait()
        return float(number[0])
