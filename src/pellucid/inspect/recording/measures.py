"""Measuring a gradient: its norm, its zeros, and how much of it is not finite."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from pellucid._native import compiled
from pellucid.dtypes import is_half

_kernels: Any = None if compiled is None else compiled.kernels
_SMALLEST_EXACT = 1e-30
#: up to how many elements it is quicker to count in one call than to compare first
_FEW = 1000


class Measure(NamedTuple):
    """What was measured of one array, or of several together.

    Attributes:
        squares: The sum of the squares of the finite elements.
        zeros: How many elements are zero.
        nans: How many are not a number.
        infs: How many are infinite.
        count: How many there are.
    """

    squares: float
    zeros: int
    nans: int
    infs: int
    count: int

    @property
    def norm(self) -> float:
        return self.squares**0.5

    @property
    def share_of_zeros(self) -> float:
        return self.zeros / self.count if self.count else 0.0

    def plus(self, other: Measure) -> Measure:
        """Return the measure of both together."""
        return Measure(
            self.squares + other.squares, self.zeros + other.zeros, self.nans + other.nans,
            self.infs + other.infs, self.count + other.count,
        )  # fmt: skip


NOTHING = Measure(0.0, 0, 0, 0, 0)


def measure(array: Any) -> Measure:
    """Measure an array of floating-point or complex numbers."""
    found = NotImplemented if _kernels is None else _kernels.squares_and_zeros(array)
    if found is not NotImplemented:
        squares, zeros = found
        return Measure(squares, zeros, 0, 0, array.size)
    if is_half(array.dtype):
        array = array.astype(np.float32)
    squares = sum_of_squares(array)
    zeros = array.size - int(np.count_nonzero(array != 0 if array.size > _FEW else array))
    if isfinite(squares):
        return Measure(squares, zeros, 0, 0, array.size)
    nans, infs = np.isnan(array), np.isinf(array)
    finite = array[~(nans | infs)]
    return Measure(
        sum_of_squares(finite.astype(np.result_type(finite, np.float64))),
        zeros, int(nans.sum()), int(infs.sum()), array.size,
    )  # fmt: skip


def measure_at(address: int, count: int, bytes_of_each: int) -> Measure | None:
    """Measure numbers that lie in memory without gaps; None where that is left to `measure`.

    Args:
        address: Where the first one is.
        count: How many there are.
        bytes_of_each: 4 in single precision, 8 in double.

    Returns:
        What was found, where the compiled module could look.
    """
    if _kernels is None:
        return None
    found = _kernels.squares_and_zeros_at(address, count, bytes_of_each)
    if found is NotImplemented:
        return None
    squares, zeros = found
    return Measure(squares, zeros, 0, 0, count)


def distance(array: Any, before: Any) -> float:
    """Return the norm of the difference of two arrays; the second may be overwritten."""
    found = NotImplemented if _kernels is None else _kernels.squared_distance(array, before)
    if found is NotImplemented:
        found = sum_of_squares(np.subtract(array, before, out=before))
    return float(found**0.5)


def sum_of_squares(array: Any) -> float:
    """Return the sum of the squares of the elements; infinite or NaN if an element is."""
    found = NotImplemented if _kernels is None else _kernels.squares_and_zeros(array)
    if found is not NotImplemented:
        return float(found[0])
    if is_half(array.dtype):
        array = array.astype(np.float32)
    flat = array.ravel(order="K")
    total = float(np.vdot(flat, flat).real)  # which warns of nothing that is not finite
    if array.dtype == np.float32 and not _SMALLEST_EXACT < total < np.inf:
        return sum_of_squares(flat.astype(np.float64))  # too small or large for single precision
    return total


def ratio_of_norms(update: float, weight: float) -> float:
    """Return the norm of an update divided by that of the parameter; infinite for one of zeros.

    >>> from pellucid.inspect.recording.measures import ratio_of_norms
    >>> ratio_of_norms(0.01, 2.0)
    0.005
    """
    if weight:
        return update / weight
    return inf if update else 0.0
