"""NVIDIA's library for deep networks: it is not here, and its switches change nothing."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from pellucid.blocks import having
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


def flags(**switches: Any) -> AbstractContextManager[None]:
    """Set switches in the block, by the names of this module."""
    return having(sys.modules[__name__], **switches)
