"""A thread in which exchanges go on while the program computes.

# Note [Exchanges in the background]

Neither MPI nor sockets move more of a large message than is asked for, so that an exchange that is
started in the middle of a backward pass would stand still until the end. The thread asks while the
program computes: NumPy and its BLAS leave the interpreter to others meanwhile. It only moves
messages; what follows an exchange, as callbacks, remains with the thread that waits for it. It
sleeps while somebody waits for an exchange, who then asks by himself, and while there is none.
"""

from __future__ import annotations

import os
import threading

from pellucid.processes.work import advance_all, is_waited_for
from pellucid.processes.world import World

#: seconds between two looks: longer and longer after an exchange has been started
_SHORTEST, _LONGEST, _LONGER = 1e-4, 5e-3, 1.02


class _Progress(threading.Thread):
    """The thread of one process.

    Args:
        world: The processes, which say how one gives way to others.
    """

    def __init__(self, world: World) -> None:
        super().__init__(daemon=True, name="pellucid exchanges")
        self.process = os.getpid()
        self.wanted = threading.Event()
        self._world = world
        self._is_over = False

    def run(self) -> None:
        """Move messages as long as there are any."""
        while not self._is_over:
            self.wanted.wait()
            self.wanted.clear()
            pause = _SHORTEST
            while not self._is_over and (is_waited_for() or advance_all()):
                self._world.rest(pause)
                pause = _SHORTEST if self.wanted.is_set() else min(_LONGEST, _LONGER * pause)

    def end(self) -> None:
        """End the thread, before what it uses ends."""
        self._is_over = True
        self.wanted.set()
        self.join(1.0)


_thread: _Progress | None = None


def let_go_on(world: World | None) -> None:
    """Make sure that what has been started goes on in the background, where it can."""
    global _thread
    if world is None or not world.can_use_threads:
        return
    if _thread is None or _thread.process != os.getpid():
        _thread = _Progress(world)
        _thread.start()
        world.before_leaving.append(_thread.end)
    _thread.wanted.set()
