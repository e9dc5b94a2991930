"""The switch from the short call path to the general one, and listeners to what happens.

Usually there are no listeners, and no mode asks for more than recording. One truth test,
``slow_path.active``, shows this to every op; it counts, over all threads, the listeners and the
active modes (saved-tensor hooks, forward-mode levels, inference mode) that need the general way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class SlowPath:
    """A count of what needs the general way through an op call."""

    __slots__ = ("lock", "active", "scopes")

    def __init__(self) -> None:
        self.active = 0
        #: how many module forwards are running, over all threads
        self.scopes = 0
        self.lock = threading.Lock()

    def enter(self) -> None:
        with self.lock:
            self.active += 1

    def leave(self) -> None:
        with self.lock:
            self.active -= 1


slow_path = SlowPath()
_listeners: list[Callable[[str, Any], None]] = []


@contextmanager
def listening(listener: Callable[[str, Any], None]) -> Iterator[None]:
    """Call ``listener(event, subject)`` for every node made and every node run in the block.

    Events: ``"node"`` with the new node, ``"ran"`` with a node that has run backward.
    A listener may only watch.
    """
    _listeners.append(listener)
    slow_path.enter()
    try:
        yield
    finally:
        _listeners.remove(listener)
        slow_path.leave()


def emit(event: str, subject: Any) -> None:
    """Call every listener."""
    for listener in _listeners:
        listener(event, subject)
