"""The CPU, as a device among others: there is one, and nothing to wait for."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.compat.absent import Inert, answering

__all__ = [
    "Stream", "StreamContext", "current_device", "current_stream", "device_count", "is_available",
    "is_initialized", "set_device", "stream", "synchronize",
]  # fmt: skip


class Stream(Inert):
    """Placeholder for a queue of work: the CPU runs everything at once."""


class StreamContext(Inert):
    """A context manager that selects a stream; it changes nothing."""


is_available = answering(True, "Return True: there is a CPU.")
is_initialized = answering(True, "Return True: the CPU is always ready.")
device_count = answering(1, "Return 1: there is one CPU.")
current_device = answering("cpu", "Return 'cpu'.")
current_stream = answering(Stream(), "Return the one stream there is.")
synchronize = set_device = answering(None, "Do nothing: all work is done.")
stream = StreamContext


def __getattr__(name: str) -> Any:
    if name == "amp":
        return importlib.import_module(f"{__name__}.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
