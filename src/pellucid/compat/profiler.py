"""Profiling: what runs is not measured here; ranges may be named, to no effect."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from pellucid.compat.absent import NullContext
from pellucid.errors import UnimplementedError

__all__ = ["ProfilerActivity", "profile", "record_function", "schedule"]


class ProfilerActivity(enum.Enum):
    """The activities that a profiler could measure."""

    CPU = 0
    CUDA = 2
    XPU = 1


class record_function(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager that names a block for a profiler; nothing is measured."""


def profile(*args: Any, **options: Any) -> NoReturn:
    """Raise NotImplementedError: use Python's own profilers, which see every operation.

    >>> import pellucid as torch
    >>> torch.profiler.profile()
    Traceback (most recent call last):
    ...
    pellucid.errors.UnimplementedError: torch.profiler is not supported: ...
    """
    raise UnimplementedError(
        "torch.profiler is not supported: all of pellucid is Python and NumPy, so that "
        "python -m cProfile shows the time of every operation"
    )


def schedule(*args: Any, **options: Any) -> NoReturn:
    """Raise NotImplementedError, as `profile` does."""
    profile()
