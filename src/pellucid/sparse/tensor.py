"""The sparse tensor in coordinate format: places, and the values there."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from math import prod
from typing import Any, NoReturn, cast

import numpy as np

from pellucid import dtypes
from pellucid.autograd.node import Node
from pellucid.autograd.variable import Edge
from pellucid.core.call import new_tensor
from pellucid.core.memory_formats import sparse_coo
from pellucid.core.overriding import disabled_torch_function_impl
from pellucid.core.public import public
from pellucid.dtypes import dtype as dtype_class
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    GraphError,
    ShapeError,
    SparseLayoutError,
    UnimplementedError,
)
from pellucid.ops.index.index_slices import index_select, index_select_backward
from pellucid.ops.shape.views import reshape
from pellucid.shapes import Size, dim_from_end
from pellucid.tensors import Tensor, creation, formatting

_NO_ARRAY = (
    "Could not run this operation with arguments from the 'SparseCPU' backend: a sparse tensor "
    "keeps only the elements at its indices. Use Tensor.to_dense() first."
)


class SparseTensor(Tensor):
    """A tensor in coordinate format: indices ``int64 [ndim, nnz]`` and values ``[nnz]``.

    Values at the same index count as their sum. The history is that of the values: the gradient of
    a sparse leaf has the same indices.

    >>> import pellucid as torch
    >>> torch.eye(2).to_sparse() @ torch.tensor([[1.0], [2.0]])
    tensor([[1.],
            [2.]])
    """

    __slots__ = ("_entries", "_merged", "_places", "_sizes")

    _places: np.ndarray[Any, Any]
    _entries: Tensor
    _sizes: Size
    _merged: bool
    __torch_function__ = disabled_torch_function_impl
    is_sparse = True

    # ---- what it is -------------------------------------------------------------------------

    @property
    def _array(self) -> NoReturn:
        raise SparseLayoutError(_NO_ARRAY)

    @property
    def shape(self) -> Size:
        """The sizes, one per dimension."""
        return self._sizes

    @property
    def dtype(self) -> dtype_class:
        """The type of the elements."""
        return self._entries.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._sizes)

    @property
    def layout(self) -> Any:
        """How the elements are kept: ``torch.sparse_coo``."""
        return sparse_coo

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._sizes)

    ndimension = sparse_dim = dim

    def dense_dim(self) -> int:
        """Return 0: all dimensions are sparse."""
        return 0

    def size(self, dim: int | None = None) -> Any:
        """Return all sizes, or that of one dimension."""
        return self._sizes if dim is None else self._sizes[dim_from_end(dim, self.ndim)]

    def numel(self) -> int:
        """Return the number of elements, those that are not kept among them."""
        return prod(self._sizes)

    nelement = numel

    def __len__(self) -> int:
        if not self._sizes:
            raise ArgumentTypeError("len() of a 0-d tensor")
        return self._sizes[0]

    def is_floating_point(self) -> bool:
        """Return whether the elements are floating-point numbers."""
        return self._entries.is_floating_point()

    def is_complex(self) -> bool:
        """Return whether the elements are complex numbers."""
        return self._entries.is_complex()

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raise TypeError: the elements are no array."""
        raise ArgumentTypeError(
            "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first."
        )

    def __array__(self, *args: Any, **options: Any) -> NoReturn:
        return self.numpy()

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        result = memo[id(self)] = self.with_values(copy.deepcopy(self._entries, memo))
        return result

    # ---- its parts --------------------------------------------------------------------------

    def _nnz(self) -> int:
        """Return how many elements are kept."""
        return self._places.shape[1]

    def _indices(self) -> Any:
        """Return the places as they are, int64 ``[ndim, nnz]``."""
        return new_tensor(self._places)

    def _values(self) -> Any:
        """Return the values as they are, without history."""
        return self._entries.detach()

    def is_coalesced(self) -> bool:
        """Return whether the indices are known to be sorted and different."""
        return self._merged

    def indices(self) -> Any:
        """Return the indices, int64 ``[ndim, nnz]``; raise RuntimeError before `coalesce`."""
        self._check_coalesced("indices")
        return new_tensor(self._places)

    def values(self) -> Any:
        """Return the values ``[nnz]``; raise RuntimeError before `coalesce`."""
        self._check_coalesced("values")
        return self._entries

    def _check_coalesced(self, what: str) -> None:
        if not self._merged:
            raise GraphError(
                f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first"
            )

    def coalesce(self) -> SparseTensor:
        """Return a tensor whose indices are sorted and different, adding up what shares one.

        >>> import pellucid as torch
        >>> s = torch.sparse_coo_tensor([[1, 0, 1]], [1.0, 2.0, 3.0], (2,))
        >>> s.coalesce().values()
        tensor([2., 4.])
        """
        if self._merged:
            return self
        flat, inverse = np.unique(self.flat_places(), return_inverse=True)
        entries = index_select_backward(self._entries, new_tensor(inverse), (len(flat),), 0)
        return made(places_of(flat, self._sizes), entries, self._sizes, merged=True)

    def flat_places(self) -> np.ndarray[Any, Any]:
        """Return the indices into the flattened dense tensor, ``[nnz]``."""
        steps = np.cumprod((1, *self._sizes[:0:-1]), dtype=np.int64)[::-1][: self.ndim]
        return steps @ self._places

    def to_dense(self, dtype: Any = None, *, masked_grad: Any = None) -> Any:
        """Return the tensor with all its elements, in a dtype if one is given."""
        places = new_tensor(self.flat_places())
        flat = index_select_backward(self._entries, places, (self.numel(),), 0)
        dense = reshape(flat, tuple(self._sizes))
        return dense if dtype is None else dense.to(dtype)

    def with_values(self, entries: Any) -> SparseTensor:
        """Return a tensor with other values at the same indices."""
        return made(self._places, entries, self._sizes, self._merged)

    # ---- its history ------------------------------------------------------------------------

    @property
    def edge(self) -> Edge | None:
        return self._entries.edge

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for the values."""
        return self._entries.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._entries.requires_grad = value

    def requires_grad_(self, requires_grad: bool = True) -> SparseTensor:
        """Switch the recording of operations on the values on, or for a leaf off."""
        self._entries.requires_grad_(requires_grad)
        return self

    @property
    def grad_fn(self) -> Node | None:
        """The node that made the values; ``None`` for a leaf."""
        return self._entries.grad_fn

    @property
    def grad(self) -> Any:
        """The gradient that backward passes have added up so far, sparse with the same places."""
        grad = self._entries.grad
        return None if grad is None else self.with_values(grad)

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            raise UnimplementedError("the gradient of a sparse tensor can only be set to None")
        self._entries.grad = None

    def retain_grad(self) -> None:
        """Make backward fill ``.grad`` although this is no leaf."""
        self._entries.retain_grad()

    def detach(self) -> SparseTensor:
        """Return a tensor with the same indices and values, and no history."""
        return self.with_values(self._entries.detach())

    @property
    def data(self) -> Any:
        """The tensor with no history."""
        return self.with_values(self._entries.data)

    # ---- as something else ------------------------------------------------------------------

    def to(self, *args: Any, **options: Any) -> SparseTensor:
        """Return the tensor in another dtype; the device is the CPU."""
        entries = self._entries.to(*args, **options)
        return self if entries is self._entries else self.with_values(entries)

    def cpu(self) -> SparseTensor:
        """Return the tensor itself."""
        return self

    def cuda(self, *args: Any, **options: Any) -> Any:
        """Raise an error: there is no such device."""
        return self._entries.cuda(*args, **options)

    def half(self) -> SparseTensor:
        """Return the tensor in float16."""
        return self.to(dtypes.float16)

    def float(self) -> SparseTensor:
        """Return the tensor in float32."""
        return self.to(dtypes.float32)

    def double(self) -> SparseTensor:
        """Return the tensor in float64."""
        return self.to(dtypes.float64)

    def int(self) -> SparseTensor:
        """Return the tensor in int32."""
        return self.to(dtypes.int32)

    def long(self) -> SparseTensor:
        """Return the tensor in int64."""
        return self.to(dtypes.int64)

    def to_sparse(self, sparse_dim: Any = None) -> SparseTensor:
        """Return the tensor itself."""
        return self

    to_sparse_coo = to_sparse

    def permute(self, *dims: Any) -> Any:
        """Return the tensor with its dimensions in another order."""
        order = dims[0] if len(dims) == 1 and isinstance(dims[0], Sequence) else dims
        if len(order) != self.ndim:
            raise ShapeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the "
                f"length of the desired ordering of dimensions i.e. input.dim() = {self.ndim} is "
                f"not equal to len(dims) = {len(order)}"
            )
        places = [dim_from_end(dim, self.ndim) for dim in order]
        if len(set(places)) != self.ndim:
            raise ShapeError("permute(): duplicate dims are not allowed.")
        sizes = [self._sizes[place] for place in places]
        return made(self._places[places], self._entries, sizes)

    @property
    def T(self) -> Any:
        """The tensor with its dimensions in reverse order."""
        return self.permute(*reversed(range(self.ndim)))

    def __repr__(self) -> str:
        node = self.grad_fn
        history = "requires_grad=True" if self.requires_grad else None
        return formatting.format_sparse(
            self._places,
            self._entries._array,
            self._sizes,
            dtype_name=str(self.dtype),
            default_dtype_name=str(dtypes.get_default_dtype()),
            history=history if node is None else f"grad_fn=<{node.name()}>",
        )


def made(places: Any, entries: Any, sizes: Sequence[int], merged: bool = False) -> SparseTensor:
    """Return a sparse tensor of parts that are known to fit."""
    tensor = cast("SparseTensor", object.__new__(SparseTensor))
    tensor._edge = tensor._storage = tensor._view = tensor._grad = tensor._extra = None
    tensor._places = places
    tensor._entries = entries
    tensor._sizes = Size(sizes)
    tensor._merged = merged
    return tensor


def places_of(flat: np.ndarray[Any, Any], sizes: Sequence[int]) -> np.ndarray[Any, Any]:
    """Return the places ``[ndim, nnz]`` of elements counted through the dense tensor."""
    if not len(sizes) or not len(flat):
        return np.zeros((len(sizes), len(flat)), np.int64)
    return np.stack(np.unravel_index(flat, tuple(sizes)))


def from_dense(dense: Any, sparse_dim: int | None = None) -> SparseTensor:
    """Return a dense tensor's elements that are not zero as a sparse tensor.

    Args:
        dense: Tensor of any shape and dtype.
        sparse_dim: The number of sparse dims; must be the number of dims, which is the default.

    Returns:
        A sparse tensor of the same shape and dtype.

    Raises:
        NotImplementedError: If not all dimensions are to be sparse.

    >>> import pellucid as torch
    >>> torch.tensor([0.0, 3.0]).to_sparse()
    tensor(indices=tensor([[1]]),
           values=tensor([3.]),
           size=(2,), nnz=1, layout=torch.sparse_coo)
    """
    if sparse_dim is not None and sparse_dim != dense.ndim:
        raise UnimplementedError(
            f"to_sparse(): all {dense.ndim} dimensions have to be sparse, not {sparse_dim}: "
            "values that are tensors themselves are not supported"
        )
    flat = np.flatnonzero(dense._array)
    entries = index_select(reshape(dense, (-1,)), 0, new_tensor(flat))
    return made(places_of(flat, dense.shape), entries, dense.shape, merged=True)


@public("sparse_coo_tensor", checked=False)
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
    check_invariants: Any = None, is_coalesced: bool | None = None,
) -> SparseTensor:  # fmt: skip
    """Return a sparse tensor of the given indices and values.

    Args:
        indices: Integer tensor or nested list ``[ndim, nnz]``.
        values: Tensor or list ``[nnz]``, of any dtype.
        size: The shape, of ``ndim`` ints; by default as small as the indices allow.
        dtype: The dtype of the values; theirs by default.
        device: Must be the CPU.
        pin_memory: Accepted for compatibility; memory is not pinned.
        requires_grad: Whether the result is a leaf that requires grad. Gradients go to ``values``
            if they are a tensor that requires grad.
        check_invariants: Accepted for compatibility; indices are always checked.
        is_coalesced: Whether the indices are known to be sorted and without repetitions.

    Returns:
        A sparse tensor of shape ``size``.

    Raises:
        RuntimeError: If the shapes of indices, values and size do not fit, or an index is out of
            range.
        NotImplementedError: If ``values`` has more than one dim.

    >>> import pellucid as torch
    >>> s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    >>> s
    tensor(indices=tensor([[0, 1],
                           [2, 0]]),
           values=tensor([3., 4.]),
           size=(2, 3), nnz=2, layout=torch.sparse_coo)
    >>> s.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    if values is None:
        size = indices if size is None else size
        if size is None:
            raise ArgumentTypeError("sparse_coo_tensor(): missing indices and values, or size")
        indices, values = np.zeros((len(size), 0), np.int64), np.zeros(0, np.float32)
        values = creation.as_tensor(values, dtype=dtype or dtypes.get_default_dtype())
    places = creation.as_tensor(indices).detach()._array.astype(np.int64)
    entries = creation.as_tensor(values, dtype=dtype, device=device)
    sizes = _checked_sizes(places, entries, size)
    if requires_grad:
        entries = entries.detach().requires_grad_()
    return made(places, entries, sizes, bool(is_coalesced))


def _checked_sizes(places: Any, entries: Any, size: Any) -> tuple[int, ...]:
    """Return the sizes of a sparse tensor; raise for parts that do not fit."""
    if places.ndim != 2:
        raise ShapeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    if entries.ndim != 1:
        raise UnimplementedError(
            f"sparse_coo_tensor(): values must have one dimension, not {entries.ndim}: values that "
            "are tensors themselves are not supported"
        )
    if places.shape[1] != entries.shape[0]:
        raise ShapeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{places.shape[1]}, nnz from values: {entries.shape[0]}"
        )
    if places.size and places.min() < 0:
        raise ShapeError(f"found negative index {places.min()} in the indices")
    if size is None:
        return tuple((places.max(1, initial=-1) + 1).tolist())
    sizes = tuple(int(each) for each in size)
    if min(sizes, default=0) < 0:
        raise ArgumentError(f"size must not be negative, but got {list(sizes)}")
    if len(sizes) != len(places):
        raise ShapeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(sizes)}, sparse_dim = {len(places)}, dense_dim = 0"
        )
    outside = [dim for dim, each in enumerate(places) if each.size and each.max() >= sizes[dim]]
    if outside:
        dim = outside[0]
        raise ShapeError(
            "size is inconsistent with indices: for dim "
            f"{dim}, size is {sizes[dim]} but found index {places[dim].max()}"
        )
    return sizes
