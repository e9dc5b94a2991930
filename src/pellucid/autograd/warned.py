"""Warnings that are given once in a process, as PyTorch's are."""

from __future__ import annotations

import warnings

from pellucid.autograd.sites import user_stacklevel


class _Once:
    """What has been warned of, and whether the warning is given all the same."""

    __slots__ = ("always", "texts")

    def __init__(self) -> None:
        self.always = False
        self.texts: set[str] = set()


once = _Once()


def warn_once(text: str, about: str = "") -> None:
    """Warn at the user's line, unless the same has been said about this in the process.

    Args:
        text: What is said.
        about: What it is said about; the text itself without it.
    """
    if once.always or (about or text) not in once.texts:
        once.texts.add(about or text)
        warnings.warn(text, UserWarning, stacklevel=user_stacklevel())
