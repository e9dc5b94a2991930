"""Graphs, lines, errors and faults in training of an installed PyTorch.

`pellucid.inspect.graph` takes PyTorch's tensors, too. This is the only part of pellucid that
imports PyTorch, and it does so only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pellucid.inspect.checks.finding import Findings
from pellucid.inspect.checks.training import Training

__all__ = ["checking", "lines"]


@contextmanager
def lines() -> Iterator[None]:
    """Note the lines of the program on PyTorch's graphs, and tell them in its errors about graphs.

    `pellucid.inspect.graph` of a tensor that was computed in the block shows them.

    Raises:
        ImportError: If PyTorch is not installed.
    """
    from pellucid.inspect.pytorch.events import watching_torch

    with watching_torch(lambda event, subject: None):
        yield


@contextmanager
def checking() -> Iterator[Findings]:
    """Look for what trains badly in a program of PyTorch's, as `pellucid.inspect.checking` does.

    Yields:
        The findings, which fill as the program runs.

    Raises:
        ImportError: If PyTorch is not installed.
    """
    from pellucid.inspect.pytorch.events import watching_torch

    findings = Findings()
    training = Training(findings.found.append)
    with watching_torch(training.hear):
        yield findings
    training.finish()
