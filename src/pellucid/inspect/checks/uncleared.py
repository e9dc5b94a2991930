"""Gradients that are never set to zero between the steps of an optimizer."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Entry, Optimizer, Step, square_of

#: steps in a row without clearing after which it is reported
PATIENCE = 5


@dataclass(slots=True)
class _Mark:
    """The gradient of one parameter at the latest step of an optimizer."""

    tensor: weakref.ref[Any]
    grad: weakref.ref[Any]
    square: float
    cleared: bool = False
    in_a_row: int = 0
    #: whether a pass has begun since the step: what the program writes itself is not added to
    passed: bool = False

    def look(self) -> None:
        """Note whether the gradient has been cleared, or replaced, since the step."""
        self.passed = True
        tensor, grad = self.tensor(), self.grad()
        gone = tensor is None or grad is None or tensor.grad is not grad
        self.cleared = gone or square_of(grad) == 0


class Uncleared(Check):
    """A search for optimizers whose gradients add up over their steps."""

    kinds = ("gradients never set to zero",)

    def prepare(self) -> None:
        self.marks: dict[Optimizer, _Mark] = {}
        self.reported: weakref.WeakSet[Optimizer] = weakref.WeakSet()

    def backward_began(self, asked: Any) -> None:
        for optimizer, mark in tuple(self.marks.items()):
            if optimizer.reference() is None:
                del self.marks[optimizer]
            elif not mark.cleared:
                mark.look()

    def step_ended(self, step: Step) -> None:
        optimizer = step.optimizer
        given = [entry for entry in step.entries if entry.grad is not None]
        if optimizer in self.reported or not given:
            return
        sample = min(given, key=lambda entry: entry.tensor.numel())
        mark = self.marks.get(optimizer)
        in_a_row = 0 if mark is None else self._in_a_row(mark, sample)
        if in_a_row >= PATIENCE:
            self.reported.add(optimizer)
            self.marks.pop(optimizer, None)
            self._report(step)
            return
        if in_a_row:
            optimizer.follow()
        self.marks[optimizer] = _Mark(
            weakref.ref(sample.tensor), weakref.ref(sample.grad), sample.square, in_a_row=in_a_row
        )

    def _in_a_row(self, mark: _Mark, sample: Entry) -> int:
        """Return how many steps in a row have used what older passes left in the gradient."""
        same = mark.passed and mark.grad() is sample.grad and not mark.cleared
        return mark.in_a_row + 1 if same and sample.square != mark.square else 0

    def _report(self, step: Step) -> None:
        self.report(
            "gradients never set to zero",
            f"{step.optimizer.name} has stepped {PATIENCE + 1} times, and each backward pass "
            "added to the gradients of all before", step.site,
            "The step follows the sum of all gradients so far, not the latest one.",
            "Call optimizer.zero_grad() before each backward pass, or once per step if the "
            "gradients of several passes are to be added.", step.number,
        )  # fmt: skip
