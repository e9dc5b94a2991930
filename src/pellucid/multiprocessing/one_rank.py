"""Run the function that `spawn` was given as one rank: a script, started once per rank by MPI.

Its argument is the directory that `pellucid.multiprocessing.ranks` has filled. What fails is
written there, for the process that waits.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from multiprocessing import spawn
from pathlib import Path


def run(directory: Path, rank: int) -> int:
    """Call the function with its rank and arguments; return the code to exit with."""
    with open(directory / f"{rank}.call", "rb") as file:
        spawn.prepare(pickle.load(file))
        function, args = pickle.load(file)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] # a pipe, to a terminal
    try:
        function(rank, *args)
    except KeyboardInterrupt:
        return 1
    except Exception as error:  # noqa: BLE001 - sent to the process that waits
        _tell_other_ranks(error)
        (directory / f"{rank}.error").write_text(traceback.format_exc())
        return 1
    return 0


def _tell_other_ranks(error: Exception) -> None:
    """Write the error on the board, if this process has made a group with others."""
    worlds = sys.modules.get("pellucid.processes.world")
    world = worlds.entered_world() if worlds is not None else None
    if world is not None:
        world.fail(error)


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), int(os.environ["RANK"])))
