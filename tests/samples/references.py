"""What ops compute, said a second time: by Python's `math`, by SciPy, or by a plain definition."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special


def each(function: Callable[..., Any], kind: type = float) -> Callable[..., Any]:
    """Apply a function of numbers to every element, with broadcasting."""
    return np.vectorize(function, otypes=[kind])


def over(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of an array and an axis with the arguments of a reduction."""

    def reduce(input: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
        return function(input, axis=dim, keepdims=keepdim)

    return reduce


def expanded(input: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """Repeat what is stretched; -1 leaves a size as it is."""
    have = (1,) * (len(size) - input.ndim) + input.shape
    wanted = [old if new == -1 else new for old, new in zip(have, size, strict=True)]
    for axis, (old, new) in enumerate(zip(have, wanted, strict=True)):
        input = np.repeat(input.reshape(have) if axis == 0 else input, new // old, axis=axis)
    return input


def round_half_to_even(value: float, decimals: int = 0) -> float:
    return round(value * 10**decimals) / 10**decimals


#: functions of one or two numbers that Python itself has
OF_MATH = """
    acos acosh asin asinh atan atanh cos cosh erf erfc exp exp2 expm1 lgamma log log10 log1p log2
    sin sinh sqrt tan tanh atan2 copysign hypot fmod
"""

REFERENCES: dict[str, Callable[..., Any]] = {
    **{name: each(getattr(math, name)) for name in OF_MATH.split()},
    **{name: each(getattr(operator, name), bool) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "abs": each(abs),
    "neg": each(operator.neg),
    "add": lambda input, other, alpha=1: each(operator.add)(input, alpha * other),
    "sub": lambda input, other, alpha=1: each(operator.sub)(input, alpha * other),
    "mul": each(operator.mul),
    "pow": each(operator.pow),
    "remainder": each(operator.mod),
    "floor_divide": each(operator.floordiv),
    "maximum": each(max),
    "minimum": each(min),
    "fmax": each(max),
    "fmin": each(min),
    "gcd": each(math.gcd, int),
    "lcm": each(math.lcm, int),
    "nextafter": each(math.nextafter),
    "ldexp": lambda input, other: input * 2.0**other,
    "frexp": np.frexp,
    "remainder_of_number": each(operator.mod),
    "isin_values": lambda x, y, assume_unique, invert: np.isin(x, y) ^ invert,
    "reciprocal": each(lambda x: 1 / x),
    "square": each(lambda x: x * x),
    "rsqrt": each(lambda x: 1 / math.sqrt(x)),
    "ceil": each(math.ceil),
    "floor": each(math.floor),
    "trunc": each(math.trunc),
    "frac": each(lambda x: math.modf(x)[0]),
    "deg2rad": each(math.radians),
    "rad2deg": each(math.degrees),
    "sign": each(lambda x: (x > 0) - (x < 0)),
    "sgn": each(lambda x: (x > 0) - (x < 0)),
    "signbit": each(lambda x: math.copysign(1, x) < 0, bool),
    "isnan": each(math.isnan, bool),
    "isinf": each(math.isinf, bool),
    "isfinite": each(math.isfinite, bool),
    "isposinf": each(lambda x: x == math.inf, bool),
    "isneginf": each(lambda x: x == -math.inf, bool),
    "isreal": each(lambda x: True, bool),
    "logical_not": each(operator.not_, bool),
    "logical_and": each(lambda x, y: bool(x and y), bool),
    "logical_or": each(lambda x, y: bool(x or y), bool),
    "logical_xor": each(lambda x, y: bool(x) != bool(y), bool),
    "heaviside": each(lambda x, at_zero: at_zero if x == 0 else float(x > 0)),
    "bitwise_and": each(lambda x, y: int(x) & int(y), int),
    "bitwise_or": each(lambda x, y: int(x) | int(y), int),
    "bitwise_xor": each(lambda x, y: int(x) ^ int(y), int),
    "bitwise_left_shift": each(lambda x, y: int(x) << int(y), int),
    "bitwise_right_shift": each(lambda x, y: int(x) >> int(y), int),
    "logaddexp": each(lambda x, y: math.log(math.exp(x) + math.exp(y))),
    "logaddexp2": each(lambda x, y: math.log2(2**x + 2**y)),
    "xlogy": each(lambda x, y: 0.0 if x == 0 else x * math.log(y)),
    "sinc": each(lambda x: math.sin(math.pi * x) / (math.pi * x) if x else 1.0),
    "digamma": scipy.special.digamma,
    "erfinv": scipy.special.erfinv,
    "polygamma_of": lambda input, n: scipy.special.polygamma(n, input),
    "lerp": each(lambda x, y, weight: x + weight * (y - x)),
    "addcmul": lambda x, y, z, value=1: x + value * y * z,
    "addcdiv": lambda x, y, z, value=1: x + value * y / z,
    "where": each(lambda condition, x, y: x if condition else y),
    "masked_fill": each(lambda x, mask, value: value if mask else x),
    "round": lambda input, decimals=0: each(round_half_to_even)(input, decimals),
    "isclose": lambda x, y, rtol=1e-5, atol=1e-8: abs(x - y) <= atol + rtol * abs(y),
    "nan_to_num": lambda input, **numbers: input,
    "zero_gradient": each(lambda x: 0.0),
    "clone": lambda input: input,
    "sum": over(np.sum),
    "mean": over(np.mean),
    "expand": expanded,
    "view": lambda input, size: np.array(list(input.flat)).reshape(size),
    "unsafe_view": lambda input, size: np.array(list(input.flat)).reshape(size),
    "transpose": lambda input, dim0, dim1: np.swapaxes(input, dim0, dim1) if input.ndim else input,
    "permute": lambda input, dims: np.moveaxis(input, dims, range(input.ndim)),
    "t": lambda input: np.swapaxes(input, 0, 1) if input.ndim == 2 else input,
}
