"""Sorting, selecting and running extremes, with the index of every value.

NaN counts as larger than every number, here as in PyTorch.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from pellucid.kernels.numpy import Array, Indices

Selected = tuple[Array, Indices]


def _pick(x: Array, indices: Array, axis: int) -> Selected:
    return np.take_along_axis(x, indices, axis), indices.astype(np.int64, copy=False)


def _scalar(x: Array) -> Selected:
    """What any selection makes of an array without dimensions."""
    return np.array(x), np.zeros((), np.int64)


def argsort(x: Array, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the indices that sort `x` along `axis`; stable ones keep equal values in order."""
    if x.ndim == 0:
        return np.zeros((), np.int64)
    kind = "stable" if stable else None
    if not descending:
        return np.argsort(x, axis=axis, kind=kind)
    # Ascending over the reversed array, reversed: equal values end up in their original order.
    order = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind=kind), axis)
    return x.shape[axis] - 1 - order


def sort(x: Array, axis: int = -1, descending: bool = False, stable: bool = True) -> Selected:
    """Sort along `axis`, and return the values with the indices they had."""
    if x.ndim == 0:
        return _scalar(x)
    return _pick(x, argsort(x, axis, descending, stable), axis)


def _part(axis: int, ndim: int, part: slice) -> tuple[slice, ...]:
    index = [slice(None)] * ndim
    index[axis] = part
    return tuple(index)


def topk(x: Array, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> Selected:
    """Return the `k` largest or smallest values along `axis`, in order if `sorted`."""
    if x.ndim == 0:
        return _scalar(x)
    # a partition would be quicker, and choose any of the values that are equal
    chosen = argsort(x, axis, largest)[_part(axis, x.ndim, slice(k))]
    if not sorted:
        chosen = np.sort(chosen, axis=axis)
    return _pick(x, chosen, axis)


def _squeezed(selected: Selected, axis: int, keepdims: bool) -> Selected:
    values, indices = selected
    return selected if keepdims else (values.squeeze(axis), indices.squeeze(axis))


def kthvalue(x: Array, k: int, axis: int = -1, keepdims: bool = False) -> Selected:
    """Return the `k`-th smallest value along `axis`, counted from one, and its index."""
    if x.ndim == 0:
        return _scalar(x)
    chosen = argsort(x, axis)[_part(axis, x.ndim, slice(k - 1, k))]
    return _squeezed(_pick(x, chosen, axis), axis, keepdims)


def median(x: Array, axis: int = -1, keepdims: bool = False) -> Selected:
    """Return the lower median along `axis` and its index; the first NaN, where there is one."""
    if x.ndim == 0:
        return _scalar(x)
    values, indices = kthvalue(x, (x.shape[axis] + 1) // 2, axis, keepdims=True)
    if x.dtype.kind == "f":
        missing = np.isnan(x)
        spoiled = missing.any(axis=axis, keepdims=True)
        if spoiled.any():
            indices = np.where(spoiled, missing.argmax(axis=axis, keepdims=True), indices)
            values = np.take_along_axis(x, indices, axis)
    return _squeezed((values, indices), axis, keepdims)


def nanmedian(x: Array, axis: int = -1, keepdims: bool = False) -> Selected:
    """Return the lower median of the numbers along `axis` and its index; NaN if there are none."""
    if x.ndim == 0:
        return _scalar(x)
    numbers = np.count_nonzero(~np.isnan(x), axis=axis, keepdims=True)
    middle = np.maximum(numbers - 1, 0) // 2
    indices = np.zeros_like(middle)
    for position in np.unique(middle):  # one unless there are NaNs; of ties the one median() gives
        _, found = kthvalue(x, int(position) + 1, axis, keepdims=True)
        np.copyto(indices, found, where=middle == position)
    return _squeezed(_pick(x, indices, axis), axis, keepdims)


def max_dim(x: Array, axis: int, keepdims: bool = False) -> Selected:
    """Return the maximum along `axis` and where it first stands; a NaN exceeds every number."""
    if x.ndim == 0:
        return _scalar(x)
    return _squeezed(_pick(x, x.argmax(axis=axis, keepdims=True), axis), axis, keepdims)


def min_dim(x: Array, axis: int, keepdims: bool = False) -> Selected:
    """Return the minimum along `axis` and where it first stands; a NaN goes before every number."""
    if x.ndim == 0:
        return _scalar(x)
    return _squeezed(_pick(x, x.argmin(axis=axis, keepdims=True), axis), axis, keepdims)


def _running(x: Array, axis: int, extreme: np.ufunc) -> Selected:
    if x.ndim == 0:
        return _scalar(x)
    values = extreme.accumulate(x, axis=axis)
    reached = values == x
    if x.dtype.kind == "f":
        reached |= np.isnan(x)
    steps = np.arange(x.shape[axis]).reshape(-1, *(1,) * (x.ndim - 1 - axis % x.ndim))
    indices = np.maximum.accumulate(np.where(reached, steps, 0), axis=axis)
    return values, indices.astype(np.int64, copy=False)


def cummax(x: Array, axis: int) -> Selected:
    """Return the running maximum along `axis` and the last place that reached it."""
    return _running(x, axis, np.maximum)


def cummin(x: Array, axis: int) -> Selected:
    """Return the running minimum along `axis` and the last place that reached it."""
    return _running(x, axis, np.minimum)


def mode(x: Array, axis: int = -1, keepdims: bool = False) -> Selected:
    """Return the most frequent value along `axis`, the smallest of several, and its last index."""
    if x.ndim == 0:
        return _scalar(x)
    order = np.moveaxis(argsort(x, axis), axis, -1)
    values = np.take_along_axis(np.moveaxis(x, axis, -1), order, -1)
    steps = np.arange(values.shape[-1])
    starts = np.ones(values.shape, bool)
    starts[..., 1:] = values[..., 1:] != values[..., :-1]
    run_start = np.maximum.accumulate(np.where(starts, steps, 0), axis=-1)
    longest = np.argmax(steps - run_start, axis=-1)
    # The longest run first reaches its full length at its last element.
    chosen = np.expand_dims(np.take_along_axis(order, longest[..., None], -1)[..., 0], axis)
    return _squeezed(_pick(x, chosen, axis), axis, keepdims)


def unique(
    x: Array, axis: int | None = None, inverse: bool = False, counts: bool = False
) -> tuple[Array, ...]:
    """Return the sorted distinct values or slices, then their inverse and counts as asked.

    Every NaN is a value of its own.
    """
    result: Any = np.unique(
        x, return_inverse=inverse, return_counts=counts, axis=axis, equal_nan=False
    )
    if not inverse and not counts:
        return (result,)
    parts = list(result)
    if inverse:
        parts[1] = parts[1].reshape(x.shape if axis is None else -1)
    return tuple(parts)


def unique_consecutive(x: Array, axis: int | None = None) -> tuple[Array, Array, Array]:
    """Drop repetitions of the value or slice just before; return values, inverse and counts."""
    items = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    rows = items.reshape(len(items), prod(items.shape[1:]))
    starts = np.ones(len(rows), bool)
    starts[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    first = np.flatnonzero(starts)
    inverse = np.cumsum(starts) - 1
    counts = np.diff(first, append=len(rows))
    if axis is None:
        return items[first], inverse.reshape(x.shape), counts
    return np.moveaxis(items[first], 0, axis), inverse, counts
