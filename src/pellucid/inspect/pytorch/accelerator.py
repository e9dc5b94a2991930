"""The accelerator that PyTorch uses, as far as the tools need it: times, memory, random numbers."""

from __future__ import annotations

import importlib
from collections.abc import Callable
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


def forward_threads(result: Any) -> dict[int, int]:
    """Return, by the number of an operation, the thread that has made the node that it runs.

    Args:
        result: What PyTorch's profiler has noted.
    """
    found = ((each.correlation_id(), each.fwd_thread_id()) for each in result.events())
    return {number: thread for number, thread in found if thread}


def given_memory() -> dict[tuple[Any, int], int]:
    """Return the bytes that the allocator has given, by device and address, as it counts them.

    What PyTorch or a library of kernels keeps for itself is among them.
    """
    given: dict[tuple[Any, int], int] = {}
    for segment in torch.cuda.memory_snapshot() if torch.cuda.is_initialized() else ():
        device, address = torch.device("cuda", segment["device"]), segment["address"]
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                given[device, address] = block["size"]
            address += block["size"]
    return given


def random_state() -> Callable[[], None]:
    """Return what puts the random numbers, the devices' too, back to where they are now."""
    random, cuda = torch.random, torch.cuda
    here, there = random.get_rng_state(), cuda.get_rng_state_all() if cuda.is_initialized() else []

    def put_back() -> None:
        random.set_rng_state(here)
        cuda.set_rng_state_all(there)

    return put_back
