"""Queues of work on a device: on the CPU everything has run when a call returns."""

from __future__ import annotations

from typing import Any

from pellucid.compat.absent import NullContext
from pellucid.core.definition.public import public
from pellucid.device import check_device, device


class _Done:
    """What waits for work on a device: on the CPU there is none to wait for."""

    def __init__(self, device: Any = None, **options: Any) -> None:
        self.device: device = check_device(device)

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
