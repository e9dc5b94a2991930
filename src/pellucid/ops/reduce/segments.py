"""Reductions of segments: runs of rows that follow one another."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import op
from pellucid.dtypes import is_floating
from pellucid.errors import DomainError, ShapeError
from pellucid.ops.elementwise.arithmetic import zero_gradient
from pellucid.ops.elementwise.compare import isnan
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.index.index_slices import index_select
from pellucid.ops.shape.views import reshape
from pellucid.shapes import dim_from_end

#: what each reduction starts from, and how it takes in one more row
_REDUCTIONS = {
    "sum": (0.0, np.add), "mean": (0.0, np.add), "prod": (1.0, np.multiply),
    "max": (-inf, np.maximum), "min": (inf, np.minimum),
}  # fmt: skip


@public("segment_reduce")
def segment_reduce(
    data: Any, reduce: str, *, lengths: Any = None, indices: Any = None, offsets: Any = None,
    axis: int = 0, unsafe: bool = False, initial: float | None = None,
) -> Any:  # fmt: skip
    """Reduce each of the segments that a dimension is cut into.

    Args:
        data: Floating-point tensor of any shape.
        reduce: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"prod"``.
        lengths: Lengths of the segments (integers) ``[*, S]``; what stands before S are the
            dimensions of ``data`` before ``axis``.
        indices: Not supported, as in PyTorch.
        offsets: Where the segments begin and the last one ends, ``[*, S + 1]``.
        axis: The dimension that is cut: the last one of ``lengths``.
        unsafe: Whether lengths need not add up to the size of the dimension.
        initial: What every segment starts with. Empty ones are NaN for means without it.

    Returns:
        A tensor with S in place of the size of the dimension.

    Raises:
        RuntimeError: If lengths and offsets are missing, or do not fit.

    >>> import pellucid as torch
    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 5.0]), "sum", lengths=torch.tensor([2, 1]))
    tensor([3., 5.])
    """
    if reduce not in _REDUCTIONS:
        raise DomainError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if indices is not None:
        raise DomainError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise DomainError("segment_reduce(): Either lengths or offsets must be defined.")
    if not is_floating(data._array.dtype):
        raise unsupported("_segment_reduce_cpu", data._array.dtype)
    axis = dim_from_end(axis, data.ndim)
    starts, ends = _bounds(data, lengths, offsets, axis, unsafe)
    *batch, count = starts.shape
    size = data.shape[axis] if data.ndim else 1
    first_rows = np.arange(starts.size // count if count else 0).repeat(count) * size
    rows, segments = _rows_of(first_rows + starts.reshape(-1), (ends - starts).reshape(-1))
    inner = data.shape[len(batch) + 1 :]
    flat = reshape(data, (-1, *inner)) if batch else data
    if not np.array_equal(rows, np.arange(flat.shape[0])):
        flat = index_select(flat, 0, new_tensor(rows))
    out = reduce_segments(flat, new_tensor(segments), starts.size, reduce, initial)
    if reduce == "mean":
        sizes = np.bincount(segments, minlength=starts.size).reshape(-1, *(1,) * len(inner))
        sizes = sizes if initial is None else np.maximum(sizes, 1)
        divisor: Any = new_tensor(sizes.astype(flat._array.dtype))
        out = out / divisor.to(out.device)
    return reshape(out, (*batch, count, *inner)) if batch else out


def _bounds(data: Any, lengths: Any, offsets: Any, axis: int, unsafe: bool) -> tuple[Any, Any]:
    """Return where segments start and end along the dimension; raise for what does not fit."""
    name, given = ("lengths", lengths) if offsets is None else ("offsets", offsets)
    values = given._array
    if axis != values.ndim - 1:
        raise ShapeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    if data.ndim < values.ndim or tuple(data.shape[:axis]) != values.shape[:-1]:
        raise ShapeError(
            f"Expected data.dim() >= {name}_value.dim() to be true, but got false: the sizes "
            f"{list(values.shape[:-1])} before the last of {name} are not those of data, "
            f"{list(data.shape)}"
        )
    if values.dtype not in (np.int32, np.int64):
        raise unsupported(f"_segment_reduce_{name}_cpu_kernel1", values.dtype)
    size = data.shape[axis]
    if offsets is not None:
        bounds = np.clip(values, 0, size)
        return bounds[..., :-1], bounds[..., 1:]
    if not unsafe:
        if (values < 0).any():
            raise ShapeError("lengths contains negative value!")
        if (values.sum(-1) != size).any():
            raise ShapeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to "
                f"data.size(lengths.dim()-1) when !unsafe. They sum to {values.sum(-1).tolist()}, "
                f"the size is {size}."
            )
    ends = np.clip(values.clip(0).cumsum(-1), 0, size)
    return ends - np.diff(ends, axis=-1, prepend=0), ends


def _rows_of(starts: Any, counts: Any) -> tuple[Any, Any]:
    """Return the rows of all segments, and the segment of each."""
    counts = counts.clip(0)
    segments = np.arange(counts.size).repeat(counts)
    before = counts.cumsum() - counts
    return (starts - before)[segments] + np.arange(segments.size), segments


@op(torch_kernel_name="_segment_reduce_cpu", node_name="segment_reduce")
def reduce_segments(be, data, segments, /, count, reduce, initial):
    """Reduce the rows of each segment, which ``segments`` numbers; of a mean, return the sum."""
    start, take_in = _REDUCTIONS[reduce]
    out = np.full((count, *data.shape[1:]), start if initial is None else initial, data.dtype)
    take_in.at(out, segments, data)
    return out


@reduce_segments.vjp("data")
def reduce_segments_data(g, data, segments, out, count, reduce, initial):
    if reduce in ("sum", "mean"):
        return index_select(g, 0, segments)
    if reduce == "prod":
        return _of_product(g, data, segments, out, initial)
    found = index_select(out, 0, segments)
    chosen = (data == found) | (isnan(data) & isnan(found))
    ties = _number_in(chosen, data, segments, count)
    return where(chosen, index_select(g / where(ties == 0, 1.0, ties), 0, segments), 0.0)


def _of_product(g: Any, data: Any, segments: Any, out: Any, initial: float | None) -> Any:
    """Return the gradient times the product of the other elements of the segment.

    That is the product of all over an element, but for zeros and NaN.
    """
    zero, missing = data == 0, isnan(data)
    usual, count = where(zero | missing, 1.0, data), out.shape[0]
    product = reduce_segments(usual, segments, count, "prod", initial)
    without = index_select(g * product, 0, segments)
    without = where(_others_in(zero, data, segments, count), 0.0, without)
    without = where(_others_in(missing, data, segments, count), nan, without)
    return where(zero | missing, without, index_select(g * out, 0, segments) / usual)


def _others_in(mask: Any, like: Any, segments: Any, count: int) -> Any:
    """Return for each element whether a mask holds for another element of its segment."""
    own = where(mask, 1.0, zero_gradient(like))
    return index_select(_number_in(mask, like, segments, count), 0, segments) != own


def _number_in(mask: Any, like: Any, segments: Any, count: int) -> Any:
    """Return how many elements of each segment a mask holds for."""
    return reduce_segments(where(mask, 1.0, zero_gradient(like)), segments, count, "sum", None)
