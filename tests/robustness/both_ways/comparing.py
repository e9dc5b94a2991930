"""Whether two descriptions of what a program did agree."""

from __future__ import annotations

import ast
import pickle
from itertools import zip_longest
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from tests.robustness.both_ways.agreement import FURTHER, jumps, units_of
from tests.robustness.both_ways.describing import COMPLAINT, Record, Values

_DTYPES = {
    "torch.bfloat16": ml_dtypes.bfloat16, "torch.bool": bool, "torch.half": np.float16,
    "bool": bool,
}  # fmt: skip

#: the part of the largest number by which results may differ at most, in whatever dtype
MOST = 0.05


class Difference(NamedTuple):
    """Where two runs part: the step and line, what is seen there, and what both saw."""

    step: int
    line: int
    subject: str
    compiled: str
    python: str

    def __str__(self) -> str:
        return (
            f"line {self.line}, step {self.step}, {self.subject}\n"
            f"    compiled: {self.compiled}\n    Python:   {self.python}"
        )

    @property
    def kind(self) -> str:
        """What kind of thing differs, without names and numbers."""
        return self.subject.rpartition(": ")[2]


class Comparison:
    """A comparison that goes through two runs of one program.

    Up to the first function of the table values are compared bit for bit. From there on, they may
    differ by the table's units, and more where they were computed from such as differ; whole
    numbers and truth values, which follow from rounded ones, are then not compared; nor is any
    value after a jump that a rounded one may have come to.
    """

    def __init__(self, text: str) -> None:
        self.units: dict[int, int] = {}
        self.jumps: set[int] = set()
        for statement in _statements(text):
            source = ast.get_source_segment(text, statement) or ""
            self.units[statement.lineno] = units_of(source, text)
            if jumps(source, text):
                self.jumps.add(statement.lineno)
        #: whether a rounded value may have jumped so far
        self.jumped = False
        #: whether values have differed so far, and the largest of all
        self.rounded = False
        self.largest = 1.0
        #: the last place of 1 in the coarsest dtype so far
        self.coarsest = 0.0

    def allowed(self, record: Record) -> float:
        """Return how many units values may differ here; 0 for none."""
        reached = (
            self.units
            if record.step > 0
            else {line: units for line, units in self.units.items() if line <= record.line}
        )
        return max(reached.values(), default=0) * FURTHER

    def first_difference(self, compiled: list[Record], python: list[Record]) -> Difference | None:
        """Return where the runs part first; ``None`` if they agree."""
        place = (-1, 0)
        for one, other in zip_longest(compiled, python):
            if one is None or other is None or one[:3] != other[:3]:
                at = other or one
                return Difference(
                    at.step, at.line, "what was seen", _seen(one), _seen(other)
                )  # fmt: skip
            if one.subject == COMPLAINT:
                return Difference(one.step, one.line, COMPLAINT, *map(_seen, (one, other)))
            allowed = self.allowed(other)
            rounded = self.rounded or self.units.get(one.line)
            self.jumped = self.jumped or bool(rounded and self._has_jumped(place, one))
            place = one[:2]
            if one.seen == other.seen:
                continue
            found = self._parting(pickle.loads(one.seen), pickle.loads(other.seen), allowed, "")
            if found is not None:
                where, left, right = found
                return Difference(one.step, one.line, f"{one.subject}: {where}", left, right)
        return None

    def _has_jumped(self, since: tuple[int, int], to: Record) -> bool:
        """Return whether a statement that jumps has run since a step and line."""
        return any(
            since < (step, line) <= to[:2] for step in (since[0], to.step) for line in self.jumps
        )

    def _parting(self, one: Any, other: Any, units: float, where: str) -> Any:
        if type(one) is not type(other):
            return where, _told(one), _told(other)
        if isinstance(one, Values):
            return self._values(one, other, units)
        if isinstance(one, tuple | list):
            if one and isinstance(one[0], str):
                where = one[0]
            if len(one) != len(other):
                return where, _told(one), _told(other)
            for left, right in zip(one, other, strict=True):
                found = self._parting(left, right, units, where)
                if found is not None:
                    return found
            return None
        if one == other:
            return None
        return where, _told(one), _told(other)

    def _values(self, one: Values, other: Values, units: float) -> Any:
        if one[:2] != other[:2]:
            return "dtype and shape", str(one[:2]), str(other[:2])
        left, right = _array(one), _array(other)
        if units:
            self._met(right)
        if one == other or self.jumped or (self.rounded and left.dtype.kind in "biu"):
            return None
        distance = units_between(left, right, self.largest if units else 0.0)
        if distance == 0:
            return None
        if left.dtype.kind not in "biu" and distance * last_place(left) <= min(
            units * self.coarsest, MOST
        ):
            self.rounded = True
            return None
        return f"{distance:.3g} units", _told(left.tolist()), _told(right.tolist())

    def _met(self, array: np.ndarray[Any, Any]) -> None:
        if array.dtype.kind in "b" or not array.size:
            return
        finite = np.abs(array[np.isfinite(array)])
        self.largest = max(self.largest, float(finite.max(initial=0)))
        self.coarsest = max(self.coarsest, last_place(array))


def last_place(array: np.ndarray[Any, Any]) -> float:
    """Return the last place of 1 in the dtype of an array; 0 for integers."""
    return 0.0 if array.dtype.kind in "biu" else float(ml_dtypes.finfo(array.dtype).eps)


def units_between(
    one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], largest: float = 0.0
) -> float:
    """Return the largest difference, in units in the last place of the largest number.

    NaNs are alike; infinity where one is finite and the other is not, and, of exact results, where
    the signs of zeros differ.
    """
    if one.dtype.kind == "c":
        parts = ((one.real, other.real), (one.imag, other.imag))
        return max(units_between(left, right, largest) for left, right in parts)
    if one.dtype.kind in "biu":
        return 0.0 if np.array_equal(one, other) else float("inf")
    step, tiny = last_place(one), float(ml_dtypes.finfo(one.dtype).tiny)
    one, other = one.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(one) & np.isfinite(other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    if same.all():
        zeros = (one == 0) & (np.signbit(one) != np.signbit(other))
        return float("inf") if zeros.any() and not largest else 0.0
    if not finite[~same].all():
        return float("inf")
    largest = max(float(np.abs(other[np.isfinite(other)]).max()), largest, tiny)
    return float((np.abs(one[~same] - other[~same]) / largest).max() / step)


def _array(values: Values) -> np.ndarray[Any, Any]:
    name = values.dtype
    dtype = np.dtype(_DTYPES.get(name, name.removeprefix("torch.")))
    return np.frombuffer(values.bits, dtype)


def _seen(record: Record | None) -> str:
    return "nothing" if record is None else _told((record.subject, pickle.loads(record.seen)))


def _told(value: Any) -> str:
    text = str(value)
    return text if len(text) < 600 else text[:600] + " ..."


def _statements(text: str) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for each in ast.parse(text).body:
        found += each.body if is_steps(each) else [each]  # pyright: ignore[reportAttributeAccessIssue]
    return found


def is_steps(statement: ast.stmt) -> bool:
    """Return whether a statement is the one whose body is run step by step."""
    return (
        isinstance(statement, ast.For)
        and isinstance(statement.target, ast.Name)
        and statement.target.id == "step"
    )
