"""Means, and deviations from them, that stay exact where the mean is far larger than these."""

from __future__ import annotations

from math import prod

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import silent
from pellucid.kernels.numpy.reduction import row_products, total

# Note [Deviations from a rounded mean]
# A mean is rounded to the precision of the elements. Deviations from it are all off by its error,
# a few units in its last place, and their mean square by the square of that: 1000 and 0.001 have
# no more than seven digits between them. Where this could be seen in the variance, the mean of the
# deviations, which is that error, is subtracted from them as well (the two-pass algorithm with
# correction: Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983).
_UNITS_OFF = 4.0


@silent
def moments(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Return the deviations from the mean over `axes`, the mean, and the sum of their squares.

    The last two keep the `axes` with size one. See Note [Deviations from a rounded mean].
    """
    mean = average(x, axes)
    out = np.subtract(x, mean)
    squares = sum_of_products(out, out, axes)
    count = x.size // max(mean.size, 1)
    coarseness = count * float(np.finfo(x.dtype).eps) * _UNITS_OFF**2
    if (mean * mean * coarseness > squares).any():
        error = average(out, axes)
        out -= error
        mean = mean + error
        squares = sum_of_products(out, out, axes)
    return out, mean, squares


def squared_deviations(x: Array, axes: tuple[int, ...]) -> Array:
    """Add up the squared deviations from the mean over `axes`, kept with size one."""
    return moments(x, axes)[2]


def average(x: Array, axes: tuple[int, ...]) -> Array:
    """Return the mean over `axes`, kept with size one; NaN over nothing."""
    sums = total(x, axes, True)
    return sums / x.dtype.type(x.size // max(sums.size, 1))


def sum_of_products(x: Array, y: Array, axes: tuple[int, ...]) -> Array:
    """Add up products, and keep the `axes` with size one.

    Dot products of the longest stretches that lie together in memory need no array for them all.
    """
    trailing = x.ndim - len(axes)
    if axes == tuple(range(trailing, x.ndim)):
        rows = (prod(x.shape[:trailing]), prod(x.shape[trailing:]))
        dots = row_products(x.reshape(rows), y.reshape(rows))
    elif axes != (0, *range(2, x.ndim)) or prod(x.shape[2:]) == 1:
        return total(x * y, axes, True)
    else:
        rows = (prod(x.shape[:2]), prod(x.shape[2:]))
        dots = row_products(x.reshape(rows), y.reshape(rows))
        dots = total(dots.reshape(x.shape[:2]), (0,), True)
    return dots.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)])
