"""Tracebacks that end at the user's line: an error loses the library's frames where it leaves it.

So it is as short in a log, in pytest or in a debugger as where Python prints it. What an error
loses, ``set_traceback("full")`` keeps.
"""

from __future__ import annotations

import dis
import functools
import os
import re
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from pellucid.autograd.sites import library_files
from pellucid.errors import PellucidError

P = ParamSpec("P")
R = TypeVar("R")

# Note [Where an error leaves the library]
# Functions that users call catch every `Exception`, `shorten` its traceback, and go on with a bare
# ``raise``. The frame that catches an error has entered itself into the traceback by then, and a
# bare ``raise`` does not do so again: none of the library's frames is left. A decorator does the
# same, `shortening`, where one call more does not matter.


class Style:
    """How much of a traceback is kept: ``short`` or ``full``."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


style = Style("full" if os.environ.get("PELLUCID_TRACEBACK") == "full" else "short")


def shorten(error: BaseException) -> None:
    """Take the library's frames out of an error's traceback if the caller's caller is a user.

    See Note [Where an error leaves the library].
    """
    caller = sys._getframe(1).f_back
    if style.value == "full" or (caller and library_files[caller.f_code.co_filename]):
        return
    for each in chain(error):
        each.__traceback__ = without_library(each, each.__traceback__)


def shortening(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, whose errors lose the library's frames."""

    @functools.wraps(function)
    def shortened(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    return shortened


def chain(error: BaseException | None) -> list[BaseException]:
    """Return the error and what Python prints before it: causes, and contexts not suppressed."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def without_library(error: BaseException, trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without the library's frames.

    An error that nobody foresaw is a fault of the library: its traceback stays whole.
    """
    entries = list(_entries(trace))
    hidden = _hidden(entries)
    if not entries or (hidden[-1] and not _is_meant(error, entries)):
        return trace
    short = None
    for entry, hide in zip(reversed(entries), reversed(hidden), strict=True):
        if not hide:
            short = TracebackType(short, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return short


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _hidden(entries: list[TracebackType]) -> list[bool]:
    """Return for each entry whether it is the library's, or of what the library has called."""
    hidden: list[bool] = []
    for entry in entries:
        frame = entry.tb_frame
        called = bool(hidden) and hidden[-1] and _serves_the_library(frame.f_globals)
        hidden.append(called or library_files[frame.f_code.co_filename])
    return hidden


def _serves_the_library(frame_globals: dict[str, Any]) -> bool:
    package = str(frame_globals.get("__name__", "")).partition(".")[0]
    return package in ("numpy", "scipy") or (
        package in sys.stdlib_module_names and package != "__main__"
    )


_BAD_ARGUMENTS = r"\(\) (got |missing |takes )"
_NO_NUMBER = r"invalid literal for int\(\)|could not convert string to float"
_RAISE = dis.opmap["RAISE_VARARGS"]


def _is_meant(error: BaseException, entries: list[TracebackType]) -> bool:
    """Return whether the library raised the error on purpose, for the user to read."""
    if isinstance(error, PellucidError | Warning) or getattr(error, "is_explained", False):
        return True
    if isinstance(error, OSError):  # a file that is not there, from Python itself
        return True
    if isinstance(error, TypeError) and re.search(_BAD_ARGUMENTS, str(error)):
        return True
    if isinstance(error, ValueError) and re.match(_NO_NUMBER, str(error)):  # int() and float()
        return True
    innermost = entries[-1]
    if not library_files[innermost.tb_frame.f_code.co_filename]:
        return False
    return innermost.tb_frame.f_code.co_code[innermost.tb_lasti] == _RAISE
