"""Tensors of which each rank of a group has some rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.processes.exchanges import part_of
from pellucid.processes.groups import ProcessGroup

Array = np.ndarray[Any, Any]


class Sharding:
    """How the rows of a tensor are dealt out: equally many to each rank, fewer to the last ones."""

    def __init__(self, members: ProcessGroup, shape: tuple[int, ...]) -> None:
        self.members = members
        #: the shape of the whole tensor, of 1 or more dims
        self.shape = shape
        #: rows of each rank, where there are enough
        self.rows = -(-shape[0] // members.size())

    def part_of(self, rank: int) -> slice:
        """Return the rows of a rank of the group."""
        return slice(*part_of(self.shape[0], self.members.size(), rank))

    @property
    def mine(self) -> slice:
        """The rows of this rank."""
        return self.part_of(self.members.rank())

    def padded(self, part: Array, dtype: np.dtype[Any]) -> Array:
        """Return a rank's rows as flat memory that is as long for all ranks."""
        flat = np.zeros((self.rows, *self.shape[1:]), dtype)
        flat[: len(part)] = part
        return flat.reshape(-1)
