"""Choosing between values element by element, and arithmetic in several steps.

Values are chosen without a branch for each of them: NumPy's ``where`` takes its time where the
condition changes often, as the processor guesses wrong half the time. For many elements the bits of
both choices are put together instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.dtypes import fitted_number
from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.sizes import MANY

#: from here on NumPy's loop for two bounds makes up for the longer call
_MANY_BOUNDED = 1 << 14

_SINGLE = np.dtype(np.float32)
_ZERO = np.zeros((), np.float32)
_BITS = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def truth_values(mask: Any) -> Any:
    """Return a mask whose bytes are 0 and 1, as NumPy's kernels believe without looking.

    Memory of other numbers that is seen as bools has other bytes, each of which is true.
    """
    if not isinstance(mask, np.ndarray) or not mask.size or mask.view(np.uint8).max() <= 1:
        return mask
    return mask.view(np.uint8) != 0


def where(condition: Any, x: Any, y: Any) -> Array:
    """Take `x` where the condition holds and `y` elsewhere, as NumPy's function of this name."""
    if condition.size >= MANY and condition.dtype.kind == "b":
        choices = _choices(condition.shape, x, y)
        if choices is not None:
            return _blend(truth_values(condition), *choices)
    return np.where(condition, x, y)


def _choices(shape: tuple[int, ...], x: Any, y: Any) -> tuple[Any, Any] | None:
    """Return both choices in one dtype if they and the condition have one shape, or are numbers."""
    x_is_full = isinstance(x, np.ndarray) and x.shape == shape
    y_is_full = isinstance(y, np.ndarray) and y.shape == shape
    if not (x_is_full or y_is_full):
        return None
    dtype = x.dtype if x_is_full else y.dtype
    if dtype.kind not in "fiu" or dtype.itemsize not in _BITS:
        return None
    x = x if x_is_full else _as_constant(x, dtype)
    y = y if y_is_full else _as_constant(y, dtype)
    if x is None or y is None or x.dtype != y.dtype:
        return None
    return x, y


def _as_constant(value: Any, dtype: np.dtype[Any]) -> Array | None:
    """Return a number, or an array without dimensions, in a dtype that it leaves as it is."""
    if np.ndim(value) or np.result_type(dtype, value) != dtype:
        return None
    return np.asarray(value, dtype)


def _blend(condition: Array, x: Array, y: Array) -> Array:
    """Put together the bits of `x` where the condition holds, and those of `y` elsewhere."""
    bits = _BITS[x.dtype.itemsize]
    # the truth values 1 and 0 become all bits and none
    mask = np.negative(condition.view(np.int8)).astype(bits)
    if not y.ndim and not y.view(bits):
        return np.bitwise_and(mask, x.view(bits), out=mask).view(x.dtype)
    if not x.ndim and not x.view(bits):
        np.invert(mask, out=mask)
        return np.bitwise_and(mask, y.view(bits), out=mask).view(y.dtype)
    differing = np.bitwise_xor(x.view(bits), y.view(bits))
    np.bitwise_and(differing, mask, out=differing)
    return np.bitwise_xor(differing, y.view(bits), out=differing).view(x.dtype)


def zero_like(x: Array) -> Any:
    """Return a zero that NumPy need not convert first, for the usual dtype."""
    return _ZERO if x.dtype is _SINGLE else 0


def relu(x: Array) -> Array:
    """Return the larger of each element and 0."""
    if x.size >= _MANY_BOUNDED:
        return clip(x, 0, None)
    return np.maximum(zero_like(x), x)


def relu_backward(g: Array, out: Array) -> Array:
    """Return `g` where relu's result `out` is not 0, and 0 elsewhere."""
    zero = zero_like(out)
    return where(np.not_equal(out, zero), g, zero)


def clip(x: Any, low: Any, high: Any) -> Array:
    """Raise elements to `low`, then lower them to `high`; ``None`` means no bound.

    NumPy has a quick loop for two bounds that are numbers, and none for one. Of a zero and a bound
    of the other sign the element stays: NumPy's extrema take the second of two equals.
    """
    if x.size >= _MANY_BOUNDED and x.dtype.kind == "f":
        if low is None and not getattr(high, "ndim", 0):
            low = -np.inf
        elif high is None and not getattr(low, "ndim", 0):
            high = np.inf
        return np.clip(x, low, high)
    if low is None:
        return np.minimum(high, x)
    raised = np.maximum(low, x)
    return raised if high is None else np.minimum(high, raised)


def sign(x: Array) -> Array:
    """Return -1, 0 or 1; 0 for NaN, and for a complex number its direction."""
    if x.dtype.kind != "f":
        return np.sign(x)
    steps = np.subtract((x > 0).view(np.int8), (x < 0).view(np.int8))
    return np.asarray(steps).astype(x.dtype)


def rsqrt(x: Array) -> Array:
    """Return ``1 / sqrt(x)``."""
    return np.reciprocal(np.sqrt(x))


def frac(x: Array) -> Array:
    """Return what rounding towards zero leaves."""
    return np.subtract(x, np.trunc(x))


def lerp(x: Array, end: Array, weight: Any) -> Array:
    """Go from `x` towards `end` by the fraction `weight`.

    From the nearer end, so that the weight 1 gives the end exactly.
    """
    way = np.subtract(end, x)
    near = np.less(np.absolute(weight), 0.5)
    if np.ndim(weight):
        return np.where(near, x + weight * way, end - way * (1 - weight))
    return x + weight * way if near else end - way * (1 - weight)


def addcmul(x: Any, first: Any, second: Any, value: Any) -> Array:
    """Return ``x + value * first * second``; of integers with the whole part of the value."""
    product = np.multiply(first, second)
    if value == 1:
        return np.add(x, product)
    if product.dtype.kind in "iu":
        value = fitted_number(value, product.dtype)
    return np.add(x, np.multiply(product, value))


def addcdiv(x: Any, first: Any, second: Any, value: Any) -> Array:
    """Return ``x + value * first / second``."""
    return np.add(x, np.divide(first if value == 1 else np.multiply(first, value), second))


def replace_special(x: Array, nan: float, above: float, below: float) -> Array:
    """Replace NaN, infinity and minus infinity."""
    if np.isfinite(x).all():
        return np.array(x)
    return np.nan_to_num(x, nan=nan, posinf=above, neginf=below)
