"""Processes that `spawn` starts through MPI, so that they can make a process group."""

from __future__ import annotations

import json
import multiprocessing.context as contexts
import multiprocessing.spawn as spawning
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from multiprocessing import reduction, resource_sharer
from pathlib import Path
from typing import Any

from pellucid.multiprocessing import one_rank
from pellucid.processes.launching import Job, Start, command_for, environment_for_ranks


class _Lender:
    """What pickling for a child asks: descriptors are lent to whoever fetches them."""

    DupFd = staticmethod(resource_sharer.DupFd)

    def duplicate_for_child(self, descriptor: int) -> int:
        return descriptor


def _write_call(path: Path, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Write what a rank needs: how this process was started, the function and its arguments."""
    lender: Any = _Lender()
    contexts.set_spawning_popen(lender)
    try:
        with open(path, "wb") as file:
            reduction.dump(spawning.get_preparation_data("SpawnProcess"), file)
            reduction.dump((function, args), file)
    finally:
        contexts.set_spawning_popen(None)


class RankProcess:
    """One rank, as far as it can be seen from here."""

    def __init__(self, directory: Path, rank: int) -> None:
        self._directory = directory
        self._rank = rank

    @property
    def pid(self) -> int | None:
        """Its process id, once it has been started."""
        path = self._directory / f"{self._rank}.pid"
        return int(path.read_text() or 0) if path.exists() else None

    @property
    def end(self) -> tuple[int, float] | None:
        """Its exit code and the time of its end; ``None`` while it runs."""
        path = self._directory / f"{self._rank}.end"
        text = path.read_text() if path.exists() else ""
        return tuple(json.loads(text)) if text else None

    @property
    def exitcode(self) -> int | None:
        """Its exit code, negative for a signal; ``None`` while it runs."""
        found = self.end
        return None if found is None else found[0]

    @property
    def error(self) -> str | None:
        """The traceback of what it raised."""
        path = self._directory / f"{self._rank}.error"
        return path.read_text() if path.exists() else None

    @property
    def failed_at(self) -> float | None:
        """The time at which it failed; ``None`` if it did not, or was ended for another's sake."""
        path = self._directory / f"{self._rank}.error"
        if path.exists():
            return path.stat().st_mtime
        end = self.end
        return end[1] if end is not None and end[0] else None

    def is_alive(self) -> bool:
        """Return whether it runs."""
        return self.exitcode is None


class RanksContext:
    """Processes that MPI has started together, to wait for."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], count: int,
        failed: Callable[[int, int, int, str | None], Exception],
    ) -> None:  # fmt: skip
        directory = Path(tempfile.mkdtemp(prefix="pellucid-ranks-"))
        weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
        for rank in range(count):
            _write_call(directory / f"{rank}.call", function, args)
        command = [sys.executable, "-P", str(one_rank.__file__), str(directory)]
        self.processes = [RankProcess(directory, rank) for rank in range(count)]
        self._failed = failed
        line = command_for(count, command, directory=str(directory), quiet=True)
        # the failure of the first is raised here, and nobody hears what the others would say
        self._job = Job([Start(line, environment_for_ranks())], count, directory, patience=0)

    def pids(self) -> list[int]:
        """Return the ids of the processes, when all have been started."""
        while self._job.is_running() and any(each.pid is None for each in self.processes):
            time.sleep(0.01)
        return [each.pid or 0 for each in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until all processes end, at most ``timeout`` seconds; return whether they have.

        Raises the failure of the first one that failed, when the others have been ended.
        """
        try:
            code = self._job.wait(timeout)
        except KeyboardInterrupt:
            self._job.interrupt()
            raise
        if code:
            self._report()
        return code is not None

    def _report(self) -> None:
        """Raise for the rank that failed first, for a reason of its own if one did."""
        failed = [(each.failed_at, rank) for rank, each in enumerate(self.processes)]
        times = [(at, rank) for at, rank in failed if at is not None]
        if not times:
            raise RuntimeError("mpiexec could not run the processes: see what it has printed")
        own = [pair for pair in times if "PeerError" not in (self.processes[pair[1]].error or "")]
        rank = min(own or times)[1]
        process = self.processes[rank]
        raise self._failed(rank, process.pid or 0, process.exitcode or 1, process.error)
