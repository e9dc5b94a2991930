"""Powers, roots and reciprocals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.dtype_rules import FLOAT_MATH
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.families import elementwise
from pellucid.dtypes import c_type, complex128, float64
from pellucid.errors import DomainError, UnsupportedDtypeError
from pellucid.kernels.meta import is_meta
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import log
from pellucid.ops.elementwise.signs import is_complex


@public("reciprocal reciprocal_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH, kernel="reciprocal", singular=True)
def reciprocal(be, input, /):
    """Return ``1 / input``.

    >>> torch.reciprocal(torch.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])
    """


@reciprocal.vjp("input")
def reciprocal_input(g, out):
    return -g * (out * out)


@public("square square_", method=True, inplace=True, out=CASTING)
@elementwise(
    torch_kernel_name="pow",
    float_kernel="square",
    named=lambda node: "PowBackward0",
    faces=Face("self", exponent=lambda node: 2),
)
def square(be, input, /):
    """Return the square.

    >>> torch.square(torch.tensor([2.0, -3.0]))
    tensor([4., 9.])
    """
    return be.square(input) if input.dtype.kind != "b" else input.astype(be.int64)


@square.vjp("input")
def square_input(g, input):
    return g * ((pow(input, 1) if isinstance(g, TensorBase) else input) * 2)


@public("sqrt sqrt_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="sqrt_vml_cpu", dtypes=FLOAT_MATH, kernel="sqrt", singular=True)
def sqrt(be, input, /):
    """Return the square root, NaN for negative numbers.

    >>> torch.sqrt(torch.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """


@sqrt.vjp("input")
def sqrt_input(g, out):
    return g / (out * 2)


@sqrt.out_variant
def sqrt_into(be, out, input):
    be.sqrt(input, out=out)


@public("rsqrt rsqrt_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH, kernel="rsqrt", singular=True)
def rsqrt(be, input, /):
    """Return ``1 / sqrt(input)``.

    >>> torch.rsqrt(torch.tensor([4.0, 16.0]))
    tensor([0.5000, 0.2500])
    """


@rsqrt.vjp("input")
def rsqrt_input(g, out):
    return g * -0.5 * (pow(out, 3) if isinstance(g, TensorBase) else out * out * out)


def _power_name(node: Any) -> str:
    """Name PyTorch's overload: of a tensor to a number, of two tensors, of a number."""
    if node.edges[1] is None:
        return f"PowBackward{int(not node.was_number('exponent'))}"
    return f"PowBackward{1 + node.was_number('input')}"


@public("pow", method=True, operators="pow", inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="pow",
    checks="biu",
    singular=True,
    float_kernel="power",
    named=_power_name,
    faces={
        "PowBackward0": Face("exponent# self", edges="input"),
        "PowBackward1": Face("exponent result@ self"),
        "PowBackward2": Face("exponent result@ self#", edges="exponent"),
    },
)
def pow(be, input, exponent, /):
    """Raise to a power; either operand may be a number.

    Raises RuntimeError for integers to a negative number, and to one beyond their dtype.

    Args:
        input: Base: a tensor or a number.
        exponent: Tensor or number; the base broadcasts with it.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    """
    kind = input.dtype.kind if hasattr(input, "dtype") else "f"
    if kind == "b":
        return be.logical_or(input, be.logical_not(exponent))
    if kind in "iu":
        return _integer_power(be, input, exponent)
    if not getattr(exponent, "ndim", 0) and not is_meta(exponent):
        shortcut = _SHORTCUTS.get(complex(exponent))
        if shortcut is not None:
            return shortcut(be, input)
    return be.power(input, exponent)


_SHORTCUTS: dict[complex, Callable[[Any, Any], Any]] = {
    1: lambda be, x: be.copy(x),
    2: lambda be, x: be.square(x),
    3: lambda be, x: be.multiply(be.square(x), x),
    0.5: lambda be, x: be.sqrt(x),
    -0.5: lambda be, x: be.rsqrt(x),
    -1: lambda be, x: be.reciprocal(x),
    -2: lambda be, x: be.reciprocal(be.square(x)),
}


@pow.check
def check_pow(input, exponent):
    boolean = all(np.result_type(each).kind == "b" for each in (input, exponent))
    if boolean and not isinstance(exponent, bool):
        raise UnsupportedDtypeError("\"pow\" not implemented for 'Bool'")
    if isinstance(exponent, int) and np.result_type(input).kind in "biu":
        _check_integer_exponent(input, exponent)


def _check_integer_exponent(input: Any, exponent: int) -> None:
    if exponent < 0:
        raise DomainError("Integers to negative integer powers are not allowed.")
    if not isinstance(input, np.ndarray) or input.dtype.kind == "b":
        return
    if exponent > np.iinfo(input.dtype).max:
        raise DomainError(
            f"value cannot be converted to type {c_type(input.dtype)} without overflow: "
            f"the exponent has the dtype of the base, {input.dtype}; convert the base first"
        )


def _integer_power(be: Any, input: Any, exponent: Any) -> Any:
    """Raise integers to a power; those below zero leave 0, or 1 and -1 as they are."""
    negative = be.less(exponent, 0)
    if not hasattr(exponent, "ndim") and negative:
        raise DomainError("Integers to negative integer powers are not allowed.")
    if not be.any(negative):
        return be.power(input, exponent)
    units = be.where(be.remainder(exponent, 2) == 0, be.multiply(input, input), input)
    below = be.where(be.absolute(input) == 1, units, be.zeros_like(input))
    return be.where(negative, below, be.power(input, be.where(negative, 0, exponent)))


@pow.vjp("input")
def pow_input(g, input, exponent):
    # the exponent 0 is kept, so that 0 times a power of 0 is 0, not NaN
    return g * (pow(input, exponent - 1 + (exponent == 0)) * exponent)


@pow.vjp("exponent")
def pow_exponent(g, input, exponent, out):
    return g * where((input == 0) & (exponent.real >= 0), 0, out * log(input))


@public("float_power", method=True, out=EXACT)
def float_power(input: TensorBase | complex, exponent: TensorBase | complex) -> Any:
    """Raise to a power in double precision; either operand may be a number.

    Args: As for `pow`.

    >>> torch.float_power(torch.tensor([1, 2, 3]), 2)
    tensor([1., 4., 9.], dtype=torch.float64)
    """
    return pow(_in_double_precision(input), _in_double_precision(exponent))


def _in_double_precision(value: Any) -> Any:
    if not isinstance(value, TensorBase):
        return complex(value) if isinstance(value, complex) else float(value)
    return value.to(complex128 if is_complex(value) else float64)  # pyright: ignore[reportAttributeAccessIssue]
