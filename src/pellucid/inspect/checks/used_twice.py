"""Gradients that two steps use, with no backward pass between them."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.run import Entry, Optimizer, Step, array_of

KIND = "gradients used twice"

#: times in a row after which it is reported
PATIENCE = 3
#: values of a gradient that are compared
_VALUES = 16


class _Used(NamedTuple):
    """A gradient that a step has used: its tensor, its version and its first values."""

    grad: weakref.ref[Any]
    version: int
    values: bytes


class UsedTwice(Check):
    """A search for steps without a pass before them, that find the gradients of another step."""

    kinds = (KIND,)

    def prepare(self) -> None:
        self.passes = self.passes_at_step = 0
        #: the latest step; what it has used, by identity of parameters, if there is a suspicion
        self.latest: tuple[Optimizer, Site] | None = None
        self.used: dict[int, _Used] = {}
        self.suspects = False
        #: of the step that runs: the parameters whose gradients the latest step has used
        self.same: list[Entry] = []
        #: by both lines: how often in a row
        self.found: dict[tuple[Site, Site], int] = {}

    def backward_ended(self, asked: Any) -> None:
        self.passes += 1

    def step_began(self, step: Step) -> None:
        self.same = []
        if self.is_settled or not self.passes:  # gradients that no pass has computed
            return
        if self.latest is not None and self.passes == self.passes_at_step:
            if self.suspects:
                self.same = [entry for entry in step.entries if self._is_used(entry)]
            self.suspects = True

    def step_ended(self, step: Step) -> None:
        if self.suspects and self.passes == self.passes_at_step and not self.is_settled:
            self._judge(step)
        self.passes_at_step = self.passes
        self.latest = step.optimizer, step.site
        if self.suspects and not self.is_settled:
            self.used = {id(e.tensor): _used(e.grad) for e in step.entries if e.grad is not None}

    unsampled_step_began, unsampled_step_ended = step_began, step_ended

    def _judge(self, step: Step) -> None:
        """Count a step that has used the gradients of the one before, as no pass has run since."""
        if self.latest is None:
            return
        first, site = self.latest
        pair = site, step.site
        self.found[pair] = self.found.get(pair, 0) + 1 if self.same else 0
        if self.found[pair] >= PATIENCE:
            self.is_settled = True
            self._report(first, site, step, self.same)

    def _is_used(self, entry: Entry) -> bool:
        known = self.used.get(id(entry.tensor))
        if known is None or entry.grad is None or known.grad() is not entry.grad:
            return False
        return known == _used(entry.grad) and any(known.values)

    def _report(self, first: Optimizer, site: Site, step: Step, same: list[Entry]) -> None:
        if first is step.optimizer:
            what = f"{first.name} steps with the same gradients as before"
            remedy = "Leave one of the two steps out, or compute new gradients before it."
        else:
            names = listed(self.run.names_of(same))
            what = f"{step.optimizer.name} changes {names} by gradients that {first.name} has used"
            remedy = "Give each parameter to one optimizer."
        last = self.run.last_pass
        self.report(
            KIND, what, step.site,
            f"The step at {site} has used them, and no backward pass has run since"
            f"{'' if last is None else f' the one at {last}'}: the weights go the same way twice, "
            "though the gradients there are others by now.", remedy, step.number,
        )  # fmt: skip


def _used(grad: Any) -> _Used:
    values = array_of(grad).ravel()[:_VALUES].tobytes()
    return _Used(weakref.ref(grad), grad._version, values)
