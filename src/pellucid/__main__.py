"""Run, watch or draw a program written for PyTorch, or show what this is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pellucid


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says, and return the status of the process."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        from pellucid.commands.greeting import greeting

        sys.stdout.write(greeting(pellucid.__version__))
        return 0
    if chosen.command == "demo":
        from pellucid.commands.demo import demo

        return demo(chosen.html)
    if chosen.command == "learn":
        from pellucid.commands.lessons import learn

        return learn(chosen.lesson, chosen.folder)
    if chosen.command == "graph":
        from pellucid.commands.picture import picture

        return picture(
            chosen.program, chosen.arguments, as_module=chosen.as_module, number=chosen.backward,
            page=chosen.html,
        )  # fmt: skip
    if chosen.command == "info":
        sys.stdout.write(_installation())
        return 0
    from pellucid.processes.output import keep_lines_whole

    keep_lines_whole()
    if chosen.command == "watch":
        from pellucid.alias.watching import watch, watch_with_torch

        start = watch_with_torch if chosen.package == "torch" else watch
        return start(
            chosen.program, chosen.arguments, as_module=chosen.as_module, every=chosen.every,
            page=chosen.html,
        )  # fmt: skip
    from pellucid.alias.running import run

    return run(chosen.program, chosen.arguments, as_module=chosen.as_module)


def _installation() -> str:
    """Return versions, and what computes, as text."""
    import platform
    from importlib.metadata import version

    return (
        f"pellucid {pellucid.__version__}\n"
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        f"NumPy {version('numpy')}, SciPy {version('scipy')}\n"
        f"{pellucid.show_config()}\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pellucid", description=__doc__)
    parser.add_argument(
        "--version", action="version", version=f"pellucid {pellucid.__version__}",
        help="print the version and stop",
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command")
    run = commands.add_parser(
        "run",
        usage="python -m pellucid run (SCRIPT | -m MODULE) [ARGS ...]",
        help="run a script or a module with pellucid in PyTorch's place",
    )
    _add_program(run)
    watch = commands.add_parser(
        "watch",
        usage="python -m pellucid watch [--every N] [--html FILE] [--with torch] "
        "(SCRIPT | -m MODULE) [ARGS ...]",
        help="run it and show its steps, what trains badly, and a summary by line",
    )
    watch.add_argument(
        "--every", type=int, default=100, metavar="N",
        help="in a log, write a line every N steps (100); a terminal has one that is rewritten",
    )  # fmt: skip
    watch.add_argument(
        "--html", metavar="FILE", help="write a page of one recorded step to this file"
    )
    watch.add_argument(
        "--with", dest="package", choices=["pellucid", "torch"], default="pellucid",
        help="run it with the installed PyTorch instead, whose errors then tell the lines",
    )  # fmt: skip
    _add_program(watch)
    graph = commands.add_parser(
        "graph",
        usage="python -m pellucid graph [--html PAGE] [--backward N] "
        "(SCRIPT | -m MODULE) [ARGS ...]",
        help="run it up to its first backward pass, and show the graph",
    )
    graph.add_argument("--html", type=Path, metavar="PAGE", help="write a page that draws it")
    graph.add_argument(
        "--backward", type=int, default=1, metavar="N", help="which backward pass it is (1)"
    )
    _add_program(graph)
    demo = commands.add_parser("demo", help="two losses on one trunk, step by step, and a page")
    demo.add_argument(
        "--html", type=Path, default=Path("demo.html"), metavar="PAGE",
        help="the page that is written (demo.html)",
    )  # fmt: skip
    learn = commands.add_parser("learn", help="the lessons, run here, each with its pass to play")
    learn.add_argument(
        "lesson", metavar="LESSON", nargs="?", help="its number, or a part of its name (all)"
    )
    learn.add_argument(
        "--folder", type=Path, default=Path("lessons"), metavar="FOLDER",
        help="the folder that the pages are written to (lessons)",
    )  # fmt: skip
    commands.add_parser("info", help="print versions, the compiled module, BLAS and threads")
    return parser


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", dest="as_module", action="store_true", help="run a module")
    parser.add_argument("program", metavar="SCRIPT", help="the script, or the module's name")
    parser.add_argument(
        "arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="arguments of the program"
    )


if __name__ == "__main__":
    sys.exit(main())
