"""Docstrings that have sections in common.

A function or class says ``Args: As for `max_pool1d`.``, and has the section itself once it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Described = TypeVar("Described")


def sections_of(source: Any) -> Callable[[Described], Described]:
    """Return a decorator that puts the sections in place that are as in another docstring.

    Args:
        source: What has the sections in full: a function or class.

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
    >>> "x: The number." in triple.__doc__
    True
    """

    def fill(described: Any) -> Any:
        reference = f" As for `{source.__name__}`."
        text: str = described.__doc__ or ""
        sections: list[str] = text.split("\n\n")
        for position, section in enumerate(sections):
            header, found, rest = section.partition(reference)
            if found:
                sections[position] = _section(source.__doc__, header) + rest
        described.__doc__ = "\n\n".join(sections)
        return described

    return fill


def _section(text: str, header: str) -> str:
    """Return the section of a docstring with this header, without white space at its end."""
    found = next(each for each in text.split("\n\n") if each.startswith(f"{header}\n"))
    return found.rstrip()
