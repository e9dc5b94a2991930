"""The logarithm of the gamma function, exact near its zeros."""

from __future__ import annotations

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.error_function import polynomial_at
from pellucid.kernels.numpy.precision import silent
from pellucid.kernels.numpy.special import special

# log(gamma(2 + d)) = (1 - euler) d + sum over k >= 2 of (zeta(k) - 1) (-d)**k / k, for |d| < 2
# (Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.1.33); these are the coefficients
# of d**27 to d**2 and of d. On [-1/2, 1/2] what is left out is below 2e-18 of the result.
_SERIES = (
    -2.7595228851242334e-10,
    5.731367241678862e-10,
    -1.1921401405860912e-09,
    2.4836745438024785e-09,
    -5.183475041970047e-09,
    1.0838659214896955e-08,
    -2.2711094608943164e-08,
    4.7698101693639804e-08,
    -1.0043224823968099e-07,
    2.1207184805554665e-07,
    -4.492469198764566e-07,
    9.55141213040742e-07,
    -2.039215753801366e-06,
    4.374866789907488e-06,
    -9.439488275268397e-06,
    2.050721277567069e-05,
    -4.492623673813314e-05,
    9.945751278180853e-05,
    -0.00022315475845357939,
    0.0005096695247430425,
    -0.001192753911703261,
    0.0028905103307415234,
    -0.007385551028673986,
    0.020580808427784546,
    -0.0673523010531981,
    0.3224670334241132,
    0.42278433509846713,
)


@silent
def gammaln(x: Array) -> Array:
    """Return the logarithm of the absolute value of the gamma function.

    It is infinite at minus infinity too, as in C and PyTorch, where SciPy's is not.
    """
    out = special("gammaln")(x)
    out[x == -np.inf] = np.inf
    if x.dtype != np.float64:
        return out
    near = (x >= 0.5) & (x <= 2.5)
    if near.any():
        out[near] = _near_zeros(x[near])
    return out


def _near_zeros(x: Array) -> Array:
    """Return the values between 1/2 and 5/2: a series around 2, and from there to 1 a step."""
    below = x < 1.5
    distance = x - np.where(below, 1.0, 2.0)
    out = polynomial_at(_SERIES, distance) * distance
    return np.where(below, out - np.log1p(distance), out)
