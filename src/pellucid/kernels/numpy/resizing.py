"""Images read at another size: each axis is multiplied by a sparse matrix of weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from pellucid.kernels.numpy.gather_scatter import take_grid
from pellucid.kernels.numpy.grid_sampling import weights_of_taps
from pellucid.kernels.numpy.precision import working_dtype

Array = np.ndarray[Any, Any]
Plan = tuple[tuple[Any, ...], ...]
Along = Callable[[Any, Array, int], Array]


def multiply_along(matrix: Any, x: Array, axis: int) -> Array:
    """Multiply by a sparse matrix along one axis."""
    first = np.moveaxis(x, axis, 0)
    lines = first.reshape(len(first), prod(first.shape[1:]))
    made = matrix @ np.ascontiguousarray(lines, matrix.dtype)
    return np.moveaxis(made.reshape(len(made), *first.shape[1:]), 0, axis)


def resize(
    x: Array, plan: Plan, along: Along = multiply_along, pick: Callable[..., Array] = take_grid
) -> Array:
    """Read images ``x [N, C, *S]`` at another size; for each axis the plan has its `weights_of`.

    `along` multiplies by a sparse matrix along an axis, `pick` reads at positions in all of them.
    """
    if x.dtype == np.uint8:
        return _resized_bytes(x, plan)
    char = working_dtype(x.dtype).char
    if _only_picks(plan[0]):
        return pick(x, tuple(_picks_of(*arguments, char) for arguments in plan))
    out = x
    for axis, arguments in enumerate(plan, start=2):
        out = along(weights_of(*arguments, char), out, axis)
    return np.ascontiguousarray(out.astype(x.dtype, copy=False))


def _resized_bytes(x: Array, plan: Plan) -> Array:
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
            weights, positions = matrix.copy(), _binary_places(matrix.data.max())
            scaled = weights.data * (1 << positions)
            weights.data = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int64)
            values = (multiply_along(weights, out, axis) + (1 << (positions - 1))) >> positions
            out = np.clip(values, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(out)


def _binary_places(largest: float) -> int:
    return next(n for n in range(23) if n == 22 or int(0.5 + largest * 2 ** (n + 1)) >= 1 << 15)


def resize_to_input(g: Array, plan: Plan, along: Along = multiply_along) -> Array:
    """Transpose `resize`."""
    out = g
    for axis, arguments in enumerate(plan, start=2):
        out = along(_transposed_weights_of(*arguments, working_dtype(g.dtype).char), out, axis)
    return np.ascontiguousarray(out.astype(g.dtype, copy=False))


def _only_picks(arguments: tuple[Any, ...]) -> bool:
    return arguments[0].startswith("nearest")


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
    positions = np.arange(new).astype(number)
    if antialias:
        return _wide_weights(mode, positions, step, old)
    if mode == "nearest":
        return _picking(np.floor((positions * step).astype(np.float32)), old, number)
    if mode == "nearest-exact":
        return _picking(
            np.floor(((positions + number(0.5)) * step).astype(np.float32)), old, number
        )
    position = positions * step if align_corners else (positions + number(0.5)) * step - number(0.5)
    if mode != "bicubic":
        mode, position = "bilinear", np.maximum(position, 0)
    first = np.minimum(np.floor(position), old - 1)
    weights = weights_of_taps(mode, np.clip(position - first, 0, 1)[:, None], 0)
    taps = np.arange(weights.shape[1]) - (weights.shape[1] // 2 - 1)
    columns = np.clip(first.astype(np.int64)[:, None] + taps, 0, old - 1)
    return _matrix(weights, columns, old, number)


@lru_cache(maxsize=64)
def _picks_of(*arguments: Any) -> Array:
    """Return which element of an axis each new one is."""
    return weights_of(*arguments).indices.astype(np.int64)


@lru_cache(maxsize=64)
def _transposed_weights_of(*arguments: Any) -> Any:
    return weights_of(*arguments).T.tocsr()


def _step(old: int, new: int, factor: float | None, align_corners: bool, number: Any) -> Any:
    """Return how far apart the places of neighbouring new pixels are."""
    if align_corners:
        return number(old - 1) / number(new - 1) if new > 1 else number(0)
    return number(1 / factor) if factor else number(old) / number(new)


def _picking(positions: Array, old: int, number: Any) -> Any:
    columns = np.minimum(positions.astype(np.int64), old - 1)[:, None]
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


def _wide_weights(mode: str, positions: Array, step: Any, old: int) -> Any:
    """Return the weights of kernels that widen with the step, so that no pixel is passed over."""
    reach, kernel = _KERNELS[mode]
    number = step.dtype.type
    support = number(reach) * max(step, number(1))
    center = step * (positions + number(0.5))
    first = np.maximum((center - support + number(0.5)).astype(np.int64), 0)
    last = np.minimum((center + support + number(0.5)).astype(np.int64), old)
    columns = first[:, None] + np.arange(max(int((last - first).max()), 1))
    used = columns < last[:, None]
    distance = np.abs((columns - center[:, None] + number(0.5)) / max(step, number(1)))
    weights = np.where(used, kernel(distance), 0)
    total = weights.sum(1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return _matrix(weights, np.where(used, columns, 0), old, number)
