"""Run a program as Python would, with pellucid in PyTorch's place."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from types import TracebackType

from pellucid.alias.installing import install_as_torch

_OURS = {"runpy", __name__}


def run(program: str, arguments: Sequence[str], *, as_module: bool = False) -> int:
    """Run a script, or a module as ``python -m`` does, and return what the process should return.

    Names that pellucid lacks are listed on the error stream when the program ends.
    """
    alias = install_as_torch()
    sys.argv = [program, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd() if as_module else os.path.dirname(os.path.realpath(program))
    try:
        if as_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except Exception as error:  # noqa: BLE001 - shown as Python shows what ends a program
        error = error.with_traceback(_from_the_program_on(error.__traceback__))
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    finally:
        if alias.missing:
            sys.stderr.write(alias.report() + "\n")
    return 0


def _from_the_program_on(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_globals.get("__name__") in _OURS:
        traceback = traceback.tb_next
    return traceback
