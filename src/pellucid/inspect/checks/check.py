"""The base class of all checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.finding import Finding, line_of
from pellucid.inspect.checks.run import Optimizer, Run, Step


class Check:
    """One thing that may go wrong in training, looked for while the program runs.

    A check overrides what it has to know; it may only look. What it does at each step has to cost
    next to nothing; `called` is only there for some of the steps, see Note [Calls are sampled].

    Args:
        run: What is known of the run.
        add: Called with each finding.

    Attributes:
        kinds: The kinds of findings that it may report.
    """

    kinds: ClassVar[tuple[str, ...]] = ()
    #: set by checks that look no further once they have reported a fault
    is_settled = False

    def __init__(self, run: Run, add: Callable[[Finding], None]) -> None:
        self.run = run
        self.add = add
        self._reported: set[Site] = set()
        self.prepare()

    def prepare(self) -> None:
        """Set up what the check remembers."""

    def report(
        self, kind: str, what: str, site: Site | None, why: str, remedy: str,
        step: int | None = None,
    ) -> None:  # fmt: skip
        """Report a fault at a line of the program.

        Args:
            kind: A short name of the fault.
            what: What is wrong, with names.
            site: The line, if there is one.
            why: Why it harms.
            remedy: What to do.
            step: The number of the step; that of the latest one if None.
        """
        number = self.run.steps if step is None else step
        self.add(Finding(kind, what, *line_of(site), why, remedy, number))

    def report_once(self, kind: str, what: str, site: Site, why: str, remedy: str) -> None:
        """Report a fault as `report` does, unless one of this line has been reported already."""
        if not self.has_reported(site):
            self._reported.add(site)
            self.report(kind, what, site, why, remedy)

    def has_reported(self, site: Site) -> bool:
        """Return whether `report_once` has reported a fault at a line."""
        return site in self._reported

    def report_call(self, kind: str, call: Call, what: str, why: str, remedy: str) -> None:
        """Report a fault of a call, once for its line."""
        self.report_once(kind, what, call.site, why, remedy)

    def backward_began(self, asked: Any) -> None:
        """Note a pass that no other pass has called, before it has run any node."""

    def backward_ended(self, asked: Any) -> None:
        """Note such a pass after it succeeded."""

    def backward_failed(self, asked: Any) -> None:
        """Note such a pass after an error has ended it."""

    def step_began(self, step: Step) -> None:
        """Note a step that is looked at in full, before any parameter has changed."""

    def step_ended(self, step: Step) -> None:
        """Note such a step after it succeeded; the gradients are those that it has used."""

    def unsampled_step_began(self, step: Step) -> None:
        """Note any other step; see Note [Steps are sampled]."""

    def unsampled_step_ended(self, step: Step) -> None:
        """Note any other step after it succeeded."""

    def zeroed(self, subject: Any) -> None:
        """Note a call of ``zero_grad`` of an optimizer or a module."""

    def optimizer_made(self, known: Optimizer) -> None:
        """Note a new optimizer."""

    def module_began(self, module: Any, recorded: bool) -> None:
        """Note a call of a module that no other has called, and whether nodes are recorded."""

    def mode_changes(self, module: Any) -> None:
        """Note that a module is about to change to or from training mode."""

    def called(self, call: Call) -> None:
        """Note a call of a torch function outside of passes and steps."""

    def clipped(self, parameters: list[Any]) -> None:
        """Note that gradients were clipped."""

    def unscaled(self, optimizer: Any, scale: float) -> None:
        """Note that a gradient scaler divides the gradients of an optimizer by its scale."""

    def scheduled(self, scheduler: Any) -> None:
        """Note a step of a scheduler of learning rates."""

    def loaded(self, module: Any, state: Any, keys: Any, strict: bool) -> None:
        """Note a call of ``load_state_dict``, with the names that did not match."""

    def exchanged(self, exchange: Any) -> None:
        """Note that this rank begins an exchange with others."""

    def facts(self) -> list[str]:
        """Return what is worth knowing but not a fault, for the summary."""
        return []

    def finished(self) -> None:
        """Judge by what has been seen until the end of the program."""
