"""Choosing between values element by element: by a condition, or by bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import regular, remember_nothing
from pellucid.core.call.opmath import wide
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON, LIKE_FIRST
from pellucid.core.definition.faces import Face
from pellucid.core.definition.numbers import as_array, is_number
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.errors.arguments import require
from pellucid.core.families import elementwise, multilinear, op
from pellucid.core.memory.layouts import contiguous, follows_first_operand
from pellucid.dtypes import (
    check_fits,
    from_numpy_dtype,
    is_complex_dtype,
    largest,
    result_dtype,
    scalar_name,
)
from pellucid.errors import (
    ArgumentTypeError,
    DomainError,
    DtypeError,
    ShapeError,
    UnsupportedDtypeError,
)


@op(
    float8=True,
    dtypes=COMMON.among("input", "other"),
    kernel="where",
    batch=Batch.ELEMENTWISE,
    compiled_body=True,
)
def where(be, condition, input, other, /):
    """Take ``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    Raises RuntimeError for a condition that is not boolean.

    Args:
        condition: Boolean tensor: where it is true the result is from ``input``.
        input: Tensor or number: the result where ``condition`` is true.
        other: Tensor or number: the result where ``condition`` is false.

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0)
    tensor([1., 0.])
    """


@where.vjp("input")
def where_input(g, condition):
    return where(condition, g, 0)


@where.vjp("other")
def where_other(g, condition):
    return where(condition, 0, g)


@where.check
def check_where(condition, input, other):
    if condition.dtype.kind != "b" and condition.dtype.name != "uint8":
        raise DtypeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{scalar_name(condition.dtype)}"
        )
    _check_numbers(input, other)


def _check_numbers(*operands: Any) -> None:
    """Raise RuntimeError for a number that the integers of the result do not hold."""
    numbers = [each for each in operands if is_number(each)]
    if not numbers or len(numbers) == len(operands):
        return
    common = result_dtype([each for each in operands if each is not None])
    for number in numbers if common.kind in "iu" else ():
        check_fits(number, common)


@public("where", out=EXACT)
@regular
def where_or_indices(
    condition: Any, input: float | TensorBase | None = None, other: float | TensorBase | None = None
) -> Any:
    """Take ``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    With the condition alone, return the indices of the elements where it holds, one tensor per
    dimension. Raises RuntimeError for a condition that is not boolean.

    Args:
        condition: Boolean tensor: where it is true the result is from ``input``.
        input: Tensor of any shape.
        other: Tensor or number: the result where ``condition`` is false.

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0)
    tensor([1., 0.])
    """
    if input is None and other is None:
        remember_nothing()
        return condition.nonzero(as_tuple=True)
    if input is None or other is None:
        raise ArgumentTypeError(
            "where() received an invalid combination of arguments: give the condition alone, or "
            "with two values to choose from"
        )
    if getattr(condition, "_array", condition).dtype.kind != "b":
        check_where(condition._array, input, other)
    if is_number(input) and is_number(other):
        input = new_tensor(as_array(input, result_dtype([input, other]), force=True))
    return where(condition, input, other)


@public(method="where")
def choose(self: Any, condition: Any, other: Any) -> Any:
    """Keep the elements where the condition holds, and take ``other`` elsewhere."""
    return where_or_indices(condition, self, other)


def _masked_fill_name(node: Any) -> str:
    """Name PyTorch's overload; a value that is not known to be a tensor was a number."""
    return f"MaskedFillBackward{int(node.edges[2] is not None)}"


@public("masked_fill", method=True)
@multilinear(
    torch_kernel_name="masked_fill",
    dtypes=LIKE_FIRST.among("input", "value"),
    additive=True,
    layout=contiguous,
    named=_masked_fill_name,
    faces={
        "MaskedFillBackward0": Face("mask", edges="input"),
        "MaskedFillBackward1": Face("mask", edges="input value"),
    },
)
def masked_fill(be, input, mask, value, /):
    """Put a number, or the value of a 0-d tensor, where the mask holds; the dtype stays.

    Raises RuntimeError for a mask that is not boolean, and for a value with dimensions.

    Args:
        input: Tensor of any shape.
        mask: Boolean tensor that broadcasts with ``input``.
        value: Number, or 0-d tensor, to write where ``mask`` is true.

    >>> torch.ones(3).masked_fill(torch.tensor([True, False, True]), 0)
    tensor([0., 1., 0.])
    """
    if mask.dtype.kind != "b" or be.ndim(value):
        check_masked_fill(input, mask, value)
    return be.where(mask, value, input)


@masked_fill.vjp("input")
def masked_fill_input(g, mask):
    return where(mask, 0, g)


@masked_fill.vjp("value")
def masked_fill_value(g, mask):
    return where(mask, g, 0)


@masked_fill.out_variant
def masked_fill_into(be, out, input, mask, value):
    if mask.dtype.kind != "b" or be.ndim(value):
        check_masked_fill(input, mask, value)
    be.copyto(out, value, where=mask)


@masked_fill.check
def check_masked_fill(input, mask, value):
    if mask.dtype.kind != "b":
        raise DtypeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{from_numpy_dtype(mask.dtype).name}"
        )
    ndim = getattr(value, "ndim", 0)
    if ndim:
        raise ShapeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{ndim} dimension(s)."
        )
    number = np.asarray(value).item() if isinstance(value, np.ndarray) else value
    if isinstance(number, int | float | complex):
        check_fits(number, input.dtype)


def _clamp_name(node: Any) -> str:
    """Name PyTorch's overload: bounds that are tensors, or numbers."""
    return f"ClampBackward{int(node.was_number('min') and node.was_number('max'))}"


@public("clamp clip clamp_ clip_", method=True, inplace=True, out=CASTING)
@elementwise(
    dtypes=COMMON.numbers_for("min", "max"),
    unsupported="c",
    compiled_kernel=("clipped", 0),
    named=_clamp_name,
    faces={
        "ClampBackward0": Face("max min self"),
        "ClampBackward1": Face("max# min# self", edges="input"),
    },
)
def clamp(be, input, min=None, max=None, /):
    """Replace what is below ``min`` by ``min`` and then what is above ``max`` by ``max``.

    Bounds are numbers or tensors. Raises RuntimeError without any bound.

    Args:
        min: Lower bound: a number, a tensor that broadcasts, or ``None``.
        max: Upper bound: a number, a tensor that broadcasts, or ``None``.

    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    check_clamp(input, min, max)
    return be.clip(input, min, max)


@clamp.check
def check_clamp(input, min, max):
    if min is None and max is None:
        raise DomainError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if is_complex_dtype(input.dtype):
        raise UnsupportedDtypeError("clamp is not supported for complex types")
    if input.dtype.kind != "b":
        _check_numbers(input, min, max)
        return
    bounds = [bound for bound in (min, max) if bound is not None]
    if all(isinstance(bound, bool) for bound in bounds):
        which = "clamp" if len(bounds) == 2 else "clamp_max" if min is None else "clamp_min"
        raise UnsupportedDtypeError(f"\"{which}_scalar_cpu\" not implemented for 'Bool'")


def _inside(input: Any, min: Any, max: Any) -> Any:
    if min is None:
        return input <= max
    return input >= min if max is None else (input >= min) & (input <= max)


@clamp.vjp("input")
def clamp_input(g, input, min, max):
    return where(_inside(input, min, max), g, 0)


@clamp.vjp("min")
def clamp_min_bound(g, input, min, max):
    below = input < min
    return where(below if max is None else below & (min < max), g, 0)


@clamp.vjp("max")
def clamp_max_bound(g, input, min, max):
    above = input > max
    return where(above if min is None else above | (max < min), g, 0)


@clamp.out_variant
def clamp_into(be, out, input, min=None, max=None):
    if min is not None:
        input = be.maximum(min, input, out=out)  # of two equals the second
    if max is not None:
        be.minimum(max, input, out=out)


@public(
    "clamp_min clamp_min_", method=True, inplace=True, out=CASTING,
    foreach="_foreach_clamp_min _foreach_clamp_min_ _foreach_maximum _foreach_maximum_",
)  # fmt: skip
@elementwise(
    dtypes=COMMON.numbers_for("min"),
    torch_kernel_name="maximum_cpu",
    unsupported="c", checks="biu", compiled_kernel=("raised_to", 0), overload=1,
    numbered={"min": "ClampMinBackward0"},
    faces={
        "ClampMinBackward0": Face("min# self", edges="input"),
        "ClampMinBackward1": Face("min self"),
    },
)  # fmt: skip
def clamp_min(be, input, min, /):
    """Replace what is below ``min``, a number or a tensor, by ``min``.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number or a tensor that broadcasts.

    >>> torch.clamp_min(torch.tensor([-2.0, 3.0]), 0)
    tensor([0., 3.])
    """
    check_clamp(input, min, None)
    return be.clip(input, min, None)


@clamp_min.vjp("input")
def clamp_min_input(g, input, min):
    return where(input >= min, g, 0)


@clamp_min.vjp("min")
def clamp_min_of_bound(g, input, min):
    return where(input < min, g, 0)


@clamp_min.out_variant
def clamp_min_into(be, out, input, min):
    be.maximum(min, input, out=out)


@clamp_min.check
def check_clamp_min(input, min):
    check_clamp(input, min, None)


@public(
    "clamp_max clamp_max_", method=True, inplace=True, out=CASTING,
    foreach="_foreach_clamp_max _foreach_clamp_max_ _foreach_minimum _foreach_minimum_",
)  # fmt: skip
@elementwise(
    dtypes=COMMON.numbers_for("max"),
    torch_kernel_name="minimum_cpu",
    unsupported="c", checks="biu", compiled_kernel=("lowered_to", 0), overload=1,
    numbered={"max": "ClampMaxBackward0"},
    faces={
        "ClampMaxBackward0": Face("max# self", edges="input"),
        "ClampMaxBackward1": Face("max self"),
    },
)  # fmt: skip
def clamp_max(be, input, max, /):
    """Replace what is above ``max``, a number or a tensor, by ``max``.

    Args:
        input: Tensor of any shape.
        max: Upper bound: a number or a tensor that broadcasts.

    >>> torch.clamp_max(torch.tensor([-2.0, 3.0]), 0)
    tensor([-2.,  0.])
    """
    check_clamp(input, None, max)
    return be.clip(input, None, max)


@clamp_max.vjp("input")
def clamp_max_input(g, input, max):
    return where(input <= max, g, 0)


@clamp_max.vjp("max")
def clamp_max_of_bound(g, input, max):
    return where(input > max, g, 0)


@clamp_max.out_variant
def clamp_max_into(be, out, input, max):
    be.minimum(max, input, out=out)


@clamp_max.check
def check_clamp_max(input, max):
    check_clamp(input, None, max)


@public("nan_to_num nan_to_num_", method=True, inplace=True, out=EXACT)
@elementwise(
    torch_kernel_name="nan_to_num", half="bitwise", compiled_kernel=("special_replaced", 3)
)
def nan_to_num(be, input, /, nan=None, posinf=None, neginf=None):
    """Replace NaN, infinity and minus infinity: by 0 and the largest finite numbers, or as given.

    Args:
        nan: What replaces NaN.
        posinf: What replaces positive infinity; by default the largest finite number.
        neginf: What replaces negative infinity; by default the smallest finite number.

    >>> torch.nan_to_num(torch.tensor([torch.nan, 1.0]), nan=2.0)
    tensor([2., 1.])
    """
    given = {"nan": nan, "posinf": posinf, "neginf": neginf}
    require("nan_to_num", "float", **{n: v for n, v in given.items() if v is not None})
    if input.dtype.kind not in "fV":
        found = be.nan_to_num(input, nan=nan or 0.0, posinf=posinf, neginf=neginf)
        return follows_first_operand(found, input)
    limit = largest(input.dtype)
    above, below = limit if posinf is None else posinf, -limit if neginf is None else neginf
    found = be.replace_special(wide(input), nan or 0.0, above, below)
    return follows_first_operand(found.astype(input.dtype, copy=False), input)


@nan_to_num.vjp("input")
def nan_to_num_input(g, input):
    return where(is_finite(input), g, 0)


def is_finite(input: Any) -> Any:
    """Return where an array or tensor is neither infinite nor NaN."""
    return (input - input) == 0
