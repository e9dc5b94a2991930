"""The checks of a run that goes on: events in, findings out."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_site
from pellucid.blocks import Block, temporary
from pellucid.inspect.checks.batch_order import BatchOrder
from pellucid.inspect.checks.broadcasts import Broadcasts
from pellucid.inspect.checks.calls import Call, Calls, Sampling, Source
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.clipping import Clipping
from pellucid.inspect.checks.equal_units import EqualUnits
from pellucid.inspect.checks.finding import Finding, Findings, caller_of
from pellucid.inspect.checks.frozen import Frozen
from pellucid.inspect.checks.growth import Growth
from pellucid.inspect.checks.hooks import PilingHooks
from pellucid.inspect.checks.last_layers import LastLayers
from pellucid.inspect.checks.loading import Loading
from pellucid.inspect.checks.loss_inputs import LossInputs
from pellucid.inspect.checks.missing_gradients import MissingGradients
from pellucid.inspect.checks.modes import Modes
from pellucid.inspect.checks.negative_loss import NegativeLoss
from pellucid.inspect.checks.never_steps import NeverSteps
from pellucid.inspect.checks.new_layers import NewLayers
from pellucid.inspect.checks.nonfinite import Nonfinite
from pellucid.inspect.checks.piling import PilingTensors
from pellucid.inspect.checks.ranks_differ import RanksDiffer
from pellucid.inspect.checks.retained import Retained
from pellucid.inspect.checks.run import Run, Step
from pellucid.inspect.checks.saturation import Saturation
from pellucid.inspect.checks.schedules import Schedules
from pellucid.inspect.checks.shared_layers import SharedLayers
from pellucid.inspect.checks.sorted_batches import SortedBatches
from pellucid.inspect.checks.targets import Targets
from pellucid.inspect.checks.thrown_away import ThrownAway
from pellucid.inspect.checks.uncleared import Uncleared
from pellucid.inspect.checks.unoptimized import Unoptimized
from pellucid.inspect.checks.updates import Updates
from pellucid.inspect.checks.used_twice import UsedTwice
from pellucid.inspect.checks.zero_gradients import ZeroGradients
from pellucid.observe import watchers
from pellucid.ranks import ranks

ALL: tuple[type[Check], ...] = (
    Nonfinite, MissingGradients, Unoptimized, ZeroGradients, Uncleared, Retained, Growth,
    PilingHooks, Updates, LossInputs, Targets, Broadcasts, Modes, Schedules, Clipping, Frozen,
    Loading, ThrownAway, SharedLayers, EqualUnits, NeverSteps, NegativeLoss, Saturation,
    PilingTensors, RanksDiffer, NewLayers, UsedTwice, LastLayers, SortedBatches,
    BatchOrder,
)  # fmt: skip


class _Running(threading.local):
    """What runs in a thread: passes and steps that began inside others are not looked at."""

    def __init__(self) -> None:
        self.passes = 0
        self.steps: list[Step] = []
        #: modules that no other has called
        self.modules: list[Any] = []
        #: whether a call is being looked at
        self.hearing = False


class Training:
    """A training run under all checks.

    Args:
        report: Called with each finding as it comes up.
        calls: Where calls of torch functions are heard; pellucid's if None.
    """

    def __init__(self, report: Callable[[Finding], None], calls: Source | None = None) -> None:
        self.run = Run(getattr(calls, "ranks", ranks))
        self.checks = [kind(self.run, self._report) for kind in ALL]
        self._found = report
        self._running = _Running()
        self._lock = threading.RLock()
        self._calls: Source = Calls() if calls is None else calls
        self._sampling = Sampling()
        self._records: Callable[[], bool] = getattr(calls, "records", _records)
        #: by hook: the checks that override it
        self._by_hook: dict[str, list[Check]] = {}

    def hear(self, event: str, subject: Any) -> None:
        """Take an event of `pellucid.observe.watching`."""
        handle = _HANDLERS.get(event)
        if handle is not None:
            with self._lock:
                handle(self, subject)
                self._calls.listen(self._called if self._sampling.on else None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of faults that are looked for."""
        return tuple(dict.fromkeys(kind for check in self.checks for kind in check.kinds))

    @property
    def facts(self) -> list[str]:
        """What is worth knowing but not a fault."""
        of_checks = [fact for check in self._overriding("facts") for fact in check.facts()]
        return of_checks + self._sampling.facts()

    def finish(self) -> None:
        """Judge by the whole run, and stop listening."""
        self._calls.listen(None)
        self._each("finished")

    def _report(self, finding: Finding) -> None:
        """Pass a finding on; one in a package with the line of the program that has called it."""
        caller = caller_of(finding.where) if finding.where else ""
        self._found(dataclasses.replace(finding, called_from=caller) if caller else finding)

    def _each(self, hook: str, *subjects: Any) -> None:
        """Have each check look; one that fails is left out, so that the program goes on."""
        for check in self._overriding(hook):
            try:
                getattr(check, hook)(*subjects)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
                self.checks.remove(check)
                self._by_hook.clear()
                what = f"{type(check).__name__} raised {type(error).__name__}: {error}"
                why = "It looks no further; the program is not concerned."
                self._report(Finding("a check that failed", what, "", "", why, "", self.run.steps))

    def _overriding(self, hook: str) -> list[Check]:
        """Return the checks that override a hook."""
        found = self._by_hook.get(hook)
        if found is None:
            base = getattr(Check, hook)
            found = [each for each in self.checks if getattr(type(each), hook) is not base]
            self._by_hook[hook] = found
        return found

    # ---- events -------------------------------------------------------------------------------

    def _module_began(self, module: Any) -> None:
        recorded = self._records()
        self._running.modules.append(module)
        self._sampling.module_began(module, recorded)
        self.run.add_module(module)
        self._each("module_began", module, recorded)

    def _module_ended(self, module: Any) -> None:
        if self._running.modules:
            self._running.modules.pop()

    def _called(self, call: Call) -> None:
        running = self._running
        if running.passes or running.steps or running.hearing:
            return
        if not self._sampling.is_looked_at(call):
            return
        running.hearing = True
        try:
            with self._lock:
                call.module = running.modules[-1] if running.modules else None
                self.run.origins.note(call)
                self._each("called", call)
        finally:
            running.hearing = False

    def _assigned(self, assigned: tuple[Any, str, Any]) -> None:
        self.run.note_assignment(*assigned, user_site())

    def _optimizer_made(self, optimizer: Any) -> None:
        known = self.run.add_optimizer(optimizer, user_site())
        self.run.name_parameters(optimizer)
        self._each("optimizer_made", known)

    def _backward_began(self, asked: Any) -> None:
        running = self._running
        running.passes += 1
        if running.passes == 1:
            self.run.passing = asked.run.site
            self._each("backward_began", asked)

    def _backward_ended(self, asked: Any) -> None:
        running = self._running
        running.passes -= 1
        if running.passes == 0:
            if asked.run.call == "backward":
                self.run.last_pass = self.run.passing
            self._each("backward_ended", asked)
            if not self.run.optimizers:
                self._sampling.step_ended()

    def _backward_failed(self, asked: Any) -> None:
        self._running.passes -= 1
        if self._running.passes == 0:
            self._each("backward_failed", asked)

    def _step_began(self, optimizer: Any) -> None:
        known = self.run.add_optimizer(optimizer)
        known.stepped = user_site()
        number, run = self.run.steps + 1, self.run
        step = Step(known, number, known.stepped, partial(run.entries, optimizer))
        self._running.steps.append(step)
        if len(self._running.steps) == 1:
            self._each("step_began" if step.is_looked_at else "unsampled_step_began", step)

    def _step_ended(self, optimizer: Any) -> None:
        step = self._running.steps.pop()
        if not self._running.steps:
            self.run.steps += 1
            step.ended()
            self._each("step_ended" if step.is_looked_at else "unsampled_step_ended", step)
            self._sampling.step_ended()

    def _step_failed(self, optimizer: Any) -> None:
        self._running.steps.pop()


def _passed_on(hook: str) -> Callable[[Training, Any], None]:
    """Return what has the checks hear of an event by one of their methods, as it is."""

    def pass_on(training: Training, subject: Any) -> None:
        training._each(hook, *(subject if isinstance(subject, tuple) else (subject,)))

    return pass_on


_HANDLERS: dict[str, Callable[[Training, Any], None]] = {
    "module began": Training._module_began,
    "module ended": Training._module_ended,
    "module failed": Training._module_ended,
    "training mode": _passed_on("mode_changes"),
    "schedule": _passed_on("scheduled"),
    "clipped": _passed_on("clipped"),
    "unscaled": _passed_on("unscaled"),
    "state loaded": _passed_on("loaded"),
    "assigned": Training._assigned,
    "exchange": _passed_on("exchanged"),
    "optimizer made": Training._optimizer_made,
    "zero_grad": _passed_on("zeroed"),
    "backward began": Training._backward_began,
    "backward ended": Training._backward_ended,
    "backward failed": Training._backward_failed,
    "step began": Training._step_began,
    "step ended": Training._step_ended,
    "step failed": Training._step_failed,
}


def _records() -> bool:
    return modes.grad_enabled


@temporary
def checking(block: Block) -> Findings:
    """Look for what trains badly in the block, and yield the findings, which fill as it runs.

    >>> net = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    >>> with torch.inspect.checking() as findings:
    ...     for _ in range(10):
    ...         net(torch.ones(4, 2)).sum().backward()
    ...         optimizer.step()
    >>> [finding.kind for finding in findings]
    ['gradients never set to zero']
    """
    findings = Findings()
    training = Training(findings.found.append)
    findings.kinds = training.kinds
    block._at_end(training.finish)
    block._append(watchers, training.hear)
    return findings
