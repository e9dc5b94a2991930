"""What a rank prints, where several share a console, a pipe or a file."""

from __future__ import annotations

import io
import os
import sys

from pellucid.processes.environment import launched


def keep_lines_whole() -> None:
    """Write each line of a rank in one call when it is complete: ranks would tear one another's."""
    if "RANK" not in os.environ and launched() is None:
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)
