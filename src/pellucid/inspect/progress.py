"""A line in the terminal that counts, for what takes longer than a moment."""

from __future__ import annotations

import sys
from time import monotonic

#: seconds before anything is shown, and between two lines
_PATIENCE = 2.0
_BETWEEN = 0.25


class Progress:
    """A count on one line of a terminal; nothing is shown elsewhere, or before two seconds.

    Args:
        what: What is being done.
        things: What is counted.
    """

    def __init__(self, what: str, things: str) -> None:
        self.what = what
        self.things = things
        self.count = 0
        self.shown = False
        self._next = monotonic() + _PATIENCE

    def add(self, count: int) -> None:
        """Count some more."""
        self.count += count
        now = monotonic()
        if now >= self._next and sys.stderr is not None and sys.stderr.isatty():
            self._next = now + _BETWEEN
            self.shown = True
            sys.stderr.write(f"\r{self.what}: {self.count:,} {self.things}")
            sys.stderr.flush()

    def end(self) -> None:
        """Clear the line."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
