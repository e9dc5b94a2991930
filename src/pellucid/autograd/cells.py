"""Cells of a notebook: what the file names of their code stand for.

Jupyter and VS Code name the code of a cell after its text, so a cell that is run again has the same
file name. When a site was made says which run it belongs to.
"""

from __future__ import annotations

import importlib
import linecache
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

#: the file name of what ``%why`` runs
_ASKED = "<%why>"
_MARIMO = r"__marimo__cell_(.+?)_"


class Cells:
    """The cells that have been run, in a notebook or in IPython's shell.

    There are none in an ordinary program, where nothing is noted.
    """

    def __init__(self) -> None:
        #: how many runs of cells have begun
        self.count = 0
        self.shell: Any = None
        #: for each run, the number that the first node made in it can have
        self._starts: list[int] = []
        #: file name -> the runs that have it, each with the number that the notebook shows
        self._runs: dict[str, list[tuple[int, int]]] = {}

    def begin(self, filename: str, number: int, first_node: int) -> None:
        """Note that a cell begins to run.

        Args:
            filename: The file name of its code.
            number: The number that the notebook shows, as in ``In[3]``.
            first_node: A sequence number: nodes made from now on have larger ones.
        """
        self.count += 1
        self._starts.append(first_node)
        self._runs.setdefault(filename, []).append((self.count, number))

    def filenames(self) -> list[str]:
        """Return the file names of the cells that have been run, the latest first."""
        return sorted(self._runs, key=lambda name: -self._runs[name][-1][0])

    def run_of(self, node: int) -> int:
        """Return the run in which the node with this sequence number was made; 0 for none."""
        return bisect_right(self._starts, node)

    def label(self, filename: str, run: int) -> str | None:
        """Return what a notebook calls the cell whose code has this file name, if it is one.

        Args:
            filename: The file name of the code.
            run: The run of a cell in which the code was running.
        """
        runs = self._runs.get(filename)
        if runs is not None:
            place = bisect_right(runs, (run, sys.maxsize)) - 1
            return f"Cell In[{runs[max(place, 0)][1]}]"
        if self.shell is not None:  # a cell that was run before the library was imported
            named = self.shell.compile.format_code_name(filename)
            return None if named is None else " ".join(named)
        marimo = re.search(_MARIMO, filename)
        return None if marimo is None else f"marimo cell {marimo[1]}"

    def follow(self, shell: Any, sequence: Iterator[int]) -> None:
        """Note each cell that a shell runs, from the one that is running on.

        Args:
            shell: IPython's ``InteractiveShell``.
            sequence: The counter that numbers nodes.
        """
        self.shell = shell
        entered = shell.history_manager.input_hist_raw

        def note(text: str, number: int) -> None:
            name = shell.compile.get_code_name(text, shell.transform_cell(text), number)
            self.begin(name, number, next(sequence))

        if len(entered) > 1:
            note(entered[-1], len(entered) - 1)
        # the shell adds the text to those entered when it has called this
        magic = _why(shell, lambda: self.begin(_ASKED, len(entered) - 1, next(sequence)))
        shell.register_magic_function(magic, "line", "why")
        shell.events.register("pre_run_cell", lambda info: note(info.raw_cell, len(entered)))


def _why(shell: Any, begin: Callable[[], None]) -> Callable[[str], None]:
    """Return what ``%why`` does: without an argument it explains the error that was shown last.

    Args:
        shell: The shell.
        begin: Called before the question runs, which is a cell of its own.
    """

    def why(line: str) -> None:
        if line.strip():
            begin()
            source = f"print(__import__('pellucid').inspect.why({line}))"
            # names are read from the source of the line that asks
            linecache.cache[_ASKED] = len(source), None, [source], _ASKED
            exec(compile(source, _ASKED, "exec"), shell.user_global_ns, shell.user_ns)
        else:
            importlib.import_module("pellucid.inspect").explain()

    return why


cells = Cells()


def running_shell() -> Any:
    """Return IPython's shell, if the program runs in one."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()
