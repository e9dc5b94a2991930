"""What autocast does with the operands of an op or of a function that is made of ops."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Autocast(Enum):
    """In which dtype operands are computed while autocast is on; as PyTorch's lists for CPUs say.

    Products run in half precision; what sums up many numbers, or divides by small ones, in float32.
    """

    #: the half precision that autocast was given
    LOWER = auto()
    FLOAT32 = auto()
    #: the widest floating dtype among the operands
    WIDEST = auto()
    #: no cast, also of what is computed inside
    AS_GIVEN = auto()
    #: in float32, while what is returned has half precision
    LOWER_RESULT = auto()


def autocasts(policy: Autocast | Callable[..., Autocast | None]) -> Callable[[F], F]:
    """Declare what autocast does with the arguments of a composite function.

    A function in place of a policy is given the arguments, and returns one or None.
    """

    def decorate(function: F) -> F:
        vars(function)["autocast"] = policy
        return function

    return decorate
