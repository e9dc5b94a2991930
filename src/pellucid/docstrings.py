"""Docstrings that have sections or entries in common.

A function or class says ``Args: As for `max_pool1d`.`` or, among its arguments, ``stride, padding:
As for `pool.max_pool1d`.``, and has what stands there itself once it is made. Docstrings that are
put together begin their lines at the margin: from Python 3.13 on the compiler takes their
indentation off, so that what was written and what is generated only fit together without it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

Described = TypeVar("Described")

_MARK: Final = ": As for `"
_ARGUMENTS: Final = "\nArgs:\n"
#: what follows the sentences of a docstring, in this order
_BELOW: Final = (_ARGUMENTS, "\nReturns:\n", "\nRaises:\n", "\n>>> ")


def clean(text: str) -> str:
    """Return a docstring without the indentation of its lines.

    Args:
        text: The docstring.
    """
    below = text.partition("\n")[2].lstrip("\n")
    indent = below[: len(below) - len(below.lstrip(" "))]
    return text.replace(f"\n{indent}", "\n") if indent else text


def sections_of(source: Any) -> Callable[[Described], Described]:
    """Return a decorator that puts in place what is as in another docstring.

    Public functions need none: see `completed`.

    Args:
        source: What has the sections and entries in full: a function or class.

    >>> from pellucid.docstrings import sections_of
    >>> def double(x):
    ...     \"\"\"Return twice a number.
    ...
    ...     Args:
    ...         x: The number.
    ...     \"\"\"
    >>> @sections_of(double)
    ... def triple(x):
    ...     \"\"\"Return a number three times.
    ...
    ...     Args: As for `double`.
    ...     \"\"\"
    >>> @sections_of(double)
    ... def times(x, factor):
    ...     \"\"\"Return a number several times.
    ...
    ...     Args:
    ...         x: As for `double`.
    ...         factor: How often.
    ...     \"\"\"
    >>> "x: The number." in triple.__doc__ and "x: The number." in times.__doc__
    True
    """
    return functools.partial(_completed, {source.__name__: source})


def completed(described: Described) -> Described:
    """Put in place what is as in other docstrings of the module, or of what it imports.

    Args:
        described: Function that refers to others by their names in the module.
    """
    if _MARK not in (described.__doc__ or ""):
        return described
    module = sys.modules.get(described.__module__)
    return _completed(vars(module) if module else {}, described)


def _completed(sources: dict[str, Any], described: Any) -> Any:
    filled = ""
    before, mark, rest = clean(described.__doc__).partition(_MARK)
    while mark:
        name, _, rest = rest.partition("`.")
        start = before.rfind("\n") + 1
        first, *attributes = name.split(".")
        source = functools.reduce(_attribute, attributes, sources.get(first))
        source = clean(completed(source).__doc__ or "")
        entries = _entries(f"{source}\n", before[start:])
        filled += before[:start] + entries if entries else f"{before}{mark}{name}`."
        before, mark, rest = rest.partition(_MARK)
    described.__doc__ = filled + before
    return described


def _attribute(found: Any, name: str) -> Any:
    return getattr(found, name, None)


def _entries(text: str, names: str) -> str:
    """Return the lines that begin with the names, each with what is indented below it."""
    indent = " " * (len(names) - len(names.lstrip()))
    found: list[str] = []
    for name in names.split(","):
        start = text.find(f"\n{indent}{name.strip()}:") + 1
        if not start:
            return ""
        end = text.find("\n", start)
        while text.startswith(f"{indent} ", end + 1):
            end = text.find("\n", end + 1)
        found.append(text[start:end])
    return "\n".join(found)


def arguments_in(text: str | None) -> str:
    """Return the section of a docstring that lists the arguments; nothing if there is none.

    Args:
        text: The docstring.
    """
    text = clean(text or "")
    start = text.find(_ARGUMENTS)
    if start < 0:
        return ""
    ends = (text.find(each, start) for each in _BELOW[1:])
    return text[start : min((end for end in ends if end >= 0), default=len(text))].rstrip(" ")


def with_arguments(text: str, section: str, entries: str) -> str:
    """Return a docstring with a section above the arguments, and more entries on top of these.

    Args:
        text: The docstring, at the margin; one without sections and examples stays as it is.
        section: The section, or nothing.
        entries: Lines about arguments, or nothing.
    """
    for below in _BELOW:
        above, found, rest = text.partition(below)
        if not found:
            continue
        if entries:
            found = f"{_ARGUMENTS}{entries}" + ("" if below is _ARGUMENTS else found)
        return above + section + found + rest
    return text
