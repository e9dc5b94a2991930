"""Signs and absolute values."""

from __future__ import annotations

from typing import Any

from pellucid.core.definition import float8_rules
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON, FLOAT_MATH
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.families import elementwise, linear, op
from pellucid.dtypes import bool_, is_complex_dtype
from pellucid.errors import DtypeError, UnsupportedDtypeError
from pellucid.ops.elementwise.arithmetic import zero_gradient
from pellucid.ops.elementwise.conditional import where


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

    >>> torch.positive(torch.tensor([1.0, -2.0]))
    tensor([ 1., -2.])
    """
    if input.dtype is bool_:
        raise DtypeError("The `+` operator, on a bool tensor is not supported.")
    return input


@public("abs absolute abs_", method=True, operators="abs", inplace=True, out=EXACT, foreach=True)
@op(
    float8=float8_rules.among(float8_rules.SIGNED, "abs_cpu"), dtypes=COMMON, unsupported="b",
    kernel="absolute", holomorphic=False, batch=Batch.ELEMENTWISE,
)  # fmt: skip
def abs(be, input, /):
    """Return the absolute value; that of complex numbers is real.

    >>> torch.abs(torch.tensor([1.0, -2.0]))
    tensor([1., 2.])
    """


@abs.vjp("input")
def abs_input(g, input):
    return g * sgn(input)


@public("sign", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(float_kernel="sign")
def sign(be, input, /):
    """Return -1, 0 or 1; raise RuntimeError for complex numbers.

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
@op(torch_kernel_name="sign_cpu", dtypes=COMMON, holomorphic=False, batch=Batch.ELEMENTWISE)
def sgn(be, input, /):
    """Return the sign, for a complex number ``z / abs(z)``; 0 stays 0.

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
    return is_complex_dtype(getattr(input, "_array", input).dtype)


@public("copysign", method=True, inplace=True, out=CASTING)
@elementwise(
    dtypes=FLOAT_MATH.numbers_for("other"), kernel="copysign",
    numbered={"other": "CopysignBackward1"},
    faces={
        "CopysignBackward0": Face("result@ self@"),
        "CopysignBackward1": Face("result@ self@", edges="input"),
    },
)  # fmt: skip
def copysign(be, input, other, /):
    """Return the absolute value of ``input`` with the sign of ``other``.

    Args:
        input: Magnitudes: real tensor of any shape, or a number.

    >>> torch.copysign(torch.tensor([1.0, -2.0]), -3.0)
    tensor([-1., -2.])
    """


@copysign.partial("input")
def copysign_partial(input, out):
    return where(input == 0, 0, out / input)


@copysign.vjp("other")
def copysign_other(g):
    return zero_gradient(g)
