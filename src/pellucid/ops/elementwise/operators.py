"""Python's operators that differ from the op they call: the reflected ones and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.call.operator_calls import is_operand
from pellucid.core.definition.numbers import NUMBERS
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentTypeError
from pellucid.ops.elementwise.arithmetic import (
    div,
    floor_divide,
    remainder_of,
    sub,
)
from pellucid.ops.elementwise.compare import eq, ge, gt, le, lt, ne
from pellucid.ops.elementwise.logic import bitwise_left_shift, bitwise_right_shift
from pellucid.ops.elementwise.powers import pow, reciprocal


def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method for a tensor on the right of an operator."""

    def method(self: Any, other: Any) -> Any:
        left = new_tensor(other) if isinstance(other, np.ndarray) else other
        return function(left, self) if is_operand(left) else NotImplemented

    method.__name__ = method.__qualname__ = f"r{function.__name__}"
    return method


def _quotient(left: Any, right: Any) -> Any:
    """Divide; a number is multiplied by the reciprocal, and rounded twice, as in PyTorch.

    What the derivative reads is then the reciprocal, and not x.
    """
    if not isinstance(left, NUMBERS):
        return div(left, right)
    inverse = reciprocal(right)
    return inverse if left.__class__ in (int, float) and left == 1 else inverse * left


def comparison(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method of a comparison's operator, which leaves what is not a number to Python."""

    def method(self: Any, other: Any) -> Any:
        try:
            return function(self, other)
        except ArgumentTypeError:
            return NotImplemented

    method.__name__ = method.__qualname__ = f"__{function.__name__}__"
    return method


public(operators="rsub")(reflected(sub))
public(operators="rdiv rtruediv")(reflected(_quotient))
public(operators="rfloordiv")(reflected(floor_divide))
public(operators="rmod")(reflected(remainder_of))
public(operators="rpow")(reflected(pow))
public(operators="rlshift")(reflected(bitwise_left_shift))
public(operators="rrshift")(reflected(bitwise_right_shift))
public(operators="eq")(comparison(eq))
public(operators="ne")(comparison(ne))
public(operators="lt")(comparison(lt))
public(operators="le")(comparison(le))
public(operators="gt")(comparison(gt))
public(operators="ge")(comparison(ge))
