"""Functions of the standard that compute element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pellucid as torch
from pellucid.array_api.data_types import promoted
from pellucid.tensors import Tensor

Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Tensor | complex, Tensor | complex], Tensor]


def _unary(name: str, function: Callable[..., Any]) -> Unary:
    """Return a function of one array under the standard's name."""

    def compute(x: Tensor, /) -> Tensor:
        return function(x)

    return _named(name, compute, "x: Array.")


def _binary(name: str, function: Callable[..., Any]) -> Binary:
    """Return a function of two arrays, one of which may be a number, under the standard's name."""

    def compute(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
        return function(*promoted(x1, x2))

    return _named(
        name, compute, "x1: Array, or a number.\n        x2: Array, or a number; one is an array."
    )


def _named(name: str, function: Any, entries: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Compute ``{name}``, as the array API standard defines it.

    Args:
        {entries}
    """
    return function


abs = _unary("abs", torch.abs)
acos = _unary("acos", torch.acos)
acosh = _unary("acosh", torch.acosh)
asin = _unary("asin", torch.asin)
asinh = _unary("asinh", torch.asinh)
atan = _unary("atan", torch.atan)
atanh = _unary("atanh", torch.atanh)
bitwise_invert = _unary("bitwise_invert", torch.bitwise_not)
ceil = _unary("ceil", torch.ceil)
conj = _unary("conj", torch.conj)
cos = _unary("cos", torch.cos)
cosh = _unary("cosh", torch.cosh)
exp = _unary("exp", torch.exp)
floor = _unary("floor", torch.floor)
imag = _unary("imag", torch.imag)
isfinite = _unary("isfinite", torch.isfinite)
isinf = _unary("isinf", torch.isinf)
isnan = _unary("isnan", torch.isnan)
log = _unary("log", torch.log)
log1p = _unary("log1p", torch.log1p)
log2 = _unary("log2", torch.log2)
log10 = _unary("log10", torch.log10)
logical_not = _unary("logical_not", torch.logical_not)
negative = _unary("negative", torch.negative)
positive = _unary("positive", torch.positive)
real = _unary("real", torch.real)
reciprocal = _unary("reciprocal", torch.reciprocal)
signbit = _unary("signbit", torch.signbit)
sin = _unary("sin", torch.sin)
sinh = _unary("sinh", torch.sinh)
sqrt = _unary("sqrt", torch.sqrt)
square = _unary("square", torch.square)
tan = _unary("tan", torch.tan)
tanh = _unary("tanh", torch.tanh)
trunc = _unary("trunc", torch.trunc)

add = _binary("add", torch.add)
atan2 = _binary("atan2", torch.atan2)
bitwise_and = _binary("bitwise_and", torch.bitwise_and)
bitwise_left_shift = _binary("bitwise_left_shift", torch.bitwise_left_shift)
bitwise_or = _binary("bitwise_or", torch.bitwise_or)
bitwise_right_shift = _binary("bitwise_right_shift", torch.bitwise_right_shift)
bitwise_xor = _binary("bitwise_xor", torch.bitwise_xor)
copysign = _binary("copysign", torch.copysign)
divide = _binary("divide", torch.divide)
equal = _binary("equal", torch.eq)
greater = _binary("greater", torch.gt)
greater_equal = _binary("greater_equal", torch.ge)
hypot = _binary("hypot", torch.hypot)
less = _binary("less", torch.lt)
less_equal = _binary("less_equal", torch.le)
logaddexp = _binary("logaddexp", torch.logaddexp)
logical_and = _binary("logical_and", torch.logical_and)
logical_or = _binary("logical_or", torch.logical_or)
logical_xor = _binary("logical_xor", torch.logical_xor)
maximum = _binary("maximum", torch.maximum)
minimum = _binary("minimum", torch.minimum)
multiply = _binary("multiply", torch.multiply)
nextafter = _binary("nextafter", torch.nextafter)
not_equal = _binary("not_equal", torch.ne)
pow = _binary("pow", torch.pow)
subtract = _binary("subtract", torch.subtract)


def round(x: Tensor, /) -> Tensor:
    """Round to the nearest integer, halves to the even one; complex numbers in both parts.

    Args:
        x: Array of numbers.
    """
    if x.is_complex():
        return torch.complex(torch.round(x.real), torch.round(x.imag))
    return torch.round(x)


def expm1(x: Tensor, /) -> Tensor:
    """Return ``exp(x) - 1``, precise near zero; complex infinities and NaN are those of ``exp``.

    Args:
        x: Array of floating-point numbers.
    """
    found = torch.expm1(x)
    if not x.is_complex():
        return found
    found = torch.complex(found.real + 0, found.imag)  # the standard's zero has no sign there
    return torch.where(torch.isfinite(x), found, torch.exp(x) - 1)


def sign(x: Tensor, /) -> Tensor:
    """Return the sign of each number, ``z / abs(z)`` of complex ones; NaN stays NaN.

    Args:
        x: Array of numbers.
    """
    found = torch.sgn(x)
    if x.is_complex():
        return torch.where(torch.isfinite(x), found, complex("nan+nanj"))
    return torch.where(torch.isnan(x), x, found) if x.dtype.is_floating_point else found


def floor_divide(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Return quotients rounded down; those of infinite numbers are as in a division.

    Args:
        x1: Dividends: an array or a number.
        x2: Divisors: an array or a number.
    """
    x1, x2 = promoted(x1, x2)
    found = torch.floor_divide(x1, x2)
    if not found.is_floating_point():
        return found
    return torch.where(torch.isinf(x1) | torch.isinf(x2), torch.floor(x1 / x2), found)


def remainder(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Return remainders of floor divisions, zero among them with the sign of the divisor.

    Args: As for `floor_divide`.
    """
    x1, x2 = promoted(x1, x2)
    found = torch.remainder(x1, x2)
    if not found.is_floating_point():
        return found
    return torch.where(found == 0, torch.copysign(found, x2), found)


def clip(
    x: Tensor, /, min: Tensor | complex | None = None, max: Tensor | complex | None = None
) -> Tensor:
    """Return numbers brought between two limits, which do not change the dtype.

    Args:
        x: Array of real numbers.
        min: Lower limit: a number, an array, or None.
        max: Upper limit: a number, an array, or None.
    """
    lower, upper = (
        limit.to(x.dtype) if isinstance(limit, Tensor) else limit for limit in (min, max)
    )
    if lower is None and upper is None:
        return torch.clone(x)
    if isinstance(lower, Tensor) or isinstance(upper, Tensor):
        lower, upper = (
            limit if limit is None or isinstance(limit, Tensor) else torch.tensor(limit).to(x.dtype)
            for limit in (lower, upper)
        )
    return torch.clamp(x, lower, upper)


def where(
    condition: Tensor, x1: Tensor | complex | None = None, x2: Tensor | complex | None = None, /
) -> Any:
    """Return elements of the first array where a condition holds, of the second elsewhere.

    Without arrays the indices of where it holds, as those of ``nonzero``, which scikit-learn asks
    for.

    Args:
        condition: Array of booleans.
        x1: Array or number for where it holds.
        x2: Array or number for where it does not hold.
    """
    if x1 is None or x2 is None:
        return torch.nonzero(condition, as_tuple=True)
    return torch.where(condition, *promoted(x1, x2))
