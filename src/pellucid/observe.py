"""The switch from the short call path to the general one, and listeners to what happens.

Usually there are no listeners, and no mode asks for more than recording. One truth test,
``slow_path.active``, shows this to every op; it counts, over all threads, the listeners and the
active modes (saved-tensor hooks, forward-mode levels, inference mode) that need the general way.

`listening` is for every node, and takes the general way. `watching` is for whole backward passes,
optimizer steps and calls of modules; ops stay on the short path.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: called with an event and what it happened to
Listener = Callable[[str, Any], None]


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
_listeners: list[Listener] = []
#: those who watch whole passes and steps, over all threads; usually empty
watchers: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
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


@contextmanager
def watching(listener: Listener) -> Iterator[None]:
    """Call ``listener(event, subject)`` when a whole pass or step begins and ends in the block.

    ================== ==============================================================
    event              subject
    ================== ==============================================================
    ``"backward"``     the `pellucid.autograd.backward.BackwardPass`, of ``backward`` and ``grad``
    ``"step"``         the optimizer
    ``"module"``       a module that no other module has called
    ``"zero_grad"``    the optimizer or module; this event has no end
    ================== ==============================================================

    The names are followed by ``" began"``, and by ``" ended"`` or, where an error goes up,
    ``" failed"``; `sys.exception` then returns the error. Events may be nested: a step may call
    ``backward``. A listener runs in the thread of the event, and may only watch.

    >>> import pellucid as torch
    >>> from pellucid.observe import watching
    >>> x = torch.ones(2, requires_grad=True)
    >>> with watching(lambda event, subject: print(event)):
    ...     (x * x).sum().backward()
    backward began
    backward ended
    """
    watchers.append(listener)
    try:
        yield
    finally:
        watchers.remove(listener)


def announce(event: str, subject: Any) -> None:
    """Call every watcher."""
    for watcher in tuple(watchers):
        watcher(event, subject)


@contextmanager
def announcing(event: str, subject: Any) -> Iterator[None]:
    """Announce the beginning and the end of the block to every watcher."""
    announce(f"{event} began", subject)
    try:
        yield
    except BaseException:
        announce(f"{event} failed", subject)
        raise
    announce(f"{event} ended", subject)
