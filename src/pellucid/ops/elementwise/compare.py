"""Comparisons, element by element and of whole tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition import float8_rules
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import NUMBER_SECOND, TENSORS
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.families import nograd, underived
from pellucid.core.memory.layouts import follows_first_operand
from pellucid.dtypes import is_complex_dtype, scalar_name
from pellucid.errors import ArgumentTypeError, DomainError, DtypeError, UnsupportedDtypeError
from pellucid.kernels.meta import truth_of


@public("eq", method=True, inplace=True, out=CASTING)
@nograd(float8=True, dtypes=NUMBER_SECOND, kernel="equal", batch=Batch.ELEMENTWISE)
def eq(be, input, other, /):
    """Return a bool tensor, True where the elements are equal.

    >>> torch.eq(torch.tensor([1, 2]), 2)
    tensor([False,  True])
    """


@public("ne not_equal", method=True, inplace=True, out=CASTING)
@nograd(float8=True, dtypes=NUMBER_SECOND, kernel="not_equal", batch=Batch.ELEMENTWISE)
def ne(be, input, other, /):
    """Return a bool tensor, True where the elements differ.

    >>> torch.ne(torch.tensor([1, 2]), 2)
    tensor([ True, False])
    """


@public("lt less", method=True, inplace=True, out=CASTING)
@nograd(dtypes=NUMBER_SECOND, unsupported="c", kernel="less", batch=Batch.ELEMENTWISE)
def lt(be, input, other, /):
    """Return a bool tensor, True where the first is less than the second.

    >>> torch.lt(torch.tensor([1, 2]), 2)
    tensor([ True, False])
    """


@public("le less_equal", method=True, inplace=True, out=CASTING)
@nograd(dtypes=NUMBER_SECOND, unsupported="c", kernel="less_equal", batch=Batch.ELEMENTWISE)
def le(be, input, other, /):
    """Return a bool tensor, True where the first is at most the second.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """


@public("gt greater", method=True, inplace=True, out=CASTING)
@nograd(dtypes=NUMBER_SECOND, unsupported="c", kernel="greater", batch=Batch.ELEMENTWISE)
def gt(be, input, other, /):
    """Return a bool tensor, True where the first is greater than the second.

    >>> torch.gt(torch.tensor([2, 3]), 2)
    tensor([False,  True])
    """


@public("ge greater_equal", method=True, inplace=True, out=CASTING)
@nograd(dtypes=NUMBER_SECOND, unsupported="c", kernel="greater_equal", batch=Batch.ELEMENTWISE)
def ge(be, input, other, /):
    """Return a bool tensor, True where the first is at least the second.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """


@public("isclose", method=True)
@nograd(
    float8=float8_rules.unless_exact, dtypes=TENSORS, batch=Batch.ELEMENTWISE,
    compiled_kernel=("close", 3),
)  # fmt: skip
def isclose(be, input, other, /, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Return a bool tensor, True where the difference is at most ``atol + rtol * abs(other)``.

    Raises RuntimeError for different dtypes and for negative tolerances.

    Args:
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether two NaNs count as equal.

    >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise DomainError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    close = be.isclose(input, other, rtol, atol, equal_nan)
    return follows_first_operand(close, input, other)


@isclose.check
def check_isclose(input, other, rtol, atol, equal_nan):
    if np.result_type(input) != getattr(other, "dtype", np.result_type(input)):
        raise DtypeError(f"{scalar_name(input.dtype)} did not match {scalar_name(other.dtype)}")


@public("isnan", method=True)
@nograd(float8=True, kernel="isnan", batch=Batch.ELEMENTWISE)
def isnan(be, input, /):
    """Return a bool tensor, True where the elements are NaN.

    Args:
        input: Tensor of any shape.

    >>> torch.isnan(torch.tensor([1.0, torch.nan]))
    tensor([False,  True])
    """


@public("isinf", method=True)
@nograd(float8=float8_rules.among("float8_e5m2", "isinf"), kernel="isinf", batch=Batch.ELEMENTWISE)
def isinf(be, input, /):
    """Return a bool tensor, True where the elements are infinite, of either sign.

    Args:
        input: Tensor of any shape.

    >>> torch.isinf(torch.tensor([1.0, -torch.inf]))
    tensor([False,  True])
    """


@public("isfinite", method=True)
@nograd(
    float8=float8_rules.among("float8_e5m2 float8_e8m0fnu", "isfinite"), kernel="isfinite",
    batch=Batch.ELEMENTWISE,
)  # fmt: skip
def isfinite(be, input, /):
    """Return a bool tensor, True where the elements are neither infinite nor NaN.

    Args:
        input: Tensor of any shape.

    >>> torch.isfinite(torch.tensor([1.0, torch.inf, torch.nan]))
    tensor([ True, False, False])
    """


@public("isposinf", method=True, out=EXACT)
@nograd(batch=Batch.ELEMENTWISE)
def isposinf(be, input, /):
    """Return a bool tensor, True where the elements are plus infinity; not for complex numbers.

    Args:
        input: Tensor of any shape.

    >>> torch.isposinf(torch.tensor([-torch.inf, torch.inf]))
    tensor([False,  True])
    """
    _refuse_complex(input, "isposinf does not support complex inputs.")
    return be.equal(input, be.inf)


@public("isneginf", method=True, out=EXACT)
@nograd(batch=Batch.ELEMENTWISE)
def isneginf(be, input, /):
    """Return a bool tensor, True where the elements are minus infinity; not for complex numbers.

    Args:
        input: Tensor of any shape.

    >>> torch.isneginf(torch.tensor([-torch.inf, torch.inf]))
    tensor([ True, False])
    """
    _refuse_complex(input, "isneginf does not support complex inputs.")
    return be.equal(input, -be.inf)


@public("signbit", method=True, out=EXACT)
@nograd(batch=Batch.ELEMENTWISE)
def signbit(be, input, /):
    """Return a bool tensor, True where the sign bit is set: negative or minus zero; not complex.

    Args:
        input: Tensor of any shape.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.signbit(torch.tensor([-0.0, 1.0]))
    tensor([ True, False])
    """
    if is_complex_dtype(input.dtype):
        raise UnsupportedDtypeError("signbit is not implemented for complex tensors.")
    return be.signbit(input) if input.dtype.kind == "f" else be.less(input, 0)


def _refuse_complex(input: Any, sentence: str) -> None:
    if is_complex_dtype(input.dtype):
        raise DtypeError(sentence)


@public("isreal", method=True)
@nograd(float8=True, kernel="isreal", batch=Batch.ELEMENTWISE)
def isreal(be, input, /):
    """Return a bool tensor, True where the elements have no imaginary part.

    Args:
        input: Tensor of any shape.

    >>> torch.isreal(torch.tensor([1 + 0j, 1j]))
    tensor([ True, False])
    """


@public("heaviside", method=True, inplace=True, out=EXACT)
@underived(dtypes=TENSORS, batch=Batch.ELEMENTWISE)
def heaviside(be, input, values, /):
    """Return 0 for negative elements and NaN, 1 for positive ones, and ``values`` at 0.

    Raises RuntimeError for different dtypes, for complex numbers, and on the way back: as in
    PyTorch, there is no derivative.

    Args:
        values: Result where ``input`` is 0; it broadcasts.

    >>> torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    _refuse_complex(input, "heaviside is not yet implemented for complex tensors.")
    positive = be.greater(input, 0).astype(input.dtype)
    return be.where(be.equal(input, 0), values, positive)


@heaviside.check
def check_heaviside(input, values):
    if getattr(values, "dtype", None) != getattr(input, "dtype", None):
        raise DtypeError("heaviside is not yet implemented for tensors with different dtypes.")


@public("allclose", method=True)
def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Return whether all elements differ by no more than ``atol + rtol * abs(other)``.

    Raises RuntimeError for different dtypes.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.
        rtol, atol, equal_nan: As for `isclose`.

    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]))
    True
    """
    return truth_of(isclose(input, other, rtol, atol, equal_nan)._array.all())


@public("equal", method=True)
def equal(input: Any, other: Any) -> bool:
    """Return whether two tensors have the same shape and equal elements.

    Args:
        input: Tensor of any shape.
        other: Tensor of any shape.

    Raises:
        TypeError: If an argument is not a tensor.

    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    """
    for position, (name, value) in enumerate((("input", input), ("other", other)), start=1):
        if not isinstance(value, TensorBase):
            raise ArgumentTypeError(
                f"equal(): argument '{name}' (position {position}) must be Tensor, "
                f"not {type(value).__name__}"
            )
    return input.shape == other.shape and truth_of(eq(input, other)._array.all())
