"""Queues of work on a device: on the CPU everything has run when a call returns."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from pellucid.compat.absent import NullContext
from pellucid.core.definition.public import public
from pellucid.device import check_device
from pellucid.device import device as _Device
from pellucid.errors import GraphError


class _Done:
    """What waits for work on a device: on the CPU there is none to wait for."""

    def __init__(self, device: Any = None, **options: Any) -> None:
        self.device: _Device = check_device(device)

    def query(self) -> bool:
        """Return True: all work is done."""
        return True

    def synchronize(self) -> None:
        """Do nothing: there is no work to wait for."""


@public("Event")
class Event(_Done):
    """A mark in a queue of work. On the CPU it has always been reached.

    Args:
        device: The CPU.
        options: Others of PyTorch's, which have no effect.

    >>> torch.Event().query()
    True
    """

    def record(self, stream: Any = None) -> None:
        """Do nothing: there is no work to wait for."""

    wait = record


@public("Stream")
class Stream(_Done, NullContext):
    """A queue of work. On the CPU it is always empty.

    Args: As for `Event`.

    >>> torch.Stream().query()
    True
    """

    def record_event(self, event: Event | None = None) -> Event:
        """Return an event, which has been reached already."""
        return event or Event()

    def wait_event(self, event: Any) -> None:
        """Do nothing: the event has been reached."""

    wait_stream = wait_event


@public("get_device_module", checked=False)
def get_device_module(device: Any = None) -> ModuleType:
    """Return the module of a device's functions, as ``torch.cpu``.

    Args:
        device: The device, its name, or ``None`` for the CPU.

    Raises:
        RuntimeError: For anything else, and for a device that is not here.

    >>> torch.get_device_module().is_available()
    True
    """
    if device is not None and not isinstance(device, str | _Device):
        raise GraphError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    return importlib.import_module(f"pellucid.{_Device(device or 'cpu').type}")
