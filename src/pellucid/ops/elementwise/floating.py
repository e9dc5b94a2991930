"""Floating-point numbers taken apart and put together: mantissas, exponents, neighbours."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import FLOAT_MATH, TENSORS
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.definition.result_types import named
from pellucid.core.families import op
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import DtypeError, UnsupportedDtypeError
from pellucid.ops.elementwise.arithmetic import zero_gradient

_EXPONENT = np.dtype(np.int32)


@public("frexp", method=True, out=EXACT)
@op(returns=named("frexp", "mantissa", "exponent"), batch=Batch.ELEMENTWISE)
def frexp(be, input, /):
    """Return mantissas of size in [0.5, 1) and int32 exponents, with ``mantissa * 2 ** exponent``.

    Zeros, infinities and NaN are their own mantissas. Raises RuntimeError for what is not of a real
    floating-point dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.frexp(torch.tensor([3.0])).mantissa
    tensor([0.7500])
    """
    if input.dtype.kind != "f":
        raise DtypeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = be.frexp(input)
    return mantissa, exponent.astype(_EXPONENT, copy=False)


@frexp.vjp("input")
def frexp_input(g_mantissa, exponent):
    return ldexp(g_mantissa, -exponent)


def _scaled(be: Any, input: Any, exponent: Any) -> Any:
    """Multiply by powers of two, of which no whole one overflows where the product does not."""
    if is_complex_dtype(input.dtype):
        return input * be.power(2, exponent)
    bounded = be.clip(be.nan_to_num(be.floor(exponent)), -(1 << 16), 1 << 16)
    mantissa, own = be.frexp(input)  # so that no broken power of two overflows either
    return be.ldexp(mantissa * be.exp2(exponent - bounded), bounded.astype(_EXPONENT) + own)


@public("ldexp ldexp_", method=True, inplace=True, out=CASTING)
@op(
    torch_kernel_name="pow", dtypes=FLOAT_MATH.without_numbers(), batch=Batch.ELEMENTWISE,
    faces=Face("other result@"),
)  # fmt: skip
def ldexp(be, input, other, /):
    """Return ``input * 2 ** other``; integers and booleans give the default dtype.

    Raises NotImplementedError for boolean exponents of floating-point numbers.

    >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    return _scaled(be, input, other)


@ldexp.check
def check_ldexp(input, other):
    if input.dtype.kind not in "biu" and getattr(other, "dtype", None) == np.bool_:
        raise UnsupportedDtypeError("\"ldexp_cpu_exp\" not implemented for 'Bool'")


@ldexp.vjp("input")
def ldexp_input(g, other):
    return ldexp(g, other)


@ldexp.vjp("other")
def ldexp_other(g, out):
    return g * out * log(2)


@public("nextafter", method=True, inplace=True, out=CASTING)
@op(dtypes=TENSORS, unsupported="biuc", half="bitwise", kernel="nextafter", batch=Batch.ELEMENTWISE)
def nextafter(be, input, other, /):
    """Return the next number that the dtype has, from ``input`` on the way to ``other``.

    As in PyTorch, the slope is 1 by the input, 0 where both are equal, and 0 by the other.

    >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) > 1
    tensor([True])
    """


@nextafter.vjp("input")
def nextafter_input(g, input, other):
    return g * (input != other)


@nextafter.vjp("other")
def nextafter_other(g):
    return zero_gradient(g)
