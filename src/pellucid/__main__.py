"""``python -m pellucid run SCRIPT ARGS...``: run a program written for PyTorch."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says, and return the status of the process."""
    parser = argparse.ArgumentParser(prog="python -m pellucid", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run",
        usage="python -m pellucid run (SCRIPT | -m MODULE) [ARGS ...]",
        help="run a script or a module with pellucid in PyTorch's place",
    )
    run.add_argument("-m", dest="as_module", action="store_true", help="run a module")
    run.add_argument("program", metavar="SCRIPT")
    run.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER)
    chosen = parser.parse_args(arguments)

    from pellucid.alias.running import run as run_program

    return run_program(chosen.program, chosen.arguments, as_module=chosen.as_module)


if __name__ == "__main__":
    sys.exit(main())
