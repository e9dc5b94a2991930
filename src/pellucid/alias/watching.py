"""Run a program watched: with pellucid in PyTorch's place, or with PyTorch itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from pellucid.alias.running import run, run_program
from pellucid.inspect.watch import Terminal, Watch
from pellucid.observe import watching
from pellucid.outbuildings import outbuildings


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
    session = Watch(Terminal(sys.stderr, every))
    try:
        with session.watching(watching):
            return run(program, arguments, as_module=as_module)
    finally:
        if page is not None:
            session.write_page(page)


def watch_with_torch(
    program: str, arguments: Sequence[str], *, as_module: bool, every: int, page: str | None
) -> int:
    """Run a script or a module with the installed PyTorch, watched as `watch` does.

    Args:
        program: The script, or the module's name.
        arguments: The program's own arguments.
        as_module: Whether ``program`` names a module.
        every: Every how many steps a line goes to a log.
        page: The HTML file that a recorded step is written to, of the first of several ranks; no
            step is recorded if None.

    Returns:
        The status of the process.
    """
    if find_spec("torch") is None:
        sys.stderr.write("--with torch needs PyTorch, which is not installed here\n")
        return 1
    calls = outbuildings.pytorch().source()
    rank = os.environ.get("RANK", "")  # under torchrun
    page = page if rank in ("", "0") else None
    session = Watch(Terminal(sys.stderr, every, rank), records=page is not None, calls=calls)
    try:
        with session.watching(calls.watching):
            return run_program(program, arguments, as_module=as_module)
    finally:
        if page is not None:
            session.write_page(page)
