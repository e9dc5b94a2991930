"""Finite differences, and saying whether two results agree; independent of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pellucid.dtypes import is_complex_dtype, is_differentiable

Arrays = Sequence[np.ndarray[Any, Any]]


def real_inner(first: Arrays, second: Arrays) -> float:
    """Return the real inner product of two lists of arrays, real or complex."""
    return float(sum(np.sum(np.real(np.conj(a) * b)) for a, b in zip(first, second, strict=True)))


def moved(point: Arrays, direction: Arrays, step: float) -> list[np.ndarray[Any, Any]]:
    """Return the point that lies ``step`` times the direction away."""
    return [np.asarray(p + step * d) for p, d in zip(point, direction, strict=True)]


def slopes(
    function: Callable[[list[np.ndarray[Any, Any]]], Arrays], point: Arrays, direction: Arrays,
    step: float = 1e-6,
) -> list[np.ndarray[Any, Any]]:  # fmt: skip
    """Return how fast each result changes along a direction, by central differences."""
    ahead = function(moved(point, direction, step))
    behind = function(moved(point, direction, -step))
    return [np.asarray((a - b) / (2 * step)) for a, b in zip(ahead, behind, strict=True)]


def slope(
    function: Callable[[list[np.ndarray[Any, Any]]], float], point: Arrays, direction: Arrays,
    step: float = 1e-6,
) -> float:  # fmt: skip
    """Return how fast a number changes along a direction, by central differences."""
    ahead = function(moved(point, direction, step))
    behind = function(moved(point, direction, -step))
    return (ahead - behind) / (2 * step)


def mismatch(
    actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], rtol: float, atol: float
) -> str:
    """Return in what two arrays differ: dtype, shape, or the worst element; else ''."""
    if actual.dtype != expected.dtype:
        return f"the dtypes are {actual.dtype} and {expected.dtype}"
    if actual.shape != expected.shape:
        return f"the shapes are {list(actual.shape)} and {list(expected.shape)}"
    if np.allclose(actual, expected, rtol, atol, equal_nan=True):
        return ""
    with np.errstate(all="ignore"):
        distance = np.abs(actual.astype(complex) - expected.astype(complex))
    # a NaN on one side is as far off as can be
    distance = np.where(np.isnan(actual) ^ np.isnan(expected), np.inf, np.nan_to_num(distance))
    worst = np.unravel_index(int(np.argmax(distance)), distance.shape)
    place = list(map(int, worst))
    return f"the elements at {place} are {actual[worst]} and {expected[worst]}"


def resolution(dtype: np.dtype[Any]) -> float:
    """Return a relative tolerance that suits results computed in this dtype."""
    if not is_differentiable(dtype):
        return 0.0
    return {2: 1e-2, 4: 2e-5, 8: 1e-9}[dtype.itemsize // (2 if is_complex_dtype(dtype) else 1)]
