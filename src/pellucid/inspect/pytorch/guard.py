"""What keeps the failures of observers from the program that they observe."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from pellucid.autograd.sites import user_site

torch: Any = importlib.import_module("torch")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")

#: both say whether a compiler traces; the first is replaced by True where Dynamo reads it
_in_dynamo, _compiler = torch.compiler.is_dynamo_compiling, torch.compiler
_records, _set_records = torch.is_grad_enabled, torch._C._set_grad_enabled
_NoOverrides: Any = torch._C.DisableTorchFunction
#: has an element in a process that was forked from one that watches
_forked: list[bool] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forked.append(True))


class Guard:
    """What observers run under: a failure is told once for each kind, and the program goes on.

    Attributes:
        range: Gives the range in which observers run while PyTorch's profiler does.
        is_over: Whether nothing is watched any more; a thread may still have the mode.
        captures: How many graphs of CUDA are captured now: an observer that reads a value would
            end that.
    """

    def __init__(self) -> None:
        self.is_over, self.captures = False, 0
        self.range: Callable[[], Any] = contextlib.nullcontext
        self._told: set[tuple[str, type]] = set()

    @property
    def is_looking(self) -> bool:
        """Whether observers run here: not where a graph is traced or captured, or after a fork."""
        off = self.is_over or self.captures or _forked
        return not (off or _in_dynamo() or _compiler._is_compiling_flag)

    def attempt(self, what: str, function: Callable[..., Any], *args: Any) -> tuple[bool, Any]:
        """Call an observer, unseen by the modes and subclasses of the program.

        Args:
            what: What the observer does, for the message.
            function: The observer.
            args: Its arguments.

        Returns:
            Whether it has succeeded, and what it returned.
        """
        return self.attempt_in(self.range(), what, function, *args)

    def attempt_in(
        self, range_: Any, what: str, function: Callable[..., Any], *args: Any
    ) -> tuple[bool, Any]:
        """Call an observer in a range of PyTorch's profiler, as `attempt` does.

        Args:
            range_: The range, as a context manager.
            what: What the observer does, for the message.
            function: The observer.
            args: Its arguments.

        Returns:
            Whether it has succeeded, and what it returned.
        """
        try:
            with _NoOverrides(), range_:
                return True, function(*args)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
            self.tell(what, error)
            return False, None

    def attempt_apart(
        self, what: str, function: Callable[..., Any], *args: Any
    ) -> tuple[bool, Any]:
        """Call an observer that may compute with tensors, as `attempt` does.

        Args:
            what: What the observer does, for the message.
            function: The observer.
            args: Its arguments.

        Returns:
            Whether it has succeeded, and what it returned.
        """
        if torch._C._len_torch_dispatch_stack():
            return self.attempt(what, _without_modes, function, args)
        with _NoOverrides():  # in which the switch is not a call that the mode sees
            records = _records()
            _set_records(False)
            try:
                with self.range():
                    return True, function(*args)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
                self.tell(what, error)
                return False, None
            finally:
                _set_records(records)

    def tell(self, what: str, error: Exception) -> None:
        """Write a failure to stderr, where it is the first of its kind."""
        kind = (what, type(error))
        if kind in self._told:
            return
        self._told.add(kind)
        reason = (str(error).splitlines() or [""])[0]
        with contextlib.suppress(Exception):  # stderr may be closed
            sys.stderr.write(
                f"pellucid: {user_site()}: {what} was left out ({type(error).__name__}: {reason}); "
                "the program goes on as it would alone\n"
            )


def _without_modes(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function without the program's modes, and without recording."""
    with _dispatch._disable_current_modes(), torch.no_grad():
        return function(*args)
