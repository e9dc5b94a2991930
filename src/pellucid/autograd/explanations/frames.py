"""The functions that are running, and their variables, read without keeping them alive."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any


def locals_of(frame: types.FrameType) -> dict[str, Any]:
    """Return the variables of a function that is running, and leave no copy with its frame.

    Before Python 3.13 a frame keeps the dictionary that it is asked for, and all values in it. It
    is emptied again, unless the program has called ``locals()`` and uses it.
    """
    kept = frame.f_locals
    found = dict(kept)
    is_function = frame.f_code.co_flags & _OPTIMIZED
    if is_function and isinstance(kept, dict) and sys.getrefcount(kept) <= _UNUSED_LOCALS:
        kept.clear()
    return found


_OPTIMIZED = 1


def outward(frame: types.FrameType | None) -> Iterator[types.FrameType]:
    """Yield a frame, the one that called it, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _count_of_unused_locals() -> int:
    kept = sys._getframe().f_locals
    return sys.getrefcount(kept)


_UNUSED_LOCALS = _count_of_unused_locals()
