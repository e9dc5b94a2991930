"""Matrices, and batches of them, in compressed formats: where each row (or column) begins."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

from pellucid.autograd.variable import View, ViewOrigin, storage_of
from pellucid.core.call.call import new_tensor
from pellucid.core.memory import memory_formats
from pellucid.core.memory.memory_formats import layout
from pellucid.errors import GraphError, ShapeError
from pellucid.ops.index.index_slices import index_select, index_select_backward
from pellucid.ops.shape import splitting, views
from pellucid.shapes import Size
from pellucid.sparse.coordinate import (
    CoordinateTensor,
    blank,
    coordinates_of,
    flattened,
    made,
)
from pellucid.sparse.tensor import Array, SparseTensor


class Format(NamedTuple):
    """What distinguishes one compressed layout from another."""

    layout: layout
    #: which dimension is compressed: 0 for rows, 1 for columns
    major: int
    #: whether the values are blocks
    blocks: bool
    #: names of the two arrays of indices, and of what they count
    ends: str
    others: str
    counted: tuple[str, str]


_ROWS = (0, "crow_indices", "col_indices", ("row", "column"))
_COLUMNS = (1, "ccol_indices", "row_indices", ("column", "row"))

FORMATS: dict[layout, Format] = {
    kind: Format(kind, major, blocks, ends, others, counted)
    for kind, (major, ends, others, counted), blocks in (
        (memory_formats.sparse_csr, _ROWS, False),
        (memory_formats.sparse_csc, _COLUMNS, False),
        (memory_formats.sparse_bsr, _ROWS, True),
        (memory_formats.sparse_bsc, _COLUMNS, True),
    )
}

#: the layout of the transposed matrix
TRANSPOSED: dict[layout, layout] = {
    memory_formats.sparse_csr: memory_formats.sparse_csc,
    memory_formats.sparse_csc: memory_formats.sparse_csr,
    memory_formats.sparse_bsr: memory_formats.sparse_bsc,
    memory_formats.sparse_bsc: memory_formats.sparse_bsr,
}


class CompressedTensor(SparseTensor):
    """A matrix in a compressed layout: CSR, CSC, BSR or BSC; its elements may have dimensions.

    ``_ends`` are the compressed indices ``[rows + 1]``, ``_others`` the plain ones ``[nnz]``, with
    columns for rows in CSC and BSC. The values are ``[nnz, *dense]``, or blocks
    ``[nnz, height, width, *dense]``. A batch of matrices has its dimensions before all of these,
    and as many values in one matrix as in another.

    >>> torch.eye(2).to_sparse_csr().crow_indices()
    tensor([0, 1, 2])
    """

    __slots__ = ("_ends", "_format", "_others")

    _ends: Array
    _others: Array
    _format: Format

    @property
    def layout(self) -> layout:
        """How the elements are kept, such as ``torch.sparse_csr``."""
        return self._format.layout

    @property
    def is_sparse_csr(self) -> bool:
        """Whether the layout is ``torch.sparse_csr``."""
        return self._format.layout is memory_formats.sparse_csr

    def sparse_dim(self) -> int:
        """Return 2: rows and columns."""
        return 2

    def dense_dim(self) -> int:
        """Return the number of dimensions that each element has."""
        return len(self._sizes) - 2 - self.batch_dim

    @property
    def batch_dim(self) -> int:
        """The number of dimensions before rows and columns."""
        return self._ends.ndim - 1

    def _nnz(self) -> int:
        return self._others.shape[-1]

    @property
    def blocksize(self) -> tuple[int, int]:
        """The height and width of a block; ones for formats without blocks."""
        if not self._format.blocks:
            return (1, 1)
        height, width = self._entries.shape[self.batch_dim + 1 : self.batch_dim + 3]
        return height, width

    def index_parts(self) -> dict[str, Array]:
        return {self._format.ends: self._ends, self._format.others: self._others}

    def crow_indices(self) -> Any:
        """Return where each row begins and ends, ``[rows + 1]``; raise for other layouts."""
        return self._part("crow_indices", "row", self._ends)

    def col_indices(self) -> Any:
        """Return the column of each value, ``[nnz]``; raise for other layouts."""
        return self._part("col_indices", "row", self._others)

    def ccol_indices(self) -> Any:
        """Return where each column begins and ends, ``[columns + 1]``; raise for other layouts."""
        return self._part("ccol_indices", "column", self._ends)

    def row_indices(self) -> Any:
        """Return the row of each value, ``[nnz]``; raise for other layouts."""
        return self._part("row_indices", "column", self._others)

    def _part(self, name: str, kind: str, part: Array) -> Any:
        if name not in (self._format.ends, self._format.others):
            raise GraphError(
                f"{name} expected sparse {kind} compressed tensor layout but got "
                f"{self.layout.title}"
            )
        return new_tensor(part)

    def with_values(self, entries: Any) -> CompressedTensor:
        """Return a tensor with other values at the same indices."""
        return made_compressed(self._format, self._ends, self._others, entries, self._sizes)

    def in_layout(self, other: Any) -> CompressedTensor:
        """Return a sparse tensor in the layout of this one."""
        own = isinstance(other, CompressedTensor) and other.layout is self.layout
        return other if own else self.like(other.coordinate())

    def emptied(self) -> CompressedTensor:
        """Return a tensor of the same size and layout without any values."""
        first = (slice(None),) * self.batch_dim + (slice(0),)
        entries = new_tensor(self._entries._array[first].copy())
        ends, others = np.zeros_like(self._ends), self._others[first]
        return made_compressed(self._format, ends, others, entries, self._sizes)

    def masked(self, dense: Any) -> CompressedTensor:
        """Return a dense tensor's elements at the indices of this one."""
        found = self.coordinate().masked(dense)
        return compressed(found, self.layout, self.blocksize, self.batch_dim)

    def like(self, other: CoordinateTensor) -> CompressedTensor:
        """Return a tensor in this one's layout, its indices in this one's dtype."""
        made = compressed(other, self.layout, self.blocksize, self.batch_dim)
        return made.with_indices_as(self)

    def with_indices_as(self, other: CompressedTensor) -> CompressedTensor:
        """Return the tensor with its indices in the dtype of those of another."""
        ends, others = (each.astype(other._ends.dtype, copy=False)
                        for each in (self._ends, self._others))  # fmt: skip
        return made_compressed(self._format, ends, others, self._entries, self._sizes)

    def coordinate(self) -> CoordinateTensor:
        """Return the tensor in coordinate format."""
        batch, lines = self._sizes[: self.batch_dim], self._ends.shape[-1] - 1
        majors = np.repeat(np.tile(np.arange(lines), prod(batch)), np.diff(self._ends).ravel())
        coordinates = np.stack([majors, self._others.astype(np.int64).ravel()])
        if self._format.major:
            coordinates = coordinates[::-1]
        if batch:
            which = np.repeat(np.arange(prod(batch)), self._nnz())
            coordinates = np.concatenate([coordinates_of(which, batch), coordinates])
        if self._format.blocks:
            return self._unblocked(coordinates)
        flat = flattened(coordinates, self._sizes[: len(coordinates)])
        entries = self._entries
        if batch:
            entries = views.reshape(entries, (len(flat), *self._sizes[len(coordinates) :]))
        return made(coordinates, entries, self._sizes, bool(np.all(np.diff(flat) > 0)))

    def _unblocked(self, blocks: Array) -> CoordinateTensor:
        height, width = self.blocksize
        dims, count = blocks.shape
        within = np.zeros((dims, 1, height, width), np.int64)
        within[-2:, 0] = np.indices((height, width))
        steps = np.array([*(1,) * (dims - 2), height, width])[:, None]
        coordinates = np.broadcast_to(
            (blocks * steps)[..., None, None] + within, (dims, count, height, width)
        )
        entries = views.reshape(self._entries, (count * height * width, *self._sizes[dims:]))
        return made(coordinates.reshape(dims, -1), entries, self._sizes)

    def selected(self, dim: int, index: int) -> Any:
        """Return the part at an index of a dimension of the batch, or of the elements.

        Raises RuntimeError for rows and columns of a batch, and for blocks.
        """
        batch = self.batch_dim
        sizes = [size for each, size in enumerate(self._sizes) if each != dim]
        if dim < batch:
            at = (slice(None),) * dim + (index,)
            entries = splitting.select(self._entries, dim, index)
            return made_compressed(self._format, self._ends[at], self._others[at], entries, sizes)
        if dim >= batch + 2:
            place = dim - 1 + 2 * self._format.blocks
            entries = splitting.select(self._entries, place, index)
            return made_compressed(self._format, self._ends, self._others, entries, sizes)
        if batch:
            raise ShapeError(
                "select(): selecting sparse dimensions is not supported for batched sparse "
                "compressed tensors. Select from the dimensions of the batch first."
            )
        part = splitting.select(self.coordinate(), dim, index)
        return part.coalesce() if isinstance(part, CoordinateTensor) else part

    def transposed(self) -> CompressedTensor:
        """Return the matrix with rows and columns exchanged, sharing all parts."""
        entries = self._entries
        batch = self.batch_dim
        if self._format.blocks:
            entries = views.transpose(entries, batch + 1, batch + 2)
        rows, columns, *dense = self._sizes[batch:]
        kind = FORMATS[TRANSPOSED[self.layout]]
        sizes = (*self._sizes[:batch], columns, rows, *dense)
        return made_compressed(kind, self._ends, self._others, entries, sizes)

    def seen_as_view_of(self, other: CompressedTensor) -> CompressedTensor:
        """Note that this tensor shares all parts with another one; return it."""
        base = other if other._view is None else other._view.base
        self._storage = storage_of(base)
        self._view = View(base, self._storage.version, ViewOrigin.ORDINARY)
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> CompressedTensor:
        result = super().__deepcopy__(memo)
        result._ends, result._others = self._ends.copy(), self._others.copy()
        return result


def made_compressed(
    kind: Format, ends: Array, others: Array, entries: Any, sizes: Sequence[int]
) -> CompressedTensor:
    """Return a compressed tensor of parts that are known to fit."""
    tensor = cast("CompressedTensor", blank(CompressedTensor))
    tensor._format = kind
    tensor._ends = ends
    tensor._others = others
    tensor._entries = entries
    tensor._sizes = Size(sizes)
    return tensor


def compressed(
    tensor: CoordinateTensor, wanted: layout, blocksize: tuple[int, int] = (1, 1), batch: int = 0
) -> CompressedTensor:
    """Return a matrix in coordinate format in a compressed layout, or a batch of them.

    A batch is compressed as one matrix that has the lines of all of them.
    """
    kind = FORMATS[wanted]
    if tensor.sparse_dim() != 2 + batch:
        raise ShapeError(
            f"coo_to_{wanted.name}: conversion from Sparse to {wanted.title} for input tensors "
            "with sparse_dim()!=2 is not supported. A compressed layout has rows and columns, but "
            f"the tensor has {tensor.sparse_dim()} sparse dimensions: use Tensor.to_dense() first."
        )
    merged = tensor.coalesce()
    coordinates, entries = merged._coordinates, merged._entries
    counts = tuple(tensor._sizes[batch : batch + 2])
    if batch:
        sizes = tensor._sizes[:batch]
        lines = flattened(coordinates[:batch], sizes) * counts[kind.major]
        coordinates = coordinates[batch:].copy()
        coordinates[kind.major] += lines
        counts = tuple(
            n * prod(sizes) if each == kind.major else n for each, n in enumerate(counts)
        )
    if kind.blocks:
        coordinates, entries, counts = _blocked(coordinates, entries, counts, blocksize)
    if kind.major:
        order = np.lexsort((coordinates[0], coordinates[1]))
        coordinates = coordinates[::-1, order]
        entries = index_select(entries, 0, new_tensor(order))
    ends = np.searchsorted(coordinates[0], np.arange(counts[kind.major] + 1))
    others = np.ascontiguousarray(coordinates[1])
    if batch:
        ends, others, entries = _of_each(ends, others, entries, tensor._sizes[:batch])
    return made_compressed(kind, ends, others, entries, tensor._sizes)


def _of_each(
    ends: Array, others: Array, entries: Any, batch: Sequence[int]
) -> tuple[Array, Array, Any]:
    """Return the indices and values of each matrix of a batch, from those of all their lines."""
    matrices = prod(batch)
    lines = (len(ends) - 1) // max(matrices, 1)
    bounds = ends[::lines] if lines else np.zeros(matrices + 1, np.int64)
    counts = np.diff(bounds)
    if len(counts) and counts.min() != counts.max():
        raise ShapeError(
            "Expect the same number of specified elements per batch. The matrices have "
            f"{counts.tolist()} of them."
        )
    nnz = int(counts[0]) if len(counts) else 0
    places = np.arange(matrices)[:, None] * lines + np.arange(lines + 1)
    own = (
        ends[places] - bounds[:matrices, None] if matrices else ends[:0, None][:, [0] * (lines + 1)]
    )
    return (
        own.reshape(*batch, lines + 1), others.reshape(*batch, nnz),
        views.reshape(entries, (*batch, nnz, *entries.shape[1:])),
    )  # fmt: skip


def _blocked(
    coordinates: Array, entries: Any, counts: tuple[int, ...], blocksize: tuple[int, int]
) -> tuple[Array, Any, tuple[int, ...]]:
    """Return the coordinates of the blocks that hold elements, the blocks, and how many fit."""
    size = np.array(blocksize)[:, None]
    if any(count % step for count, step in zip(counts, blocksize, strict=True)):
        raise ShapeError(
            f"sparse_compressed_to_sparse_bsr: tensor sparse size ({counts[0]},{counts[1]}) must "
            f"be divisible by given blocksize ({blocksize[0]},{blocksize[1]})"
        )
    counts = (counts[0] // blocksize[0], counts[1] // blocksize[1])
    found, inverse = np.unique(flattened(coordinates // size, counts), return_inverse=True)
    within = flattened(coordinates % size, blocksize)
    area = blocksize[0] * blocksize[1]
    dense = tuple(entries.shape[1:])
    flat = index_select_backward(
        entries, new_tensor(inverse * area + within), (len(found) * area, *dense), 0
    )
    blocks = views.reshape(flat, (len(found), *blocksize, *dense))
    return np.stack(np.divmod(found, max(counts[1], 1))), blocks, counts
