"""A thread that notes on the board where this process's program is, for ranks that wait for it.

A rank that hangs, in a loop of its own or in a read that never ends, can no longer tell anything.
So each process looks a few times per second at which lines its main thread is, and since when.
"""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType

from pellucid.autograd.sites import library_files
from pellucid.processes.board import Board

#: seconds between two looks
_PAUSE = 0.25
#: how many callers of the line are named
_CALLERS = 2


def lines_of(frame: FrameType | None) -> str:
    """Return the user's innermost line of a stack with its function, and its callers."""
    found: list[str] = []
    while frame is not None and len(found) <= _CALLERS:
        code = frame.f_code
        if not library_files[code.co_filename] and not code.co_filename.startswith("<"):
            file = code.co_filename.replace(chr(92), "/").rpartition("/")[2]
            found.append(f"{file}:{frame.f_lineno} in {code.co_name}")
        frame = frame.f_back
    return ", called from ".join(found)


class Whereabouts(threading.Thread):
    """The thread of one process.

    Args:
        board: Where it notes the lines.
    """

    def __init__(self, board: Board) -> None:
        super().__init__(daemon=True, name="pellucid whereabouts")
        self._board = board
        self._is_over = threading.Event()

    def run(self) -> None:
        """Look, and note what has changed."""
        before, main = "", threading.main_thread().ident or 0
        while not self._is_over.wait(_PAUSE):
            now = lines_of(sys._current_frames().get(main))
            if now != before:
                self._board.write_place(f"{time.time():.1f} {now}".encode(errors="replace"))
                before = now

    def end(self) -> None:
        """End the thread."""
        self._is_over.set()
        self.join(1.0)
