"""Optimizers that are made, and never step."""

from __future__ import annotations

from typing import Any

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Optimizer, array_of

KIND = "an optimizer that never steps"

#: passes that gave its parameters gradients, after which it is reported; also when the program ends
PATIENCE = 30
SHORT_PATIENCE = 8


class NeverSteps(Check):
    """A search for optimizers whose parameters get gradients, and that do not use them."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: optimizer -> passes since it was made, and the first values of a parameter
        self.waiting: dict[Optimizer, tuple[int, bytes]] = {}

    def optimizer_made(self, known: Optimizer) -> None:
        first = self._first(known)
        if first is not None:
            self.waiting[known] = (0, _values(first))

    def step_began(self, step: Any) -> None:
        if self.waiting:
            self.waiting.pop(step.optimizer, None)

    def backward_ended(self, asked: Any) -> None:
        for known, (passes, values) in tuple(self.waiting.items()):
            first = self._first(known)
            if first is None or known.steps:
                del self.waiting[known]
            elif first.grad is not None:
                self.waiting[known] = passes + 1, values
                if passes + 1 >= PATIENCE:
                    self._judge(known, first)

    def finished(self) -> None:
        for known, (passes, _) in tuple(self.waiting.items()):
            first = self._first(known)
            if first is not None and passes >= SHORT_PATIENCE:
                self._judge(known, first)

    def _first(self, known: Optimizer) -> Any:
        """Return a parameter of an optimizer that is still there."""
        optimizer = known.reference()
        groups = [] if optimizer is None else optimizer.param_groups
        return next((each for group in groups for each in group["params"]), None)

    def _judge(self, known: Optimizer, first: Any) -> None:
        passes, values = self.waiting.pop(known)
        if _values(first) != values:
            return  # the program changes it by itself
        name = self.run.name_of(first) or "its parameters"
        last = self.run.last_pass
        self.report(
            KIND, f"{known.name} was made, and has not stepped in {passes} passes",
            last or known.made,
            f"The passes{'' if last is None else f' at {last}'} give {name} gradients, and nothing "
            f"uses them: the {known.name} made at {known.made} has no effect.",
            "Call optimizer.step() after the backward pass.",
        )  # fmt: skip


def _values(tensor: Any) -> bytes:
    return array_of(tensor).ravel()[:4].tobytes()
