"""What a replay calls of the library, and what programs ask while a compiled function runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NoReturn

from pellucid.autograd.modes import modes
from pellucid.compat.compiling.trace import Exit
from pellucid.nn.modules.scope import run_outermost


class Running(threading.local):
    """What goes on in a thread."""

    #: how many disabled functions are running, one in another
    disabled = 0
    #: whether a program is run to be exported
    exporting = False


running = Running()


def is_compiling() -> bool:
    """Return False: recorded code is told True by the recorder.

    >>> torch.compiler.is_compiling()
    False
    >>> torch.compile(torch.compiler.is_compiling)()
    True
    """
    return False


def graph_break(msg: str = "") -> None:
    """Break the recording of a compiled function here.

    Args:
        msg: Why; kept for PyTorch's callers.
    """


def run_forward(module: Any, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what a forward without hooks gives, whose nodes carry the module's name."""
    names = modes.module_names
    if names is None:
        return run_outermost(module, forward, (module, *args), kwargs)
    before = modes.scope
    modes.scope = names.get(id(module), before)
    try:
        return forward(module, *args, **kwargs)
    finally:
        modes.scope = before


def leave(number: int, outcome: Any) -> NoReturn:
    """Leave a replay at a decision that fell otherwise."""
    raise Exit(number, outcome)


def leave_by(number: int, error: BaseException) -> NoReturn:
    """Leave a replay at a step that failed, where the error may be caught."""
    if isinstance(error, Exit):
        raise error
    raise Exit(number, None, error)


class Miss:
    """What a replay returns whose prologue does not hold: which condition, and what it is now."""

    __slots__ = ("now", "number")

    def __init__(self, number: int, now: Any) -> None:
        self.number = number
        self.now = now
