"""Making sparse tensors of their parts."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.modes import modes
from pellucid.core.call.call import new_tensor
from pellucid.core.call.overriding import ask_modes
from pellucid.core.definition.public import public
from pellucid.core.memory.memory_formats import layout as layout_class
from pellucid.core.memory.memory_formats import (
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
)
from pellucid.dtypes import dtype as dtype_class
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.observe import slow_path
from pellucid.ops.index.indexing import getitem
from pellucid.shapes import shape_from_args
from pellucid.sparse.compressed import FORMATS, CompressedTensor, Format, made_compressed
from pellucid.sparse.conversions import to_layout
from pellucid.sparse.coordinate import CoordinateTensor, flattened, made
from pellucid.sparse.tensor import Array, SparseTensor
from pellucid.tensors import Tensor, creation


@public("sparse_coo_tensor", checked=False)
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
    check_invariants: bool | None = None, is_coalesced: bool | None = None,
) -> CoordinateTensor:  # fmt: skip
    """Return a sparse tensor of the given indices and values.

    Args:
        indices: Integer tensor or nested list ``[sparse_dim, nnz]``; or, without values, the size.
        values: Tensor or list ``[nnz, *dense]``, of any dtype.
        size: The shape, of ``sparse_dim`` ints and the sizes of a value; by default as small as
            the indices allow.
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
    if slow_path.active and modes.function_modes:
        return ask_modes(
            sparse_coo_tensor, indices, values, size, dtype=dtype, device=device,
            pin_memory=pin_memory, requires_grad=requires_grad, check_invariants=check_invariants,
        )  # fmt: skip
    if values is None:
        size = indices if size is None else size
        if size is None:
            raise ArgumentTypeError("sparse_coo_tensor(): missing indices and values, or size")
        size = shape_from_args((size,), "sparse_coo_tensor")
        indices, values = np.zeros((len(size), 0), np.int64), np.zeros(0, np.float32)
        values = creation.as_tensor(values, dtype=dtype or dtypes.get_default_dtype())
    coordinates = creation.as_tensor(indices).detach()._array
    coordinates = coordinates.astype(np.int64, copy=False)
    entries = creation.as_tensor(values, dtype=dtype, device=device)
    if not entries.ndim and coordinates.ndim == 2:
        entries = entries.expand(coordinates.shape[1])
    sizes = _checked_sizes(coordinates, entries, size)
    if requires_grad:
        entries = entries.detach().requires_grad_()
    return made(coordinates, entries, sizes, bool(is_coalesced))


def _checked_sizes(coordinates: Array, entries: Tensor, size: Any) -> tuple[int, ...]:
    """Return the sizes of a sparse tensor; raise for parts that do not fit."""
    if coordinates.ndim != 2:
        raise ShapeError(f"indices must be sparse_dim x nnz, but got: {list(coordinates.shape)}")
    if not entries.ndim or coordinates.shape[1] != entries.shape[0]:
        raise ShapeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{coordinates.shape[1]}, nnz from values: {entries.shape[0] if entries.ndim else 1}"
        )
    if coordinates.size and coordinates.min() < 0:
        raise ShapeError(f"found negative index {coordinates.min()} in the indices")
    dense = tuple(entries.shape[1:])
    if size is None:
        return (*(coordinates.max(1, initial=-1) + 1).tolist(), *dense)
    sizes = shape_from_args((size,), "sparse_coo_tensor")
    if min(sizes, default=0) < 0:
        raise ArgumentError(f"size must not be negative, but got {list(sizes)}")
    if len(sizes) != len(coordinates) + len(dense):
        raise ShapeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(sizes)}, sparse_dim = {len(coordinates)}, dense_dim = {len(dense)}"
        )
    if sizes[len(coordinates) :] != dense:
        raise ShapeError(
            "values has incorrect size, expected "
            f"{[len(entries), *sizes[len(coordinates) :]]}, got {list(entries.shape)}"
        )
    outside = [
        dim for dim, each in enumerate(coordinates) if each.size and each.max() >= sizes[dim]
    ]
    if outside:
        dim = outside[0]
        raise ShapeError(
            "size is inconsistent with indices: for dim "
            f"{dim}, size is {sizes[dim]} but found index {coordinates[dim].max()}"
        )
    return sizes


@public("sparse_compressed_tensor", checked=False)
def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *,
    dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    """Return a matrix in a compressed sparse layout.

    Args:
        compressed_indices: Where each row (column for CSC and BSC) begins and ends,
            ``[rows + 1]``.
        plain_indices: The column (row) of each value, ``[nnz]``.
        values: Tensor or list ``[nnz, *dense]``; for BSR and BSC blocks
            ``[nnz, height, width, *dense]``.
        size: The shape; by default as small as the indices allow.
        dtype: The dtype of the values; theirs by default.
        layout: ``torch.sparse_csr``, ``sparse_csc``, ``sparse_bsr`` or ``sparse_bsc``.
        device, pin_memory, requires_grad, check_invariants: As for `sparse_coo_tensor`.

    Raises:
        RuntimeError: If the parts do not fit, or an index is out of range.

    >>> torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [5.0, 6.0], layout=torch.sparse_csr)
    tensor(crow_indices=tensor([0, 1, 2]),
           col_indices=tensor([1, 0]),
           values=tensor([5., 6.]), size=(2, 2), nnz=2, layout=torch.sparse_csr)
    """
    if not isinstance(layout, layout_class) or layout not in FORMATS:
        found = "none" if layout is None else str(layout)
        raise ShapeError(
            "sparse_compressed_tensor expected sparse compressed tensor layout but got " + found
        )
    kind = FORMATS[layout]
    ends = creation.as_tensor(compressed_indices).detach()._array
    others = creation.as_tensor(plain_indices).detach()._array
    entries = creation.as_tensor(values, dtype=dtype, device=device)
    sizes = _checked_compressed(kind, ends, others, entries, size)
    if requires_grad:
        entries = entries.detach().requires_grad_()
    return made_compressed(kind, ends, others, entries, sizes)


def _checked_compressed(
    kind: Format, ends: Array, others: Array, entries: Tensor, size: Any
) -> tuple[int, ...]:
    """Return the sizes of a compressed tensor; raise for parts that do not fit."""
    _check_index_arrays(kind, ends, others, entries)
    batch = tuple(ends.shape[:-1])
    first = len(batch) + 1  # of the dimensions of a value
    block = tuple(entries.shape[first : first + 2]) if kind.blocks else (1, 1)
    dense = tuple(entries.shape[first + 2 if kind.blocks else first :])
    minor = 1 - kind.major
    if size is None:
        counts = [0, 0]
        counts[kind.major] = ends.shape[-1] - 1
        counts[minor] = int(others.max(initial=-1)) + 1
        sizes = (*batch, counts[0] * block[0], counts[1] * block[1], *dense)
    else:
        sizes = shape_from_args((size,), "sparse_compressed_tensor")
    lines = sizes[len(batch) : len(batch) + 2]
    if sizes != (*batch, *lines, *dense):
        raise ShapeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={len(batch)} + 2 + {len(dense)}) but got {len(sizes)}"
        )
    rows = lines[kind.major] // block[kind.major]
    if ends.shape[-1] != rows + 1:
        raise ShapeError(
            f"{kind.ends}.shape[-1] must be equal to the number of {kind.counted[0]}s + 1 "
            f"(={rows + 1}), but got {ends.shape[-1]}"
        )
    for each, own in zip(
        ends.reshape(prod(batch), -1), others.reshape(prod(batch), others.shape[-1]), strict=True
    ):
        _check_index_values(kind, each, own, lines[minor] // block[minor])
    return sizes


def _check_index_arrays(kind: Format, ends: Array, others: Array, entries: Tensor) -> None:
    if not ends.ndim or ends.ndim != others.ndim:
        raise ShapeError(
            f"{kind.ends} must have dimensionality >= 1 but got 0"
            if ends.ndim == others.ndim
            else f"{kind.ends} and {kind.others} dimensionalities must be equal but got "
            f"{ends.ndim} and {others.ndim}, respectively"
        )
    if ends.dtype != others.dtype or ends.dtype not in (np.int32, np.int64):
        raise ShapeError(
            f"{kind.ends} and {kind.others} must be an int32 or int64 type, both the same, but got "
            f"{dtypes.from_numpy_dtype(ends.dtype)} and {dtypes.from_numpy_dtype(others.dtype)}"
        )
    batch = ends.ndim - 1
    if entries.ndim < batch + (3 if kind.blocks else 1):
        raise ShapeError(
            "values must have dimensionality > sum of batch and block dimensionalities "
            f"(={batch} + {2 if kind.blocks else 0}), but got {entries.ndim}"
        )
    shapes = (ends.shape[:-1], others.shape[:-1], tuple(entries.shape[:batch]))
    if len(set(shapes)) > 1:
        raise ShapeError(
            f"all batch dimensions of {kind.ends} ({list(shapes[0])}), {kind.others} "
            f"({list(shapes[1])}), and values ({list(shapes[2])}) must be equal"
        )
    if others.shape[-1] != entries.shape[batch]:
        raise ShapeError(
            f"{kind.others}.shape[-1] must be equal to nnz (={entries.shape[batch]}) as defined by "
            f"values.shape[{batch}], but got {others.shape[-1]}"
        )


def _check_index_values(kind: Format, ends: Array, others: Array, count: int) -> None:
    """Raise for compressed indices that do not count up, or plain ones that are out of range."""
    if ends[0] != 0:
        raise ShapeError(f"`{kind.ends}[..., 0] == 0` is not satisfied.")
    if ends[-1] != len(others):
        raise ShapeError(f"`{kind.ends}[..., -1] == nnz` is not satisfied.")
    steps = np.diff(ends)
    if steps.size and (steps.min() < 0 or steps.max() > count):
        raise ShapeError(
            f"`0 <= {kind.ends}[..., 1:] - {kind.ends}[..., :-1] <= n{kind.counted[1]}s` is not "
            "satisfied."
        )
    if others.size and (others.min() < 0 or others.max() >= count):
        raise ShapeError(f"`0 <= {kind.others} < n{kind.counted[1][:3]}s` is not satisfied.")
    majors = np.repeat(np.arange(len(steps)), steps)
    if np.any(np.diff(flattened(np.stack([majors, others]), (len(steps), count))) <= 0):
        raise ShapeError(
            f"`{kind.others}[..., {kind.ends}[..., i - 1]:{kind.ends}[..., i]] for all i = 1, ..., "
            f"n{kind.counted[0]}s are sorted and distinct along the last dimension values` is not "
            "satisfied."
        )


@public("sparse_csr_tensor", checked=False)
def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: Any = None,
    layout: Any = sparse_csr, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    """Return a matrix in compressed sparse rows.

    Args:
        crow_indices: Where each row begins and ends, ``[rows + 1]``.
        col_indices: The column of each value, ``[nnz]``.
        values: Tensor or list ``[nnz, *dense]``.
        size, dtype: As for `sparse_compressed_tensor`.
        layout: Must be ``torch.sparse_csr``.
        device, pin_memory: As for `sparse_coo_tensor`.
        requires_grad: Whether the result is a leaf that requires grad.
        check_invariants: Accepted for compatibility; indices are always checked.

    Raises:
        RuntimeError: If the parts do not fit, or an index is out of range.

    >>> torch.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 6.0]).to_dense()
    tensor([[0., 5.],
            [6., 0.]])
    """
    if slow_path.active and modes.function_modes:
        return ask_modes(
            sparse_csr_tensor, crow_indices, col_indices, values, size, dtype=dtype,
            device=device, pin_memory=pin_memory, requires_grad=requires_grad,
            check_invariants=check_invariants,
        )  # fmt: skip
    return _of_layout(sparse_csr, layout, crow_indices, col_indices, values, size, dtype, device,
                      requires_grad)  # fmt: skip


@public("sparse_csc_tensor", checked=False)
def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: Any = None,
    layout: Any = sparse_csc, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    """Return a matrix in compressed sparse columns.

    Args:
        ccol_indices: Where each column begins and ends, ``[columns + 1]``.
        row_indices: The row of each value, ``[nnz]``.
        values: Tensor or list ``[nnz, *dense]``.
        size, dtype, device, pin_memory: As for `sparse_csr_tensor`.
        requires_grad, check_invariants: As for `sparse_csr_tensor`.
        layout: Must be ``torch.sparse_csc``.

    Raises: As for `sparse_csr_tensor`.

    >>> torch.sparse_csc_tensor([0, 1, 2], [1, 0], [5.0, 6.0]).to_dense()
    tensor([[0., 6.],
            [5., 0.]])
    """
    return _of_layout(sparse_csc, layout, ccol_indices, row_indices, values, size, dtype, device,
                      requires_grad)  # fmt: skip


@public("sparse_bsr_tensor", checked=False)
def sparse_bsr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: Any = None,
    layout: Any = sparse_bsr, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    """Return a matrix in compressed sparse rows of blocks.

    Args:
        crow_indices: Where each row of blocks begins and ends, ``[block rows + 1]``.
        col_indices: The column of each block, ``[nnz]``.
        values: Tensor or list of blocks ``[nnz, height, width, *dense]``.
        size, dtype, device, pin_memory: As for `sparse_csr_tensor`.
        requires_grad, check_invariants: As for `sparse_csr_tensor`.
        layout: Must be ``torch.sparse_bsr``.

    Raises: As for `sparse_csr_tensor`.

    >>> torch.sparse_bsr_tensor([0, 1], [0], [[[5.0, 6.0]]]).to_dense()
    tensor([[5., 6.]])
    """
    return _of_layout(sparse_bsr, layout, crow_indices, col_indices, values, size, dtype, device,
                      requires_grad)  # fmt: skip


@public("sparse_bsc_tensor", checked=False)
def sparse_bsc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: Any = None,
    layout: Any = sparse_bsc, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    """Return a matrix in compressed sparse columns of blocks.

    Args:
        ccol_indices: Where each column of blocks begins and ends, ``[block columns + 1]``.
        row_indices: The row of each block, ``[nnz]``.
        values: Tensor or list of blocks ``[nnz, height, width, *dense]``.
        size, dtype, device, pin_memory: As for `sparse_csr_tensor`.
        requires_grad, check_invariants: As for `sparse_csr_tensor`.
        layout: Must be ``torch.sparse_bsc``.

    Raises: As for `sparse_csr_tensor`.

    >>> torch.sparse_bsc_tensor([0, 1], [0], [[[5.0, 6.0]]]).to_dense()
    tensor([[5., 6.]])
    """
    return _of_layout(sparse_bsc, layout, ccol_indices, row_indices, values, size, dtype, device,
                      requires_grad)  # fmt: skip


def _of_layout(
    own: layout_class, layout: Any, ends: Any, others: Any, values: Any, size: Any, dtype: Any,
    device: Any, requires_grad: bool,
) -> CompressedTensor:  # fmt: skip
    if layout is not own:
        found = getattr(layout, "title", layout)
        raise ShapeError(f"{own.name}_tensor: expected layout {own} but got {found}")
    return sparse_compressed_tensor(
        ends, others, values, size, dtype=dtype, layout=own, device=device,
        requires_grad=requires_grad,
    )  # fmt: skip


def of_parts(layout: layout_class, parts: Any) -> SparseTensor:
    """Return a sparse tensor of what `parts_of` gave, checked, as PyTorch's files describe it."""
    if layout is not sparse_coo:
        ends, others, values, size = parts
        return sparse_compressed_tensor(ends, others, values, size, layout=layout)
    indices, values, size, *coalesced = parts
    result = sparse_coo_tensor(indices, values, size)
    result._merged = coalesced == [True] and bool(np.all(np.diff(result.flat_coordinates()) > 0))
    return result


def parts_of(tensor: Any) -> tuple[Any, ...]:
    """Return the indices, values and size of a tensor, and of coordinates whether they are sorted.

    The parts are tensors without history.
    """
    indices = map(new_tensor, tensor.index_parts().values())
    parts = (*indices, tensor._entries.detach(), tensor.shape)
    return (*parts, tensor._merged) if isinstance(tensor, CoordinateTensor) else parts


def _restored(layout: layout_class, parts: Any, requires_grad: bool) -> Any:
    return of_parts(layout, parts).requires_grad_(requires_grad)


def _reduced(self: SparseTensor, protocol: Any) -> tuple[Any, ...]:
    """Return what a pickle is to hold; the graph is not kept, so that a leaf comes back."""
    return (_restored, (self.layout, parts_of(self), self.requires_grad))


SparseTensor.__reduce_ex__ = _reduced


def spdiags(
    diagonals: Any, offsets: Any, shape: Any, layout: layout_class | None = None
) -> SparseTensor:
    """Return a sparse matrix that has the rows of a matrix as its diagonals.

    The element ``diagonals[i, j]`` comes into column ``j`` of the diagonal ``offsets[i]``; what
    lies outside the matrix is left out.

    Args:
        diagonals: Matrix ``[k, n]`` of diagonals, or one diagonal ``[n]``.
        offsets: Which diagonals they are, ``[k]``: 0 the main one, positive ones above it.
        shape: The two sizes of the result.
        layout: Layout of the result; ``torch.sparse_coo`` by default.

    Raises:
        RuntimeError: If there are not as many offsets as diagonals, or one occurs twice.

    >>> torch.sparse.spdiags(torch.ones(1, 3), torch.tensor([1]), (3, 3)).to_dense()
    tensor([[0., 1., 0.],
            [0., 0., 1.],
            [0., 0., 0.]])
    """
    values = diagonals if diagonals.ndim == 2 else diagonals.unsqueeze(0)
    steps = np.atleast_1d(offsets.detach()._array)
    if values.ndim != 2:
        raise ShapeError("Diagonals must be vector or matrix")
    if steps.ndim != 1 or len(steps) != len(values):
        raise ShapeError(
            f"Number of diagonals ({len(values)}) does not match the number of offsets "
            f"({steps.size})"
        )
    if len(np.unique(steps)) != len(steps):
        raise ShapeError("Offset tensor contains duplicate values")
    rows, columns = (int(each) for each in shape)
    which, position = np.indices((len(steps), min(values.shape[1], columns)))
    row = position - steps[:, None]
    inside = (row >= 0) & (row < rows)
    entries = getitem(values, (new_tensor(which[inside]), new_tensor(position[inside])))
    made_here = made(np.stack([row[inside], position[inside]]), entries, (rows, columns))
    return to_layout(made_here, sparse_coo if layout is None else layout)


class _LegacyType(type):
    """The type of PyTorch's old constructors, which take the place of classes."""

    dtype: dtype_class

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, CoordinateTensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if not args:
            return sparse_coo_tensor(size=(0,), dtype=cls.dtype)
        if all(isinstance(each, int) for each in args):
            return sparse_coo_tensor(size=args, dtype=cls.dtype)
        return sparse_coo_tensor(*args, dtype=cls.dtype, **options)


def legacy_type(name: str) -> type[Any]:
    """Return the old constructor of one dtype, such as ``torch.sparse.FloatTensor``."""
    dtype = next(each for each in dtypes.ALL if dtypes.LEGACY_TYPE_NAMES.get(each.name) == name)
    doc = f"Old constructor of sparse tensors of {dtype}: ``{name}(indices, values, size)``."
    namespace = {"__doc__": doc, "__module__": "torch.sparse", "dtype": dtype}
    return _LegacyType(name, (), namespace)
