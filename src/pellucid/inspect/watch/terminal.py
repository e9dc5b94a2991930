"""Where a watched program's state is shown: one line that is rewritten, or lines in a log."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

#: seconds between two versions of the line on a terminal
_REFRESH = 0.1
_ERASE = "\r\x1b[K"


class Terminal:
    """The error stream of a watched program, which its own output must be able to pass.

    Args:
        stream: The stream that is written to.
        every: In a log, every how many steps a line is written.
        rank: The rank of this process among several, which each line then names.

    Attributes:
        rewrites: Whether the stream is a terminal of this process alone, on which one line is
            rewritten.
    """

    def __init__(self, stream: TextIO, every: int, rank: str = "") -> None:
        self.stream = stream
        self.every = every
        self.rewrites = stream.isatty() and not rank
        self._rank = rank
        self._shown = False
        self._last = 0.0

    def is_due(self, step: int) -> bool:
        """Return whether the state after a step is to be shown."""
        if not self.rewrites:
            return step == 1 or step % self.every == 0
        return time.monotonic() - self._last >= _REFRESH

    def show(self, state: str) -> None:
        """Show the state: in place of the one before, on a terminal."""
        self._last = time.monotonic()
        if self.rewrites:
            self.stream.write(f"{_ERASE}{state}")
            self._shown = True
        else:
            self.stream.write(f"{self._named(state)}\n")
        self.stream.flush()

    def write(self, text: str) -> None:
        """Write lines that stay."""
        self.erase()
        self.stream.write(f"{self._named(text)}\n")
        self.stream.flush()

    def _named(self, text: str) -> str:
        return text.replace("pellucid", f"pellucid, rank {self._rank}", 1) if self._rank else text

    def erase(self) -> None:
        """Take the state off the terminal, for what is to be written next."""
        if self._shown:
            self._shown = False
            self.stream.write(_ERASE)
            self.stream.flush()

    def __enter__(self) -> Terminal:
        """Make the program's own output erase the state first."""
        self._streams = sys.stdout, sys.stderr
        if self.rewrites:
            sys.stdout, sys.stderr = (_Passing(each, self) for each in self._streams)
        return self

    def __exit__(self, *_: object) -> None:
        self.erase()
        sys.stdout, sys.stderr = self._streams


class _Passing:
    """A stream of the program that erases the state before it writes."""

    def __init__(self, stream: TextIO, terminal: Terminal) -> None:
        self._stream = stream
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.erase()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
