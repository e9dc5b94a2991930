"""Arrays of which few parts are not zero, as gradients of tables flow."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.outbuildings import outbuildings


class SparseArray:
    """A gradient in coordinate format: indices ``[k, n]``, values ``[n, *rest]``, which add up.

    It flows through the graph as arrays do. Together with a dense gradient it becomes dense.
    """

    __slots__ = ("dtype", "coordinates", "shape", "values")

    def __init__(self, coordinates: Any, values: Any, shape: tuple[int, ...]) -> None:
        self.coordinates = coordinates
        self.values = values
        self.shape = tuple(shape)
        self.dtype = values.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __add__(self, other: Any) -> Any:
        """Return the sum; of what came later the elements come first, as in PyTorch's engine."""
        if not isinstance(other, SparseArray):
            return self.added_to(np.array(other))
        coordinates = np.concatenate([other.coordinates, self.coordinates], 1)
        return SparseArray(coordinates, np.concatenate([other.values, self.values]), self.shape)

    __radd__ = __add__

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **_: Any
    ) -> Any:
        """Add to an array, which asks this one: to a copy of it, or in place."""
        if ufunc is not np.add or method != "__call__":
            return NotImplemented
        array = next(each for each in inputs if each is not self)
        return self.added_to(*out) if out else self + array

    def astype(self, dtype: Any, copy: bool = True) -> SparseArray:
        return SparseArray(self.coordinates, self.values.astype(dtype, copy=copy), self.shape)

    @property
    def real(self) -> SparseArray:
        return SparseArray(self.coordinates, self.values.real, self.shape)

    def conj(self) -> SparseArray:
        return SparseArray(self.coordinates, self.values.conj(), self.shape)

    def copy(self) -> SparseArray:
        return SparseArray(self.coordinates, self.values.copy(), self.shape)

    def merged(self) -> SparseArray:
        """Return the same with each place once."""
        sizes = self.shape[: len(self.coordinates)]
        flat = np.zeros(self.coordinates.shape[1], np.int64)
        if self.coordinates.size:
            flat += np.ravel_multi_index(tuple(self.coordinates), sizes)
        _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
        if len(first) == len(flat):
            return self
        values = np.zeros((len(first), *self.values.shape[1:]), self.dtype)
        np.add.at(values, inverse, self.values)
        return SparseArray(self.coordinates[:, first], values, self.shape)

    def added_to(self, array: Any) -> Any:
        """Add to the elements of an array, in place, and return it."""
        merged = self.merged()
        array[tuple(merged.coordinates)] += merged.values
        return array

    def dense(self) -> Any:
        """Return the array with all its elements."""
        return self.added_to(np.zeros(self.shape, self.dtype))

    def reshape(self, shape: tuple[int, ...]) -> Any:
        """Return the dense array in another shape."""
        return self.dense().reshape(shape)

    def tensor(self) -> Any:
        """Return the sparse tensor of these coordinates and values, which may be a tensor."""
        return outbuildings.sparse().coordinate.of_array(self)
