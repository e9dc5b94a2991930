"""Images read between their pixels: at any places, or at those of another size.

Reading is linear in the image, so each reading is a sparse matrix of weights; its transpose puts
gradients back.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from pellucid.backends._precision import working_dtype

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


# ---- at any places ----------------------------------------------------------------------------


def grid_sample(
    x: Array, grid: Array, mode: str, padding: str, align_corners: bool, orders: tuple[int, ...]
) -> Array:
    """Read images ``x [N, C, *S]`` at places ``grid [N, *P, D]``: ``[N, C, *P]``.

    ``orders`` says how often to differentiate by each coordinate of the grid.
    """
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    if _vanishes(mode, orders) or not out.size:
        return out
    dtype = working_dtype(x.dtype)
    for number, matrix in _readings(x.shape[2:], grid, mode, padding, align_corners, orders):
        # One pixel more, which is zero, stands for all that lies outside.
        pixels = np.zeros((prod(x.shape[2:]) + 1, x.shape[1]), dtype)
        pixels[:-1] = x[number].reshape(x.shape[1], -1).T
        out[number] = (matrix.astype(dtype) @ pixels).T.reshape(out.shape[1:])
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
    for number, matrix in _readings(size, grid, mode, padding, align_corners, orders):
        values = np.ascontiguousarray(g[number].reshape(g.shape[1], -1).T, dtype)
        pixels = matrix.astype(dtype).T @ values
        out[number] = pixels[:-1].T.reshape(out.shape[1:])
    return out


def _vanishes(mode: str, orders: tuple[int, ...]) -> bool:
    degree = 0 if mode == "nearest" else len(_POLYNOMIALS[mode][0]) - 1
    return max(orders) > degree


def _readings(
    size: tuple[int, ...], grid: Array, mode: str, padding: str, align_corners: bool,
    orders: tuple[int, ...],
) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """Yield the matrix that reads each image, with a last column for what lies outside."""
    from scipy.sparse import csr_matrix

    pixels = prod(size)
    for number, places in enumerate(grid):
        position: Any = 0
        weight: Any = 1.0
        inside: Any = True
        for axis, (length, order) in enumerate(zip(size, orders, strict=True)):
            # The last coordinate of a grid belongs to the last dimension but comes first in it.
            coordinate = places[..., len(size) - 1 - axis].reshape(-1, 1)
            coordinate = coordinate.astype(working_dtype(grid.dtype))
            taps, weights, valid = _axis_taps(
                coordinate, length, mode, padding, align_corners, order
            )
            shape = (len(coordinate), *(1,) * axis, -1)
            position = np.asarray(position)[..., None] * length + taps.reshape(shape)
            weight = np.asarray(weight)[..., None] * weights.reshape(shape)
            inside = np.asarray(inside)[..., None] & valid.reshape(shape)
        columns = np.where(inside, position, pixels).reshape(len(position), -1)
        starts = np.arange(len(columns) + 1) * columns.shape[1]
        entries = (np.broadcast_to(weight, position.shape).reshape(-1), columns.reshape(-1), starts)
        yield number, csr_matrix(entries, shape=(len(columns), pixels + 1))


def _axis_taps(
    coordinate: Array, length: int, mode: str, padding: str, align_corners: bool, order: int
) -> tuple[Array, Array, Array]:
    """Return along one axis the pixels near places, their weights, and which pixels exist."""
    scale = (length - 1) / 2 if align_corners else length / 2
    place = (coordinate + 1) * coordinate.dtype.type(scale)
    place = place if align_corners else place - coordinate.dtype.type(0.5)
    if mode == "bicubic":
        first = np.floor(place)
        taps = _padded(first + np.arange(-1.0, 3.0), length, padding, align_corners)[0]
        weights = _weights(mode, place - first, order) * scale**order
    else:
        place, slope = _padded(place, length, padding, align_corners)
        if mode == "nearest":
            taps, weights = np.rint(place), np.ones_like(place)
        else:
            first = np.floor(place)
            taps = first + np.arange(2.0)
            weights = _weights(mode, place - first, order) * (slope * scale) ** order
    inside = (taps >= 0) & (taps <= length - 1)
    return np.where(inside, taps, 0).astype(np.int64), weights, inside


def _weights(mode: str, offset: Array, order: int) -> Array:
    """Return the weights of the taps, differentiated; ``offset`` is a column."""
    from numpy.polynomial.polynomial import polyder, polyval

    columns = [polyval(offset, polyder(taps, order)) for taps in _POLYNOMIALS[mode]]
    return np.concatenate(columns, axis=1).astype(offset.dtype, copy=False)


def _padded(place: Array, length: int, padding: str, align_corners: bool) -> tuple[Array, Array]:
    """Bring places into the image as the padding says; return also the slope of doing so."""
    slope = np.ones_like(place)
    if padding == "zeros":
        return place, slope
    if padding == "reflection":
        place, slope = _reflected(place, length, align_corners)
    slope = np.where((place > 0) & (place < length - 1), slope, 0)
    return np.nan_to_num(np.clip(place, 0, length - 1), nan=0.0), slope


def _reflected(place: Array, length: int, align_corners: bool) -> tuple[Array, Array]:
    """Fold places back at the borders: at the outermost pixels, or at their outer edges."""
    low, span = (0.0, float(length - 1)) if align_corners else (-0.5, float(length))
    if span == 0:
        return np.zeros_like(place), np.zeros_like(place)
    shifted = place - low
    away = np.abs(shifted)
    rest = np.fmod(away, span)
    odd = np.floor(away / span) % 2 == 1
    folded = np.where(odd, span - rest, rest) + low
    return folded, np.where((shifted < 0) != odd, -1.0, 1.0).astype(place.dtype)


# ---- at the places of another size ------------------------------------------------------------


def resize(x: Array, plan: tuple[tuple[Any, ...], ...]) -> Array:
    """Read images ``x [N, C, *S]`` at another size; for each axis the plan has its `weights_of`."""
    if x.dtype == np.uint8:
        return _resized_bytes(x, plan)
    out = x
    for axis, arguments in enumerate(plan, start=2):
        matrix = weights_of(*arguments, working_dtype(x.dtype).char)
        if _only_picks(arguments):
            out = np.take(out, matrix.indices, axis)
        else:
            out = _along(matrix, out, axis)
    return np.ascontiguousarray(out.astype(x.dtype, copy=False))


def _resized_bytes(x: Array, plan: tuple[tuple[Any, ...], ...]) -> Array:
    """Read images of bytes; each axis, the last one first, is rounded to bytes again.

    Weights are rounded to 16 bits with as many binary places as the largest leaves room for, as in
    Pillow, so that the same bytes come out.
    """
    out = x
    for axis in range(len(plan) + 1, 1, -1):
        arguments = plan[axis - 2]
        matrix = weights_of(*arguments, "d")
        if _only_picks(arguments):
            out = np.take(out, matrix.indices, axis)
        elif arguments[1] != arguments[2]:
            weights, places = matrix.copy(), _binary_places(matrix.data.max())
            scaled = weights.data * (1 << places)
            weights.data = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int64)
            values = (_along(weights, out, axis) + (1 << (places - 1))) >> places
            out = np.clip(values, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(out)


def _binary_places(largest: float) -> int:
    return next(n for n in range(23) if n == 22 or int(0.5 + largest * 2 ** (n + 1)) >= 1 << 15)


def resize_to_input(g: Array, plan: tuple[tuple[Any, ...], ...]) -> Array:
    """Transpose `resize`."""
    out = g
    for axis, arguments in enumerate(plan, start=2):
        out = _along(weights_of(*arguments, working_dtype(g.dtype).char).T, out, axis)
    return np.ascontiguousarray(out.astype(g.dtype, copy=False))


def _only_picks(arguments: tuple[Any, ...]) -> bool:
    return arguments[0].startswith("nearest")


def _along(matrix: Any, x: Array, axis: int) -> Array:
    """Multiply by a sparse matrix along one axis."""
    first = np.moveaxis(x, axis, 0)
    lines = np.ascontiguousarray(first.reshape(len(first), -1), matrix.dtype)
    return np.moveaxis((matrix @ lines).reshape(-1, *first.shape[1:]), 0, axis)


@lru_cache(maxsize=64)
def weights_of(
    mode: str, old: int, new: int, factor: float | None, align_corners: bool, antialias: bool,
    dtype: str,
) -> Any:  # fmt: skip
    """Return the sparse matrix ``[new, old]`` that resizes one axis.

    ``factor`` is the factor to take at its word, ``None`` to take that of the sizes. Places are
    computed in the dtype of the images, as PyTorch does, so that ties fall the same way.
    """
    number = np.dtype(dtype).type
    step = _step(old, new, factor, align_corners, number)
    places = np.arange(new).astype(number)
    if antialias:
        return _wide_weights(mode, places, step, old)
    if mode == "nearest":
        return _picking(np.floor((places * step).astype(np.float32)), old, number)
    if mode == "nearest-exact":
        return _picking(np.floor(((places + number(0.5)) * step).astype(np.float32)), old, number)
    place = places * step if align_corners else (places + number(0.5)) * step - number(0.5)
    if mode != "bicubic":
        mode, place = "bilinear", np.maximum(place, 0)
    first = np.minimum(np.floor(place), old - 1)
    weights = _weights(mode, np.clip(place - first, 0, 1)[:, None], 0)
    taps = np.arange(weights.shape[1]) - (weights.shape[1] // 2 - 1)
    columns = np.clip(first.astype(np.int64)[:, None] + taps, 0, old - 1)
    return _matrix(weights, columns, old, number)


def _step(old: int, new: int, factor: float | None, align_corners: bool, number: Any) -> Any:
    """Return how far apart the places of neighbouring new pixels are."""
    if align_corners:
        return number(old - 1) / number(new - 1) if new > 1 else number(0)
    return number(1 / factor) if factor else number(old) / number(new)


def _picking(places: Array, old: int, number: Any) -> Any:
    columns = np.minimum(places.astype(np.int64), old - 1)[:, None]
    return _matrix(np.ones(columns.shape), columns, old, number)


def _matrix(weights: Array, columns: Array, old: int, number: Any) -> Any:
    from scipy.sparse import csr_matrix

    starts = np.arange(len(columns) + 1) * columns.shape[1]
    entries = (weights.reshape(-1).astype(number), columns.reshape(-1), starts)
    return csr_matrix(entries, shape=(len(columns), old))


def _triangle(x: Array) -> Array:
    return np.maximum(1 - np.abs(x), 0)


def _keys(x: Array) -> Array:
    """Return Keys' cubic kernel with the parameter -1/2, the one of the third order."""
    near = ((1.5 * x - 2.5) * x) * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _lanczos(x: Array) -> Array:
    return np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0)


#: the reach of each kernel at its own size, and the kernel as a function of the distance
_KERNELS = {"bilinear": (1.0, _triangle), "bicubic": (2.0, _keys), "lanczos": (3.0, _lanczos)}


def _wide_weights(mode: str, places: Array, step: Any, old: int) -> Any:
    """Return the weights of kernels that widen with the step, so that no pixel is passed over."""
    reach, kernel = _KERNELS[mode]
    number = step.dtype.type
    support = number(reach) * max(step, number(1))
    center = step * (places + number(0.5))
    first = np.maximum((center - support + number(0.5)).astype(np.int64), 0)
    last = np.minimum((center + support + number(0.5)).astype(np.int64), old)
    columns = first[:, None] + np.arange(max(int((last - first).max()), 1))
    used = columns < last[:, None]
    distance = np.abs((columns - center[:, None] + number(0.5)) / max(step, number(1)))
    weights = np.where(used, kernel(distance), 0)
    total = weights.sum(1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return _matrix(weights, np.where(used, columns, 0), old, number)
