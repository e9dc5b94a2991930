"""Logarithm, sine and cosine in single precision, rounded as PyTorch's vector kernels round them.

NumPy gives the nearest float, or almost; PyTorch fills a tensor of normal numbers by means of the
shorter polynomials of the Cephes library (S. L. Moshier: ``logf``, ``sinf`` and ``cosf``), which it
evaluates with fused multiply-adds. The last bits differ, so reproducing its random numbers bit for
bit takes the same polynomials and the same roundings.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["fused_multiply_add", "grouped_normals", "log", "sincos"]


def _float32(*values: float) -> tuple[float, ...]:
    """Round to single precision, and keep as Python floats."""
    return tuple(float(np.float32(value)) for value in values)


_LOG_POLYNOMIAL = _float32(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_SQRT_HALF, _FOUR_OVER_PI = _float32(0.707106781186547524, 1.27323954473516)
# ln 2 and pi/4 in parts: the leading part has few bits, so its product with an exponent is exact.
_LN2_HIGH, _LN2_LOW = _float32(0.693359375, -2.12194440e-4)
_QUARTER_PI_PARTS = _float32(0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)
_SIN_POLYNOMIAL = _float32(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS_POLYNOMIAL = _float32(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)


def fused_multiply_add(a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
    """Compute ``a * b + c`` in single precision, rounding (all but always) only once.

    The product of two floats is exact in double precision; the sum is rounded there and then to a
    float, which differs from a single rounding about once in 2**29 results.
    """
    total = np.multiply(a, b, dtype=np.float64)
    total += c
    return total.astype(np.float32)


def _horner(x: np.ndarray, coefficients: tuple[float, ...]) -> np.ndarray:
    """Evaluate a polynomial, highest power first."""
    value = fused_multiply_add(x, coefficients[0], coefficients[1])
    for coefficient in coefficients[2:]:
        value = fused_multiply_add(value, x, coefficient)
    return value


def log(x: np.ndarray) -> np.ndarray:
    """Take the natural logarithm of positive, normal float32 values."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < _SQRT_HALF
    exponent = (exponent - small).astype(np.float32)
    # Both cases are exact: 2m - 1 below the square root of a half, m - 1 above it.
    x = np.where(small, mantissa + mantissa, mantissa) - np.float32(1)
    square = x * x
    tail = _horner(x, _LOG_POLYNOMIAL) * x
    tail = fused_multiply_add(tail, square, exponent * np.float32(_LN2_LOW))
    tail -= np.float32(0.5) * square
    return fused_multiply_add(exponent, _LN2_HIGH, x + tail)


def sincos(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Take sine and cosine of float32 angles between 0 and 8192."""
    octant = (x * np.float32(_FOUR_OVER_PI)).astype(np.int32)
    octant = (octant + 1) & ~1
    turns = octant.astype(np.float32)
    for part in _QUARTER_PI_PARTS:
        x = fused_multiply_add(turns, -part, x)
    square = x * x
    half = np.float32(0.5) * square
    cosine = _horner(square, _COS_POLYNOMIAL) * square
    cosine = fused_multiply_add(cosine, square, -half) + np.float32(1)
    sine = fused_multiply_add(_horner(square, _SIN_POLYNOMIAL) * square, x, x)
    swapped = (octant & 2) != 0
    sine_sign = np.where(octant & 4, np.float32(-1), np.float32(1))
    cosine_sign = np.where((octant - 2) & 4, np.float32(1), np.float32(-1))
    return (
        np.where(swapped, cosine, sine) * sine_sign,
        np.where(swapped, sine, cosine) * cosine_sign,
    )


def grouped_normals(uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Make normal numbers of rows of sixteen uniforms, where column j is paired with column j + 8.

    Source: G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates",
    1958.
    """
    radius = np.sqrt(np.float32(-2) * log(1 - uniforms[:, :8]))
    sine, cosine = sincos(np.float32(2 * math.pi) * uniforms[:, 8:])
    normals = np.concatenate([radius * cosine, radius * sine], axis=1)
    if (mean, std) == (0.0, 1.0):
        return normals
    return fused_multiply_add(normals, float(np.float32(std)), float(np.float32(mean)))
