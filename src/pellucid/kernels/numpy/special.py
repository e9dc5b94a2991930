"""SciPy's special functions, which keep single precision and are imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pellucid.errors import DomainError
from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.precision import as_working, floating_dtype, silence

SPECIAL_FUNCTIONS = frozenset((
    "betainc", "digamma", "entr", "erfcinv", "erfinv", "expit", "gammainc", "gammaincc", "i0",
    "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "log_ndtr", "logit", "ndtri",
    "xlog1py", "xlogy", "y0", "y1", "zeta",
))  # fmt: skip
#: what SciPy computes in single precision with an error of more than one and a half units
_LOSSY = frozenset(("erfinv", "expit", "logit"))


@cache
def special(name: str) -> Callable[..., Any]:
    """Return ``scipy.special``'s function `name`, made to keep the dtype of its arrays.

    Integers are computed in single precision, and so is half precision, which is then restored.
    """

    #: dtypes of a single operand that the function computes in as it is
    keeps = "d" if name in _LOSSY else "fd"

    def apply(*operands: Any) -> Array:
        import scipy.special

        function = getattr(scipy.special, name)
        if len(operands) == 1 and operands[0].dtype.char in keeps:
            with silence():
                return np.asarray(function(operands[0]))
        arrays = (x for x in operands if hasattr(x, "dtype"))
        result_dtype = np.result_type(*(floating_dtype(x.dtype) for x in arrays))
        work = [as_working(x) if hasattr(x, "dtype") else x for x in operands]
        if name in _LOSSY:
            work = [np.positive(x, dtype=np.float64) for x in work]
        with silence():
            return np.asarray(function(*work)).astype(result_dtype, copy=False)

    apply.__name__ = name
    return apply


def trigamma(x: Array) -> Array:
    """Return the second derivative of the logarithm of the gamma function."""
    return special("zeta")(2.0, x)


def airy_ai(x: Array) -> Array:
    """Return Airy's function of the first kind; NaN at infinity, as in PyTorch."""
    values = _airy(x, 0)
    return np.where(np.isposinf(x), values.dtype.type(np.nan), values)


def airy_ai_slope(x: Array) -> Array:
    """Return the derivative of Airy's function of the first kind."""
    return _airy(x, 1)


def zeta(x: Array, q: Array) -> Array:
    """Return Hurwitz' zeta function; NaN where both arguments are infinite."""
    values = special("zeta")(x, q)
    return np.where(np.isposinf(x) & np.isposinf(q), values.dtype.type(np.nan), values)


#: from here on Airy's function and its derivative are less than the smallest number
_AIRY_VANISHES = 200.0


def _airy(x: Array, which: int) -> Array:
    import scipy.special

    with silence():
        # SciPy has NaN where the function has long been smaller than any number
        near = np.minimum(as_working(x), _AIRY_VANISHES)
        return np.asarray(scipy.special.airy(near)[which]).astype(x.dtype, copy=False)


#: up to this degree polynomials are evaluated by their recurrence, whose time grows with the degree
_LARGEST_RECURRENCE = 10_000
#: the largest degree of those that have no other formula; two digits of a second for each element
_LARGEST_DEGREE = 10_000_000


def polynomial(family: str, degree: Array, x: Array, *parameters: float) -> Array:
    """Evaluate an orthogonal polynomial, ``scipy.special.eval_<family>``; 0 below degree 0.

    Raises RuntimeError for a degree beyond what can be computed.
    """
    import scipy.special

    whole = np.trunc(degree.astype(np.float64))
    is_degree = np.isfinite(whole) & (whole >= 0)
    whole = np.where(is_degree, whole, 0)
    wide = x.astype(np.float64, copy=False)
    closed = _CLOSED_FORMS.get(family)
    most = _LARGEST_DEGREE if closed is None else _LARGEST_RECURRENCE
    large = whole > most
    if closed is None and large.any():
        raise DomainError(
            f"polynomials of a degree above {most} are not evaluated: the time grows with the "
            "degree"
        )
    function = getattr(scipy.special, f"eval_{family}")
    with silence():
        values = function(np.minimum(whole, most).astype(np.int64), *parameters, wide)
        if closed is not None and large.any():
            values = np.where(large, closed(whole, wide), values)
    values = np.where(whole == 0, 1, values)  # at infinities too
    return np.where(is_degree, values, 0).astype(x.dtype, copy=False)


def _chebyshev_t(degree: Array, x: Array) -> Array:
    """Return cos(n acos x), continued beyond [-1, 1]: NIST's Handbook, 18.5.1."""
    size = np.abs(x)
    inside = np.cos(degree * np.arccos(np.minimum(size, 1)))
    beyond = np.cosh(degree * np.arccosh(np.maximum(size, 1)))
    return _parity(degree, x) * np.where(size <= 1, inside, beyond)


def _chebyshev_u(degree: Array, x: Array) -> Array:
    """Return sin((n + 1) t) / sin(t) for t = acos x, continued: NIST's Handbook, 18.5.2."""
    size = np.abs(x)
    angle = np.arccos(np.minimum(size, 1))
    inside = np.sin((degree + 1) * angle) / np.sin(angle)
    distance = np.arccosh(np.maximum(size, 1))
    beyond = np.exp(degree * distance) / -np.expm1(-2 * distance)
    return _parity(degree, x) * np.where(size < 1, inside, np.where(size == 1, degree + 1, beyond))


def _parity(degree: Array, x: Array) -> Array:
    """Return -1 for the negative side of an odd polynomial."""
    return np.where((x < 0) & (degree % 2 == 1), -1.0, 1.0)


def _hermite(degree: Array, x: Array) -> Array:
    """Return NaN: the recurrence has overflowed long before."""
    return np.full(np.broadcast_shapes(degree.shape, x.shape), np.nan)


_CLOSED_FORMS = {
    "chebyt": _chebyshev_t, "chebyu": _chebyshev_u, "hermite": _hermite, "hermitenorm": _hermite,
}  # fmt: skip
