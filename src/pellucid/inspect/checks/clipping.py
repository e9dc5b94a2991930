"""Gradients that are clipped before they are there."""

from __future__ import annotations

from typing import Any, NamedTuple

from pellucid.autograd.sites import Site, user_site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Step

KIND = "clipping before backward"
SCALED = "clipping before unscale_"

#: steps in a row after which it is reported
PATIENCE = 3


class _Clip(NamedTuple):
    """A call that clipped gradients."""

    site: Site
    parameters: frozenset[int]
    #: whether a pass had run since the step before
    had_gradients: bool
    passes: int


class Clipping(Check):
    """A search for steps whose gradients were computed, or divided, after they were clipped."""

    kinds = (KIND, SCALED)

    def prepare(self) -> None:
        self.latest: _Clip | None = None
        self.passes = self.passes_at_step = 0
        self.in_a_row = 0
        #: steps in a row whose gradients were divided by a scaler after they were clipped
        self.divided_late: list[float] = []

    def backward_ended(self, asked: Any) -> None:
        self.passes += 1

    def clipped(self, parameters: list[Any]) -> None:
        self.latest = _Clip(
            user_site(), frozenset(map(id, parameters)), self.passes > self.passes_at_step,
            self.passes,
        )  # fmt: skip

    def unscaled(self, optimizer: Any, scale: float) -> None:
        clip = self.latest
        if clip is None or not clip.had_gradients or scale <= 1:
            self.divided_late.clear()
            return
        given = (each for group in optimizer.param_groups for each in group["params"])
        if not any(id(each) in clip.parameters for each in given):
            return
        self.divided_late.append(scale)
        if len(self.divided_late) == PATIENCE:
            self.report(
                SCALED, f"gradients are clipped while they are {scale:g} times as large", clip.site,
                f"GradScaler divides them by its scale afterwards: {type(optimizer).__name__} is "
                f"given gradients that are {scale:g} times smaller than what the limit says.",
                "Call scaler.unscale_(optimizer) before clipping; scaler.step() sees that it was "
                "done.",
            )  # fmt: skip

    def step_began(self, step: Step) -> None:
        clip, self.latest = self.latest, None
        passes, self.passes_at_step = self.passes, self.passes
        if clip is None or self.is_settled:
            return
        mine = any(id(entry.tensor) in clip.parameters for entry in step.entries)
        early = mine and not clip.had_gradients and passes > clip.passes
        self.in_a_row = self.in_a_row + 1 if early else 0
        if self.in_a_row >= PATIENCE:
            self.is_settled = True
            last = self.run.last_pass
            self.report(
                KIND, f"gradients are clipped before the pass that computes them{_at(last)}",
                clip.site,
                f"What {step.optimizer.name} uses at {step.site} is not clipped; here there are "
                "none yet, or those of the step before.",
                "Clip between loss.backward() and optimizer.step().", step.number,
            )  # fmt: skip

    unsampled_step_began = step_began


def _at(site: Site | None) -> str:
    return "" if site is None else f", at {site}"
