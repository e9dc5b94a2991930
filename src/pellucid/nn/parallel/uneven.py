"""Data-parallel training of ranks with different numbers of batches.

A rank without further batches takes part, with zeros, in the reductions of the others until all
ranks have finished.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from pellucid.processes.groups import ProcessGroup
from pellucid.processes.work import Work


class Doing(enum.IntEnum):
    """What a rank announces to the others at each forward pass."""

    THROUGH = 0
    #: gradients stay on the rank
    ALONE = 1
    #: gradients are reduced
    TOGETHER = 2


class Attendance:
    """Exchange, at each forward pass, of which ranks still have batches."""

    def __init__(self, members: ProcessGroup, divide_by_all: bool, throw: bool) -> None:
        self._members = members
        self._comm: Any = members.another_communicator()
        self._divide_by_all = divide_by_all
        self._throw = throw
        self.active = list(range(members.size()))

    def tell(self, doing: Doing) -> Doing:
        """Announce what this rank does and return the greatest value of all ranks.

        Raises RuntimeError if a rank has finished and early termination is an error.
        """
        every = np.zeros(self._members.size(), np.int64)
        action = self._members.action("DistributedDataParallel.join")
        mine = np.array([doing], np.int64)
        Work(action, self._comm.all_gather(every, mine, None)).wait()
        active = np.flatnonzero(every).tolist()
        if self._throw and len(active) < self._members.size():
            raise RuntimeError(
                "Detected at least one rank that exhausted inputs. Throwing across all ranks."
            )
        self.active = active or self.active
        return Doing(int(every.max()))

    @property
    def leader(self) -> int:
        """The rank of the group whose buffers, and at the end parameters, are used."""
        return max(self.active)

    @property
    def divisor(self) -> int:
        """The number by which sums of gradients are divided."""
        return self._members.size() if self._divide_by_all else len(self.active)
