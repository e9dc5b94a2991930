"""The graph of a program, taken when its first backward pass begins."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pellucid.alias.running import run
from pellucid.inspect import Graph, graph
from pellucid.observe import watching
from pellucid.tensors import Tensor


class _Taken(SystemExit):
    """Ends the program when the picture has been taken."""


def picture(
    program: str, arguments: Sequence[str], *, as_module: bool, number: int, page: Path | None
) -> int:
    """Run a program up to a backward pass, and show the graph that it begins with.

    A program without one is run to its end; then it is the graph of its variables.

    Args:
        program: The script, or the module's name.
        arguments: The program's own arguments.
        as_module: Whether ``program`` names a module.
        number: Which backward pass, from 1 on.
        page: The HTML file that the graph is drawn in; printed as text without it.

    Returns:
        The status of the process.
    """
    found: list[Graph] = []
    passes = 0

    def hear(event: str, subject: Any) -> None:
        nonlocal passes
        if event == "backward began" and not found:
            passes += 1
            if passes == number:
                found.append(graph(*subject.roots))
                raise _Taken(0)

    try:
        with watching(hear):
            status = run(program, arguments, as_module=as_module)
    except _Taken:
        status = 0
    if not found:
        if status:
            return status
        roots = _variables()
        if passes or not roots:
            sys.stderr.write(_missing(passes, number))
            return 1
        found.append(graph(*roots))
    return _show(found[0], page)


def _show(taken: Graph, page: Path | None) -> int:
    if page is None:
        sys.stdout.write(f"{taken}\n")
    else:
        taken.html(page)
        sys.stdout.write(f"{page}: {len(taken.nodes):,} nodes; open it in a browser\n")
    return 0


def _variables() -> list[Tensor]:
    """Return the tensors with a history among the program's variables."""
    values = list(vars(sys.modules["__main__"]).values())
    return [each for each in values if isinstance(each, Tensor) and each.grad_fn is not None]


def _missing(passes: int, number: int) -> str:
    if passes:
        return f"The program ran backward {passes} times, not {number}.\n"
    return "The program ran no backward, and no variable of it has a history.\n"
