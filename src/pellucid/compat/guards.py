"""Conditions that programs state, and sizes that a compiler would treat as symbols."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

from pellucid.compat.overrides import handle_torch_function, has_torch_function
from pellucid.core.definition.public import public
from pellucid.dtypes import bool_
from pellucid.errors import ArgumentError, ArgumentTypeError, DimensionError, PellucidError
from pellucid.tensors import Tensor

__all__ = [
    "SymBool", "SymFloat", "SymInt", "_assert", "_assert_async", "_check", "_check_index",
    "_check_is_size", "_check_not_implemented", "_check_tensor_all", "_check_type", "_check_value",
    "sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sum",
]  # fmt: skip

_EXPECTED = "Expected cond to be True, but got False"


class ConditionError(PellucidError, RuntimeError):
    """A condition that the program states does not hold.

    Wrong: ``torch._check(x.size(0) == 3)`` with four rows.
    Right: the condition that is meant, with a second argument that says what was wrong.
    """


class ConditionUnimplementedError(ConditionError, NotImplementedError):
    """A program states that it does not go further."""


@public("SymInt")
class SymInt:
    """Placeholder for symbolic sizes. Sizes are plain ints, so nothing is an instance.

    >>> isinstance(torch.ones(2).shape[0], torch.SymInt)
    False
    """


@public("SymFloat")
class SymFloat:
    """Placeholder for symbolic numbers; nothing is an instance.

    >>> isinstance(1.0, torch.SymFloat)
    False
    """


@public("SymBool")
class SymBool:
    """Placeholder for symbolic truth values; nothing is an instance.

    >>> isinstance(True, torch.SymBool)
    False
    """


def _check_as(name: str, error: type[Exception]) -> Callable[..., None]:
    def check(cond: bool, message: Callable[[], Any] | None = None) -> None:
        if not isinstance(cond, bool):
            raise ArgumentTypeError(f"cond must be a bool, but got {type(cond)}")
        if not cond:
            raise error(_EXPECTED if message is None else str(message()))

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raise {error.__name__} if a condition is False.

    The message is a function without arguments that returns the text.
    """
    return public(name, checked=False)(check)


_check = _check_as("_check", ConditionError)
_check_index = _check_as("_check_index", DimensionError)
_check_value = _check_as("_check_value", ArgumentError)
_check_type = _check_as("_check_type", ArgumentTypeError)
_check_not_implemented = _check_as("_check_not_implemented", ConditionUnimplementedError)


@public("_check_is_size", checked=False)
def _check_is_size(i: int, message: Callable[[], Any] | None = None, *, max: Any = None) -> None:
    """Raise RuntimeError for a number that is negative, or larger than ``max``."""
    _check(i >= 0 and (max is None or i <= max), message)


@public("_check_tensor_all", checked=False)
def _check_tensor_all(cond: Tensor, message: Callable[[], Any] | None = None) -> None:
    """Raise RuntimeError if an element of a tensor of bools is False.

    Raises TypeError for anything else.

    >>> torch._check_tensor_all(torch.tensor([1, 2]) > 0)
    """
    if not isinstance(cond, Tensor):
        raise ArgumentTypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not bool_:
        raise ArgumentTypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check(bool(cond.all()), message)


@public("_assert", checked=False)
def _assert(condition: Any, message: str) -> None:
    """Assert that a condition is true, as the statement does."""
    if not isinstance(condition, Tensor) and has_torch_function((condition,)):
        return handle_torch_function(_assert, (condition,), condition, message)
    assert condition, message
    return None


@public("_assert_async", checked=False)
def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise RuntimeError if a tensor of one element is zero."""
    if not bool(input):
        raise ConditionError(
            assert_msg or "Expected Tensor with single nonzero value, but got zero"
        )


@public("sym_int", checked=False)
def sym_int(a: Any) -> int:
    """Return a number as an int, rounded towards zero.

    Args:
        a: A number.

    >>> torch.sym_int(-2.5)
    -2
    """
    return int(a)


@public("sym_float", checked=False)
def sym_float(a: Any) -> float:
    """Return a number as a float.

    Args:
        a: A number.

    >>> torch.sym_float(2)
    2.0
    """
    return float(a)


@public("sym_not", checked=False)
def sym_not(a: Any) -> bool:
    """Return the negation of a bool.

    Args:
        a: A bool.

    >>> torch.sym_not(True)
    False
    """
    return not a


@public("sym_max", checked=False)
def sym_max(a: Any, b: Any) -> Any:
    """Return the larger of two numbers, as a float if one of them is.

    Args:
        a: A number.
        b: Another number.

    >>> torch.sym_max(2, 1.5)
    2.0
    """
    return _with_kind(builtins.max(a, b), a, b)


@public("sym_min", checked=False)
def sym_min(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, as a float if one of them is.

    Args: As for `sym_max`.

    >>> torch.sym_min(1, 2)
    1
    """
    return _with_kind(builtins.min(a, b), a, b)


@public("sym_ite", checked=False)
def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """Return one of two values, chosen by a condition.

    Args:
        b: The condition.
        t: The value if it is true.
        f: The value if it is false.

    >>> torch.sym_ite(True, 1, 2)
    1
    """
    return t if b else f


@public("sym_sum", checked=False)
def sym_sum(args: Iterable[Any]) -> Any:
    """Return the sum of numbers.

    Args:
        args: The numbers.

    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return builtins.sum(args)


def _with_kind(value: Any, *operands: Any) -> Any:
    return float(value) if any(isinstance(operand, float) for operand in operands) else value
