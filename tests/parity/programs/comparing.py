"""In what two runs of a program differ first, on each of three levels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.parity.programs.observing import Error
from tests.parity.programs.running import Seen

#: a level's number and what it asks for
LEVELS = {
    1: "errors or none, values, gradients, shapes, dtypes",
    2: "and classes of errors, hooks, requires_grad, is_leaf, changes, names",
    3: "everything",
}
#: what is asked of a tensor on each level
_TENSOR = {
    1: ("shape", "dtype", "values", "grad"),
    2: ("requires_grad", "is_leaf", "changes", "class", "grad.requires_grad"),
}
#: what a statement says that makes numbers in single precision
_SINGLE = "torch.float32"
_SUBJECT = {1: ("layer",), 2: ("logged", "alive", "bound", "modes")}


class Difference(NamedTuple):
    """What differs after a statement: which fact, theirs and ours."""

    level: int
    line: int
    statement: str
    aspect: str
    theirs: Any
    ours: Any
    #: the error of the statement under PyTorch
    raised: Any = None
    #: the statements up to this one
    program: str = ""

    def __str__(self) -> str:
        return (
            f"level {self.level}, line {self.line}: {self.statement}\n"
            f"    {self.aspect}: PyTorch {_told(self.theirs)}\n"
            f"    {' ' * len(self.aspect)}  here    {_told(self.ours)}"
        )


def differences(theirs: list[Seen], ours: list[Seen]) -> Iterator[Difference]:
    """Yield what differs between two runs, statement by statement."""
    program, rounded = "", set[str]()
    for their, our in zip(theirs, ours, strict=True):
        statement = their.statement
        program += f"{statement.text}\n"
        if _SINGLE in statement.text or not rounded.isdisjoint(statement.names):
            rounded |= statement.names.intersection(their.facts["bound"])
        for level, aspect, left, right in sorted(
            _of_statement(their, our.facts, rounded), key=lambda found: found[0]
        ):
            yield Difference(
                level, statement.line, statement.text, aspect, left, right,
                their.facts["raised"], program,
            )  # fmt: skip


def _of_statement(
    seen: Seen, ours: dict[str, Any], rounded: set[str]
) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield what differs after a statement; ``rounded`` names what single precision went into."""
    theirs = seen.facts
    for subject in {**theirs, **ours}:
        left, right = theirs.get(subject, "missing"), ours.get(subject, "missing")
        named = seen.statement.names if subject in ("shown", "logged") else {subject.split()[-1]}
        of_single = not rounded.isdisjoint(named)
        if subject == "raised":
            yield from _errors(left, right)
        elif isinstance(left, dict) and isinstance(right, dict) and "shape" in left:
            for name in {**left, **right}:
                one, other = left.get(name, "missing"), right.get(name, "missing")
                if not equal(one, other, of_single):
                    alike = (
                        isinstance(one, Error) and isinstance(other, Error) and one[0] == other[0]
                    )
                    yield 3 if alike else _tensor_level(name), f"{name} of {subject}", one, other
        elif subject.startswith("graph") and isinstance(left, list) and isinstance(right, list):
            yield from _nodes(subject, left, right)
        elif subject.startswith("saved") and isinstance(left, dict) and isinstance(right, dict):
            for name in {**left, **right}:
                one, other = left.get(name, "missing"), right.get(name, "missing")
                if not equal(one, other, of_single):
                    yield 3, f"{name} {subject}", one, other
        elif not equal(left, right, of_single):
            if subject == "shown" or subject.startswith("value"):
                level, left, right = _first_part(left, right, of_single)
                yield level, subject, left, right
            else:
                yield _subject_level(subject), subject, left, right


def _nodes(subject: str, theirs: list[Any], ours: list[Any]) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield the first node of a graph that differs."""
    for place, (left, right) in enumerate(zip(theirs, ours, strict=False)):
        if left != right:
            yield 3, f"node {place} in {subject}", left, right
            return
    if len(theirs) != len(ours):
        yield 3, f"number of nodes in {subject}", len(theirs), len(ours)


def _first_part(left: Any, right: Any, of_single: bool) -> tuple[int, Any, Any]:
    """Return the first part of two values that differs, and the level of such a part."""
    while True:
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            pairs = [(left[key], right[key]) for key in left]
        elif _is_tensor(left) and _is_tensor(right):
            level = 1 if not equal(left[:-1], right[:-1], of_single) else 2
            return level, left, right
        elif _are_sequences(left, right) and len(left) == len(right):
            pairs = list(zip(left, right, strict=True))
        else:
            whole = _is_tensor(left) or _is_tensor(right) or isinstance(left, np.ndarray)
            level = 1 if whole else 2 if isinstance(left, bool | int) else 3
            return level, left, right
        left, right = next(pair for pair in pairs if not equal(*pair, of_single))


def _are_sequences(left: Any, right: Any) -> bool:
    return isinstance(left, list | tuple) and isinstance(right, list | tuple)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 5 and value[0] == "tensor"


def _errors(theirs: Error | None, ours: Error | None) -> Iterator[tuple[int, str, Any, Any]]:
    if (theirs is None) != (ours is None):
        yield 1, "raised", theirs, ours
    elif theirs is not None and ours is not None and theirs != ours:
        level = 2 if theirs.kind != ours.kind else 3
        yield level, "raised", theirs, ours


def _tensor_level(name: str) -> int:
    return next((level for level, names in _TENSOR.items() if name in names), 3)


def _subject_level(subject: str) -> int:
    word = subject.split()[0]
    return next((level for level, words in _SUBJECT.items() if word in words), 3)


def equal(one: Any, other: Any, of_single: bool = False) -> bool:
    """Return whether two descriptions are equal, numbers up to rounding.

    ``of_single`` says whether numbers in double precision were made of those in single precision.
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        alike = one.shape == other.shape and one.dtype == other.dtype
        return alike and _close(one, other, of_single)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            equal(one[key], other[key], of_single) for key in one
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(
            equal(*pair, of_single) for pair in zip(one, other, strict=True)
        )
    return bool(one == other)


def _close(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], of_single: bool) -> bool:
    if one.dtype.kind not in "fc" or one.tobytes() == other.tobytes():
        return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    single = one.dtype.itemsize <= (4 if one.dtype.kind == "f" else 8)
    rounding, least = (1e-3, 1e-4) if single else (1e-5, 1e-6) if of_single else (1e-7, 1e-9)
    with np.errstate(all="ignore"):
        return np.allclose(one, other, rounding, least, equal_nan=True)


def _told(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) < 500 else text[:500] + " ..."
