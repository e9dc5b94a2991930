"""The checks of a run that goes on: events in, findings out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pellucid.autograd.sites import user_site
from pellucid.blocks import Block, temporary
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import Finding, Findings
from pellucid.inspect.checks.growth import Growth
from pellucid.inspect.checks.hooks import PilingHooks
from pellucid.inspect.checks.missing_gradients import MissingGradients
from pellucid.inspect.checks.nonfinite import Nonfinite
from pellucid.inspect.checks.retained import Retained
from pellucid.inspect.checks.run import Run, Step
from pellucid.inspect.checks.uncleared import Uncleared
from pellucid.inspect.checks.unoptimized import Unoptimized
from pellucid.inspect.checks.updates import Updates
from pellucid.inspect.checks.zero_gradients import ZeroGradients
from pellucid.observe import watchers

ALL: tuple[type[Check], ...] = (
    Nonfinite, MissingGradients, Unoptimized, ZeroGradients, Uncleared, Retained, Growth,
    PilingHooks, Updates,
)  # fmt: skip


class _Running(threading.local):
    """What runs in a thread: passes and steps that began inside others are not looked at."""

    def __init__(self) -> None:
        self.passes = 0
        self.steps: list[Step] = []


class Training:
    """A training run under all checks.

    Args:
        report: Called with each finding as it comes up.
    """

    def __init__(self, report: Callable[[Finding], None]) -> None:
        self.run = Run()
        self.checks = [kind(self.run, report) for kind in ALL]
        self._report = report
        self._running = _Running()
        self._lock = threading.RLock()

    def hear(self, event: str, subject: Any) -> None:
        """Take an event of `pellucid.observe.watching`."""
        handle = _HANDLERS.get(event)
        if handle is not None:
            with self._lock:
                handle(self, subject)

    def finish(self) -> None:
        """Judge by the whole run."""
        self._each(lambda check: check.finished())

    def _each(self, look: Callable[[Check], None]) -> None:
        """Have each check look; one that fails is left out, so that the program goes on."""
        for check in tuple(self.checks):
            try:
                look(check)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
                self.checks.remove(check)
                what = f"{type(check).__name__} raised {type(error).__name__}: {error}"
                why = "It looks no further; the program is not concerned."
                self._report(Finding("a check that failed", what, "", "", why, "", self.run.steps))

    # ---- events -------------------------------------------------------------------------------

    def _module_began(self, module: Any) -> None:
        self.run.add_module(module)

    def _optimizer_made(self, optimizer: Any) -> None:
        self.run.add_optimizer(optimizer, user_site())

    def _zero_grad(self, subject: Any) -> None:
        self._each(lambda check: check.zeroed(subject))

    def _backward_began(self, asked: Any) -> None:
        running = self._running
        running.passes += 1
        if running.passes == 1:
            self._each(lambda check: check.backward_began(asked))

    def _backward_ended(self, asked: Any) -> None:
        running = self._running
        running.passes -= 1
        if running.passes == 0:
            if asked.run.call == "backward":
                self.run.last_pass = asked.run.site
            self._each(lambda check: check.backward_ended(asked))

    def _backward_failed(self, asked: Any) -> None:
        self._running.passes -= 1

    def _step_began(self, optimizer: Any) -> None:
        known = self.run.add_optimizer(optimizer)
        known.stepped = user_site()
        step = Step(known, self.run.steps + 1, known.stepped, self.run.entries(optimizer))
        self._running.steps.append(step)
        if len(self._running.steps) == 1:
            self._each(lambda check: check.step_began(step))

    def _step_ended(self, optimizer: Any) -> None:
        step = self._running.steps.pop()
        if not self._running.steps:
            self.run.steps += 1
            step.optimizer.steps += 1
            for entry in step.entries:
                entry.read_again()
            self._each(lambda check: check.step_ended(step))

    def _step_failed(self, optimizer: Any) -> None:
        self._running.steps.pop()


_HANDLERS: dict[str, Callable[[Training, Any], None]] = {
    "module began": Training._module_began,
    "optimizer made": Training._optimizer_made,
    "zero_grad": Training._zero_grad,
    "backward began": Training._backward_began,
    "backward ended": Training._backward_ended,
    "backward failed": Training._backward_failed,
    "step began": Training._step_began,
    "step ended": Training._step_ended,
    "step failed": Training._step_failed,
}


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
    block._at_end(training.finish)
    block._append(watchers, training.hear)
    return findings
