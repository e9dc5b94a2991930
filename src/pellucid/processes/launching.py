"""Starting processes together, through the launcher of MPI."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pellucid.errors import UnimplementedError
from pellucid.processes import environment, supervisor
from pellucid.processes.world import GRACE

#: PR_SET_PDEATHSIG of Linux
_SET_PARENT_DEATH_SIGNAL = 1

#: seconds between two looks at how the ranks are
_PAUSE = 0.05


def find_mpiexec() -> str | None:
    """Return the path of MPI's launcher: that beside this interpreter, or on the PATH."""
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.is_file() else shutil.which("mpiexec")


def can_launch() -> bool:
    """Return whether processes can be started through MPI from this one, and find mpi4py."""
    return (
        environment.launched() is None
        and importlib.util.find_spec("mpi4py") is not None
        and find_mpiexec() is not None
    )


@functools.cache
def _is_open_mpi(mpiexec: str) -> bool:
    version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False)
    return "Open MPI" in version.stdout or "OpenRTE" in version.stdout


def command_for(
    count: int, command: Sequence[str], *, hosts: str | None = None, per_host: int | None = None,
    directory: str | None = None, quiet: bool = False,
) -> list[str]:  # fmt: skip
    """Return the command line that runs a command as ``count`` ranks, each under a supervisor.

    ``hosts`` are names between commas. Raises NotImplementedError without mpi4py or ``mpiexec``.
    """
    mpiexec = find_mpiexec()
    if mpiexec is None or importlib.util.find_spec("mpi4py") is None:
        raise UnimplementedError(
            "starting several processes needs mpi4py and the mpiexec of an MPI library: "
            "pip install 'pellucid[mpi]' mpich"
        )
    line = [mpiexec, "-n", str(count)]
    if hosts:
        line += ["--host" if _is_open_mpi(mpiexec) else "-hosts", hosts]
    if per_host:
        line += ["--map-by", f"ppr:{per_host}:node"] if _is_open_mpi(mpiexec) else [
            "-ppn", str(per_host)
        ]  # fmt: skip
    elif _is_open_mpi(mpiexec):
        line.append("--oversubscribe")
    job = {
        "rank": environment.RANK_NAMES, "size": environment.SIZE_NAMES,
        "local_rank": environment.LOCAL_RANK_NAMES, "local_size": environment.LOCAL_SIZE_NAMES,
        "directory": directory, "quiet": quiet, "grace": GRACE,
    }  # fmt: skip
    script = str(Path(supervisor.__file__))
    return [*line, sys.executable, "-S", "-E", script, json.dumps(job), *command]


class Job:
    """Ranks that ``mpiexec`` runs, which it ends when one of them fails.

    MPI's launcher does so by itself only for ranks that have started MPI.
    """

    def __init__(
        self, command: list[str], count: int, directory: Path, settings: dict[str, str]
    ) -> None:
        self._count = count
        self._directory = directory
        self._process = subprocess.Popen(command, env=settings, preexec_fn=_ending_with_parent())
        self._limit: float | None = None
        self._is_told = False

    def wait(self, timeout: float | None = None) -> int | None:
        """Return the exit code of the job; ``None`` if it still runs after ``timeout`` seconds."""
        over = None if timeout is None else time.monotonic() + timeout
        while self._process.poll() is None:
            if over is not None and time.monotonic() >= over:
                return None
            self._end_after_failure()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PAUSE)
        code = self._process.returncode
        return code if code > 0 or not self._codes(failed=True) else 1

    def is_running(self) -> bool:
        """Return whether the job runs."""
        return self._process.poll() is None

    def interrupt(self) -> None:
        """End the job as from the keyboard, at last by force, and wait for its end."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
                return
        self._process.kill()
        self._process.wait()

    def _end_after_failure(self) -> None:
        """End all ranks when one has failed, after some seconds or when all have ended."""
        if self._limit is None:
            if self._codes(failed=True):
                self._limit = time.monotonic() + GRACE
        elif time.monotonic() > self._limit or (
            not self._is_told and len(self._codes()) == self._count
        ):
            (self._process.kill if self._is_told else self._process.terminate)()
            self._limit = time.monotonic() + GRACE
            self._is_told = True

    def _codes(self, failed: bool = False) -> list[int]:
        """Return the exit codes of the ranks that have ended, or of those that have failed."""
        texts = [path.read_text() for path in self._directory.glob("*.end")]
        codes = [json.loads(text)[0] for text in texts if text]
        return [code for code in codes if code] if failed else codes


def _ending_with_parent() -> Callable[[], None] | None:
    """Return what a child runs so that Linux ends it by SIGTERM when this process is gone.

    Linux sends the signal at the end of the thread that started the child; so only a job of the
    main thread is bound.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM) and None


def environment_for_ranks() -> dict[str, str]:
    """Return this process's environment, with what makes the ranks find the same modules."""
    result = dict(os.environ)
    result.setdefault("MASTER_ADDR", "127.0.0.1")
    result.setdefault("MASTER_PORT", "29500")
    # One thread each unless asked otherwise: the ranks already share the cores.
    result.setdefault("OMP_NUM_THREADS", "1")
    return result
