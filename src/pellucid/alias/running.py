"""Run a program as Python would, with pellucid in PyTorch's place."""

from __future__ import annotations

import io
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType

from pellucid.alias.installing import install_as_torch

_OURS = {"runpy", __name__}


def run(program: str, arguments: Sequence[str], *, as_module: bool = False) -> int:
    """Run a script, or a module as ``python -m`` does, and return what the process should return.

    Names that pellucid lacks are listed on the error stream when the program ends.
    """
    alias = install_as_torch()
    try:
        return run_program(program, arguments, as_module=as_module)
    finally:
        if alias.missing:
            sys.stderr.write(alias.report() + "\n")


def run_program(program: str, arguments: Sequence[str], *, as_module: bool = False) -> int:
    """Run a script or a module with whatever it imports, and return the status of the process."""
    sys.argv = [program, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd() if as_module else os.path.dirname(os.path.realpath(program))
    try:
        if as_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            return _run_script(os.path.abspath(program))
    except Exception as error:  # noqa: BLE001 - shown as Python shows what ends a program
        error = error.with_traceback(_from_the_program_on(error.__traceback__))
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _run_script(path: str) -> int:
    """Run a script as ``__main__``, which it stays, for what runs when the process ends."""
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write(
            f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n"
        )
        return 2
    # ModuleType gives the module its __spec__, which is None as for every script.
    main = ModuleType("__main__")
    main.__doc__ = None
    main.__file__ = path
    main.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    exec(compile(source, path, "exec", dont_inherit=True), vars(main))
    return 0


def _from_the_program_on(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_globals.get("__name__") in _OURS:
        traceback = traceback.tb_next
    return traceback
