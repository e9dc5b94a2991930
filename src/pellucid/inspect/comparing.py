"""Two runs of a step, compared: the first operation whose values differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.dtypes import is_half
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.checks.finding import line_of
from pellucid.inspect.heard import Done, Heard, in_common
from pellucid.inspect.libraries import libraries
from pellucid.inspect.tables import columns
from pellucid.observe import Observer, observing


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs of a step have in common, to print or to read.

    Attributes:
        same: How many operations, forward and backward, gave the same before the first difference.
        phase: ``"forward"`` or ``"backward"`` of the first difference; empty if there is none.
        first: Operation, line and source of the first run there; None where it did nothing more.
        second: The same of the second run.
        difference: What differs.

    >>> x = torch.ones(3)
    >>> torch.inspect.compare(lambda: x.exp(), lambda: x.exp()).same
    1
    """

    same: int
    phase: str = ""
    first: tuple[str, str, str] | None = None
    second: tuple[str, str, str] | None = None
    difference: str = ""

    def __bool__(self) -> bool:
        return not self.phase

    def __str__(self) -> str:
        if not self.phase:
            return f"no difference in {self.same:,} operations"
        rows = [[label, *(run or ("nothing more", "", ""))]
                for label, run in (("first", self.first), ("second", self.second))]  # fmt: skip
        head = f"{self.same:,} operations are the same; then {self.phase} differs: "
        return "\n".join(
            [head + self.difference, *(f"    {line}" for line in columns([""] * 4, rows)[1:])]
        )


def compare(
    first: Callable[[], Any], second: Callable[[], Any], *, rtol: float = 0.0, atol: float = 0.0
) -> Comparison:
    """Run two versions of a step, and return the first operation whose values differ.

    Both begin with the same state of the random numbers. What they change, they change: pass steps
    that start from the same parameters. The results of the first run are kept until the end.

    One of them may run PyTorch, or both. Then functions that both libraries call are compared, and
    the gradients of the leaves in the order of their first use; give tolerances, as the libraries
    do not round alike.

    Args:
        first: A function without arguments.
        second: Another one.
        rtol: By which part of the larger value two values may differ.
        atol: By how much they may differ beside that.

    Returns:
        The comparison, which is true if there is no difference.

    Raises:
        TypeError: If one of them cannot be called.

    >>> x = torch.ones(3, requires_grad=True)
    >>> found = torch.inspect.compare(lambda: (x * 2).sum(), lambda: (x * 3).sum())
    >>> found.same, found.phase, found.difference
    (0, 'forward', 'values differ by up to 1')
    """
    for step in (first, second):
        if not callable(step):
            raise ArgumentTypeError(f"compare() takes two functions, not {type(step).__name__}")
    states = [each.random_state() for each in libraries()]
    runs: list[list[Done]] = []
    heard = Heard(), Heard()
    for step, calls in zip((first, second), heard, strict=True):
        for put_back in states:
            put_back()
        noting = _Noting()
        with observing(noting), calls.listening():
            step()
        runs.append(noting.done)
    pairs: Iterable[Any] = zip_longest(*runs)
    if any(calls.of_others for calls in heard):
        pairs = in_common(*(calls.done() for calls in heard))
    number = 0
    for number, (one, other) in enumerate(pairs, 1):
        text = _difference(one, other, rtol, atol)
        if text:
            phase = (one or other).phase
            if one is not None and one.name.endswith("_") and text.startswith("values"):
                text += "; it changes in place, as the first run did: give each run a copy"
            return Comparison(number - 1, phase, _told(one), _told(other), text)
    return Comparison(number)


class _Noting(Observer):
    """What keeps the results of the operations of a run."""

    def __init__(self) -> None:
        self.done: list[Done] = []
        self._open: list[Done] = []

    def op_began(self, kind: str, name: str, operands: Any) -> None:
        self._open.append(Done("forward", name, *user_frame(), []))

    def op_ended(self, result: Any) -> None:
        self._end(result)

    def node_began(self, node: Any, g: Any) -> None:
        self._open.append(Done("backward", node.name(), node.code, node._lasti, []))

    def node_ended(self, node: Any, grads: Any) -> None:
        self._end(grads)

    def _end(self, result: Any) -> None:
        ended = self._open.pop()
        if not self._open:
            self.done.append(ended._replace(arrays=_copies(result)))


def _copies(result: Any) -> list[Any]:
    several = result if isinstance(result, tuple | list) else (result,)
    arrays = [getattr(each, "_array", None) if isinstance(each, TensorBase) else each
              for each in several]  # fmt: skip
    return [each.copy() for each in arrays if isinstance(each, np.ndarray)]


def _difference(one: Done | None, other: Done | None, rtol: float, atol: float) -> str:
    """Return in which way two operations differ; empty if they do not."""
    if one is None or other is None:
        return "one of the runs ends here"
    if one.phase != other.phase or len(one.arrays) != len(other.arrays):
        return f"{one.name} in one run, {other.name} in the other"
    for a, b in zip(one.arrays, other.arrays, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
        if not np.array_equal(a, b):
            text = _numbers_differ(a, b, rtol, atol)
            if text:
                return text
    return ""


def _numbers_differ(a: Any, b: Any, rtol: float, atol: float) -> str:
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = (each.astype(np.float32).astype(wide) if is_half(each.dtype) else each.astype(wide)
            for each in (a, b))  # fmt: skip
    unlike = np.isfinite(a) != np.isfinite(b)
    if unlike.any():
        return "an element is finite in one run only"
    with np.errstate(all="ignore"):
        apart = np.where(a == b, 0.0, np.abs(a - b))
        allowed = atol + rtol * np.maximum(np.abs(a), np.abs(b))
    largest = np.nanmax(apart, initial=0.0)
    return f"values differ by up to {largest:.3g}" if (apart > allowed).any() else ""


def _told(done: Done | None) -> tuple[str, str, str] | None:
    if done is None:
        return None
    site = None if done.code is None else Site(done.code, done.lasti)
    return done.name, *line_of(site)
