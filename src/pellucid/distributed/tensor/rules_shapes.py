"""Views, joins and copies: where a cut dim of the operand is in the result.

Of a view that neither joins nor divides dims this is read off strides: a dim of the result that has
the stride and the size of a dim of the operand is that dim.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from pellucid.distributed.tensor.placement_types import Shard
from pellucid.distributed.tensor.rules import (
    Call,
    P,
    R,
    Way,
    aligned_cuts,
    localizes,
    rule,
    runs,
    without,
)
from pellucid.dtypes import is_differentiable
from pellucid.kernels.active import cpu
from pellucid.ops.elementwise.conditional import masked_fill
from pellucid.ops.index import index_misc, index_slices, indexing, scatter
from pellucid.ops.shape import copying, diagonal, join, splitting, strided, views
from pellucid.ops.shape.broadcasting import expand
from pellucid.processes.exchanges import sizes_of_parts
from pellucid.shapes import dim_from_end, infer_size

#: strides that no sum of a few others equals
_MARKS = [8 * 1_000_003 * 3**i + 8 * i for i in range(24)]


def _traced(call: Call) -> list[list[int | None]]:
    """Return, for each result, where each dim of the operand is; None for dims that changed."""
    shape = call.shape()
    memory = np.lib.stride_tricks.as_strided(
        np.empty((), np.float64), shape, _MARKS[: len(shape)], writeable=False
    )
    made = call.op.body(cpu, memory, *call.params.values())
    results = [made] if call.op.single else list(made)
    found: list[list[int | None]] = []
    for each in results:
        marks = dict(zip(each.strides, range(each.ndim), strict=True))
        places: list[int | None] = []
        for mark, size in zip(_MARKS, shape, strict=False):
            place = marks.get(mark)
            places.append(place if place is not None and each.shape[place] == size else None)
        found.append(places)
    return found


@rule(
    expand, views.permute, views.t, views.transpose, views.unsqueeze, views.squeeze,
    views.basic_index, indexing.indexed_position, splitting.select, splitting.unbind,
    splitting.split_at, splitting.unsafe_split_at, diagonal.diagonal, strided.unfold,
)  # fmt: skip
def _same_dims(call: Call) -> Iterator[Way]:
    traced = _traced(call)
    for dim in range(len(call.shape())):
        places = {each[dim] for each in traced}
        if len(places) == 1 and (place := places.pop()) is not None:
            yield call.same(Shard(dim), Shard(place))
    if call.out_arrays and is_differentiable(call.out_arrays[0].dtype):
        yield call.same(P)


@localizes(expand)
def _expand(call: Call, results: list[Any]) -> tuple[Any, ...]:
    return (results[0].local_shape,)


@localizes(views.squeeze)
def _squeeze(call: Call, results: list[Any]) -> tuple[Any, ...]:
    """Name the dims that have size 1 in the whole: a part may have more of them."""
    shape = call.shape()
    return (tuple([dim for dim in call.dims() if shape[dim] == 1]),)


# ---- other sizes ------------------------------------------------------------------------------


@rule(views.view, views.unsafe_view)
def _view(call: Call) -> Iterator[Way]:
    shape, out = call.shape(), call.out_shapes[0]
    count = [call.mesh.shape[number] for number in range(call.mesh.ndim)]
    for before, after in _groups(shape, out):
        for dim, place in _kept_in_group(shape, out, before, after, count):
            yield call.same(Shard(dim), Shard(place))
    yield call.same(P)


def _groups(shape: tuple[int, ...], out: tuple[int, ...]) -> Iterator[tuple[list[int], list[int]]]:
    """Return dims of both shapes that are as many elements, as few together as possible."""
    i = j = 0
    while i < len(shape) or j < len(out):
        before, after = [], []
        left = right = 1
        while True:
            if left <= right and i < len(shape) and (not before or left < right or shape[i] == 1):
                left *= shape[i]
                before.append(i)
                i += 1
            elif j < len(out) and (not after or right < left or out[j] == 1):
                right *= out[j]
                after.append(j)
                j += 1
            elif left == right and before and after:
                break
            elif i < len(shape):
                left *= shape[i]
                before.append(i)
                i += 1
            elif j < len(out):
                right *= out[j]
                after.append(j)
                j += 1
            else:
                break
            if left == 0 or right == 0:
                return
        yield before, after


def _kept_in_group(
    shape: tuple[int, ...], out: tuple[int, ...], before: list[int], after: list[int],
    counts: list[int],
) -> Iterator[tuple[int, int]]:  # fmt: skip
    """Return the outermost dims of a group if cutting one cuts the other into the same parts."""
    own = next((dim for dim in before if shape[dim] != 1), None)
    made = next((dim for dim in after if out[dim] != 1), None)
    if own is None or made is None:
        if before and after and len(before) == len(after) == 1:
            yield before[0], after[0]
        return
    inner = math.prod(shape[dim] for dim in before if dim > own)
    other = math.prod(out[dim] for dim in after if dim > made)
    if all(_same_parts(shape[own], inner, out[made], other, count) for count in counts):
        yield own, made


def _same_parts(size: int, inner: int, other: int, other_inner: int, count: int) -> bool:
    parts = [part * inner for part in sizes_of_parts(size, count)]
    others = [part * other_inner for part in sizes_of_parts(other, count)]
    return parts == others and (size == other or size % count == other % count == 0)


@runs(views.view, views.unsafe_view)
def _reshape(call: Call, parts: list[Any], results: list[Any], below: Any) -> Any:
    """Return a view where the part allows it, whatever the whole would allow."""
    size = results[0].local_shape
    array = parts[0]._array
    try:
        array.reshape(infer_size(size, array.size), copy=False)
    except ValueError:
        return below(views.unsafe_view.op, (parts[0],), (size,))
    return below(views.view.op, (parts[0],), (size,))


# ---- copies, joins, indices -------------------------------------------------------------------


@rule(copying.clone)
def _clone(call: Call) -> Iterator[Way]:
    for dim in range(len(call.shape())):
        yield call.same(Shard(dim))
    yield call.same(P)


@rule(copying.copy, masked_fill)
def _like_first(call: Call) -> Iterator[Way]:
    yield from aligned_cuts(call)


@rule(join.cat)
def _cat(call: Call) -> Iterator[Way]:
    ndim = len(call.out_shapes[0])
    joined = dim_from_end(call.params["dim"], ndim) % max(ndim, 1)
    for dim in range(ndim):
        if dim != joined and all(shape is not None and len(shape) == ndim for shape in call.shapes):
            yield call.same(Shard(dim))
    if is_differentiable(call.out_arrays[0].dtype):
        yield call.same(P)


@rule(join.stack)
def _stack(call: Call) -> Iterator[Way]:
    ndim = len(call.out_shapes[0])
    new = dim_from_end(call.params["dim"], ndim) % ndim
    for dim in range(ndim - 1):
        yield call.same(Shard(dim), Shard(dim + (dim >= new)))
    if is_differentiable(call.out_arrays[0].dtype):
        yield call.same(P)


@rule(index_slices.index_select)
def _index_select(call: Call) -> Iterator[Way]:
    chosen = call.dims()[0]
    for dim in range(len(call.shape())):
        if dim != chosen:
            yield call.way(Shard(dim), R, out=Shard(dim))
    if len(call.shape(1)) == 1:
        yield call.way(R, Shard(0), out=Shard(chosen))


@rule(scatter.gather)
def _gather(call: Call) -> Iterator[Way]:
    along = call.dims()[0]
    shape, index = call.shape(0), call.shape(1)
    for dim in range(len(index)):
        if dim != along and shape[dim] == index[dim]:
            yield call.same(Shard(dim))
    yield call.way(R, Shard(along), out=Shard(along))


@rule(index_misc.isin_values)
def _isin(call: Call) -> Iterator[Way]:
    for dim in range(len(call.out_shapes[0])):
        yield call.way(Shard(dim), R, out=Shard(dim))


@rule(diagonal.roll)
def _roll(call: Call) -> Iterator[Way]:
    if call.params["dims"]:
        yield from without(call, call.dims("dims"))
    yield call.same(P)


@rule(diagonal.repeat_tiles, diagonal.trace, diagonal.diagonal_backward)
def _linear_in_whole(call: Call) -> Iterator[Way]:
    yield call.same(P)


@rule(index_slices.index_add, index_slices.index_copy)
def _index_change(call: Call) -> Iterator[Way]:
    for dim in range(len(call.shape())):
        if dim != call.dims()[0]:
            yield call.way(Shard(dim), R, Shard(dim), out=Shard(dim))


@rule(index_slices.index_fill_scalar)
def _index_fill(call: Call) -> Iterator[Way]:
    for dim in range(len(call.shape())):
        if dim != call.dims()[0]:
            yield call.way(Shard(dim), R, out=Shard(dim))


@rule(scatter.scatter_src, scatter.scatter_value, scatter.scatter_add)
def _scatter(call: Call) -> Iterator[Way]:
    for dim in range(len(call.shape())):
        sizes = {shape[dim] for shape in call.shapes if shape}
        if dim != call.dims()[0] and len(sizes) == 1:
            yield call.same(Shard(dim))
