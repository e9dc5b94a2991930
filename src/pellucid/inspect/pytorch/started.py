"""A watch that is started in a program that runs already: a notebook, a session, a process."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import ExitStack
from typing import Any

from pellucid.inspect.checks.finding import Findings
from pellucid.inspect.pytorch.calls import Calls
from pellucid.inspect.watch import Terminal, Watch


class _Stream:
    """The program's error stream as it is at each line."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()

    def isatty(self) -> bool:
        """Return False: no line is rewritten, since the program may write at any time."""
        return False


class Started:
    """The watch of this process, between `start` and `stop`."""

    def __init__(self) -> None:
        self._watch: Watch | None = None
        self._block = ExitStack()
        self._process = 0

    def start(self, every: int, model: Any) -> Findings:
        """Watch from now on, if nothing is watched yet; return the findings, which fill."""
        if self._watch is None:
            stream: Any = _Stream()
            calls = Calls()
            terminal = Terminal(stream, every, os.environ.get("RANK", ""))
            watch = Watch(terminal, records=False, calls=calls)
            self._block.enter_context(watch.watching(calls.watching))
            self._watch, self._process = watch, os.getpid()
            atexit.register(self.stop)
        if model is not None:
            self._watch.add_module(model)
        return self._watch.findings

    def stop(self) -> Findings:
        """Stop watching, write the summary, and return the findings."""
        watch, self._watch = self._watch, None
        if watch is None:
            return Findings()
        atexit.unregister(self.stop)
        if os.getpid() == self._process:
            self._block.close()
        return watch.findings


STARTED = Started()
