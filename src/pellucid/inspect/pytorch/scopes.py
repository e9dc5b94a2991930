"""The modules that are running, and the names by which messages call them."""

from __future__ import annotations

import importlib
import sys
import threading
import weakref
from types import FrameType
from typing import Any

torch: Any = importlib.import_module("torch")

#: what runs once for each module that is being called
_CALL = torch.nn.Module._call_impl.__code__


class Scopes(threading.local):
    """The modules that are running in a thread, the innermost last.

    Attributes:
        names: Their names, below the outermost one.
        modules: The modules, weakly.
    """

    def __init__(self) -> None:
        self.names: list[str | None] = []
        self.modules: list[weakref.ref[Any]] = []
        self._below: NamesBelow | None = None

    @property
    def current(self) -> str | None:
        """The name of the innermost one."""
        return self.names[-1] if self.names else None

    def enter(self, module: Any) -> bool:
        """Enter a module, from its hook; return whether it is the outermost."""
        if self.names and not _is_called_by_a_module(sys._getframe(1)):
            self.clear()  # what ran was left by an exception that no hook is told of
        outermost = not self.names
        below = self._below
        if below is None or (outermost and not below.is_of(module)):
            below = self._below = NamesBelow(module)
        name = below.of(module)
        self.names.append(self.current if name is None else name)
        self.modules.append(weakref.ref(module))
        return outermost

    def leave(self) -> bool:
        """Leave the innermost module; return whether it was the outermost."""
        if self.names:
            self.names.pop()
            self.modules.pop()
        return not self.names

    def clear(self) -> None:
        """Leave all modules."""
        self.names.clear()
        self.modules.clear()


class NamesBelow:
    """The names of the modules below one, and that of its class for itself.

    They hold until any module is assigned to an attribute, or one is called that they do not have.

    Args:
        outermost: The module.
    """

    #: how many modules were assigned while any program was watched
    assigned = 0

    def __init__(self, outermost: Any) -> None:
        self._outermost = weakref.ref(outermost)
        self._read(outermost)

    def _read(self, outermost: Any) -> None:
        self._assigned = NamesBelow.assigned
        self._names = {
            id(each): (weakref.ref(each), name) for name, each in outermost.named_modules()
        }
        self._names[id(outermost)] = (self._outermost, type(outermost).__name__)

    def is_of(self, module: Any) -> bool:
        """Return whether these are the names below a module."""
        return self._outermost() is module and self._assigned == NamesBelow.assigned

    def of(self, module: Any) -> str | None:
        """Return the name of a module; None if it is not below the outermost one."""
        known = self._names.get(id(module))
        if known is None or known[0]() is not module:
            outermost = self._outermost()
            if outermost is None:
                return None
            self._read(outermost)
            known = self._names.setdefault(id(module), (weakref.ref(module), None))
        return known[1]


def _is_called_by_a_module(frame: FrameType | None) -> bool:
    """Return whether the module whose hook runs in a frame was called while another one ran."""
    calls = 0
    while frame is not None and calls < 2:
        calls += frame.f_code is _CALL
        frame = frame.f_back
    return calls == 2
