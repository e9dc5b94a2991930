"""Sparse tensors in coordinate format: indices and values."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.sparse_array import SparseArray
from pellucid.core.call.call import new_tensor
from pellucid.core.memory.memory_formats import layout, sparse_coo
from pellucid.errors import GraphError, ShapeError
from pellucid.ops.index.index_slices import index_select, index_select_backward
from pellucid.ops.shape import views
from pellucid.shapes import Size, dim_from_end
from pellucid.sparse.tensor import Array, SparseTensor


class CoordinateTensor(SparseTensor):
    """A tensor in coordinate format: indices ``int64 [sparse_dim, nnz]``, values ``[nnz, *dense]``.

    The first dimensions are sparse; each value has those that follow. Values at the same index
    count as their sum.

    >>> torch.eye(2).to_sparse().indices()
    tensor([[0, 1],
            [0, 1]])
    """

    __slots__ = ("_merged", "_coordinates")

    _coordinates: Array
    _merged: bool
    is_sparse = True

    @property
    def layout(self) -> layout:
        """How the elements are kept: ``torch.sparse_coo``."""
        return sparse_coo

    def sparse_dim(self) -> int:
        """Return the number of sparse dimensions."""
        return len(self._coordinates)

    def dense_dim(self) -> int:
        """Return the number of dimensions that each value has."""
        return len(self._sizes) - len(self._coordinates)

    @property
    def sparse_sizes(self) -> tuple[int, ...]:
        """The sizes of the sparse dimensions."""
        return tuple(self._sizes[: len(self._coordinates)])

    @property
    def dense_sizes(self) -> tuple[int, ...]:
        """The sizes of each value."""
        return tuple(self._sizes[len(self._coordinates) :])

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Return False: there is no order in memory."""
        return False

    def index_parts(self) -> dict[str, Array]:
        return {"indices": self._coordinates}

    def _indices(self) -> Any:
        """Return the coordinates as they are, int64 ``[sparse_dim, nnz]``."""
        return new_tensor(self._coordinates)

    def _values(self) -> Any:
        """Return the values as they are, without history."""
        return self._entries.detach()

    def is_coalesced(self) -> bool:
        """Return whether the indices are known to be sorted and different."""
        return self._merged

    def _coalesced_(self, coalesced: bool) -> CoordinateTensor:
        """Note whether the indices are known to be sorted and different."""
        self._merged = coalesced
        return self

    def indices(self) -> Any:
        """Return the indices, int64 ``[sparse_dim, nnz]``; raise RuntimeError before `coalesce`."""
        self._check_coalesced("indices")
        return new_tensor(self._coordinates)

    def values(self) -> Any:
        """Return the values ``[nnz, *dense]``; raise RuntimeError before `coalesce`."""
        self._check_coalesced("values")
        return self._entries

    def _check_coalesced(self, what: str) -> None:
        if not self._merged:
            raise GraphError(
                f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first"
            )

    def coalesce(self) -> CoordinateTensor:
        """Return a tensor whose indices are sorted and different, adding up what shares one.

        >>> s = torch.sparse_coo_tensor([[1, 0, 1]], [1.0, 2.0, 3.0], (2,))
        >>> s.coalesce().values()
        tensor([2., 4.])
        """
        if self._merged:
            return self
        flat, inverse = np.unique(self.flat_coordinates(), return_inverse=True)
        entries = index_select_backward(
            self._entries, new_tensor(inverse), (len(flat), *self.dense_sizes), 0
        )
        return made(coordinates_of(flat, self.sparse_sizes), entries, self._sizes, merged=True)

    def flat_coordinates(self) -> Array:
        """Return the indices into the flattened sparse dimensions, ``[nnz]``."""
        return flattened(self._coordinates, self.sparse_sizes)

    def filled(self) -> Any:
        """Return the tensor with all its elements."""
        shape = (prod(self.sparse_sizes), *self.dense_sizes)
        flat = index_select_backward(self._entries, new_tensor(self.flat_coordinates()), shape, 0)
        return views.reshape(flat, tuple(self._sizes))

    def repeated(self) -> Array:
        """Return of each value whether one before it has the same index."""
        flat = self.flat_coordinates()
        found = np.ones(len(flat), bool)
        found[slice(None) if self._merged else np.unique(flat, return_index=True)[1]] = False
        return found

    def with_values(self, entries: Any) -> CoordinateTensor:
        """Return a tensor with other values at the same indices."""
        sizes = (*self.sparse_sizes, *entries.shape[1:])
        return made(self._coordinates, entries, sizes, self._merged)

    def coordinate(self) -> CoordinateTensor:
        """Return the tensor itself."""
        return self

    def in_layout(self, other: Any) -> CoordinateTensor:
        """Return a sparse tensor in coordinate format."""
        return other.coordinate()

    def emptied(self) -> CoordinateTensor:
        """Return a tensor of the same size without any values."""
        return empty_of(self._sizes, len(self._coordinates), self._entries)

    def masked(self, dense: Any) -> CoordinateTensor:
        """Return a dense tensor's elements at the indices of this one."""
        if tuple(dense.shape) != tuple(self._sizes):
            raise ShapeError(
                "sparse_mask(): operands have incompatible sizes; self has size "
                f"{list(dense.shape)} but mask has size {list(self._sizes)}"
            )
        if isinstance(dense, SparseTensor):
            dense = dense.to_dense()
        flat = views.reshape(dense, (prod(self.sparse_sizes), *self.dense_sizes))
        return self.with_values(index_select(flat, 0, new_tensor(self.flat_coordinates())))

    def as_array(self) -> SparseArray:
        """Return the coordinates and values without history, as a gradient that is sparse."""
        return SparseArray(self._coordinates, self._entries._array, tuple(self._sizes))

    def permute(self, *dims: Any) -> Any:
        """Return the tensor with its dimensions in another order, sparse ones before dense ones."""
        order = dims[0] if len(dims) == 1 and isinstance(dims[0], Sequence) else dims
        if len(order) != self.ndim:
            raise ShapeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the "
                f"length of the desired ordering of dimensions i.e. input.dim() = {self.ndim} is "
                f"not equal to len(dims) = {len(order)}"
            )
        coordinates = [dim_from_end(dim, self.ndim) for dim in order]
        if len(set(coordinates)) != self.ndim:
            raise ShapeError("permute(): duplicate dims are not allowed.")
        sizes = [self._sizes[position] for position in coordinates]
        count = self.sparse_dim()
        if any(position >= count for position in coordinates[:count]):
            raise ShapeError(
                "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
                "allowed.Only transpositions within sparse and dense dimensions are supported."
            )
        entries = self._entries
        if coordinates[count:] != sorted(coordinates[count:]):
            entries = views.permute(
                entries, (0, *(position - count + 1 for position in coordinates[count:]))
            )
        kept = self._merged and coordinates[:count] == sorted(coordinates[:count])
        return made(self._coordinates[coordinates[:count]], entries, sizes, kept)

    @property
    def T(self) -> Any:
        """The tensor with its dimensions in reverse order."""
        return self.permute(*reversed(range(self.ndim)))

    def sparse_resize_(self, size: Any, sparse_dim: int, dense_dim: int) -> CoordinateTensor:
        """Give the tensor a larger size in place, keeping its elements."""
        self._check_leaf()
        if (sparse_dim, dense_dim) != (self.sparse_dim(), self.dense_dim()) and self._nnz():
            raise ShapeError(
                "changing the number of sparse or dense dimensions on a non-empty sparse tensor is "
                "not supported. If you need an empty sparse tensor of this size, call "
                "`x = torch.sparse_coo_tensor(size)`."
            )
        if self._nnz() and any(new < old for new, old in zip(size, self._sizes, strict=True)):
            raise ShapeError(
                "shrinking the size of sparse dimensions on a non-empty sparse tensor is not "
                "supported. If you need an empty sparse tensor of this size, call "
                "`x = torch.sparse_coo_tensor(size)`."
            )
        if not self._nnz():
            return self.become(empty_of(size, sparse_dim, self._entries))
        self._sizes = Size(size)
        return self

    def sparse_resize_and_clear_(
        self, size: Any, sparse_dim: int, dense_dim: int
    ) -> CoordinateTensor:
        """Give the tensor a size in place, forgetting its elements."""
        self._check_leaf()
        return self.become(empty_of(size, sparse_dim, self._entries))

    def __deepcopy__(self, memo: dict[int, Any]) -> CoordinateTensor:
        result = super().__deepcopy__(memo)
        result._coordinates = self._coordinates.copy()
        return result


def made(
    coordinates: Any, entries: Any, sizes: Sequence[int], merged: bool = False
) -> CoordinateTensor:
    """Return a sparse tensor of parts that are known to fit."""
    tensor = cast("CoordinateTensor", blank(CoordinateTensor))
    tensor._coordinates = coordinates
    tensor._entries = entries
    tensor._sizes = Size(sizes)
    tensor._merged = merged
    return tensor


def of_array(array: SparseArray) -> CoordinateTensor:
    """Return a gradient that is sparse as a tensor."""
    values = array.values
    entries = values if isinstance(values, TensorBase) else new_tensor(values)
    return made(array.coordinates, entries, array.shape)


def blank(cls: type[SparseTensor]) -> TensorBase:
    """Return a tensor of a class, without its parts."""
    tensor: Any = object.__new__(cls)
    tensor._edge = tensor._storage = tensor._view = tensor._extra = tensor._gradient_of = None
    tensor._changed = 0
    return tensor


def empty_of(sizes: Sequence[int], sparse_dim: int, like: Any) -> CoordinateTensor:
    """Return a tensor of a size without values, in the dtype of ``like``."""
    entries = new_tensor(np.zeros((0, *sizes[sparse_dim:]), like._array.dtype))
    return made(np.zeros((sparse_dim, 0), np.int64), entries, sizes, sparse_dim == 0)


def flattened(coordinates: Array, sizes: Sequence[int]) -> Array:
    """Return coordinates as numbers of elements counted through a tensor."""
    if not len(sizes):
        return np.zeros(coordinates.shape[1], np.int64)
    steps = np.cumprod((1, *sizes[:0:-1]), dtype=np.int64)[::-1]
    return steps @ coordinates


def coordinates_of(flat: Array, sizes: Sequence[int]) -> Array:
    """Return the coordinates ``[ndim, nnz]`` of elements counted through a tensor."""
    if not len(sizes) or not len(flat):
        return np.zeros((len(sizes), len(flat)), np.int64)
    return np.stack(np.unravel_index(flat, tuple(sizes)))
