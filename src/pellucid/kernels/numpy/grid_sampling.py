"""Images read between their pixels, at the places that a grid names.

Reading is linear in the image, so each reading is a sparse matrix of weights; its transpose puts
gradients back.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from pellucid.kernels.numpy.precision import working_dtype

Array = np.ndarray[Any, Any]

_CUBIC = -0.75

# The weights of the taps around a place, as polynomials of its distance from the tap before it,
# lowest power first. The cubic ones are R. Keys, "Cubic convolution interpolation" (1981).
_POLYNOMIALS = {
    "bilinear": ((1.0, -1.0), (0.0, 1.0)),
    "bicubic": (
        (0.0, _CUBIC, -2 * _CUBIC, _CUBIC),
        (1.0, 0.0, -(_CUBIC + 3), _CUBIC + 2),
        (0.0, -_CUBIC, 2 * _CUBIC + 3, -(_CUBIC + 2)),
        (0.0, 0.0, _CUBIC, -_CUBIC),
    ),
}


def grid_sample(
    x: Array, grid: Array, mode: str, padding: str, align_corners: bool, orders: tuple[int, ...]
) -> Array:
    """Read images ``x [N, C, *S]`` at places ``grid [N, *P, D]``: ``[N, C, *P]``.

    ``orders`` says how often to differentiate with respect to each coordinate of the grid.
    """
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    if _vanishes(mode, orders) or not out.size:
        return out
    dtype = working_dtype(x.dtype)
    for number, matrix in _readings(dtype, x.shape[2:], grid, mode, padding, align_corners, orders):
        # One pixel more, which is zero, stands for all that lies outside.
        pixels = np.zeros((prod(x.shape[2:]) + 1, x.shape[1]), dtype)
        pixels[:-1] = x[number].reshape(x.shape[1], -1).T
        out[number] = (matrix @ pixels).T.reshape(out.shape[1:])
    return out


def grid_sample_to_input(
    g: Array, grid: Array, size: tuple[int, ...], mode: str, padding: str, align_corners: bool,
    orders: tuple[int, ...],
) -> Array:  # fmt: skip
    """Transpose `grid_sample`: put ``g [N, C, *P]`` into images ``[N, C, *size]``."""
    out = np.zeros((*g.shape[:2], *size), g.dtype)
    if _vanishes(mode, orders) or not g.size:
        return out
    dtype = working_dtype(g.dtype)
    for number, matrix in _readings(dtype, size, grid, mode, padding, align_corners, orders):
        values = np.ascontiguousarray(g[number].reshape(g.shape[1], -1).T, dtype)
        pixels = matrix.T @ values
        out[number] = pixels[:-1].T.reshape(out.shape[1:])
    return out


def _vanishes(mode: str, orders: tuple[int, ...]) -> bool:
    degree = 0 if mode == "nearest" else len(_POLYNOMIALS[mode][0]) - 1
    return max(orders) > degree


def _readings(
    dtype: np.dtype, size: tuple[int, ...], grid: Array, mode: str, padding: str,
    align_corners: bool, orders: tuple[int, ...],
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Yield the matrix that reads each image, with a last column for what lies outside."""
    from scipy.sparse import csr_matrix

    pixels = prod(size)
    for number, positions in enumerate(grid):
        position: Any = 0
        weight: Any = 1.0
        inside: Any = True
        for axis, (length, order) in enumerate(zip(size, orders, strict=True)):
            # The last coordinate of a grid belongs to the last dimension but comes first in it.
            coordinate = positions[..., len(size) - 1 - axis].reshape(-1, 1)
            coordinate = coordinate.astype(working_dtype(grid.dtype))
            taps, by_tap, valid = _axis_taps(
                coordinate, length, mode, padding, align_corners, order
            )
            shape = (len(coordinate), *(1,) * axis, -1)
            position = np.asarray(position)[..., None] * length + taps.reshape(shape)
            weight = np.asarray(weight)[..., None] * by_tap.reshape(shape)
            inside = np.asarray(inside)[..., None] & valid.reshape(shape)
        columns = np.where(inside, position, pixels).reshape(len(position), -1)
        starts = np.arange(len(columns) + 1) * columns.shape[1]
        weights = np.broadcast_to(weight, position.shape).reshape(-1).astype(dtype)
        entries = (weights, columns.reshape(-1), starts)
        yield number, csr_matrix(entries, shape=(len(columns), pixels + 1))


def _axis_taps(
    coordinate: Array, length: int, mode: str, padding: str, align_corners: bool, order: int
) -> tuple[Array, Array, Array]:
    """Return along one axis the pixels near places, their weights, and which pixels exist."""
    scale = (length - 1) / 2 if align_corners else length / 2
    position = (coordinate + 1) * coordinate.dtype.type(scale)
    position = position if align_corners else position - coordinate.dtype.type(0.5)
    if mode == "bicubic":
        first = np.floor(position)
        taps = _padded(first + np.arange(-1.0, 3.0), length, padding, align_corners)[0]
        weights = weights_of_taps(mode, position - first, order) * scale**order
    else:
        position, slope = _padded(position, length, padding, align_corners)
        if mode == "nearest":
            taps, weights = np.rint(position), np.ones_like(position)
        else:
            first = np.floor(position)
            taps = first + np.arange(2.0)
            weights = weights_of_taps(mode, position - first, order) * (slope * scale) ** order
    inside = (taps >= 0) & (taps <= length - 1)
    return np.where(inside, taps, 0).astype(np.int64), weights, inside


def weights_of_taps(mode: str, offset: Array, order: int) -> Array:
    """Return the weights of the taps, differentiated; ``offset`` is a column."""
    from numpy.polynomial.polynomial import polyder, polyval

    columns = [polyval(offset, polyder(taps, order)) for taps in _POLYNOMIALS[mode]]
    return np.concatenate(columns, axis=1).astype(offset.dtype, copy=False)


def _padded(position: Array, length: int, padding: str, align_corners: bool) -> tuple[Array, Array]:
    """Bring places into the image as the padding says; return also the slope of doing so."""
    slope = np.ones_like(position)
    if padding == "zeros":
        return position, slope
    if padding == "reflection":
        position, slope = _reflected(position, length, align_corners)
    slope = np.where((position > 0) & (position < length - 1), slope, 0)
    return np.nan_to_num(np.clip(position, 0, length - 1), nan=0.0), slope


def _reflected(position: Array, length: int, align_corners: bool) -> tuple[Array, Array]:
    """Fold places back at the borders: at the outermost pixels, or at their outer edges."""
    low, span = (0.0, float(length - 1)) if align_corners else (-0.5, float(length))
    if span == 0:
        return np.zeros_like(position), np.zeros_like(position)
    shifted = position - low
    away = np.abs(shifted)
    rest = np.fmod(away, span)
    odd = np.floor(away / span) % 2 == 1
    folded = np.where(odd, span - rest, rest) + low
    return folded, np.where((shifted < 0) != odd, -1.0, 1.0).astype(position.dtype)
