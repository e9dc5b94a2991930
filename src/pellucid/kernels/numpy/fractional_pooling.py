"""Fractional max pooling: windows of one size whose places are drawn at random.

B. Graham, "Fractional max-pooling" (2014), with pseudo-random sequences.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def window_starts(samples: Array, size: int, windows: int, kernel: int) -> Array:
    """Return where the windows along an axis start, ``[*samples, windows]``; the last at the end.

    ``samples`` are numbers between 0 and 1, one for each image and channel.
    """
    last = size - kernel
    if windows <= 1:
        return np.full((*samples.shape, windows), last)
    # In the samples' own precision, so that the same windows come out as in PyTorch.
    step = samples.dtype.type(last) / samples.dtype.type(windows - 1)
    positions = np.arange(windows - 1, dtype=samples.dtype)
    starts = ((positions + samples[..., None]) * step).astype(np.int64)
    starts -= (samples * step).astype(np.int64)[..., None]
    return np.concatenate([starts, np.full((*samples.shape, 1), last)], axis=-1)


def fractional_max_pool(
    x: Array, samples: Array, kernel: tuple[int, ...], windows: tuple[int, ...]
) -> tuple[Array, Array]:
    """Take the largest element of each window of ``x [N, C, *S]``, and its place in the image.

    ``samples [N, C, D]`` places the windows; in two dimensions those of the width come first.
    """
    ndim = len(kernel)
    size = x.shape[2:]
    drawn = samples[..., ::-1] if ndim == 2 else samples
    corner: Any = 0
    for axis in range(ndim):
        starts = window_starts(drawn[..., axis], size[axis], windows[axis], kernel[axis])
        shape = (*starts.shape[:2], *(1,) * axis, windows[axis], *(1,) * (ndim - 1 - axis))
        corner = corner + starts.reshape(shape) * prod(size[axis + 1 :])
    corner = corner.reshape(*x.shape[:2], prod(windows))
    flat = x.reshape(*x.shape[:2], prod(size))
    positions = corner
    best = np.take_along_axis(flat, corner, -1)
    for offset in product(*map(range, kernel)):
        here = corner + sum(o * prod(size[axis + 1 :]) for axis, o in enumerate(offset))
        values = np.take_along_axis(flat, here, -1)
        better = (values > best) | np.isnan(values)
        best, positions = np.where(better, values, best), np.where(better, here, positions)
    shape = (*x.shape[:2], *windows)
    return best.reshape(shape), positions.reshape(shape)
