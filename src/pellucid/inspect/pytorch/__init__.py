"""Graphs, lines, errors and faults in training of an installed PyTorch.

`pellucid.inspect.graph` takes PyTorch's tensors, too. This is the only part of pellucid that
imports PyTorch, and it does so only when it is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pellucid.inspect.checks.finding import Findings
from pellucid.inspect.checks.training import Training

__all__ = ["checking", "lines", "start", "stop"]


def reader() -> Any:
    """Return what reads PyTorch's tensors and graphs."""
    from pellucid.inspect.pytorch.torch_reader import READER

    return READER


def recorder(gradients: bool, values: bool | str) -> Any:
    """Return what records PyTorch's operations, as `pellucid.inspect.record` asks for it."""
    from pellucid.inspect.pytorch.torch_recorder import TorchRecorder

    return TorchRecorder(gradients, values)


def observing(observer: Any) -> AbstractContextManager[None]:
    """Report to an observer of `pellucid.observe` what PyTorch does in a block."""
    from pellucid.inspect.pytorch import observed

    return observed.observing(observer)


def counting(count: Callable[[int], None]) -> AbstractContextManager[None]:
    """Call ``count`` with the products of each operation in a block that leaves no trace."""
    from pellucid.inspect.pytorch import products

    return products.counting(count)


def is_module(value: Any) -> bool:
    """Return whether a value is a module of PyTorch's."""
    return isinstance(value, sys.modules["torch"].nn.Module)


def random_state() -> Callable[[], None]:
    """Return what puts the state of PyTorch's random numbers back to what it is now."""
    from pellucid.inspect.pytorch import accelerator

    return accelerator.random_state()


def watching_torch(listener: Callable[[str, Any], None] | None) -> AbstractContextManager[None]:
    """Call ``listener(event, subject)`` as `pellucid.observe.watching` does, for PyTorch's events.

    With None for the listener, only lines are noted. Raises ImportError without PyTorch.
    """
    from pellucid.inspect.pytorch import events

    return events.watching_torch(listener)


def source() -> Any:
    """Return where the checks hear of PyTorch's calls, while its ``watching`` tells a listener."""
    from pellucid.inspect.pytorch.calls import Calls

    return Calls()


@contextmanager
def lines() -> Iterator[None]:
    """Note the lines of the program on PyTorch's graphs, and tell them in its errors about graphs.

    `pellucid.inspect.graph` of a tensor that was computed in the block shows them.

    Raises:
        ImportError: If PyTorch is not installed.
    """
    with watching_torch(None):
        yield


@contextmanager
def checking() -> Iterator[Findings]:
    """Look for what trains badly in a program of PyTorch's, as `pellucid.inspect.checking` does.

    Yields:
        The findings, which fill as the program runs.

    Raises:
        ImportError: If PyTorch is not installed.
    """
    findings = Findings()
    heard = source()
    training = Training(findings.found.append, heard)
    findings.kinds = training.kinds
    with heard.watching(training.hear):
        yield findings
    training.finish()


def start(every: int = sys.maxsize, model: Any = None) -> Findings:
    """Watch this process from now on: findings are written to stderr as they come up.

    For a notebook, a session, or the ``sitecustomize`` of an environment; at the end of the process
    a summary is written. Where ``PELLUCID_WATCH=torch`` is in the environment, the import of
    `pellucid.inspect.pytorch` starts it.

    Args:
        every: Every how many steps the state is written.
        model: A module whose names findings use, also if the program never calls it itself.

    Returns:
        The findings, which fill as the program runs.

    Raises:
        ImportError: If PyTorch is not installed.
    """
    from pellucid.inspect.pytorch.started import STARTED

    return STARTED.start(every, model)


def stop() -> Findings:
    """Stop watching, and write the summary.

    Returns:
        The findings; none if nothing was watched.
    """
    from pellucid.inspect.pytorch.started import STARTED

    return STARTED.stop()


if os.environ.get("PELLUCID_WATCH") == "torch":
    start()
