"""Parameters that are meant to stay, and are moved by momentum or weight decay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.hooks import hooks_of
from pellucid.inspect.checks.run import Step, array_of

KIND = "a frozen parameter that moves"

#: steps that moved it after which it is reported
PATIENCE = 2
#: values of a parameter that are compared
_COMPARED = 16


class Frozen(Check):
    """A search for steps that change parameters which require no gradient, or have only zeros."""

    kinds = (KIND,)

    def prepare(self) -> None:
        self.before: list[tuple[Any, dict[str, Any], np.ndarray]] = []
        self.moved: dict[int, int] = {}

    def step_began(self, step: Step) -> None:
        self.before = [(tensor, group, _some(tensor)) for tensor, group in self._frozen(step)]

    def _frozen(self, step: Step) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield the parameters that the program means to stay, with their groups."""
        optimizer = step.optimizer.reference()
        assert optimizer is not None  # it is stepping
        count = sum(len(group["params"]) for group in optimizer.param_groups)
        if count != len(step.entries):
            for group in optimizer.param_groups:
                for tensor in group["params"]:
                    if not tensor.requires_grad and tensor.grad is not None:
                        yield tensor, group
        for entry in step.entries:
            if entry.grad is not None and hooks_of(entry.tensor) and entry.square == 0:
                yield entry.tensor, entry.group

    def step_ended(self, step: Step) -> None:
        before, self.before = self.before, []
        moving = []
        for tensor, group, values in before:
            key = id(tensor)
            if self.moved.get(key, 0) < PATIENCE and not np.array_equal(_some(tensor), values):
                self.moved[key] = self.moved.get(key, 0) + 1
                if self.moved[key] == PATIENCE:
                    moving.append((tensor, group))
        if moving:
            self._report(step, moving)

    def _report(self, step: Step, moving: list[tuple[Any, dict[str, Any]]]) -> None:
        names = listed([self.run.name_of(tensor) or "a parameter" for tensor, _ in moving])
        tensor, group = moving[0]
        by = [
            each
            for each, name in (
                ("momentum", "momentum"), ("its averages of older gradients", "betas"),
                ("weight decay", "weight_decay"),
            )
            if group.get(name)
        ]  # fmt: skip
        stale = "" if tensor.requires_grad else ", and the gradient that it still has"
        are = "are" if len(moving) > 1 else "is"
        what = "requires_grad=False" if stale else "a gradient of zeros, by a hook"
        self.report(
            KIND, f"{names} {are} frozen by {what}, and {step.optimizer.name} moves "
            f"{'them' if len(moving) > 1 else 'it'}", step.site,
            f"An optimizer leaves alone only what has no gradient at all: "
            f"{' and '.join(by) or 'it'}{' go on' if len(by) > 1 else ' goes on'}{stale}.",
            "Set .grad = None where you freeze it, or give the optimizer only what is to be "
            "trained.", step.number,
        )  # fmt: skip


def _some(tensor: Any) -> np.ndarray:
    flat = array_of(tensor).ravel()
    return flat[:: max(1, flat.size // _COMPARED)][:_COMPARED].copy()
