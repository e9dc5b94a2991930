"""Elementwise functions of float32 that are computed in double precision and rounded once.

NumPy's own and SciPy's err by up to three units in the last place of single precision.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import silence

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_SINGLE = np.dtype(np.float32)
_DOUBLE = np.dtype(np.float64)
#: elements at a time: in double precision they stay in the processor's cache
_BLOCK: Final = 1 << 13


def in_one_piece(x: Array) -> Array:
    """Return `x`, or a copy laid out as ufuncs lay out results if it has gaps or is expanded."""
    return x if x.flags.forc else np.positive(x)


def rounded_ufunc(ufunc: np.ufunc) -> Callable[..., Array]:
    """Return a unary ufunc that computes float32 in double precision, in NumPy's own buffers."""

    def compute(x: Array, out: Array | None = None) -> Array:
        if x.dtype != _SINGLE:
            return ufunc(x, out=out)
        if out is None:
            out = np.empty_like(in_one_piece(x))
        return ufunc(x, out=out, dtype=_DOUBLE, casting="same_kind")

    compute.__name__ = ufunc.__name__
    return compute


def rounded_kernel(kernel: Kernel) -> Kernel:
    """Decorate an elementwise kernel to compute float32 in double precision, block by block."""

    @functools.wraps(kernel)
    def compute(x: Array, *parameters: Any) -> Array:
        if x.dtype != _SINGLE:
            return kernel(x, *parameters)
        dense = in_one_piece(x)
        if x.size <= _BLOCK:
            return kernel(dense.astype(_DOUBLE), *parameters).astype(_SINGLE)
        out = np.empty_like(dense)
        given, results = dense.ravel(order="K"), out.ravel(order="K")
        for start in range(0, x.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            results[block] = kernel(given[block].astype(_DOUBLE), *parameters)
        return out

    return compute  # pyright: ignore[reportReturnType]


@rounded_kernel
def sinc(x: Array) -> Array:
    """Return ``sin(pi * x) / (pi * x)``, and 1 at 0; exact near the other whole numbers too."""
    if x.dtype.kind == "c":
        return np.sinc(x)
    whole = np.rint(x)
    sine = np.sin(np.pi * (x - whole)) * np.where(np.remainder(whole, 2), -1.0, 1.0)
    return np.where(x == 0, 1.0, sine / np.where(x == 0, 1.0, np.pi * x))


_real_log1p = rounded_ufunc(np.log1p)
#: where the square of ``abs(1 + z)`` differs from 1 by more, its logarithm is exact as it is
_NEAR_ONE = 0.5


def log1p(x: Array, out: Array | None = None) -> Array:
    """Return ``log(1 + x)``; NumPy's own rounds complex numbers to those near 1 first."""
    if x.dtype.kind != "c":
        return _real_log1p(x, out=out)
    with silence():
        real, imag = np.real(x).astype(_DOUBLE), np.imag(x).astype(_DOUBLE)
        beyond = real * (real + 2) + imag * imag
        near = np.abs(beyond) < _NEAR_ONE
        size = np.where(near, 0.5 * np.log1p(beyond), np.log(np.hypot(real + 1, imag)))
        found = np.empty_like(in_one_piece(x)) if out is None else out
        found.real, found.imag = size, np.arctan2(imag, real + 1)
    return found


#: what differs from NumPy's by more than one and a half units in single precision
ROUNDED_UFUNCS: Final = {
    ufunc.__name__: rounded_ufunc(ufunc)
    for ufunc in (
        np.arccos,
        np.arcsin,
        np.arctan,
        np.cosh,
        np.exp,
        np.exp2,
        np.expm1,
        np.log,
        np.log10,
        np.log2,
        np.tan,
    )
} | {"log1p": log1p}
