"""N-dimensional convolution and its two transposes, as matrix products over gathered windows.

The three kernels are the partial maps of one trilinear form, without conjugation:
``sum(g * convolve(x, w))``, ``sum(x * convolve_to_input(g, w))`` and
``sum(w * convolve_to_weight(g, x))`` are equal. Each one's derivatives are the other two.

Windows are copied into ``columns [C, *K, n, *P]`` for ``n`` images at a time, or for a few rows of
one image: one large product per tile suits BLAS, and the tile stays in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import working_dtype

Ints = tuple[int, ...]

_TILE_BYTES = 1 << 20
# Rows of at most this many values are too short a run for NumPy's loops: with many of them, the
# images are laid innermost instead.
_SHORT_ROW = 16


class _Geometry(NamedTuple):
    """The sizes of one convolution; ``groups`` is folded into none of them."""

    images: int
    channels: int
    size: Ints
    kernel: Ints
    stride: Ints
    padding: Ints
    dilation: Ints
    groups: int
    filters: int
    output: Ints

    @property
    def window(self) -> int:
        """Values under one window within one group."""
        return self.channels // self.groups * prod(self.kernel)

    @property
    def padded(self) -> Ints:
        return tuple(s + 2 * p for s, p in zip(self.size, self.padding, strict=True))

    @property
    def is_pointwise(self) -> bool:
        return not any(self.padding) and set(self.kernel) <= {1} and set(self.stride) <= {1}

    def prefers_images_last(self, count: int) -> bool:
        """Whether reordering the gradient of `count` images costs less than adding short rows."""
        is_wide = self.window >= self.filters // self.groups
        return is_wide and self.output[-1] <= min(count, _SHORT_ROW)

    @property
    def reach(self) -> Ints:
        """How much further the last tap of a filter lies than the first."""
        return tuple(d * (k - 1) for d, k in zip(self.dilation, self.kernel, strict=True))

    @property
    def has_gathering_transpose(self) -> bool:
        """Whether the gradient of the images is quicker gathered than added up window by window.

        Gathering copies windows over the filters, which must not be many more than the channels.
        """
        reaches = all(p <= r for p, r in zip(self.padding, self.reach, strict=True))
        return reaches and set(self.stride) <= {1} and self.filters <= 2 * self.channels

    def interior(self) -> tuple[slice, ...]:
        """Where the image lies within its padding."""
        spatial = (slice(p, p + s) for s, p in zip(self.size, self.padding, strict=True))
        return (slice(None), slice(None), *spatial)

    def tile(self, itemsize: int) -> tuple[int, int]:
        """How many images, and how many rows of them, are worked on at once."""
        row = max(1, self.groups * self.window * prod(self.output[1:]) * itemsize)
        image = row * max(1, self.output[0])
        if image <= _TILE_BYTES:
            return max(1, min(self.images, _TILE_BYTES // image)), max(1, self.output[0])
        return 1, max(1, _TILE_BYTES // row)


@lru_cache(maxsize=1024)
def _geometry(
    x_shape: Ints, w_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> _Geometry:
    size, kernel = x_shape[2:], w_shape[2:]
    output = tuple(
        (s + 2 * p - d * (k - 1) - 1) // step + 1
        for s, k, step, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
    )
    # a longer stride than the padded input leads to no other window
    stride = tuple(
        min(step, max(1, s + 2 * p)) for step, s, p in zip(stride, size, padding, strict=True)
    )
    return _Geometry(
        x_shape[0], x_shape[1], size, kernel, stride, padding, dilation, groups, w_shape[0], output
    )


def _windows(tile: Array, geometry: _Geometry, first: int, rows: int) -> Array:
    """View ``tile [n, C, *padded]`` (contiguous) as its windows ``[C, *K, n, rows, *P[1:]]``."""
    image, channel, *step = tile.strides
    taps = (d * b for d, b in zip(geometry.dilation, step, strict=True))
    moves = [s * b for s, b in zip(geometry.stride, step, strict=True)]
    return np.ndarray(
        (geometry.channels, *geometry.kernel, tile.shape[0], rows, *geometry.output[1:]),
        tile.dtype,
        tile,  # an array is a buffer
        first * moves[0],
        (channel, *taps, image, *moves),
    )


def _padded_tiles(
    x: Array, geometry: _Geometry, count: int, dtype: np.dtype
) -> Iterator[tuple[int, Array]]:
    """Yield the images ``count`` at a time, contiguous, padded with zeros and of ``dtype``."""
    direct = not any(geometry.padding) and x.dtype == dtype and x.flags.c_contiguous
    interior = geometry.interior()
    shape = (count, geometry.channels, *geometry.padded)
    buffer = None if direct else np.zeros(shape, dtype)
    for start in range(0, geometry.images, count):
        part = x[start : start + count]
        if buffer is not None:
            tile = buffer[: len(part)]
            tile[interior] = part
            part = tile
        yield start, part


def _columns(
    x: Array, geometry: _Geometry, dtype: np.dtype
) -> Iterator[tuple[slice, slice, Array]]:
    """Yield images, rows and the windows over them as ``[groups, window, n * positions]``.

    The array is the same buffer every time.
    """
    count, height = geometry.tile(dtype.itemsize)
    positions = count * height * prod(geometry.output[1:])
    buffer = np.empty(geometry.groups * geometry.window * positions, dtype)
    for start, tile in _padded_tiles(x, geometry, count, dtype):
        images = slice(start, start + len(tile))
        for first in range(0, geometry.output[0], height):
            rows = min(height, geometry.output[0] - first)
            windows = _windows(tile, geometry, first, rows)
            columns = buffer[: windows.size].reshape(windows.shape)
            columns[...] = windows
            grouped = columns.reshape(
                geometry.groups, geometry.window, prod(windows.shape[-len(geometry.size) - 1 :])
            )
            yield images, slice(first, first + rows), grouped


def _by_group(g: Array, geometry: _Geometry, dtype: np.dtype) -> Array:
    """Bring ``g [n, O, *P]`` into the order of the columns: ``[groups, O / groups, n * P]``."""
    filters = geometry.filters // geometry.groups
    ordered = g.swapaxes(0, 1).reshape(geometry.groups, filters, -1)
    return ordered.astype(dtype, copy=False)


def convolve(
    x: Array, w: Array, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    bias: Array | None = None,
) -> Array:  # fmt: skip
    """Correlate images ``x [N, C, *S]`` with filters ``w [O, C / groups, *K]``, add ``bias [O]``.

    One entry of `stride`, `padding` and `dilation` per spatial dimension. The result is
    ``[N, O, *P]``; half precision is accumulated in single precision.
    """
    geometry = _geometry(x.shape, w.shape, stride, padding, dilation, groups)
    result_dtype = np.result_type(x, w)
    dtype = working_dtype(result_dtype)
    filters = w.reshape(groups, geometry.filters // groups, geometry.window)
    filters = filters.astype(dtype, copy=False)
    if geometry.is_pointwise:
        mixed = _convolve_pointwise(x, filters, geometry, dtype)
        return _per_channel(mixed.astype(result_dtype, copy=False), bias)
    out = np.empty((geometry.images, geometry.filters, *geometry.output), result_dtype)
    for images, rows, columns in _columns(x, geometry, dtype):
        target = out[images, :, rows]
        values = filters @ columns
        by_filter = (geometry.filters, target.shape[0], *target.shape[2:])
        target[...] = values.reshape(by_filter).swapaxes(0, 1)
    return _per_channel(out, bias)


def _per_channel(out: Array, bias: Array | None) -> Array:
    """Add a bias to every channel, in place."""
    if bias is not None:
        out += bias.reshape(-1, *(1,) * (out.ndim - 2))
    return out


def _convolve_pointwise(x: Array, filters: Array, geometry: _Geometry, dtype: np.dtype) -> Array:
    """Mix channels at every position: a convolution with ``1 x 1`` filters gathers nothing."""
    groups, images = geometry.groups, geometry.images
    flat = x.reshape(images, groups, geometry.window, prod(geometry.size))
    values = filters @ flat.astype(dtype, copy=False)
    return values.reshape(images, geometry.filters, *geometry.output)


def convolve_to_input(
    g: Array, w: Array, input_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    bias: Array | None = None,
) -> Array:  # fmt: skip
    """Transpose `convolve` in its images: from ``g [N, O, *P]`` back to ``input_shape``.

    This is also the forward pass of a transposed convolution, to which a bias ``[C]`` is added.
    """
    geometry = _geometry(tuple(input_shape), w.shape, stride, padding, dilation, groups)
    result_dtype = np.result_type(g, w)
    dtype = working_dtype(result_dtype)
    filters = w.reshape(groups, geometry.filters // groups, geometry.window)
    transposed = filters.astype(dtype, copy=False).swapaxes(1, 2)
    if geometry.is_pointwise:
        flat = g.reshape(geometry.images, groups, transposed.shape[2], prod(geometry.output))
        values = transposed @ flat.astype(dtype, copy=False)
        mixed = values.reshape(input_shape).astype(result_dtype, copy=False)
        return _per_channel(mixed, bias)
    if geometry.has_gathering_transpose:
        return _per_channel(_gather_to_input(g, w, geometry), bias)
    out = np.empty(input_shape, result_dtype)
    interior = geometry.interior()
    count, height = geometry.tile(dtype.itemsize)
    images_last = geometry.prefers_images_last(count)
    for start in range(0, geometry.images, count):
        target = out[start : start + count]
        tile = _zero_tile(len(target), geometry, dtype, images_last)
        for first in range(0, geometry.output[0], height):
            part = g[start : start + count, :, first : first + height]
            if images_last:
                ordered = np.moveaxis(part, 0, -1).reshape(groups, transposed.shape[2], -1)
                columns = transposed @ ordered.astype(dtype, copy=False)
            else:
                columns = transposed @ _by_group(part, geometry, dtype)
            _add_windows(tile, columns, geometry, first, part.shape[2], images_last)
        target[...] = tile[interior]
    return _per_channel(out, bias)


def _gather_to_input(g: Array, w: Array, geometry: _Geometry) -> Array:
    """Transpose a convolution of stride 1: one with its filters turned around."""
    groups, kernel = geometry.groups, geometry.kernel
    grouped = w.reshape(groups, geometry.filters // groups, geometry.channels // groups, *kernel)
    exchanged = np.flip(grouped, tuple(range(3, grouped.ndim))).swapaxes(1, 2)
    turned = exchanged.reshape(geometry.channels, geometry.filters // groups, *kernel)
    padding = tuple(r - p for r, p in zip(geometry.reach, geometry.padding, strict=True))
    return convolve(g, turned, geometry.stride, padding, geometry.dilation, groups)


def _zero_tile(count: int, geometry: _Geometry, dtype: np.dtype, images_last: bool) -> Array:
    """Make padded images ``[n, C, *padded]`` of zeros, in the order of memory that is asked for."""
    if images_last:
        return np.moveaxis(np.zeros((geometry.channels, *geometry.padded, count), dtype), -1, 0)
    return np.zeros((count, geometry.channels, *geometry.padded), dtype)


def _add_windows(
    tile: Array, columns: Array, geometry: _Geometry, first: int, rows: int, images_last: bool
) -> None:
    """Add the windows back onto ``tile [n, C, *padded]``, one tap of the filter at a time.

    The values of one tap never overlap each other; those of different taps do.
    """
    moves = (rows, *geometry.output[1:])
    images = tile.shape[0]
    order = (*moves, images) if images_last else (images, *moves)
    taps = columns.reshape(geometry.channels, *geometry.kernel, *order)
    starts = (first * geometry.stride[0], *(0 for _ in moves[1:]))
    for tap in product(*(range(k) for k in geometry.kernel)):
        where = tuple(
            slice(t * d + b, t * d + b + (n - 1) * s + 1, s)
            for t, d, b, n, s in zip(
                tap, geometry.dilation, starts, moves, geometry.stride, strict=True
            )
        )
        target = tile[(slice(None), slice(None), *where)]
        values = taps[(slice(None), *tap)]
        target += np.moveaxis(values, -1, 0) if images_last else values.swapaxes(0, 1)


def convolve_to_weight(
    g: Array, x: Array, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints,
    groups: int,
) -> Array:  # fmt: skip
    """Transpose `convolve` in its filters: from ``g [N, O, *P]`` and the images to the weights."""
    geometry = _geometry(x.shape, tuple(weight_shape), stride, padding, dilation, groups)
    result_dtype = np.result_type(g, x)
    dtype = working_dtype(result_dtype)
    total = np.zeros((groups, geometry.filters // groups, geometry.window), dtype)
    for images, rows, columns in _columns(x, geometry, dtype):
        total += _by_group(g[images, :, rows], geometry, dtype) @ columns.swapaxes(1, 2)
    return total.reshape(weight_shape).astype(result_dtype, copy=False)
