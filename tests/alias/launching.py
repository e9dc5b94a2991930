"""Running programs under PyTorch's name, each in a process of its own.

The processes are forked from one that has imported the library, which takes longer than most
programs.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from pathlib import Path
from typing import NamedTuple


class Finished(NamedTuple):
    """How a process ended, and what it printed."""

    returncode: int | None
    stdout: str
    stderr: str


def run_pellucid(folder: Path, *arguments: object) -> Finished:
    """Run ``python -m pellucid`` with arguments, in a folder."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["pellucid", "pellucid.nn", "pellucid.optim", "pellucid.inspect"]
    )
    printed = [folder.parent / f"{folder.name}.{name}" for name in ("stdout", "stderr")]
    given = list(map(str, arguments))
    process = context.Process(target=_run, args=(given, str(folder), *map(str, printed)))
    process.start()
    process.join(120)
    if process.exitcode is None:
        process.kill()
    return Finished(process.exitcode, *(path.read_text("utf-8") for path in printed))


def _run(arguments: list[str], folder: str, stdout: str, stderr: str) -> None:
    os.chdir(folder)
    for descriptor, path in ((1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    # as in a process that nobody forked
    multiprocessing.set_start_method(None, force=True)
    os.environ["COLUMNS"] = "100"
    sys.argv = ["pellucid", *arguments]
    runpy.run_module("pellucid", run_name="__main__", alter_sys=True)
