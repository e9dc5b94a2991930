"""In which dtype an op computes, as one value: how the dtypes of its operands meet.

`OWN`            each operand keeps its dtype
`COMMON`         tensors and numbers meet in the dtype that type promotion gives
`TENSORS`        the same, but no number may stand in for a tensor
`NUMBER_SECOND`  the same, but a number may stand in for ``other`` alone
`FLOAT_MATH`     as `COMMON`, and integers are computed in the default floating dtype
`LIKE_FIRST`     the others are converted to the dtype of the first

What few ops need is said by a method: ``FLOAT_MATH.without_numbers()``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

#: all operands or none, or those of these names
Operands = bool | tuple[str, ...]


class DtypeRule(NamedTuple):
    """How the dtypes of an op's operands become the one that is computed in."""

    #: the operands that meet in a common dtype
    meeting: Operands = True
    #: the operands that a number may stand in for
    numbers: Operands = True
    #: whether integers are computed in the default floating dtype; given the op's parameters
    int_to_float: Callable[..., bool] = lambda *params, **named: False
    #: whether the common dtype is that of the first operand
    like_first: bool = False

    def among(self, *operands: str) -> DtypeRule:
        """Return the rule for these operands; the others keep their dtypes."""
        return self._replace(meeting=operands)

    def numbers_for(self, *operands: str) -> DtypeRule:
        """Return the rule with numbers for these operands alone."""
        return self._replace(numbers=operands)

    def without_numbers(self) -> DtypeRule:
        """Return the rule for tensors alone."""
        return self._replace(numbers=False)

    def floats_if(self, condition: Callable[..., bool]) -> DtypeRule:
        """Return the rule that computes integers in floating point if the parameters say so."""
        return self._replace(int_to_float=condition)

    def check(self, op: str, operands: Sequence[str]) -> None:
        """Raise TypeError for the name of an operand that the op does not have."""
        for names in (self.meeting, self.numbers):
            for name in names if isinstance(names, tuple) else ():
                if name not in operands:
                    raise TypeError(f"the dtype rule of {op} names {name!r}, which is no operand")


def _always(*params: Any, **named: Any) -> bool:
    return True


OWN = DtypeRule(meeting=False)
COMMON = DtypeRule()
TENSORS = COMMON.without_numbers()
NUMBER_SECOND = COMMON.numbers_for("other")
FLOAT_MATH = COMMON.floats_if(_always)
LIKE_FIRST = DtypeRule(like_first=True)
