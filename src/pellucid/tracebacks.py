"""Tracebacks that end at the user's line: how uncaught errors are shown.

The traceback of an error stays whole, so that a debugger gets to the line of the library that
raised it (``pdb.pm()``). Only where an uncaught error is printed, by Python, a thread or IPython,
are the library's own frames left out.
"""

from __future__ import annotations

import dis
import inspect
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, TracebackType
from typing import Any

from pellucid.autograd.sites import library_files
from pellucid.errors import ArgumentError, PellucidError

__all__ = ["get_traceback", "set_traceback"]

_STYLES = ("short", "full")
_style = "full" if os.environ.get("PELLUCID_TRACEBACK") == "full" else "short"


def set_traceback(style: str) -> None:
    """Set how much of a traceback is printed for an uncaught error.

    The environment variable ``PELLUCID_TRACEBACK=full`` sets it for a whole process.

    Args:
        style: ``"short"`` leaves out the frames of the library, ``"full"`` prints all.

    Raises:
        ArgumentError: If the style is neither of these (a ``ValueError``).

    >>> torch.set_traceback("full")
    >>> torch.get_traceback()
    'full'
    >>> torch.set_traceback("short")
    """
    global _style
    if style not in _STYLES:
        raise ArgumentError(f"set_traceback(): style must be 'short' or 'full', not {style!r}")
    _style = style


def get_traceback() -> str:
    """Return how much of a traceback is printed: ``"short"`` or ``"full"``.

    >>> torch.get_traceback()
    'short'
    """
    return _style


def install() -> None:
    """Leave out the library's frames wherever Python or IPython shows an uncaught error."""
    sys.excepthook = _shortening(sys.excepthook)
    threading.excepthook = _shortening_of_thread(threading.excepthook)
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show_in_ipython)


def _shortening(show: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        with shortened(error, trace) as short:
            show(kind, error, short)

    return excepthook


def _shortening_of_thread(show: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(args: Any) -> None:
        kind, error, trace, thread = args
        with shortened(error, trace) as short:
            show(threading.ExceptHookArgs((kind, error, short, thread)))

    return excepthook


def _show_in_ipython(
    shell: Any, kind: Any, error: Any, trace: TracebackType | None, tb_offset: int | None = None
) -> None:
    with shortened(error, trace) as short:
        shell.showtraceback((kind, error, short), tb_offset=tb_offset)


@contextmanager
def shortened(
    error: BaseException | None, trace: TracebackType | None
) -> Iterator[TracebackType | None]:
    """Give an error, and those it came from, tracebacks without the library's frames for a while.

    Args:
        error: The error.
        trace: Its traceback.

    Yields:
        The traceback to show.
    """
    if _style == "full" or error is None:
        yield trace
        return
    whole = [(each, each.__traceback__) for each in _chain(error)]
    try:
        for each, each_trace in whole:
            each.__traceback__ = _without_library(each, each_trace)
            _suggest_name(each)
        yield _without_library(error, trace)
    finally:
        for each, each_trace in whole:
            each.__traceback__ = each_trace


def _chain(error: BaseException | None) -> list[BaseException]:
    """Return the error and what Python prints before it: causes, and contexts not suppressed."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def _without_library(error: BaseException, trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without the library's frames.

    An error that nobody foresaw is a fault of the library: its traceback stays whole.
    """
    entries = list(_entries(trace))
    hidden = _hidden(entries)
    if all(hidden) or (hidden[-1] and not _is_meant(error, entries)):
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
    if isinstance(error, PellucidError) or getattr(error, "is_explained", False):
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


# ---- names that were probably meant ---------------------------------------------------------

_UNKNOWN_KEYWORD = r"(?m)([\w.]+)\(\) got an unexpected keyword argument '(\w+)'$"


def _suggest_name(error: BaseException) -> None:
    """Add to an error which public name, or which keyword of a function, was probably meant."""
    if isinstance(error, AttributeError):
        known = _names_of_large_module(error)
        _add_suggestion(error, str(error.name), known, "Did you mean: '{}'?")
    elif isinstance(error, TypeError) and (match := re.match(_UNKNOWN_KEYWORD, str(error))):
        known = [name for function in _functions_named(match[1]) for name in _parameters(function)]
        _add_suggestion(error, match[2], known, "Did you mean '{}'?")


#: how many names Python compares at most to suggest one
_PYTHON_COMPARES = 750


def _names_of_large_module(error: AttributeError) -> list[str]:
    """Return the names of a module of the library, where there are too many for Python."""
    module = error.obj
    if not isinstance(module, ModuleType) or module.__name__.partition(".")[0] != "pellucid":
        return []
    names = dir(module)
    return names if len(names) > _PYTHON_COMPARES else []


def _add_suggestion(error: BaseException, given: str, known: list[str], text: str) -> None:
    from difflib import get_close_matches  # most programs never need it

    close = get_close_matches(given, known, n=1, cutoff=0.5)
    if close and given not in known and "Did you mean" not in str(error):
        sentence, newline, rest = str(error).partition("\n")
        suggestion = text.format(close[0])
        error.args = (f"{sentence.removesuffix('.')}. {suggestion}{newline}{rest}",)


def _functions_named(qualified_name: str) -> Iterator[Any]:
    """Find the library's functions and methods of this name among the loaded modules."""
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "pellucid":
            found: Any = module
            for part in qualified_name.split("."):
                found = getattr(found, "__dict__", {}).get(part)
            if callable(found):
                yield found


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
