"""Run a program in PyTorch's place, watched."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pellucid.alias.running import run
from pellucid.inspect.watch import Terminal, Watch


def watch(
    program: str, arguments: Sequence[str], *, as_module: bool, every: int, page: str | None
) -> int:
    """Run a script or a module as `run` does, and show its state, faults and a summary.

    Args:
        program: The script, or the module's name.
        arguments: The program's own arguments.
        as_module: Whether ``program`` names a module.
        every: Every how many steps a line goes to a log.
        page: The HTML file that the recorded step is written to, if any.

    Returns:
        The status of the process.
    """
    watching = Watch(Terminal(sys.stderr, every))
    try:
        with watching.watching():
            return run(program, arguments, as_module=as_module)
    finally:
        if page is not None:
            watching.write_page(page)
