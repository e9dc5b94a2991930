"""Docstrings that have sections or entries in common.

A function or class says ``Args: As for `max_pool1d`.`` or, among its arguments, ``stride, padding: As
for `max_pool1d`.``, and has what stands there itself once it is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

Described = TypeVar("Described")

_REFERENCE: Final = re.compile(r"^( *)([\w*, ]+): As for `(\w+)`\.$", re.M)
#: what a docstring has below its sentences, from here on
_BELOW: Final = re.compile(r"\n    (?=(?:Args|Shape|Returns|Raises):|>>> )")


def sections_of(source: Any) -> Callable[[Described], Described]:
    """Return a decorator that puts in place what is as in another docstring.

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

    def entries(reference: re.Match[str]) -> str:
        indent, names, origin = reference.groups()
        if origin != source.__name__:
            return reference.group()
        text: str = source.__doc__
        return "\n".join(_entry(text, indent, name) for name in names.split(", "))

    def fill(described: Any) -> Any:
        described.__doc__ = _REFERENCE.sub(entries, described.__doc__)
        return described

    return fill


def _entry(text: str, indent: str, name: str) -> str:
    """Return the line of a docstring that begins with a name, and what is indented below it."""
    first, *below = text[text.index(f"\n{indent}{name}:") + 1 :].split("\n")
    end = next((i for i, line in enumerate(below) if not line.startswith(indent + " ")), None)
    return "\n".join([first, *below[:end]])


def with_arguments(text: str, section: str, entries: str) -> str:
    """Return a docstring with a section above that of the arguments, and entries that open the latter.

    Args:
        text: The docstring; one without sections and examples stays as it is.
        section: The section, or nothing.
        entries: Lines about arguments, or nothing.
    """
    found = _BELOW.search(text)
    if found is None:
        return text
    below = text[found.end() :]
    if entries:
        rest = below[6:] if below.startswith("Args:\n") else f"\n    {below}"
        below = f"Args:\n{entries}{rest}"
    return f"{text[: found.start()]}{section}\n    {below}"
