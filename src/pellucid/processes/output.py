"""What ranks print: in whole lines, and that one waits for others."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable

from pellucid.processes.environment import launched

#: seconds of waiting for others that are usual at the start of a job
_A_WHILE = 15.0


def keep_lines_whole() -> None:
    """Write each line of a rank in one call when it is complete: ranks would tear one another's."""
    if "RANK" not in os.environ and launched() is None:
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)


class Patience:
    """What says, once, that a process has waited for others for a while."""

    def __init__(self) -> None:
        self._until: float | None = time.monotonic() + _A_WHILE

    def say(self, what: Callable[[], str]) -> None:
        """Write what is missing, if it is time."""
        if self._until is not None and time.monotonic() > self._until:
            self._until = None
            sys.stderr.write(f"still waiting: {what()}\n")
            sys.stderr.flush()
