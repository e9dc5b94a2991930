"""Checks for what trains badly: at one moment (`check`), or while a program runs (`checking`)."""

from pellucid.inspect.checks.finding import Finding, Findings
from pellucid.inspect.checks.moment import check
from pellucid.inspect.checks.training import checking

__all__ = ["Finding", "Findings", "check", "checking"]
