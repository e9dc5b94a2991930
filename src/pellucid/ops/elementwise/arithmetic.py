"""Arithmetic: what Python's operators do to tensors, and the elementary functions around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.batching import Batch
from pellucid.core.dtype_rules import COMMON, FLOAT_MATH, NUMBER_SECOND, TENSORS
from pellucid.core.families import elementwise, linear, multilinear, op, underived
from pellucid.core.op_errors import unsupported
from pellucid.core.opmath import wide
from pellucid.core.public import CASTING, EXACT, public
from pellucid.dtypes import c_type, complex128, float64, from_numpy_dtype, is_half
from pellucid.errors import DomainError, DtypeError, UnsupportedDtypeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import log


@public("add", method=True, operators="add radd", inplace=True, out=CASTING, foreach=True)
@multilinear(
    dtypes=COMMON,
    half="native",
    kernel="add",
    additive=True,
    batch=Batch.ELEMENTWISE,
    scale="alpha",
)
def add(be, input, other, /, *, alpha=1):
    """Add ``alpha`` times the other tensor, with broadcasting.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other``.

    >>> import pellucid as torch
    >>> torch.add(torch.ones(2), torch.ones(2), alpha=3)
    tensor([4., 4.])
    """
    if alpha == 1:
        return be.add(input, other)
    total = be.add(input, _scaled(be, other, alpha))
    return total.astype(input.dtype) if is_half(input.dtype) else total


def _scaled(be: Any, other: Any, alpha: Any) -> Any:
    if isinstance(alpha, float) and getattr(other, "dtype", np.dtype(float)).kind in "biu":
        raise DtypeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    if getattr(other, "dtype", None) == np.bool_:
        alpha = bool(alpha)
    return be.multiply(wide(other), alpha)


@add.vjp("input")
def add_input(g):
    return g


@add.vjp("other")
def add_other(g, alpha):
    return g if alpha == 1 else g * alpha


@add.out_variant
def add_into(be, out, input, other, alpha):
    added = other if alpha == 1 else _scaled(be, other, alpha)
    be.add(input, added, out=out, casting="unsafe")


@public("sub subtract", method=True, operators="sub", inplace=True, out=CASTING, foreach=True)
@multilinear(
    dtypes=COMMON, kernel="subtract", additive=True, batch=Batch.ELEMENTWISE, scale="alpha"
)
def sub(be, input, other, /, *, alpha=1):
    """Subtract ``alpha`` times the other tensor, with broadcasting.

    Raises RuntimeError for boolean tensors.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other`` before it is used.

    >>> import pellucid as torch
    >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
    tensor([-2., -2.])
    """
    return (
        be.subtract(input, other) if alpha == 1 else be.subtract(input, _scaled(be, other, alpha))
    )


@sub.vjp("input")
def sub_input(g):
    return g


@sub.vjp("other")
def sub_other(g, alpha):
    return -g if alpha == 1 else g * -alpha


@sub.out_variant
def sub_into(be, out, input, other, alpha):
    taken = other if alpha == 1 else _scaled(be, other, alpha)
    be.subtract(input, taken, out=out, casting="unsafe")


@sub.check
def check_sub(input, other, alpha):
    boolean = [isinstance(x, bool) or np.result_type(x).kind == "b" for x in (input, other)]
    if all(boolean):
        raise DtypeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(boolean):
        raise DtypeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


@public("rsub", method=True)
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Subtract ``alpha`` times the first tensor from the other.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other`` before it is used.

    >>> import pellucid as torch
    >>> torch.rsub(torch.ones(2), 3)
    tensor([2., 2.])
    """
    return sub(other, input, alpha=alpha)


@public("mul multiply", method=True, operators="mul rmul", inplace=True, out=CASTING, foreach=True)
@multilinear(dtypes=COMMON, half="native", kernel="multiply", batch=Batch.ELEMENTWISE)
def mul(be, input, other, /):
    """Multiply element by element, with broadcasting.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """


@mul.vjp("input")
def mul_input(g, other):
    return g * other


@mul.vjp("other")
def mul_other(g, input):
    return g * input


@mul.out_variant
def mul_into(be, out, input, other):
    be.multiply(input, other, out=out, casting="unsafe")


@linear(kernel="zeros_like", batch=Batch.ELEMENTWISE)
def zero_gradient(be, input, /):
    """Return zeros: the gradient of what is constant between its jumps."""


@zero_gradient.vjp("input")
def zero_gradient_input(g):
    return zero_gradient(g)


@public(
    "div divide",
    method=True,
    operators="truediv div",
    inplace="div_ divide_ true_divide_",
    out=CASTING,
    foreach=True,
)
@elementwise(dtypes=COMMON.floats_if(lambda rounding_mode: rounding_mode is None), kernel="divide")
def div(be, input, other, /, *, rounding_mode=None):
    """Divide element by element, with broadcasting.

    Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
    RuntimeError for integers divided by zero in such a mode.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
            down.

    >>> import pellucid as torch
    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    """
    if rounding_mode is None:
        return be.divide(input, other)
    if rounding_mode == "floor":
        return be.floor_divide(input, other)
    if rounding_mode == "trunc":
        return be.trunc_divide(input, other)
    raise DomainError(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
        f"'{rounding_mode}'"
    )


@div.vjp("input")
def div_input(g, other, rounding_mode):
    return g / other if rounding_mode is None else zero_gradient(g)


@div.vjp("other")
def div_other(g, input, other, rounding_mode):
    return -g * ((input / other) / other) if rounding_mode is None else zero_gradient(g)


@div.out_variant
def div_into(be, out, input, other, rounding_mode):
    if rounding_mode is None:
        be.divide(input, other, out=out, casting="unsafe")
    else:
        be.copyto(out, div.op.body(be, input, other, rounding_mode=rounding_mode))


@public("true_divide", method=True, out=CASTING)
def true_divide(input: Any, other: Any) -> Any:
    """Divide element by element, with broadcasting; integers give floating-point quotients.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.true_divide(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    """
    return div(input, other)


@public("floor_divide", method=True, operators="floordiv", inplace=True, out=CASTING)
@underived(
    dtypes=COMMON,
    unsupported="bc",
    kernel="floor_divide",
    torch_kernel_name="div_floor_cpu",
    batch=Batch.ELEMENTWISE,
)
def floor_divide(be, input, other, /):
    """Divide and round down.

    Raises RuntimeError for integers divided by zero, and on the way back: as in PyTorch, there is
    no derivative; ``div`` with ``rounding_mode="floor"`` has one.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """


@public(method="remainder", operators="mod", inplace=True)
@elementwise(dtypes=NUMBER_SECOND, kernel="remainder")
def remainder(be, input, other, /):
    """Return what is left by a division rounded down; it has the sign of the divisor.

    Raises RuntimeError for integers divided by zero.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.remainder(torch.tensor([7.0, -7.0]), 4)
    tensor([3., 1.])
    """


@remainder.vjp("input")
def remainder_input(g):
    return g


@remainder.vjp("other")
def remainder_other(g, input, other):
    return -g * div(input, other, rounding_mode="floor")


@underived(dtypes=COMMON, kernel="remainder", node_name="remainder", batch=Batch.ELEMENTWISE)
def remainder_of_number(be, input, other, /):
    """Return what is left of a number; PyTorch knows no derivative of it."""


@public("remainder", out=CASTING)
def remainder_of(input: TensorBase | float, other: TensorBase | float) -> Any:
    """Return what is left by a division rounded down; it has the sign of the divisor.

    The dividend may be a number: then backward raises RuntimeError, as in PyTorch.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.remainder(torch.tensor([7.0, -7.0]), 4)
    tensor([3., 1.])
    >>> torch.remainder(7, torch.tensor([4]))
    tensor([3])
    """
    return (remainder if isinstance(input, TensorBase) else remainder_of_number)(input, other)


@public("fmod", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=NUMBER_SECOND, kernel="fmod")
def fmod(be, input, other, /):
    """Return what is left by a division rounded towards zero; it has the sign of the dividend.

    Raises RuntimeError for integers divided by zero.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.fmod(torch.tensor([7.0, -7.0]), 4)
    tensor([ 3., -3.])
    """


@fmod.vjp("input")
def fmod_input(g):
    return g


@fmod.vjp("other")
def fmod_other(g, input, other):
    return -g * div(input, other, rounding_mode="trunc")


@public(
    "neg negative neg_ negative_",
    method=True,
    operators="neg",
    inplace=True,
    out=EXACT,
    foreach=True,
)
@linear(half="native", kernel="negative", batch=Batch.ELEMENTWISE)
def neg(be, input, /):
    """Change the sign; raise RuntimeError for a boolean tensor.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.neg(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """


@neg.vjp("input")
def neg_input(g):
    return -g


@neg.out_variant
def neg_into(be, out, input):
    be.negative(input, out=out)


@neg.check
def check_neg(input):
    if input.dtype.kind == "b":
        raise DtypeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )


@public("positive", method=True, operators="pos")
def positive(input: Any) -> Any:
    """Return the tensor itself; raise RuntimeError if it is boolean.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.positive(torch.tensor([1.0, -2.0]))
    tensor([ 1., -2.])
    """
    if input._array.dtype.kind == "b":
        raise DtypeError("The `+` operator, on a bool tensor is not supported.")
    return input


@public("abs absolute abs_", method=True, operators="abs", inplace=True, out=EXACT, foreach=True)
@op(dtypes=COMMON, unsupported="b", kernel="absolute", holomorphic=False, batch=Batch.ELEMENTWISE)
def abs(be, input, /):
    """Return the absolute value; that of complex numbers is real.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.abs(torch.tensor([1.0, -2.0]))
    tensor([1., 2.])
    """


@abs.vjp("input")
def abs_input(g, input):
    return g * sgn(input)


@public("sign", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise
def sign(be, input, /):
    """Return -1, 0 or 1; raise RuntimeError for complex numbers.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.sign(torch.tensor([3.0, 0.0, -2.0]))
    tensor([ 1.,  0., -1.])
    """
    kind = input.dtype.kind
    if kind == "c":
        raise UnsupportedDtypeError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
            "torch.sgn instead."
        )
    return be.copy(input) if kind == "b" else be.sign(input)


@sign.vjp("input")
def sign_input(g):
    return zero_gradient(g)


@public("sgn", method=True, inplace=True, out=EXACT)
@op(dtypes=COMMON, holomorphic=False, batch=Batch.ELEMENTWISE)
def sgn(be, input, /):
    """Return the sign, for a complex number ``z / abs(z)``; 0 stays 0.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.sgn(torch.tensor([3 + 4j]))
    tensor([0.6000+0.8000j])
    """
    return be.copy(input) if input.dtype.kind == "b" else be.sign(input)


@sgn.vjp("input")
def sgn_input(g, input, out):
    if not is_complex(input):
        return zero_gradient(g)
    size = abs(input)
    nowhere = size == 0
    along = (g * out.conj()).real * out
    return where(nowhere, 0, (g - along) / where(nowhere, 1, size))


def is_complex(input: Any) -> bool:
    """Return whether an array or tensor holds complex numbers."""
    return getattr(input, "_array", input).dtype.kind == "c"


@public("reciprocal reciprocal_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH, kernel="reciprocal")
def reciprocal(be, input, /):
    """Return ``1 / input``.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.reciprocal(torch.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])
    """


@reciprocal.partial("input")
def reciprocal_partial(out):
    return -out * out


@public("square square_", method=True, inplace=True, out=CASTING)
@elementwise
def square(be, input, /):
    """Return the square.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.square(torch.tensor([2.0, -3.0]))
    tensor([4., 9.])
    """
    return be.square(input) if input.dtype.kind != "b" else input.astype(be.int64)


@square.partial("input")
def square_partial(input):
    return input * 2


@public("sqrt sqrt_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH, kernel="sqrt")
def sqrt(be, input, /):
    """Return the square root, NaN for negative numbers.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.sqrt(torch.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """


@sqrt.partial("input")
def sqrt_partial(out):
    return 0.5 / out


@sqrt.out_variant
def sqrt_into(be, out, input):
    be.sqrt(input, out=out)


@public("rsqrt rsqrt_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH)
def rsqrt(be, input, /):
    """Return ``1 / sqrt(input)``.

    Args:
        input: Tensor of any shape, or a number.

    >>> import pellucid as torch
    >>> torch.rsqrt(torch.tensor([4.0, 16.0]))
    tensor([0.5000, 0.2500])
    """
    return be.reciprocal(be.sqrt(input))


@rsqrt.partial("input")
def rsqrt_partial(out):
    return out * out * out * -0.5


@public("pow", method=True, operators="pow", inplace=True, out=CASTING, foreach=True)
@elementwise(checks="biu")
def pow(be, input, exponent, /):
    """Raise to a power; either operand may be a number.

    Raises RuntimeError for integers to a negative number, and to one beyond their dtype.

    Args:
        input: Base: a tensor or a number.
        exponent: Tensor or number; the base broadcasts with it.

    >>> import pellucid as torch
    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    """
    kind = input.dtype.kind if hasattr(input, "dtype") else "f"
    if kind == "b":
        return be.logical_or(input, be.logical_not(exponent))
    if kind in "iu":
        return _integer_power(be, input, exponent)
    if not be.ndim(exponent):
        shortcut = _SHORTCUTS.get(complex(exponent))
        if shortcut is not None:
            return shortcut(be, input)
    return be.power(input, exponent)


_SHORTCUTS: dict[complex, Callable[[Any, Any], Any]] = {
    2: lambda be, x: be.square(x),
    3: lambda be, x: be.multiply(be.square(x), x),
    0.5: lambda be, x: be.sqrt(x),
    -0.5: lambda be, x: be.reciprocal(be.sqrt(x)),
    -1: lambda be, x: be.reciprocal(x),
    -2: lambda be, x: be.reciprocal(be.square(x)),
}


@pow.check
def check_pow(input, exponent):
    boolean = all(np.result_type(each).kind == "b" for each in (input, exponent))
    if boolean and not isinstance(exponent, bool):
        raise UnsupportedDtypeError("\"pow\" not implemented for 'Bool'")
    if isinstance(exponent, int) and np.result_type(input).kind in "iu":
        _check_integer_exponent(input, exponent)


def _check_integer_exponent(input: Any, exponent: int) -> None:
    if exponent < 0:
        raise DomainError("Integers to negative integer powers are not allowed.")
    if isinstance(input, np.ndarray) and exponent > np.iinfo(input.dtype).max:
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
    return g * (exponent * pow(input, exponent - 1 + (exponent == 0)))


@pow.vjp("exponent")
def pow_exponent(g, input, exponent, out):
    return g * where((input == 0) & (exponent.real >= 0), 0, out * log(input))


@public("float_power", method=True, out=EXACT)
def float_power(input: Any, exponent: Any) -> Any:
    """Raise to a power in double precision; either operand may be a number.

    Args:
        input: Base: a tensor or a number.
        exponent: Tensor or number; the base broadcasts with it.

    >>> import pellucid as torch
    >>> torch.float_power(torch.tensor([1, 2, 3]), 2)
    tensor([1., 4., 9.], dtype=torch.float64)
    """
    return pow(_in_double_precision(input), _in_double_precision(exponent))


def _in_double_precision(value: Any) -> Any:
    if not isinstance(value, TensorBase):
        return complex(value) if isinstance(value, complex) else float(value)
    return value.to(complex128 if is_complex(value) else float64)  # pyright: ignore[reportAttributeAccessIssue]


def _complex_refused(name: str) -> Callable[..., None]:
    """Return a check that refuses complex operands."""

    def check(input: Any, other: Any) -> None:
        if "c" in (np.result_type(input).kind, np.result_type(other).kind):
            raise DtypeError(f"{name} not implemented for complex tensors.")

    return check


@public("maximum", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="c", kernel="maximum")
def maximum(be, input, other, /):
    """Return the greater of two elements; NaN where one is NaN. Equal ones share the gradient.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.maximum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([3., 4.])
    """


@maximum.vjp("input")
def maximum_input(g, input, other):
    return where(input < other, 0, where(input == other, g * 0.5, g))


@maximum.vjp("other")
def maximum_other(g, input, other):
    return where(input > other, 0, where(input == other, g * 0.5, g))


@public("minimum", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="c", kernel="minimum")
def minimum(be, input, other, /):
    """Return the smaller of two elements; NaN where one is NaN. Equal ones share the gradient.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.minimum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """


@minimum.vjp("input")
def minimum_input(g, input, other):
    return where(input > other, 0, where(input == other, g * 0.5, g))


@minimum.vjp("other")
def minimum_other(g, input, other):
    return where(input < other, 0, where(input == other, g * 0.5, g))


@public("fmax", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="c", kernel="fmax")
def fmax(be, input, other, /):
    """Return the greater of two elements; where one is NaN, the other.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.fmax(torch.tensor([1.0, float("nan")]), torch.tensor([3.0, 2.0]))
    tensor([3., 2.])
    """


@fmax.vjp("input")
def fmax_input(g, input, other):
    return where((input >= other) | (other != other), g, 0)


@fmax.vjp("other")
def fmax_other(g, input, other):
    return where((input >= other) | (other != other), 0, g)


@public("fmin", method=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="c", kernel="fmin")
def fmin(be, input, other, /):
    """Return the smaller of two elements; where one is NaN, the other.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.fmin(torch.tensor([1.0, float("nan")]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """


@fmin.vjp("input")
def fmin_input(g, input, other):
    return where((input <= other) | (other != other), g, 0)


@fmin.vjp("other")
def fmin_other(g, input, other):
    return where((input <= other) | (other != other), 0, g)


for _extremum in (maximum, minimum, fmax, fmin):
    _extremum.check(_complex_refused(_extremum.__name__))


@public("lerp", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(dtypes=COMMON.numbers_for("weight"), unsupported="biu")
def lerp(be, input, end, weight, /):
    """Go from ``input`` towards ``end`` by the fraction ``weight``, a number or a tensor.

    Raises RuntimeError for operands of different dtypes, and for integers.

    Args:
        input: Tensor of any shape, or a number.
        end: Tensor of end points that broadcasts with ``input``.
        weight: Share of the way from ``input`` to ``end``: a number, or a tensor that
            broadcasts.

    >>> import pellucid as torch
    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.25)
    tensor([ 2.5000, 12.5000])
    """
    # from the nearer end, so that the weight 1 gives the end exactly
    way = be.subtract(end, input)
    near = be.less(be.absolute(weight), 0.5)
    if be.ndim(weight):
        return be.where(near, input + weight * way, end - way * (1 - weight))
    return input + weight * way if near else end - way * (1 - weight)


@lerp.check
def check_lerp(input, end, weight):
    if input.dtype.kind in "biu":
        how = "tensor" if isinstance(weight, np.ndarray) else "scalar"
        raise unsupported(f"lerp_kernel_{how}", input.dtype)
    for name, value in (("end", end), ("weight", weight)):
        dtype = getattr(value, "dtype", input.dtype)
        if dtype != input.dtype:
            raise DtypeError(
                f"expected dtype {_c_name(input.dtype)} for `{name}` but got dtype {_c_name(dtype)}"
            )


def _c_name(numpy_dtype: Any) -> str:
    name = from_numpy_dtype(numpy_dtype).name
    return {"float32": "float", "float64": "double", "int64": "long int"}.get(name, name)


@lerp.vjp("input")
def lerp_input(g, weight):
    return g * (1 - weight)


@lerp.vjp("end")
def lerp_end(g, weight):
    return g * weight


@lerp.vjp("weight")
def lerp_weight(g, input, end):
    return g * (end - input)


@public("addcmul", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=TENSORS, unsupported="b", scale="value")
def addcmul(be, input, tensor1, tensor2, /, *, value=1):
    """Add ``value * tensor1 * tensor2``.

    Args:
        input: Tensor of any shape, or a number.
        tensor1: First factor, or the dividend; it broadcasts with ``input``.
        tensor2: Second factor, or the divisor; it broadcasts with ``input``.
        value: Number that multiplies the product.

    >>> import pellucid as torch
    >>> torch.addcmul(torch.ones(2), torch.ones(2), torch.tensor([2.0, 3.0]), value=10)
    tensor([21., 31.])
    """
    product = be.multiply(tensor1, tensor2)
    return be.add(input, product if value == 1 else _scaled_in(be, product, value))


def _scaled_in(be: Any, product: Any, value: Any) -> Any:
    if getattr(product, "dtype", np.dtype(float)).kind in "iu":
        value = int(value)
    return be.multiply(product, value)


@addcmul.vjp("input")
def addcmul_input(g):
    return g


@addcmul.vjp("tensor1")
def addcmul_tensor1(g, tensor2, value):
    return g * (tensor2 * value)


@addcmul.vjp("tensor2")
def addcmul_tensor2(g, tensor1, value):
    return g * (tensor1 * value)


@addcmul.out_variant
def addcmul_into(be, out, input, tensor1, tensor2, value):
    product = be.multiply(tensor1, tensor2)
    be.add(input, product if value == 1 else _scaled_in(be, product, value), out=out)


@public("addcdiv", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=TENSORS, unsupported="biu", scale="value")
def addcdiv(be, input, tensor1, tensor2, /, *, value=1):
    """Add ``value * tensor1 / tensor2``; raise RuntimeError for integers.

    Args:
        input: Tensor of any shape, or a number.
        tensor1: First factor, or the dividend; it broadcasts with ``input``.
        tensor2: Second factor, or the divisor; it broadcasts with ``input``.
        value: Number that multiplies the quotient.

    >>> import pellucid as torch
    >>> torch.addcdiv(torch.ones(2), torch.ones(2), torch.tensor([2.0, 4.0]), value=10)
    tensor([6.0000, 3.5000])
    """
    return be.add(input, be.divide(tensor1 if value == 1 else be.multiply(tensor1, value), tensor2))


@addcdiv.check
def check_addcdiv(input, tensor1, tensor2, value):
    if np.result_type(tensor1).kind in "biu" and np.result_type(tensor2).kind in "biu":
        raise DtypeError(
            "Integer division with addcdiv is no longer supported: convert tensor1 or tensor2 to "
            "floating point, or write input + value * torch.div(tensor1, tensor2, "
            "rounding_mode='trunc')."
        )


@addcdiv.vjp("input")
def addcdiv_input(g):
    return g


@addcdiv.vjp("tensor1")
def addcdiv_tensor1(g, tensor2, value):
    return g * (value / tensor2)


@addcdiv.vjp("tensor2")
def addcdiv_tensor2(g, tensor1, tensor2, value):
    return -g * (tensor1 * value / (tensor2 * tensor2))


@addcdiv.out_variant
def addcdiv_into(be, out, input, tensor1, tensor2, value):
    be.add(
        input, be.divide(tensor1 if value == 1 else be.multiply(tensor1, value), tensor2), out=out
    )


@public("hypot", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="biu", kernel="hypot")
def hypot(be, input, other, /):
    """Return the length of the hypotenuse over two legs.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.hypot(torch.tensor([3.0]), torch.tensor([4.0]))
    tensor([5.])
    """


@hypot.partial("input")
def hypot_partial(input, out):
    return input / out


@hypot.partial("other")
def hypot_partial_other(other, out):
    return other / out


@public("atan2 arctan2", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH.without_numbers(), kernel="arctan2")
def atan2(be, input, other, /):
    """Return the angle of the point with ordinate ``input`` and abscissa ``other``.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.atan2(torch.tensor([1.0]), torch.tensor([-1.0]))
    tensor([2.3562])
    """


@atan2.partial("input")
def atan2_partial(input, other):
    squares = input * input + other * other
    return where(squares == 0, 0, other / squares)


@atan2.partial("other")
def atan2_partial_other(input, other):
    squares = input * input + other * other
    return where(squares == 0, 0, -input / squares)


@public("copysign", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH.numbers_for("other"), kernel="copysign")
def copysign(be, input, other, /):
    """Return the absolute value of ``input`` with the sign of ``other``.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> import pellucid as torch
    >>> torch.copysign(torch.tensor([1.0, -2.0]), -3.0)
    tensor([-1., -2.])
    """


@copysign.partial("input")
def copysign_partial(input, out):
    return where(input == 0, 0, out / input)


@copysign.vjp("other")
def copysign_other(g):
    return zero_gradient(g)
