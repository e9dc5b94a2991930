"""Descriptors of shared memory on their way from one process to another.

Who gets a message asks its sender for the descriptors in it. A process that ends before it has been
asked leaves the memory in files, in a directory that the main process removes at its end. One that
is killed, or ends by `os._exit`, does neither: as a sender it leaves nothing, and who gets its
message waits in vain; as the main process it leaves the directory, of the memory that nobody has
fetched.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from multiprocessing import parent_process, process, reduction, resource_sharer, util
from multiprocessing.connection import Connection
from multiprocessing.context import get_spawning_popen
from pathlib import Path
from typing import Any

_SHARER: Any = getattr(resource_sharer, "_resource_sharer")  # noqa: B009 - no public name
#: the descriptors that nobody has asked for yet, by the names of the files they may be left in
_waiting: dict[str, int] = {}
#: after the queues have sent what they hold, which the standard library does at -5
_LATE = -20
#: how many seconds a process is given to leave in a file what it no longer answers for
_PATIENCE = 10.0


def for_another_process(descriptor: int) -> Any:
    """Return what can be pickled, and gives a process that gets it the descriptor by `detach`."""
    if get_spawning_popen() is not None:
        return reduction.DupFd(descriptor)
    return _Sent(descriptor)


class _Sent:
    """A descriptor in a message."""

    def __init__(self, descriptor: int) -> None:
        self.name = uuid.uuid4().hex
        _waiting[self.name] = os.dup(descriptor)
        self.identity = _SHARER.register(self._send, self._close)

    def __getstate__(self) -> tuple[str, Any]:
        return self.name, self.identity

    def __setstate__(self, state: tuple[str, Any]) -> None:
        self.name, self.identity = state

    def _send(self, connection: Connection[Any, Any], pid: int) -> None:
        reduction.send_handle(connection, _waiting[self.name], pid)

    def _close(self) -> None:
        os.close(_waiting.pop(self.name))

    def detach(self) -> int:
        """Return the descriptor, in the process that got the message."""
        path = _directory() / self.name
        try:
            with _SHARER.get_connection(self.identity) as connection:
                return reduction.recv_handle(connection)
        except (OSError, EOFError):  # the sender ends, or has ended
            deadline = time.monotonic() + _PATIENCE
            while not path.exists():
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            return os.open(path, os.O_RDWR)
        finally:
            path.unlink(missing_ok=True)


def _directory() -> Path:
    """Return where memory is left: a directory for the processes that belong together."""
    name = hashlib.sha256(bytes(process.current_process().authkey)).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"pellucid-{name}")


def leave_at_the_end() -> None:
    """Prepare this process, and those that it forks, for their ends."""
    _prepare()
    util.register_after_fork(_prepare, _prepare)  # who is forked forgets what was registered


def _prepare(_: Any = None) -> None:
    util.Finalize(None, _leave_or_remove, exitpriority=_LATE)


def _leave_or_remove() -> None:
    """Leave in files what has not been fetched, or, as the main process, remove what is left."""
    if parent_process() is None:
        shutil.rmtree(_directory(), ignore_errors=True)
        return
    if _waiting:
        _directory().mkdir(mode=0o700, exist_ok=True)
    for name, descriptor in list(_waiting.items()):
        path = _directory() / name
        with path.with_suffix(".part").open("wb") as file:
            for part in _parts(descriptor):
                file.write(part)
        path.with_suffix(".part").rename(path)


def _parts(descriptor: int, size: int = 1 << 20) -> Iterator[bytes]:
    place = 0
    with contextlib.suppress(OSError):  # asked for in this moment, and closed
        while part := os.pread(descriptor, size, place):
            place += len(part)
            yield part
