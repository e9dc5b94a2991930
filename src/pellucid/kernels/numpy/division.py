"""Division and casting with PyTorch's rules where NumPy's differ: integers by zero, and dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.dtypes import is_float8, is_unknown_to_numpy, wide_counterpart
from pellucid.kernels.numpy import Array, float8
from pellucid.kernels.numpy.precision import silence
from pellucid.kernels.numpy.sizes import MANY


def _require_divisor(name: str, a: Any, b: Any) -> bool:
    """Return whether the operands are integers; refuse booleans, and integers divided by zero."""
    kind = np.result_type(a, b).kind
    if kind == "b":
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
    if kind not in "iu":
        return False
    if not np.all(b):
        raise RuntimeError("ZeroDivisionError")
    return True


# Note [Quotients in double precision]
# NumPy finds remainders one element at a time. For many elements of single precision the quotient
# is computed in double precision, where it is exact enough to be rounded to the right integer:
# if a/b is none, it is at least |1/b| times a bit of a off the next one, while the division
# errs by 2**-53 of the quotient. A quotient below 2**29 times the divisor is exact there too, so
# what is left is exact. Zeros among the divisors, infinities, NaN and larger quotients are
# left to NumPy.

_LARGEST_QUOTIENT = 2.0**29


def _quotients(a: Any, b: Any, rounding: np.ufunc) -> tuple[Array, Array, Array] | None:
    """Return the rounded quotients and both operands in double precision; see the note above."""
    if not all(isinstance(each, np.ndarray) and each.dtype == np.float32 for each in (a, b)):
        return None
    if max(a.size, b.size) < MANY:
        return None
    a, b = a.astype(np.float64), b.astype(np.float64)
    with silence():
        quotient = a / b
        rounding(quotient, out=quotient)
        sure = np.abs(quotient).max() < _LARGEST_QUOTIENT and np.isfinite(b).all()
    return (quotient, a, b) if sure else None


def _remains(quotient: Array, a: Array, b: Array) -> Array:
    np.multiply(quotient, b, out=quotient)
    return np.subtract(a, quotient, out=quotient).astype(np.float32)


def _remains_with_sign(quotient: Array, a: Array, b: Array) -> Array:
    return _with_sign_of_zero(_remains(quotient, a, b), a)


def _divider(
    name: str,
    ufunc: Callable[..., Any],
    rounding: np.ufunc,
    finish: Callable[[Array, Array, Array], Array],
) -> Callable[[Any, Any], Array]:
    def divide(a: Any, b: Any) -> Array:
        if _require_divisor(name, a, b):
            # The most negative integer by -1 is the one quotient that does not fit; it wraps.
            with np.errstate(over="ignore"):
                return ufunc(a, b)
        quotients = _quotients(a, b, rounding)
        return ufunc(a, b) if quotients is None else finish(*quotients)

    return divide


def _remainder(a: Any, b: Any) -> Array:
    return _with_sign_of_zero(np.remainder(a, b), a)


def _with_sign_of_zero(left: Array, a: Any) -> Array:
    """Give a zero that is left the dividend's sign, as C does; NumPy gives it the divisor's."""
    zero = np.equal(left, 0)
    if left.dtype.kind == "f" and zero.any():
        return np.where(zero, np.copysign(left, a, dtype=left.dtype, casting="same_kind"), left)
    return left


floor_divide = _divider(
    "div_floor_cpu", np.floor_divide, np.floor, lambda quotient, a, b: quotient.astype(np.float32)
)
floor_divide.__doc__ = "Divide and round down."
remainder = _divider("remainder_cpu", _remainder, np.floor, _remains_with_sign)
remainder.__doc__ = "Return what is left by floor division; it has the sign of the divisor."
fmod = _divider("fmod_cpu", np.fmod, np.trunc, _remains)
fmod.__doc__ = "Return what is left by truncating division; it has the sign of the dividend."


def trunc_divide(a: Any, b: Any) -> Array:
    """Divide and round towards zero."""
    if not _require_divisor("div_trunc_cpu", a, b):
        return np.trunc(np.divide(a, b))
    with np.errstate(over="ignore"):
        quotient = np.floor_divide(a, b)
        rounded_down = (np.remainder(a, b) != 0) & (np.less(a, 0) != np.less(b, 0))
        return quotient + rounded_down.astype(quotient.dtype)


def true_divide(a: Any, b: Any) -> Array:
    """Divide exactly; integers and booleans become single precision."""
    if np.result_type(a, b).kind in "biu":
        return np.divide(np.asarray(a, np.float32), np.asarray(b, np.float32))
    return np.divide(a, b)


def cast(x: Array, dtype: Any) -> Array:
    """Convert to `dtype` as PyTorch's CPU does.

    A number too large for an integer type, an infinity or NaN becomes the most negative ``int32``
    or ``int64``; shorter integers keep the low bits of the ``int32``. A complex number loses its
    imaginary part; NaN is true.
    """
    dtype = np.dtype(dtype)
    if x.dtype != dtype and is_unknown_to_numpy(x.dtype):
        x = float8.widened(x) if is_float8(x.dtype) else x.astype(wide_counterpart(x.dtype))
    if x.dtype.kind == "c" and dtype.kind not in "bcW":
        x = np.real(x)
    with silence():
        if x.dtype.kind == "f" and dtype.kind in "iu":
            wide = np.int32 if dtype.itemsize < 4 else np.int64
            via = dtype if dtype.kind == "i" and dtype.itemsize >= 4 else np.dtype(wide)
            x = x.astype(via)
        return float8.fitted(x, dtype).astype(dtype)
