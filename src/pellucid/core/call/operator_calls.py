"""Calls by Python's operators, which leave operands that they do not know to the other class."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.call import call
from pellucid.core.call.overriding import ask, overrides, public_arguments, relevant
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.op import Op


def call_operator(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], function: Any) -> Any:
    """Call an op for one of Python's operators: NotImplemented for what is not an operand of it."""
    if not are_operands(op, operands):
        return NotImplemented
    taking = relevant(operands)
    if taking or modes.function_modes:
        return ask(function.public, taking, *public_arguments(op, operands, params))
    return call(op, operands, params)


def are_operands(op: Op, operands: tuple[Any, ...]) -> bool:
    """Return whether operands are tensors, arrays or numbers, or take the op over."""
    return all(
        is_operand(each) and (op.takes_numbers[position] or not is_number(each))
        for position, each in enumerate(operands)
    )


def is_operand(value: Any) -> bool:
    """Return whether a value is a tensor, an array or a number, or takes functions over."""
    return isinstance(value, TensorBase | np.ndarray) or is_number(value) or overrides(value)
