"""The error function, its complement and the normal distribution function.

In double precision the tails lose up to a thousand units in SciPy, where a rounded square stands
in an exponent. Here ``exp(-x * x)`` is the product of two exponentials: ``h``, which is `x` rounded
to single precision, has an exact square, and ``x * x - h * h`` is ``(x - h) * (x + h)`` (W. J.
Cody, "Rational Chebyshev Approximation for the Error Function", 1969). What is left of the
complement, ``erfc(x) * exp(x * x)``, is smooth: ``1 + 2 * x`` times it is a polynomial of ``(x - K)
/ (x + K)`` (M. M. Shepherd and J. G. Laframboise, "Chebyshev Approximation of (1 + 2x) exp(x**2)
erfc x in 0 <= x < inf", 1981). The coefficients interpolate at the Chebyshev nodes between -0.005
and 28; the error is below 1e-17.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import floating_dtype, silent
from pellucid.kernels.numpy.rounding import rounded_kernel
from pellucid.kernels.numpy.special import special

_K = 3.75
_SCALED_COMPLEMENT = (
    -9.82112217157258e-10,
    -5.016780422292674e-09,
    2.147347204243989e-10,
    4.0828468132681355e-08,
    1.8154732758083797e-08,
    -2.630812538256591e-07,
    -5.364706819454611e-08,
    1.7558133122458358e-06,
    -9.749854385634282e-07,
    -1.1446471433635477e-05,
    2.238453558921654e-05,
    5.1649916412949065e-05,
    -0.00029015409254625147,
    0.0002937134816108415,
    0.0017556258444887188,
    -0.00974657953213354,
    0.0283622774208663,
    -0.05869339859177694,
    0.09230432116020805,
    -0.10880393014165744,
    0.08227673849015134,
    0.0035854154854628945,
    -0.14024059858554702,
    1.2375126308378275,
)
# Where the tail begins, and where nothing is left of it.
_TAIL = 0.5
_END = 28.0

# A rational function of t = x * x, times x, that follows erf on [-4, 4] with a relative error of
# 2e-9: fitted to double precision by reweighted least squares. Beyond, erf is 1 when rounded.
_ERF_LIMIT = 4.0
# SciPy's takes longer for a value, and less for a call.
_ERF_WORTHWHILE = 2048
_ERF_NUMERATOR = (
    -1.3201581687029423e-08,
    4.684632279242638e-06,
    3.796051445607619e-04,
    3.849668370604042e-03,
    5.431702870746589e-02,
    1.852049567308959e-01,
    1.128379169374704,
)
_ERF_DENOMINATOR = (
    6.310923236648613e-05,
    1.3075765509981763e-03,
    1.5462190605616983e-02,
    1.1395903328651667e-01,
    4.9746703310821005e-01,
    1.0,
)


def erf(x: Array) -> Array:
    """Return the error function, for many single-precision values much faster than SciPy's."""
    if floating_dtype(x.dtype) != np.float32 or x.size < _ERF_WORTHWHILE:
        return special("erf")(x)
    return _erf_to_nine_digits(x.astype(np.float32, copy=False))


@rounded_kernel
def _erf_to_nine_digits(x: Array) -> Array:
    bounded = np.asarray(np.clip(x, -_ERF_LIMIT, _ERF_LIMIT))
    square = np.asarray(bounded * bounded)
    out = polynomial_at(_ERF_NUMERATOR, square)
    out *= bounded
    out /= polynomial_at(_ERF_DENOMINATOR, square)
    return np.clip(out, -1, 1, out=out)


def polynomial_at(coefficients: tuple[float, ...], t: Array) -> Array:
    """Evaluate a polynomial, highest power first, by Horner's rule in one array."""
    out = np.full_like(t, coefficients[0])
    for coefficient in coefficients[1:]:
        out *= t
        out += coefficient
    return out


def _scaled_complement(x: Array) -> Array:
    """Return ``erfc(x) * exp(x * x)`` for values from 0 to 28."""
    return polynomial_at(_SCALED_COMPLEMENT, (x - _K) / (x + _K)) / (1 + 2 * x)


def _exp_of_square(x: Array, factor: float) -> Array:
    """Return ``exp(factor * x * x)``, with one rounding of the exponent's small part alone."""
    short = x.astype(np.float32).astype(np.float64)
    return np.exp(factor * short * short) * np.exp(factor * (x - short) * (x + short))


@silent
def erfc(x: Array) -> Array:
    """Return the complement of the error function, exact in its tail."""
    out = special("erfc")(x)
    if x.dtype != np.float64:
        return out
    tail = (x >= _TAIL) & (x <= _END)
    if tail.any():
        values = x[tail]
        out[tail] = _scaled_complement(values) * _exp_of_square(values, -1.0)
    return out


@silent
def erfcx(x: Array) -> Array:
    """Return ``erfc(x) * exp(x * x)``."""
    out = special("erfcx")(x)
    if x.dtype != np.float64:
        return out
    positive = (x >= 0) & (x <= _END)
    if positive.any():
        out[positive] = _scaled_complement(x[positive])
    return out


@silent
def ndtr(x: Array) -> Array:
    """Return the normal distribution function, exact in its lower tail."""
    out = special("ndtr")(x)
    if x.dtype != np.float64:
        return out
    tail = (x <= -_TAIL * sqrt(2)) & (x >= -_END * sqrt(2))
    if tail.any():
        values = x[tail]
        scaled = _scaled_complement(-values * sqrt(0.5))
        out[tail] = 0.5 * scaled * _exp_of_square(values, -0.5)
    return out
