"""Numbers in the place of tensors: what the generated call of an op does with them."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.storage import CONSTANT, OTHER_NUMBER, WHOLE_NUMBER, Storage
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.overriding import is_general
from pellucid.core.definition.numbers import NUMBERS, as_array
from pellucid.core.definition.op import Op
from pellucid.dtypes import overflows
from pellucid.observe import slow_path

_USUAL = frozenset({int, float})


def with_number(op: Op, first: Any, second: Any) -> tuple[Any, ...]:
    """Do what `with_numbers` does for two operands; quickly for an int or float beside a tensor."""
    position = 1 if isinstance(first, TensorBase) else 0
    tensor, number = (first, second) if position else (second, first)
    if (
        number.__class__ in _USUAL
        and isinstance(tensor, TensorBase)
        and op.takes_numbers[position]
        and not (slow_path.general and is_general(first, second))
    ):
        array = getattr(tensor, "_array", None)  # a sparse tensor has none
        if array is not None and array.dtype.char not in op.general_path:
            constant = as_array(number, array.dtype)
            if constant is not None and constant.dtype is array.dtype:
                stand_in = _WHOLE if number.__class__ is int else _OTHER
                if position:
                    return (first, stand_in, array, constant)
                return (stand_in, second, constant, array)
    return with_numbers(op, first, second)


def with_numbers(op: Op, *operands: Any) -> tuple[Any, ...]:
    """Return the operands and then their arrays, where numbers stand among tensors of one dtype.

    A number becomes an array of that dtype, and in the place of its tensor comes a constant one.
    The first array is ``None`` where a number does not fit the dtype, or anything else is unusual.
    """
    unusual = (*operands, *(None for _ in operands))
    general = slow_path.general and is_general(*operands)
    dtype = None if general else _dtype_of_tensors(op, operands)
    if dtype is None or dtype.char in op.general_path:
        return unusual
    tensors: list[Any] = []
    arrays: list[Any] = []
    for i, operand in enumerate(operands):
        tensor, array = operand, None
        if isinstance(operand, TensorBase):
            array = getattr(operand, "_array", None)  # a sparse tensor has none
            if array is None or (op.promoted[i] and array.dtype is not dtype):
                return unusual
        elif operand is not None or not op.operands[i].optional:
            tensor = _ABSENT if operand is None else _WHOLE if isinstance(operand, int) else _OTHER
            array = _number(op, i, operand, dtype) if op.promoted[i] else None
            if array is None:
                return unusual
        tensors.append(tensor)
        arrays.append(array)
    return (*tensors, *arrays)


def _dtype_of_tensors(op: Op, operands: tuple[Any, ...]) -> Any:
    """Return the dtype of the first tensor that meets the other operands; ``None`` if none does."""
    for i, operand in enumerate(operands):
        if op.promoted[i] and isinstance(operand, TensorBase):
            array = getattr(operand, "_array", None)
            return None if array is None else array.dtype
    return None


def _number(op: Op, position: int, value: Any, dtype: Any) -> Any:
    """Return a number as an array of the dtype; ``None`` for what does not fit, or is not one."""
    if not isinstance(value, NUMBERS) or not op.takes_numbers[position]:
        return None
    if op.check is not None and (value.__class__ is bool or overflows(value, dtype)):
        return None  # the general way has the number itself checked
    array = as_array(value, dtype)
    # in an array that came out of a pickle, the dtype may be another object
    return array if array is not None and array.dtype is dtype else None


def storage_of_number(value: Any) -> Storage:
    """Return what stands in for the storage of a number, or of nothing."""
    if value is None:
        return CONSTANT
    return WHOLE_NUMBER if isinstance(value, int) else OTHER_NUMBER


def _constant_tensor(storage: Storage) -> TensorBase:
    """Return what stands in for a number: it has no history and never changes."""
    tensor = object.__new__(TensorBase)
    tensor._array = tensor._edge = tensor._view = tensor._grad = tensor._extra = None
    tensor._storage = storage
    return tensor


_WHOLE, _OTHER, _ABSENT = map(_constant_tensor, (WHOLE_NUMBER, OTHER_NUMBER, CONSTANT))
