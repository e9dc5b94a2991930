"""Gradients of micro-batches that are cleared before any step has used them."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.sites import Site, user_site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Step, has_gradients

KIND = "gradients thrown away"

#: steps in a row after which it is reported
PATIENCE = 3


class ThrownAway(Check):
    """A search for steps that use the last of several passes, since the others were cleared."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: lines of the passes since the latest step, and of those cleared the lines that cleared
        self.passes: list[Site] = []
        self.cleared: list[tuple[Any, Site, Site]] = []
        self.counts: list[tuple[int, int]] = []
        self.stepping = False

    def backward_ended(self, asked: Any) -> None:
        if not self.stepping and not self.is_settled and asked.run.call == "backward":
            self.passes.append(asked.run.site)
            del self.passes[:-64]

    def zeroed(self, subject: Any) -> None:
        if self.passes and not self.stepping and not self.is_settled and has_gradients(subject):
            self.cleared.append((subject, self.passes[-1], user_site()))
            del self.cleared[:-64]

    def step_began(self, step: Step) -> None:
        self.stepping = True
        passes, cleared = self.passes, self.cleared
        self.passes, self.cleared = [], []
        if self.is_settled or not passes or not cleared:
            self.counts.clear()
            return
        mine = [
            clear for subject, line, clear in cleared
            if line == passes[-1] and _clears(subject, step)
        ]  # fmt: skip
        if not mine or len(passes) <= len(mine):
            self.counts.clear()
            return
        self.counts.append((len(mine), len(passes)))
        if len(self.counts) >= PATIENCE:
            self.is_settled = True
            thrown, of = self.counts[-1]
            self.report(
                KIND, f"of {of} passes before each step, the gradients of {thrown} are cleared",
                mine[-1],
                f"{step.optimizer.name} steps at {step.site} by the last pass at {passes[-1]} "
                "alone: the others are computed for nothing.",
                "Clear the gradients once per step, right after it, and divide each loss by the "
                "number of passes.", step.number,
            )  # fmt: skip

    def step_ended(self, step: Step) -> None:
        self.stepping = False

    unsampled_step_began, unsampled_step_ended = step_began, step_ended


def _clears(subject: Any, step: Step) -> bool:
    """Return whether an optimizer or module that was cleared has what a step changes."""
    if hasattr(subject, "param_groups"):
        return subject is step.optimizer.reference()
    mine = {id(each) for each in subject.parameters()}
    return any(id(entry.tensor) in mine for entry in step.entries)
