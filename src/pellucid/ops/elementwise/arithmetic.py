"""Arithmetic: what Python's operators do to tensors, and the elementary functions around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.node_backward import show_result_as
from pellucid.core.call.opmath import wide
from pellucid.core.definition import float8_rules
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import (
    ARITHMETIC,
    COMMON,
    FLOAT_MATH,
    NUMBER_SECOND,
    TENSORS,
)
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import elementwise, linear, multilinear, underived
from pellucid.core.memory.writing import check_result_shape
from pellucid.dtypes import fitted_number, is_half
from pellucid.errors import DomainError, DtypeError
from pellucid.ops.elementwise.conditional import where


@public("add", method=True, operators="add radd", inplace=True, out=CASTING, foreach=True)
@multilinear(
    torch_kernel_name="add_stub",
    dtypes=ARITHMETIC,
    half="native",
    kernel="add",
    additive=True,
    batch=Batch.ELEMENTWISE,
    scale="alpha",
    of_number="AddBackward1",
    faces={"AddBackward1": Face(edges="input")},
)
def add(be, input, other, /, *, alpha=1):
    """Add ``alpha`` times the other tensor, with broadcasting.

    Args:
        alpha: Number that multiplies ``other``.

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
    kind = getattr(other, "dtype", None)
    if kind is not None and kind.kind in "biu":
        alpha = fitted_number(alpha, kind)
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
    torch_kernel_name="add_stub",
    dtypes=ARITHMETIC,
    kernel="subtract",
    additive=True,
    batch=Batch.ELEMENTWISE,
    scale="alpha",
    numbered={"input": "RsubBackward1"},
    faces={
        "RsubBackward0": Face("alpha", edges="other input"),
        "RsubBackward1": Face("alpha", edges="other"),
    },
)
def sub(be, input, other, /, *, alpha=1):
    """Subtract ``alpha`` times the other tensor, with broadcasting.

    Raises RuntimeError for boolean tensors.

    Args:
        alpha: Number that multiplies ``other`` before it is used.

    >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
    tensor([-2., -2.])
    """
    if alpha == 1 or input.dtype.kind == "b":
        return be.subtract(input, other)
    # as PyTorch, where minus alpha has to fit
    return be.add(input, _scaled(be, other, -alpha))


@sub.vjp("input")
def sub_input(g):
    return g


@sub.vjp("other")
def sub_other(g, alpha):
    return -g if alpha == 1 else g * -alpha


@sub.out_variant
def sub_into(be, out, input, other, alpha):
    if alpha == 1:
        be.subtract(input, other, out=out, casting="unsafe")
    else:
        be.add(input, _scaled(be, other, -alpha), out=out, casting="unsafe")


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


@public("rsub")
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Subtract ``alpha`` times the first tensor from the other.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other`` before it is used.

    >>> torch.rsub(torch.ones(2), 3)
    tensor([2., 2.])
    """
    difference = sub(other, input, alpha=alpha)
    if isinstance(other, TensorBase):
        show_result_as(sub, difference, "RsubBackward0")
    return difference


@public("mul multiply", method=True, operators="mul rmul", inplace=True, out=CASTING, foreach=True)
@multilinear(
    dtypes=ARITHMETIC, half="native", float8=float8_rules.unless_one_element, kernel="multiply",
    batch=Batch.ELEMENTWISE, of_number="MulBackward1",
    faces={"MulBackward1": Face("other#", edges="input")},
)  # fmt: skip
def mul(be, input, other, /):
    """Multiply element by element, with broadcasting.

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


def _name_by_number(node: Any) -> str:
    return "DivBackward1" if node.params[1] else "MulBackward1"


@linear(batch=Batch.ELEMENTWISE, named=_name_by_number)
def by_number(be, input, /, number, divides=False):
    """Multiply by a number, or divide; other than of `mul`, a backward pass frees nothing of it."""
    return be.divide(input, number) if divides else be.multiply(input, number)


@by_number.vjp("input")
def by_number_input(g, number, divides):
    return by_number(g, number, divides)


@linear(kernel="zeros_like", batch=Batch.ELEMENTWISE)
def zero_gradient(be, input, /):
    """Return zeros: the gradient of what is constant between its jumps."""


@zero_gradient.vjp("input")
def zero_gradient_input(g):
    return zero_gradient(g)


def _quotient_name(node: Any) -> str:
    return "DivBackward0" if node.params is None or node.params[0] is None else "DivBackward2"


@public(
    "div divide",
    method=True,
    operators="truediv div",
    inplace="div_ divide_ true_divide_",
    out=CASTING,
    foreach=True,
)
@elementwise(
    dtypes=ARITHMETIC.floats_if(lambda rounding_mode: rounding_mode is None),
    kernel="divide",
    singular=True,
    named=_quotient_name,
    faces={"DivBackward0": Face("other self"), "DivBackward2": Face("other rounding_mode self")},
)
def div(be, input, other, /, *, rounding_mode=None):
    """Divide element by element, with broadcasting.

    Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
    RuntimeError for integers divided by zero in such a mode.

    Args:
        rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
            down.

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


@div.jvp
def div_jvp(t_input, t_other, other, out, rounding_mode):
    moved = t_input - t_other * out
    return moved / other if rounding_mode is None else zero_gradient(moved)


@div.out_variant
def div_into(be, out, input, other, rounding_mode):
    if rounding_mode is None:
        be.divide(input, other, out=out, casting="unsafe")
    else:
        result = div.op.body(be, input, other, rounding_mode=rounding_mode)
        check_result_shape(result.shape, out.shape)
        be.copyto(out, result)


@public("true_divide", method=True, out=CASTING)
def true_divide(input: TensorBase | complex, other: TensorBase | complex) -> Any:
    """Divide element by element, with broadcasting; integers give floating-point quotients.

    Args:
        input, other: As for `rsub`.

    >>> torch.true_divide(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    """
    return div(input, other)


@public("floor_divide", method=True, operators="floordiv", inplace=True, out=CASTING)
@underived(
    dtypes=ARITHMETIC,
    unsupported="bc",
    kernel="floor_divide",
    torch_kernel_name="div_floor_cpu",
    batch=Batch.ELEMENTWISE,
    compiled_kernel=("floor_quotients", 0),
)
def floor_divide(be, input, other, /):
    """Divide and round down.

    Raises RuntimeError for integers divided by zero, and on the way back: as in PyTorch, there is
    no derivative; ``div`` with ``rounding_mode="floor"`` has one.

    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """


@public(method="remainder", operators="mod", inplace=True)
@elementwise(
    dtypes=NUMBER_SECOND,
    kernel="remainder",
    overload=1,
    numbered={"other": "RemainderBackward0"},
    faces={"RemainderBackward0": Face(edges="input"), "RemainderBackward1": Face("other self")},
)
def remainder(be, input, other, /):
    """Return what is left by a division rounded down; it has the sign of the divisor.

    Raises RuntimeError for integers divided by zero.

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

    Args: As for `true_divide`.

    >>> torch.remainder(torch.tensor([7.0, -7.0]), 4)
    tensor([3., 1.])
    >>> torch.remainder(7, torch.tensor([4]))
    tensor([3])
    """
    return (remainder if isinstance(input, TensorBase) else remainder_of_number)(input, other)


@public("fmod", method=True, inplace=True, out=CASTING)
@elementwise(
    dtypes=NUMBER_SECOND,
    kernel="fmod",
    overload=1,
    numbered={"other": "FmodBackward0"},
    faces={"FmodBackward0": Face(edges="input"), "FmodBackward1": Face("other self")},
)
def fmod(be, input, other, /):
    """Return what is left by a division rounded towards zero; it has the sign of the dividend.

    Raises RuntimeError for integers divided by zero.

    >>> torch.fmod(torch.tensor([7.0, -7.0]), 4)
    tensor([ 3., -3.])
    """


@fmod.vjp("input")
def fmod_input(g):
    return g


@fmod.vjp("other")
def fmod_other(g, input, other):
    return -g * div(input, other, rounding_mode="trunc")


@public("hypot", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=TENSORS, unsupported="biu", kernel="hypot", singular=True)
def hypot(be, input, other, /):
    """Return the length of the hypotenuse over two legs.

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
@elementwise(dtypes=FLOAT_MATH.without_numbers(), kernel="arctan2", singular=True)
def atan2(be, input, other, /):
    """Return the angle of the point with ordinate ``input`` and abscissa ``other``.

    Args:
        input: Ordinates: real tensor of any shape, or a number.

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
