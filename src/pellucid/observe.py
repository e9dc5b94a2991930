"""The switch from the short call path to the general one, and listeners to what happens.

Usually there are no listeners, and no mode asks for more than recording. One truth test,
``slow_path.active``, shows this to every op; it lists, over all threads, the listeners and the
active modes (saved-tensor hooks, forward-mode levels, inference mode) that need the general way.

`listening` is for every node, and takes the general way. `watching` is for whole backward passes,
optimizer steps and calls of modules; ops stay on the short path.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from pellucid.blocks import Block, remove_last, temporary

#: called with an event and what it happened to
Listener = Callable[[str, Any], None]


#: the reason that concerns the compiled module alone
IN_PYTHON = "in_python"


class SlowPath:
    """What needs the general way through an op call: lists, which are right after an interrupt.

    A list grows and shrinks without a lock.
    """

    __slots__ = ("active", "general", "has_meta", "lock", "overriding_classes", "scopes")

    def __init__(self) -> None:
        self.active: list[Any] = []
        #: what Python's short path asks: has also that classes of tensors take functions over,
        #: which the compiled module sees by the class of a tensor
        self.general: list[Any] = []
        self.overriding_classes = False
        #: whether there has been an array without values, which Python's short path has to see too
        self.has_meta = False
        #: an entry for every module forward that no other has called, over all threads
        self.scopes: list[Any] = []
        self.lock = threading.Lock()

    def need_in(self, block: Block) -> None:
        """Take the general way for the time of a block."""
        block._append(self.general, block)
        block._append(self.active, block)

    def need_python_in(self, block: Block) -> None:
        """Keep the compiled module out for the time of a block; Python's short path stays open."""
        block._append(self.active, IN_PYTHON)

    def is_watched(self) -> bool:
        """Return whether there is a reason that concerns Python's short path too."""
        return any(reason is not IN_PYTHON for reason in self.active)

    def need(self, reason: Any, needed: bool = True) -> None:
        """Take the general way, or no longer, for an object; doing either twice is harmless."""
        for reasons in (self.general, self.active):
            if needed and not any(each is reason for each in reasons):
                reasons.append(reason)
            elif not needed:
                remove_last(reasons, reason)

    def need_for_life_of(self, owner: Any) -> None:
        """Take the general way as long as an object lives."""
        reason = object()
        self.need(reason)
        weakref.finalize(owner, self.need, reason, False).atexit = False

    def note_overriding(self) -> None:
        """Note, once, that there are classes of tensors that take functions over."""
        with self.lock:
            if not self.overriding_classes:
                self.general.append("classes that take functions over")
                self.overriding_classes = True

    def note_meta(self) -> None:
        """Note, once, that there are arrays without values."""
        if not self.has_meta:
            with self.lock:
                if not self.has_meta:
                    self.general.append("arrays without values")
                    self.has_meta = True


slow_path = SlowPath()
_listeners: list[Listener] = []
#: those who watch whole passes and steps, over all threads; usually empty
watchers: list[Listener] = []


@temporary
def listening(block: Block, listener: Listener) -> None:
    """Call ``listener(event, subject)`` for every node made and every node run in the block.

    Events: ``"node"`` with the new node, ``"ran"`` with a node that has run backward.
    A listener may only watch.
    """
    block._append(_listeners, listener)
    slow_path.need_in(block)


def emit(event: str, subject: Any) -> None:
    """Call every listener."""
    for listener in _listeners:
        listener(event, subject)


@temporary
def watching(block: Block, listener: Listener) -> None:
    """Call ``listener(event, subject)`` when a whole pass or step begins and ends in the block.

    ================== ==============================================================
    event              subject
    ================== ==============================================================
    ``"backward"``     the `pellucid.autograd.passes.BackwardPass`, of ``backward`` and ``grad``
    ``"step"``         the optimizer
    ``"module"``       a module that no other module has called
    ``"exchange"``     the `pellucid.ranks.Exchange` that this rank waits for
    ``"batch"``        the iterator of a data loader that is asked for a batch; always ``" ended"``
    ================== ==============================================================

    These names are followed by ``" began"``, and by ``" ended"`` or, where an error goes up,
    ``" failed"``; `sys.exception` then returns the error. Events may be nested: a step may call
    ``backward``. Events without an end are ``"zero_grad"``, with the optimizer or module,
    ``"optimizer made"``, ``"schedule"`` with a scheduler that has stepped, ``"clipped"`` with the
    parameters whose gradients were, ``"unscaled"`` with an optimizer whose gradients a scaler is
    about to divide, and its scale, ``"training mode"`` with a module that is about to change to or
    from it, ``"exchange"`` with one that this rank has begun, ``"state loaded"`` with the module,
    the state, its `IncompatibleKeys` and ``strict``, and
    ``"assigned"`` with a module, the name of an attribute and its new value. A
    listener runs in the thread of the event, and may only watch.

    >>> from pellucid.observe import watching
    >>> x = torch.ones(2, requires_grad=True)
    >>> with watching(lambda event, subject: print(event)):
    ...     (x * x).sum().backward()
    backward began
    backward ended
    """
    block._append(watchers, listener)


def announce(event: str, subject: Any) -> None:
    """Call every watcher."""
    for watcher in tuple(watchers):
        watcher(event, subject)


class announcing:  # noqa: N801 - used as a function
    """A context manager that announces the beginning and the end of its block to every watcher.

    It is not a generator, so that only frames of the library stand between the block and a watcher.
    """

    __slots__ = ("event", "subject")

    def __init__(self, event: str, subject: Any) -> None:
        self.event = event
        self.subject = subject

    def __enter__(self) -> None:
        announce(f"{self.event} began", self.subject)

    def __exit__(self, error: object, *_: object) -> None:
        announce(f"{self.event} ended" if error is None else f"{self.event} failed", self.subject)


class Observer:
    """Hears of every op, and of every node that runs backward, before it and after it.

    It hears of all threads, each time in the thread where it happens, and may only watch. As it
    stands, it does nothing.

    Attributes:
        is_of_pellucid: Whether it understands pellucid's nodes alone, not PyTorch's.
    """

    is_of_pellucid = False

    def op_began(self, kind: str, name: str, operands: Any) -> None:
        """Take note that an op begins.

        The kind is ``op``, ``function`` (of several ops) or ``custom`` (forward of a `Function`).
        """

    def op_ended(self, result: Any) -> None:
        """Take note of what it returned; None where an error goes up."""

    def node_began(self, node: Any, g: Any) -> None:
        """Take note that a node is about to run, of the gradients that arrived at it."""

    def node_ended(self, node: Any, grads: Any) -> None:
        """Take note of the gradients that it returned; None where there are none."""


#: those who hear of every op and node; usually empty
observers: list[Observer] = []


@temporary
def observing(block: Block, observer: Observer) -> None:
    """Report to the observer all that happens in the block, which takes the general way."""
    block._append(observers, observer)
    slow_path.need_in(block)


def observed(
    kind: str, name: str, operands: Any, function: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Return what the function returns, and report to the observers the op that this is."""
    present, result = tuple(observers), None
    for each in present:
        each.op_began(kind, name, operands)
    try:
        result = function(*args, **kwargs)
        return result
    finally:
        for each in reversed(present):
            each.op_ended(result)
