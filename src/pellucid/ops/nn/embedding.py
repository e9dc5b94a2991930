"""Embedding: rows of a table looked up by integers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pellucid.autograd.modes import no_grad
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.sparse_array import SparseArray
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import regular, remember_nothing
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import public
from pellucid.core.families import nograd, op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import LEGACY_TYPE_NAMES, from_numpy_dtype
from pellucid.errors import (
    ArgumentError,
    DtypeError,
    IndexingError,
    ShapeError,
    UnsupportedDtypeError,
)
from pellucid.kernels.active import cpu
from pellucid.kernels.meta import is_meta
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.index.index_slices import index_select
from pellucid.shapes import Like, real_dim


def _check_rows(be: Any, indices: Any, count: int) -> None:
    if indices.dtype != np.int64 and indices.dtype != np.int32:
        raise DtypeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{LEGACY_TYPE_NAMES[from_numpy_dtype(indices.dtype).name]} "
            "instead (while checking arguments for embedding)"
        )
    if indices.size and not be.all_within(indices, count):
        if not count:
            raise ShapeError("index_select(): self indexing axis dim should be positive")
        wrong = indices[(indices < 0) | (indices >= count)][0]
        raise IndexingError(
            "index out of range in self\n"
            f"  Index {wrong} is out of range for a table of {count} rows."
        )


@op(
    half="bitwise", float8=True, layout=contiguous, node_name="embedding",
    compiled_kernel=("chosen_rows", 0),
    faces=Face("indices padding_idx scale_grad_by_freq sparse weight_sym_argsize_0"),
)  # fmt: skip
def embedding_lookup(
    be, weight, indices, /, padding_idx=-1, scale_grad_by_freq=False, sparse=False
):
    """Look up rows of a table."""
    _check_rows(be, indices, len(weight))
    return weight[indices]


@embedding_lookup.vjp("weight")
def embedding_lookup_weight(g, weight: Like, indices, padding_idx, scale_grad_by_freq, sparse):
    if sparse and isinstance(weight, AccumulateGrad) and not getattr(g, "is_batched", False):
        return _sparse_gradient(g, tuple(weight.shape), indices, padding_idx, scale_grad_by_freq)
    return embedding_backward(g, indices, weight.shape[0], padding_idx, scale_grad_by_freq)


def _sparse_gradient(
    g: Any, shape: tuple[int, ...], indices: Any, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    """Return the rows of a table's gradient, one for each index that was looked up."""
    if scale_grad_by_freq:
        raise ShapeError(
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
        )
    positions = getattr(indices, "_array", indices).reshape(-1).astype(np.int64)
    rows = g.reshape((len(positions), shape[1]))
    if padding_idx >= 0:
        kept = np.flatnonzero(positions != padding_idx)
        positions = positions[kept]
        rows = index_select(rows, 0, new_tensor(kept)) if isinstance(g, TensorBase) else rows[kept]
    gradient = SparseArray(positions[None], rows, shape)
    return gradient.tensor() if isinstance(g, TensorBase) else gradient


@op
def embedding_backward(
    be, grad_output, indices, /, count, padding_idx=-1, scale_grad_by_freq=False
):
    """Add up rows by index; the row of the padding stays zero."""
    rows = _weighted_rows(be, grad_output, indices, padding_idx, scale_grad_by_freq)
    return be.embedding_to_weight(rows, indices, count)


@embedding_backward.vjp("grad_output")
def embedding_backward_grad_output(g, indices, padding_idx, scale_grad_by_freq):
    return scaled_lookup(g, indices, padding_idx, scale_grad_by_freq)


@op(node_name="embedding")
def scaled_lookup(be, weight, indices, /, padding_idx, scale_grad_by_freq):
    """Transpose `embedding_backward`."""
    return _weighted_rows(be, weight[indices], indices, padding_idx, scale_grad_by_freq)


@scaled_lookup.vjp("weight")
def scaled_lookup_weight(g, weight: Like, indices, padding_idx, scale_grad_by_freq):
    return embedding_backward(g, indices, weight.shape[0], padding_idx, scale_grad_by_freq)


def _weighted_rows(be: Any, rows: Any, indices: Any, padding_idx: int, by_frequency: bool) -> Any:
    """Return zeros for the rows of the padding, whatever is in them; the others by frequency."""

    def by_row(values: Any) -> Any:
        return values.reshape(*indices.shape, *(1,) * (rows.ndim - indices.ndim))

    if by_frequency and indices.size and not is_meta(indices):
        counts = be.bincount(indices.reshape(-1))[indices].astype(rows.dtype)
        rows = rows * by_row(1 / counts)
    if padding_idx < 0:
        return rows
    return be.where(by_row(indices != padding_idx), rows, rows.dtype.type(0))


@public("nn.functional.embedding", reads_late=True)
@regular
def embedding(
    input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Any:  # fmt: skip
    """Look up rows of a table ``[n, *D]`` by integers ``[*I]``; the result is ``[*I, *D]``.

    The row ``padding_idx`` gets no gradient. With ``max_norm``, rows that are looked up and longer
    are first shortened, in place. Raises IndexError for an index that is out of range.

    Args:
        input: Indices (int64) of any shape.
        weight: Table ``[num_embeddings, embedding_dim]``.
        padding_idx: Index whose row gets no gradient and is left alone.
        max_norm: Rows with a larger norm are scaled down to it, in place.
        norm_type: Order of the norm.
        scale_grad_by_freq: Whether gradients are divided by how often an index occurs.
        sparse: Whether the gradient of the table is a sparse tensor of rows.

    >>> torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1.0], [2.0]]))
    tensor([[2.],
            [1.]])
    """
    if padding_idx:
        count = weight.shape[real_dim(0, weight._array.ndim)]
        if not -count <= padding_idx < count:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= count
    if weight._array.ndim != 2:
        raise ShapeError("'weight' must be 2-D")
    if max_norm is not None:
        remember_nothing()
        _renormalise(weight, input, max_norm, norm_type)
    return embedding_lookup(
        weight, input, -1 if padding_idx is None else padding_idx, bool(scale_grad_by_freq),
        bool(sparse),
    )  # fmt: skip


def _renormalise(weight: Any, indices: Any, max_norm: float, norm_type: float) -> None:
    """Shorten the rows that are looked up to ``max_norm``, in place."""
    _check_rows(cpu, indices._array, weight.shape[0])
    used = np.unique(indices._array)
    rows = weight._array[used]
    lengths = np.linalg.norm(rows, norm_type, axis=1)
    long = lengths > max_norm
    factors = (max_norm / (lengths[long] + 1e-7)).astype(rows.dtype)
    with no_grad():
        weight.detach()[new_tensor(used[long])] = new_tensor(rows[long] * factors[:, None])


@public("embedding_renorm_")
def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Shorten those rows of a table that are looked up to ``max_norm``, in place.

    Raises IndexError for rows that are not there, and RuntimeError for indices that are no
    integers.

    Args:
        input: Indices (int64) of any shape.
        indices: Indices (int64).
        max_norm, norm_type: As for `embedding`.

    >>> torch.embedding_renorm_(torch.tensor([[3.0, 4.0]]), torch.tensor([0]), 1.0, 2.0)
    tensor([[0.6000, 0.8000]])
    """
    if indices._array.dtype not in (np.int32, np.int64):
        kind = LEGACY_TYPE_NAMES[from_numpy_dtype(indices._array.dtype).name]
        raise DtypeError(
            "Expected tensor for argument #2 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{kind} instead (while checking arguments for "
            "embedding_renorm_)"
        )
    _renormalise(input, indices, max_norm, norm_type)
    return input


@nograd(node_name="one_hot", batch=Batch.ELEMENTWISE, compiled_kernel=("one_hot", 1))
def one_hot_rows(be, input, /, num_classes):
    """Write each class as a row with a one at its place."""
    if input.dtype != np.int64:
        raise ShapeError("one_hot is only applicable to index tensor of type LongTensor.")
    known = num_classes > 0 and be.all_within(input, num_classes)
    if not known and input.size and input.min() < 0:
        raise ShapeError("Class values must be non-negative.")
    if num_classes == -1:
        if not input.size:
            raise ShapeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(input.max()) + 1
    if num_classes < 1:
        raise ShapeError("num_classes should be positive")
    if not known and input.size and input.max() >= num_classes:
        raise ShapeError("Class values must be smaller than num_classes.")
    out = be.zeros((*input.shape, num_classes), np.int64)
    be.put_along_axis(out, input[..., None], 1, -1)
    return out


@public("nn.functional.one_hot")
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Write each class (int64) as a row with a one at its index and zeros elsewhere.

    Args:
        tensor: Class indices (int64) of any shape.
        num_classes: Number of classes; -1 for one more than the largest index.

    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    return one_hot_rows(tensor, num_classes)


@public("nn.functional.embedding_bag", reads_late=True)
def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
    sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """Look up bags of rows, and return the sum, mean or maximum of each bag.

    Bags are the rows of a two-dimensional input, or start at the ``offsets`` into a vector.

    Args:
        input: Indices (int64) ``[B, N]``, or ``[N]`` with ``offsets``.
        weight, max_norm, norm_type, scale_grad_by_freq, sparse, padding_idx: As for `embedding`.
        offsets: Where each bag starts in ``input``.
        mode: ``"sum"``, ``"mean"`` or ``"max"`` over each bag.
        per_sample_weights: Weight of each row, for ``mode="sum"``.
        include_last_offset: Whether ``offsets`` ends with the number of indices.

    Raises:
        RuntimeError: If an index is out of range, or the weight is not floating point.

    >>> table = torch.tensor([[1.0], [2.0], [4.0]])
    >>> torch.nn.functional.embedding_bag(torch.tensor([[0, 1], [1, 2]]), table, mode="sum")
    tensor([[3.],
            [6.]])
    """
    if weight._array.dtype == np.int64 and input._array.dtype.kind == "f":
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage "
            "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
            "`embedding_bag(input, weight, ...)`.",
            stacklevel=user_stacklevel(),
        )
        input, weight = weight, input
    if weight.ndim != 2:
        raise ArgumentError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}"
        )
    if mode == "max" and input._array.dtype.kind in "biu":
        input = input.long()
    _check_bags(input, offsets, mode, per_sample_weights)
    if input.ndim == 2 and not input.shape[1]:
        raise ShapeError("step must be nonzero")
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        names = [LEGACY_TYPE_NAMES[each.dtype.name] for each in (weight, per_sample_weights)]
        raise DtypeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument "
            f"#1 'per_sample_weights'; but type torch.{names[0]} does not equal torch.{names[1]} "
            "(while checking arguments for embedding_bag)"
        )
    if weight._array.dtype.kind in "biuc":
        name = LEGACY_TYPE_NAMES[from_numpy_dtype(weight._array.dtype).name]
        raise DtypeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: "
            f"Half, BFloat16, Float, Double; but got torch.{name} instead (while checking arguments"
            " for embedding_bag)"
        )
    positions = input._array
    without_values = is_meta(positions) or (offsets is not None and is_meta(offsets._array))
    # inside vmap there are no values either
    seen = isinstance(positions, np.ndarray) and positions.size and not without_values
    if seen and not 0 <= positions.min() <= positions.max() < weight.shape[0]:
        positions = np.flatnonzero((input._array < 0) | (input._array >= weight.shape[0]))
        raise ShapeError(
            "Expected idx >= 0 && idx < num_embeddings to be true, but got false: index "
            f"{positions[0]} of input is {input._array.reshape(-1)[positions[0]]}, and there are "
            f"{weight.shape[0]} embeddings"
        )
    if without_values:
        count = input.shape[0] if offsets is None else offsets.shape[0] - include_last_offset
        return _bags_without_values(input.reshape(-1), weight, per_sample_weights, count)
    flat, bags, count = _bags(input, offsets, include_last_offset)
    kept = np.ones(flat.shape[0], bool)
    if padding_idx is not None:
        kept = flat._array != _bag_padding(padding_idx, weight.shape[0])
    rows = embedding(flat, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    positions: Any = new_tensor(np.where(kept, bags, count))
    sizes = np.maximum(np.bincount(bags[kept], minlength=count), 1)[:, None]
    empty = weight.new_zeros((count + 1, weight.shape[1]))
    if mode == "max":
        spread = positions.unsqueeze(1).expand(-1, weight.shape[1])
        return _largest_rows(rows, spread, empty)[:count]
    sums = empty.index_add(0, positions, rows)[:count]
    return sums / new_tensor(sizes.astype(weight._array.dtype)) if mode == "mean" else sums


def _bag_padding(padding_idx: int, rows: int) -> int:
    """Return the index of the padding as a nonnegative one; raise RuntimeError if out of range."""
    if not -rows <= padding_idx < rows:
        raise ShapeError(
            f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but "
            f"got {padding_idx}"
        )
    return padding_idx % rows


def _bags_without_values(flat: Any, weight: Any, factors: Any, count: int) -> Any:
    """Return what stands for bags of rows on ``meta``, with the history of a sum."""
    rows = embedding(flat, weight)
    if factors is not None:
        rows = rows * factors.reshape(-1, 1)
    return weight.new_zeros((count, weight.shape[1])).index_add(0, flat, rows)


def _largest_rows(rows: Any, bags: Any, empty: Any) -> Any:
    """Return the maximum of every bag; of equal elements the first one gets the gradient."""
    count = rows.shape[0]
    if not count:
        return empty.index_add(0, bags[:, 0], rows)  # zeros with a history, as every other bag
    largest = empty.scatter_reduce(0, bags, rows.detach(), "amax", include_self=False)
    hits = (rows.detach() == largest.gather(0, bags)) | rows.detach().isnan()
    positions = where(hits, new_tensor(np.arange(count)[:, None]), count)
    nowhere: Any = new_tensor(np.full(empty.shape, count))
    first = nowhere.scatter_reduce(0, bags, positions, "amin")
    return where(first < count, rows.gather(0, first.clamp(max=count - 1)), largest)


def _check_bags(input: Any, offsets: Any, mode: str, per_sample_weights: Any) -> None:
    if mode not in ("sum", "mean", "max"):
        raise ArgumentError("mode has to be one of sum, mean or max")
    if input._array.dtype.kind != "i":
        raise DtypeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {input.dtype} instead (while checking arguments for embedding_bag)"
        )
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ArgumentError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then "
            f"it must have the same shape as the input ({input.shape})"
        )
    if input.ndim == 2 and offsets is not None:
        raise ArgumentError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
            f"fixed length sequences. However, found offsets of type {type(offsets)}"
        )
    if input.ndim == 1 and (offsets is None or offsets.ndim != 1):
        found = " but got None" if offsets is None else ""
        raise ArgumentError(f"offsets has to be a 1D Tensor{found}")
    if input.ndim not in (1, 2):
        raise ArgumentError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}"
        )
    if offsets is not None:
        _check_offsets(offsets._array, input.shape[0])
    if per_sample_weights is not None and mode != "sum":
        raise UnsupportedDtypeError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}')."
        )


def _check_offsets(starts: Any, length: int) -> None:
    if starts.size and starts[0] != 0:
        raise ShapeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {starts[0]}"
        )
    if starts.size and starts[-1] > length:
        raise ShapeError(
            f"offsets[-1] can not be greater than input's length: {length} but got offsets[-1] of "
            f"{starts[-1]}"
        )


def _bags(input: Any, offsets: Any, include_last: bool) -> tuple[Any, Any, int]:
    """Return the indices in one row, the bag that each is in, and the number of bags."""
    if input.ndim == 2:
        count, size = input.shape
        return input.reshape(-1), np.repeat(np.arange(count), size), count
    starts = offsets._array[:-1] if include_last else offsets._array
    bags = np.searchsorted(starts, np.arange(input.shape[0]), side="right") - 1
    return input, bags, len(starts)
