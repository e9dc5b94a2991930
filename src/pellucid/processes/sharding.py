"""Tensors of which each rank of a group has some rows, or some slices along another dim."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.processes.exchanges import part_of
from pellucid.processes.groups import ProcessGroup

Array = np.ndarray[Any, Any]


class Sharding:
    """How a tensor is dealt out along a dim: equally much to each rank, less to the last ones."""

    def __init__(self, members: ProcessGroup, shape: tuple[int, ...], dim: int = 0) -> None:
        self.members = members
        #: the shape of the whole tensor, of 1 or more dims
        self.shape = shape
        #: the dim along which it is cut
        self.dim = dim
        count = members.size()
        #: the shape with the dim that is cut first, and as long as all parts of full length
        self._padded = (-(-shape[dim] // count) * count, *shape[:dim], *shape[dim + 1 :])
        #: the number of elements that each rank sends
        self.size = int(np.prod(self._padded)) // count

    @property
    def mine(self) -> tuple[slice, ...]:
        """Where the part of this rank lies in the whole tensor."""
        part = part_of(self.shape[self.dim], self.members.size(), self.members.rank())
        return (*(slice(None) for _ in range(self.dim)), slice(*part))

    def padded(self, part: Array, dtype: np.dtype[Any]) -> Array:
        """Return this rank's part as flat memory that is as long for all ranks."""
        flat = np.zeros((self._padded[0] // self.members.size(), *self._padded[1:]), dtype)
        flat[: part.shape[self.dim]] = np.moveaxis(part, self.dim, 0)
        return flat.reshape(-1)

    def all_padded(self, whole: Array, dtype: np.dtype[Any]) -> Array:
        """Return the parts of all ranks, each as `padded` has it, as the rows of a matrix."""
        full = np.zeros(self._padded, dtype)
        full[: self.shape[self.dim]] = np.moveaxis(whole, self.dim, 0)
        return full.reshape(self.members.size(), self.size)

    def whole(self, parts: Array) -> Array:
        """Return the tensor that the rows of a matrix make up, in contiguous memory."""
        full = np.ascontiguousarray(parts).reshape(self._padded)[: self.shape[self.dim]]
        return np.ascontiguousarray(np.moveaxis(full, 0, self.dim))

    def unpadded(self, flat: Array, length: int) -> Array:
        """Return the part of a rank, so long in the dim that is cut, from what `padded` gave."""
        return np.moveaxis(flat.reshape(-1, *self._padded[1:])[:length], 0, self.dim)
