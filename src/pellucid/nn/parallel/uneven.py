"""Data-parallel training with ranks that have different numbers of batches.

A rank that is through goes on to take part, with zeros, in what the others exchange, until all are.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from pellucid.processes.groups import ProcessGroup
from pellucid.processes.work import Work


class Doing(enum.IntEnum):
    """What a rank tells the others at each forward pass."""

    THROUGH = 0
    #: gradients stay on the rank
    ALONE = 1
    #: gradients are reduced
    TOGETHER = 2


class Attendance:
    """Which ranks still have batches: asked at each forward pass, by all ranks."""

    def __init__(self, members: ProcessGroup, divide_by_all: bool, throw: bool) -> None:
        self._members = members
        self._comm: Any = members.another_communicator()
        self._divide_by_all = divide_by_all
        self._throw = throw
        self.active = list(range(members.size()))

    def tell(self, doing: Doing) -> Doing:
        """Say what this rank does; return what the busiest one does.

        Raises RuntimeError if a rank is through, where that is asked for.
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
        """The rank of the group whose buffers, and in the end parameters, count."""
        return max(self.active)

    @property
    def divisor(self) -> int:
        """What sums of gradients are divided by."""
        return self._members.size() if self._divide_by_all else len(self.active)
