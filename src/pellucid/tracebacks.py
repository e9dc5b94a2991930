"""How much of the tracebacks of errors is kept and shown, and names that were probably meant.

Most errors have lost the library's frames where they left it, see
`pellucid.autograd.short_tracebacks`; those that Python, a thread or IPython shows lose the rest.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType, TracebackType
from typing import Any

from pellucid.autograd.short_tracebacks import chain, without_library
from pellucid.autograd.short_tracebacks import style as chosen
from pellucid.errors import ArgumentError

__all__ = ["explain", "get_traceback", "set_traceback"]

_STYLES = ("short", "full")


def set_traceback(style: str) -> None:
    """Set how much of the tracebacks of the library's errors is kept.

    The environment variable ``PELLUCID_TRACEBACK=full`` sets it for a whole process.

    Args:
        style: ``"short"`` leaves out the frames of the library, ``"full"`` keeps all, so that a
            debugger gets to the line of the library that raised an error.

    Raises:
        ArgumentError: If the style is neither of these (a ``ValueError``).

    >>> torch.set_traceback("full")
    >>> torch.get_traceback()
    'full'
    >>> torch.set_traceback("short")
    """
    if style not in _STYLES:
        raise ArgumentError(f"set_traceback(): style must be 'short' or 'full', not {style!r}")
    chosen.value = style


def get_traceback() -> str:
    """Return how much of a traceback is kept: ``"short"`` or ``"full"``.

    >>> torch.get_traceback()
    'short'
    """
    return chosen.value


def explain() -> None:
    """Print what is known of the error that was shown last, as `pellucid.inspect.explain` does.

    >>> torch.explain()  # doctest: +SKIP
    """
    importlib.import_module("pellucid.inspect").explain()


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
        short = shortened(error, trace)
        if short is not trace:
            sys.last_traceback = short  # where `pdb.pm()` begins
        show(kind, error, short)

    return excepthook


def _shortening_of_thread(show: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(args: Any) -> None:
        kind, error, trace, thread = args
        if chosen.value == "short":
            trace = _from_target(trace)
        show(threading.ExceptHookArgs((kind, error, shortened(error, trace), thread)))

    return excepthook


def _from_target(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without the frames by which Python starts a thread."""
    own = trace
    while own is not None and own.tb_frame.f_globals.get("__name__") == "threading":
        own = own.tb_next
    return own or trace


def _show_in_ipython(
    shell: Any, kind: Any, error: Any, trace: TracebackType | None, tb_offset: int | None = None
) -> None:
    shell.showtraceback((kind, error, shortened(error, trace)), tb_offset=tb_offset)


def shortened(error: BaseException | None, trace: TracebackType | None) -> TracebackType | None:
    """Take the library's frames out of the tracebacks of an error and of those it came from.

    Args:
        error: The error.
        trace: Its traceback.

    Returns:
        The traceback to show; the whole one where nothing else is in it.
    """
    if chosen.value == "full" or error is None:
        return trace
    for each in chain(error):
        whole = trace if each is error else each.__traceback__
        each.__traceback__ = without_library(each, whole) or whole
        _suggest_name(each)
    return error.__traceback__


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
