"""Losses that cannot be negative, made so: the model is trained to be wrong."""

from __future__ import annotations

import weakref
from typing import Any

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import LOSSES
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.origins import Origin
from pellucid.inspect.checks.run import Step, values_of

KIND = "a loss that is maximized"

#: steps in a row after which it is reported
PATIENCE = 3
_BOUNDED = LOSSES - {"nll_loss"}
_PASSED = frozenset({"mean", "sum", "div", "view", "reshape", "squeeze", "cast"})


class NegativeLoss(Check):
    """A search for steps that follow the negative of a loss which is never below zero."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: of the latest pass: the loss's line, where it was made negative, the model, the value
        self.latest: tuple[Origin, Site | None, weakref.ref[Any], float] | None = None
        self.values: list[float] = []

    def backward_began(self, asked: Any) -> None:
        self.latest = None
        if self.is_settled or len(asked.roots) != 1:
            return
        root = asked.roots[0]
        origin = self.run.origins.of(root) if hasattr(root, "numel") else None
        if origin is None or root.numel() != 1:
            return
        turned: Site | None = None
        while origin.name not in _BOUNDED:
            if origin.name == "neg" or (
                origin.name == "mul" and origin.number is not None and origin.number < 0
            ):
                turned = None if turned is not None else origin.site
            elif origin.name not in _PASSED and origin.name != "mul":
                return
            if len(origin.sources) != 1 or origin.sources[0] is None:
                return
            origin = origin.sources[0]
        given = origin.sources[0] if origin.sources else None
        model = (
            None
            if given is None
            else next((each.module for each in given.chain() if each.module is not None), None)
        )
        value = None if model is None else values_of(root)
        if model is not None and value is not None:
            self.latest = origin, turned, model, value.item()

    def step_ended(self, step: Step) -> None:
        latest, self.latest = self.latest, None
        if latest is None or self.is_settled:
            return
        origin, turned, reference, value = latest
        model = reference()
        mine = set() if model is None else {id(each) for each in model.parameters()}
        groups = [entry.group for entry in step.entries if id(entry.tensor) in mine]
        upwards = any(group.get("maximize") for group in groups)
        if not groups or (turned is not None) == upwards or (turned is not None and value >= 0):
            self.values.clear()
            return
        self.values.append(value)
        if len(self.values) >= PATIENCE:
            self.is_settled = True
            self._report(step, origin, turned)

    unsampled_step_ended = step_ended

    def _report(self, step: Step, origin: Origin, turned: Site | None) -> None:
        values = ", ".join(f"{each:.3g}" for each in self.values)
        how = "maximize=True follows the gradient upwards"
        if turned is not None:
            how = f"the minus at {turned} turns it round"
        self.report(
            KIND, f"{origin.name} is never below zero, and {how}",
            turned or step.optimizer.made or origin.site,
            f"The steps make the loss at {origin.site} larger without bound, here {values}: the "
            "model is trained to be wrong.",
            "Leave out the minus." if turned is not None else "Leave out maximize=True.",
            step.number,
        )  # fmt: skip
