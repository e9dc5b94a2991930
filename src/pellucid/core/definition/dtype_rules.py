"""In which dtype an op computes, as one value: how the dtypes of its operands meet.

`OWN`            each operand keeps its dtype
`COMMON`         tensors and numbers meet in the dtype that type promotion gives
`ARITHMETIC`     the same, and all operands may be numbers
`TENSORS`        as `COMMON`, but no number may stand in for a tensor
`NUMBER_SECOND`  the same, but a number may stand in for ``other`` alone
`FLOAT_MATH`     as `COMMON`, and integers are computed in the default floating dtype
`LIKE_FIRST`     the others are converted to the dtype of the first

What few ops need is said by a method: ``FLOAT_MATH.without_numbers()``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
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
    #: whether all operands may be numbers
    numbers_alone: bool = False

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

    @functools.cache  # noqa: B019 - rules are few, and stay
    def docstring_section(self, operands: tuple[str, ...], unsupported: str) -> str:
        """Return what a docstring says of the dtypes: a section, or nothing.

        Args:
            operands: The names of all operands.
            unsupported: The kinds of the common dtype that are refused, as in `Op`.
        """
        lines = "".join(f"    {each}\n" for each in self._sentences(operands, unsupported))
        return f"\nDtypes:\n{lines}" if lines else ""

    def _sentences(self, operands: tuple[str, ...], unsupported: str) -> Iterator[str]:
        meeting = self.meeting if isinstance(self.meeting, tuple) else operands
        if self.like_first:
            yield f"The other operands are converted to the dtype of ``{operands[0]}``."
        elif len(meeting) > 1:
            names = ", ".join(f"``{each}``" for each in meeting[:-1])
            yield f"{names} and ``{meeting[-1]}`` are computed in their common dtype."
        if self.int_to_float is _always and "i" not in unsupported:
            yield "Integers and booleans are computed in the default floating dtype."
        refused = [name for kind, name in _REFUSED.items() if kind in unsupported]
        if refused:
            text = " and ".join(filter(None, (", ".join(refused[:-1]), refused[-1])))
            yield f"{text.capitalize()} are refused."

    @functools.cache  # noqa: B019
    def operand_entries(self, operands: tuple[str, ...], missing: tuple[str, ...]) -> str:
        """Return what a docstring says of operands that meet element by element, a line for each.

        Args:
            operands: The names of all operands.
            missing: The names of those that are to be described.
        """
        return "".join(f"    {each}: {self._operand(each, operands)}\n" for each in missing)

    def _operand(self, name: str, operands: tuple[str, ...]) -> str:
        among = operands if self.numbers is True else self.numbers or ()
        if name != operands[0]:
            kind = "Tensor or number" if name in among else "Tensor"
            return f"{kind} that broadcasts with ``{operands[0]}``."
        number = self.numbers_alone or (len(operands) > 1 and name in among)
        return f"Tensor of any shape{', or a number' * number}."

    def check(self, op: str, operands: Sequence[str]) -> None:
        """Raise TypeError for the name of an operand that the op does not have."""
        for names in (self.meeting, self.numbers):
            for name in names if isinstance(names, tuple) else ():
                if name not in operands:
                    raise TypeError(
                        f"the dtype rule of {op} names {name!r}, which is not an operand"
                    )


def _always(*params: Any, **named: Any) -> bool:
    return True


#: what the kinds of dtypes that an op refuses are called
_REFUSED = {"b": "booleans", "i": "integers", "f": "floating-point numbers", "c": "complex numbers"}

OWN = DtypeRule(meeting=False)
COMMON = DtypeRule()
ARITHMETIC = COMMON._replace(numbers_alone=True)
TENSORS = COMMON.without_numbers()
NUMBER_SECOND = COMMON.numbers_for("other")
FLOAT_MATH = COMMON.floats_if(_always)
LIKE_FIRST = DtypeRule(like_first=True)
