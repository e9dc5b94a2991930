"""The base class of all checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.inspect.checks.finding import Finding
from pellucid.inspect.checks.run import Run, Step


class Check:
    """One thing that may go wrong in training, looked for while the program runs.

    A check overrides what it has to know; it may only look.

    Args:
        run: What is known of the run.
        report: Called with each finding.
    """

    def __init__(self, run: Run, report: Callable[[Finding], None]) -> None:
        self.run = run
        self.report = report

    def backward_began(self, asked: Any) -> None:
        """Note a pass that no other pass has called, before it has run any node."""

    def backward_ended(self, asked: Any) -> None:
        """Note such a pass after it went well."""

    def step_began(self, step: Step) -> None:
        """Note a step of an optimizer, before any parameter has changed."""

    def step_ended(self, step: Step) -> None:
        """Note a step after it went well; the gradients are those that it has used."""

    def zeroed(self, subject: Any) -> None:
        """Note a call of ``zero_grad`` of an optimizer or a module."""

    def finished(self) -> None:
        """Judge by what has been seen until the end of the program."""
