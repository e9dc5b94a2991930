"""Division and casting with PyTorch's rules where NumPy's differ: integers by zero, and dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def _require_divisor(name: str, a: Any, b: Any) -> bool:
    """Say whether the operands are integers; refuse booleans, and integers divided by zero."""
    kind = np.result_type(a, b).kind
    if kind == "b":
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
    if kind not in "iu":
        return False
    if not np.all(b):
        raise RuntimeError("ZeroDivisionError")
    return True


def _divider(name: str, ufunc: np.ufunc) -> Callable[[Any, Any], Array]:
    def divide(a: Any, b: Any) -> Array:
        if _require_divisor(name, a, b):
            # The most negative integer by -1 is the one quotient that does not fit; it wraps.
            with np.errstate(over="ignore"):
                return ufunc(a, b)
        return ufunc(a, b)

    return divide


floor_divide = _divider("div_floor_cpu", np.floor_divide)
floor_divide.__doc__ = "Divide and round down."
remainder = _divider("remainder_cpu", np.remainder)
remainder.__doc__ = "Return what is left by floor division; it has the sign of the divisor."
fmod = _divider("fmod_cpu", np.fmod)
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
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = np.real(x)
    with np.errstate(all="ignore"):
        if x.dtype.kind == "f" and dtype.kind in "iu":
            wide = np.int32 if dtype.itemsize < 4 else np.int64
            via = dtype if dtype.kind == "i" and dtype.itemsize >= 4 else np.dtype(wide)
            x = x.astype(via)
        return x.astype(dtype)
