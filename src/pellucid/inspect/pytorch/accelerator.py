"""The accelerator that PyTorch uses, as far as recordings need it: its name and its times."""

from __future__ import annotations

import importlib
from typing import Any

torch: Any = importlib.import_module("torch")

#: those whose kernels PyTorch's profiler times
_TIMED = ("cuda", "xpu")


def name() -> str | None:
    """Return the name of the kind of accelerator whose kernels are timed; None without one."""
    return next((each for each in _TIMED if getattr(torch, each).is_available()), None)


def kernel_times(result: Any) -> dict[int, int]:
    """Return, by the number of an operation, the nanoseconds that its kernels ran on a device.

    Args:
        result: What PyTorch's profiler has noted.
    """
    times: dict[int, int] = {}
    for event in result.events():
        if str(event.device_type()) != "DeviceType.CPU" and event.linked_correlation_id() > 0:
            number = event.linked_correlation_id()
            times[number] = times.get(number, 0) + event.duration_ns()
    return times
