"""NVIDIA's library for deep networks: it is not here, and its switches change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.compat.absent import constant_function

__all__ = [
    "allow_tf32", "benchmark", "benchmark_limit", "deterministic", "enabled", "flags",
    "is_acceptable", "is_available", "version",
]  # fmt: skip

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True

is_available = constant_function(False, "Return False: there is no cuDNN.")
is_acceptable = constant_function(False, "Return False: no tensor is computed by cuDNN.")
version = constant_function(None, "Return None: there is no cuDNN.")


@contextmanager
def flags(**switches: Any) -> Iterator[None]:
    """Set switches in the block, by the names of this module."""
    before = {name: globals()[name] for name in switches}
    globals().update(switches)
    try:
        yield
    finally:
        globals().update(before)
