"""The CPU, as a device among others: there is one, and nothing to wait for."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.compat.absent import NullContext, constant_function

__all__ = [
    "Stream", "StreamContext", "current_device", "current_stream", "device_count", "is_available",
    "is_initialized", "set_device", "stream", "synchronize",
]  # fmt: skip


class Stream(NullContext):
    """Placeholder for a queue of work: the CPU runs everything at once."""


class StreamContext(NullContext):
    """A context manager that selects a stream; it changes nothing."""


is_available = constant_function(True, "Return True: there is a CPU.")
is_initialized = constant_function(True, "Return True: the CPU is always ready.")
device_count = constant_function(1, "Return 1: there is one CPU.")
current_device = constant_function("cpu", "Return 'cpu'.")
current_stream = constant_function(Stream(), "Return the one stream there is.")
synchronize = set_device = constant_function(None, "Do nothing: all work is done.")
stream = StreamContext


def __getattr__(name: str) -> Any:
    if name == "amp":
        return importlib.import_module(f"{__name__}.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
