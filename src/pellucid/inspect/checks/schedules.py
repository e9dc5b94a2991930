"""Schedules that are stepped far more often than they are made for."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from pellucid.autograd.sites import Site, user_site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Step

FADED = "a learning rate that has faded away"
BOUNCED = "a schedule that has run out"

#: the rate, relative to the largest one, below which nothing is learned any more
_FADED = 1e-6
#: steps with such a rate after which it is reported
PATIENCE = 10
_DECAYS = ("StepLR", "MultiStepLR", "ExponentialLR", "MultiplicativeLR")


@dataclass(slots=True)
class _Schedule:
    """A scheduler, and how often it was stepped."""

    reference: weakref.ref[Any]
    line: Site
    largest: float
    #: how often the scheduler and its optimizer have stepped since it was first seen
    stepped: int = 0
    steps: int = 0
    faded: int = 0
    settled: bool = False

    @property
    def in_each_step(self) -> bool:
        """Whether the scheduler is stepped with each step of the optimizer."""
        return self.stepped >= 0.9 * self.steps


class Schedules(Check):
    """A search for schedules of epochs that are stepped in each batch."""

    kinds = (FADED, BOUNCED)

    def prepare(self) -> None:
        self.known: dict[int, _Schedule] = {}

    def scheduled(self, scheduler: Any) -> None:
        known = self.known.get(id(scheduler))
        if known is None or known.reference() is not scheduler:
            largest = max(map(float, getattr(scheduler, "base_lrs", None) or [0.0]))
            known = _Schedule(weakref.ref(scheduler), user_site(), largest)
            self.known[id(scheduler)] = known
            return  # a scheduler steps once when it is made
        known.stepped += 1
        known.line = user_site()
        known.largest = max(known.largest, _rate(scheduler.optimizer))
        if not known.settled and type(scheduler).__name__ == "CosineAnnealingLR":
            self._look_at_cosine(known, scheduler)

    def step_ended(self, step: Step) -> None:
        if not self.known:
            return
        optimizer = step.optimizer.reference()
        for known in tuple(self.known.values()):
            scheduler = known.reference()
            if known.settled or scheduler is None or scheduler.optimizer is not optimizer:
                continue
            known.steps += 1
            if _rate(optimizer) <= _FADED * known.largest:
                known.faded += 1
                if known.faded >= PATIENCE and type(scheduler).__name__ in _DECAYS:
                    known.settled = True
                    self._report_faded(step, known, scheduler)
            else:
                known.faded = 0

    unsampled_step_ended = step_ended

    def _report_faded(self, step: Step, known: _Schedule, scheduler: Any) -> None:
        rate, name = _rate(scheduler.optimizer), type(scheduler).__name__
        how = "after each of the" if known.in_each_step else f"{known.stepped} times in"
        self.report(
            FADED, f"the learning rate is {rate:.2g} by now, and was {known.largest:.2g}",
            known.line,
            f"{name} is stepped {how} {known.steps} steps of {step.optimizer.name}, and the last "
            f"{PATIENCE} have changed next to nothing.",
            "Step it once in an epoch, outside of the loop over batches, or give it numbers made "
            "for batches.", step.number,
        )  # fmt: skip

    def _look_at_cosine(self, known: _Schedule, scheduler: Any) -> None:
        span, now = int(scheduler.T_max), int(scheduler.last_epoch)
        if now > span + 1 and span > 1 and known.stepped > span and known.in_each_step:
            known.settled = True
            rate = _rate(scheduler.optimizer)
            self.report(
                BOUNCED, f"CosineAnnealingLR was to take T_max={span} steps, and takes its "
                f"{now}th", known.line,
                f"It is stepped with each step of the optimizer; since step {span} the learning "
                f"rate rises again, {rate:.2g} by now.",
                "Step it once in an epoch, or make T_max the number of all batches.",
            )  # fmt: skip


def _rate(optimizer: Any) -> float:
    return max((float(group["lr"]) for group in optimizer.param_groups), default=0.0)
