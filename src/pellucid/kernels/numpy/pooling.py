"""Pooling over any number of trailing dimensions, one axis after the other.

Along one axis, a *tap* pairs a selection of windows with the input positions that those windows
hold at the same place. A few array operations per tap then do for all windows at once, and an
N-dimensional window of ``k ** N`` taps costs ``k * N``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.errors import ShapeError
from pellucid.kernels.numpy import Array, Indices, reduction
from pellucid.kernels.numpy.gather_scatter import add_at
from pellucid.kernels.numpy.precision import working_dtype

Ints = tuple[int, ...]
Selection = slice | Indices

#: this many places take a minute
_MOST_PLACES = 2**24


class _Axis(NamedTuple):
    """The windows along one axis: the taps, and where each window starts and how much it holds."""

    windows: int
    taps: tuple[tuple[Selection, Selection], ...]
    first: Indices
    empty: Array

    @property
    def starts_whole(self) -> bool:
        """Whether the first tap is a slice that reaches every window."""
        chosen = self.taps[0][0] if self.taps else None
        return isinstance(chosen, slice) and chosen == slice(0, self.windows)


def pooled_size(
    size: int, kernel: int, stride: int, padding: int, dilation: int = 1, ceil_mode: bool = False
) -> int:
    """Count the windows along an axis; in `ceil_mode` the last one may reach past the padding.

    It must still start inside the input or the padding on its left.
    """
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    windows = -(-room // stride) + 1
    return windows - 1 if (windows - 1) * stride >= size + padding else windows


def _places(places: range) -> range:
    """Return the places of a window, if they can be gone through one by one."""
    if len(places) > _MOST_PLACES:
        raise ShapeError(
            f"pooling goes through windows place by place, of which these have {len(places)}: at "
            f"most {_MOST_PLACES}. Reduce slices of the input, with amax() or mean()."
        )
    return places


@lru_cache(maxsize=1024)
def _sliding(size: int, windows: int, kernel: int, stride: int, padding: int, dilation: int):
    taps = []
    # Of an enormous window only those places count that meet the input in one of its positions.
    first_met = max(0, (padding - windows * stride) // dilation) * dilation - padding
    for offset in _places(range(first_met, min(kernel * dilation - padding, size), dilation)):
        low = max(0, -(offset // stride))
        high = min(windows, (size - 1 - offset) // stride + 1)
        if low < high:
            start = low * stride + offset
            stop = start + (high - 1 - low) * stride + 1
            taps.append((slice(low, high), slice(start, stop, stride)))
    starts = np.arange(windows) * stride - padding
    first = np.where(starts < 0, starts % dilation, starts)
    empty = (first >= size) | (first > starts + (kernel - 1) * dilation)
    return _Axis(windows, tuple(taps), np.minimum(first, max(size - 1, 0)), empty)


@lru_cache(maxsize=1024)
def _adaptive(size: int, windows: int) -> _Axis:
    """Divide `size` positions into windows of nearly equal length, which may share their ends.

    Swapping the arguments answers the dual question, which windows hold a position: window ``o``
    of ``O`` holds ``i`` of ``S`` exactly when ``o * S < (i + 1) * O`` and ``(o + 1) * S > i * O``,
    which is symmetric in the two.
    """
    if windows and size and size % windows == 0:
        length = size // windows
        return _sliding(size, windows, length, length, 0, 1)
    starts, lengths = _adaptive_bounds(size, windows)
    taps = []
    for position in _places(range(lengths.max(initial=0))):
        chosen = np.flatnonzero(lengths > position)
        taps.append((chosen, starts[chosen] + position))
    return _Axis(windows, tuple(taps), starts, lengths == 0)


def _adaptive_bounds(size: int, windows: int) -> tuple[Indices, Indices]:
    order = np.arange(windows)
    starts = order * size // max(windows, 1)
    ends = -(-(order + 1) * size // max(windows, 1))
    return starts, ends - starts


def _axes(
    size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> list[_Axis]:
    return [
        _sliding(s, pooled_size(s, k, step, p, d, ceil_mode), k, step, p, d)
        for s, k, step, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
    ]


def _at(axis: int, selection: Selection) -> tuple[Any, ...]:
    """Index `axis`, counted from the end, with `selection`."""
    return (..., selection, *(slice(None),) * (-axis - 1))


def _along(axis: int, values: Array) -> Array:
    """Shape a vector to broadcast along `axis`, counted from the end."""
    return values.reshape(-1, *(1,) * (-axis - 1))


def _lowest(dtype: np.dtype) -> Any:
    if dtype.kind == "f":
        return -np.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def max_pool(
    x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool = False
) -> tuple[Array, Indices]:
    """Take the largest value of every window of ``x [..., *S]``, and where it stands.

    The indices are flat over ``S``. Of equal values the first counts; a NaN exceeds every number.
    """
    size = x.shape[x.ndim - len(kernel) :]
    if 0 < x.size * prod(kernel) <= _FEW and not any(padding) and not ceil_mode:
        found = _max_of_few(x, _windows_of(size, kernel, stride, dilation))
        if found is not None:
            return found
    return _max_over(x, size, _axes(size, kernel, stride, padding, dilation, ceil_mode))


# Up to this many elements it is quicker to copy all windows out than to go through their taps.
_FEW = 1 << 15


class _Windows(NamedTuple):
    """The windows of one image: how many there are, and where their elements stand in it."""

    shape: Ints
    positions: Indices
    starts: Indices
    offsets: Indices


@lru_cache(maxsize=256)
def _windows_of(size: Ints, kernel: Ints, stride: Ints, dilation: Ints) -> _Windows:
    steps = [prod(size[axis + 1 :]) for axis in range(len(size))]
    shape = tuple(
        pooled_size(s, k, step, 0, d)
        for s, k, step, d in zip(size, kernel, stride, dilation, strict=True)
    )
    starts, offsets = np.zeros((), np.int64), np.zeros((), np.int64)
    for count, k, move, d, step in zip(shape, kernel, stride, dilation, steps, strict=True):
        starts = starts[..., None] + np.arange(count) * (move * step)
        offsets = offsets[..., None] + np.arange(k) * (d * step)
    positions = starts.reshape(-1, 1) + offsets.reshape(1, -1)
    return _Windows(shape, positions.astype(np.intp), starts.reshape(-1), offsets.reshape(-1))


def _max_of_few(x: Array, windows: _Windows) -> tuple[Array, Indices] | None:
    """Take the maxima from copies of all windows; give up if there is a NaN."""
    lead = x.shape[: x.ndim - len(windows.shape)]
    taken = x.reshape(prod(lead), -1).take(windows.positions, axis=1)
    best = taken.argmax(axis=2)
    indices = windows.offsets.take(best)
    indices += windows.starts
    starts = np.arange(0, taken.size, taken.shape[2])
    values = taken.reshape(-1).take(starts + best.reshape(-1))
    if x.dtype.kind == "f" and np.isnan(values).any():
        return None
    shape = (*lead, *windows.shape)
    return values.reshape(shape), indices.reshape(shape)


def adaptive_max_pool(x: Array, output_size: Ints) -> tuple[Array, Indices]:
    """Take the largest value of each of `output_size` nearly equal windows, and where it stands."""
    size = x.shape[x.ndim - len(output_size) :]
    axes = [_adaptive(s, windows) for s, windows in zip(size, output_size, strict=True)]
    return _max_over(x, size, axes)


def _max_over(x: Array, size: Ints, axes: Sequence[_Axis]) -> tuple[Array, Indices]:
    """Reduce the last axis first, so that the first of equal values in the order of memory wins."""
    narrow: np.dtype[Any] = np.dtype("i4" if prod(size) <= np.iinfo(np.int32).max else "i8")
    values, indices = x, None
    stride = 1
    for axis, windows in zip(range(-1, -len(size) - 1, -1), reversed(axes), strict=True):
        places = np.arange(0, size[axis] * stride, stride, dtype=narrow)
        positions = _along(axis, places)
        indices = positions if indices is None else indices + positions
        values, indices = _max_along(values, indices, axis, windows)
        stride *= size[axis]
    return values, np.asarray(indices, np.int64)


def _max_along(x: Array, indices: Array, axis: int, windows: _Axis) -> tuple[Array, Array]:
    indices = np.broadcast_to(indices, x.shape)
    best, positions = _first_of_windows(x, indices, axis, windows)
    for chosen, source in windows.taps[windows.starts_whole :]:
        here = _at(axis, chosen)
        there = _at(axis, source)
        candidates, current = x[there], best[here]
        better = candidates > current
        if isinstance(chosen, slice):
            np.maximum(candidates, current, out=current)  # of two equals the second
            np.copyto(positions[here], indices[there], where=better)
        else:
            best[here] = np.maximum(candidates, current)
            positions[here] = np.where(better, indices[there], positions[here])
    if x.dtype.kind == "f" and np.isnan(best).any():
        _point_at_nan(x, indices, positions, axis, windows)
    return best, positions


def _first_of_windows(x: Array, indices: Array, axis: int, windows: _Axis) -> tuple[Array, Array]:
    """Start every window from its first value, and a window of nothing but padding from -inf."""
    if windows.starts_whole:
        there = _at(axis, windows.taps[0][1])
        return x[there].copy(), indices[there].copy()
    best = np.take(x, windows.first, axis=axis)
    if windows.empty.any():
        best[_at(axis, np.flatnonzero(windows.empty))] = _lowest(x.dtype)
    return best, np.take(indices, windows.first, axis=axis)


def _point_at_nan(x: Array, indices: Array, positions: Array, axis: int, windows: _Axis) -> None:
    """Point windows that hold a NaN at the last one, which comparisons alone cannot find."""
    for chosen, source in windows.taps:
        here, there = _at(axis, chosen), _at(axis, source)
        positions[here] = np.where(np.isnan(x[there]), indices[there], positions[here])


def max_pool_to_input(g: Array, indices: Indices, input_shape: Ints) -> Array:
    """Add ``g [N, C, *P]`` to zeros of `input_shape` at the flat spatial `indices`."""
    images, size = prod(g.shape[:2]), prod(input_shape)
    starts = np.arange(images) * prod(input_shape[2:])
    positions = indices.reshape(images, prod(g.shape[2:])) + starts[:, None]
    return add_at(size, positions, g).reshape(input_shape)


def take_spatial(x: Array, indices: Indices) -> Array:
    """Read ``x [N, C, *S]`` at flat spatial `indices [N, C, *P]`."""
    images = x.shape[:2]
    area = prod(x.shape[2:])
    offsets = (np.arange(prod(images)) * area).reshape(*images, *(1,) * (indices.ndim - 2))
    return x.reshape(-1).take(indices + offsets)


def _sum_along(x: Array, axis: int, windows: _Axis) -> Array:
    if windows.windows == 1 and len(windows.taps) == x.shape[axis]:
        return reduction.total(x, (axis % x.ndim,), True)
    shape = list(x.shape)
    shape[axis] = windows.windows
    total = np.zeros(shape, x.dtype)
    for chosen, source in windows.taps:
        total[_at(axis, chosen)] += x[_at(axis, source)]
    return total


def _spread_along(g: Array, axis: int, windows: _Axis, size: int) -> Array:
    """Transpose `_sum_along` over sliding windows, whose taps never repeat a position."""
    shape = list(g.shape)
    shape[axis] = size
    total = np.zeros(shape, g.dtype)
    for chosen, source in windows.taps:
        total[_at(axis, source)] += g[_at(axis, chosen)]
    return total


def _counts(size: int, windows: int, kernel: int, stride: int, padding: int, pads: bool) -> Array:
    """Count what each window averages over, with or without the padding among it."""
    starts = np.arange(windows) * stride - padding
    ends = np.minimum(starts + kernel, size + padding)
    return ends - starts if pads else np.minimum(ends, size) - np.maximum(starts, 0)


def _divide_by_counts(values: Array, counts: Sequence[Array], divisor: int | None) -> Array:
    """Divide in place by the size of every window, or by one given divisor."""
    if divisor is not None:
        values /= divisor
    elif all(c.size and (c == c[0]).all() for c in counts):
        values /= prod(int(c[0]) for c in counts)
    else:
        for axis, count in zip(range(-len(counts), 0), counts, strict=True):
            values /= _along(axis, count.astype(np.finfo(values.dtype).dtype))
    return values


def avg_pool(
    x: Array,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Average ``x [..., *S]`` over every window."""
    size = x.shape[x.ndim - len(kernel) :]
    axes = _axes(size, kernel, stride, padding, (1,) * len(kernel), ceil_mode)
    total = x.astype(working_dtype(x.dtype))
    for axis, windows in zip(range(-len(size), 0), axes, strict=True):
        total = _sum_along(total, axis, windows)
    counts = _window_counts(size, axes, kernel, stride, padding, count_include_pad)
    return _divide_by_counts(total, counts, divisor_override).astype(x.dtype, copy=False)


def _window_counts(
    size: Ints, axes: Sequence[_Axis], kernel: Ints, stride: Ints, padding: Ints, pads: bool
) -> list[Array]:
    return [
        _counts(s, axis.windows, k, step, p, pads)
        for s, axis, k, step, p in zip(size, axes, kernel, stride, padding, strict=True)
    ]


def avg_pool_to_input(
    g: Array,
    input_shape: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Transpose `avg_pool`: share every value of `g` equally among the window it came from."""
    size = tuple(input_shape[len(input_shape) - len(kernel) :])
    axes = _axes(size, kernel, stride, padding, (1,) * len(kernel), ceil_mode)
    counts = _window_counts(size, axes, kernel, stride, padding, count_include_pad)
    total = _divide_by_counts(g.astype(working_dtype(g.dtype)), counts, divisor_override)
    for axis, windows in zip(range(-len(size), 0), axes, strict=True):
        total = _spread_along(total, axis, windows, size[axis])
    return total.astype(g.dtype, copy=False)


def adaptive_avg_pool(x: Array, output_size: Ints) -> Array:
    """Average ``x [..., *S]`` over `output_size` nearly equal windows."""
    size = x.shape[x.ndim - len(output_size) :]
    total = x.astype(working_dtype(x.dtype))
    for axis, windows in zip(range(-len(size), 0), output_size, strict=True):
        total = _sum_along(total, axis, _adaptive(total.shape[axis], windows))
    counts = [_adaptive_bounds(s, o)[1] for s, o in zip(size, output_size, strict=True)]
    return _divide_by_counts(total, counts, None).astype(x.dtype, copy=False)


def adaptive_avg_pool_to_input(g: Array, input_shape: Ints, output_size: Ints) -> Array:
    """Transpose `adaptive_avg_pool`."""
    size = tuple(input_shape[len(input_shape) - len(output_size) :])
    counts = [_adaptive_bounds(s, o)[1] for s, o in zip(size, output_size, strict=True)]
    total = _divide_by_counts(g.astype(working_dtype(g.dtype)), counts, None)
    for axis in range(-len(size), 0):  # a position lies in as many windows, nearly equal again
        total = _sum_along(total, axis, _adaptive(total.shape[axis], size[axis]))
    return total.astype(g.dtype, copy=False)
