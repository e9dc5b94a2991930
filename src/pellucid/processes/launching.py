"""Starting processes together: through the launcher of MPI, or one by one."""

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
from typing import NamedTuple

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


class Logs(NamedTuple):
    """Where what the ranks print goes.

    ``redirects`` and ``tee`` name streams: "0" none, "1" stdout, "2" stderr, "3" both, or one of
    them for each process of a machine, as "0:1,1:3".
    """

    #: folder of a folder for each rank; without it nothing is written
    directory: str = ""
    #: what goes to files only
    redirects: str = "0"
    #: what goes to files and, with the rank in front, to the console
    tee: str = "0"
    #: numbers, between commas, of the processes of a machine that are heard; all without
    local_ranks_filter: str = ""
    #: what stands in front of the number in the console
    role: str = "default"


def command_for(
    count: int, command: Sequence[str], *, hosts: str | None = None, per_host: int | None = None,
    directory: str | None = None, quiet: bool = False, logs: Logs | None = None,
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
    if hosts and _is_open_mpi(mpiexec):
        line += ["--host", ",".join(f"{host}:{per_host or 1}" for host in hosts.split(","))]
    elif hosts:
        line += ["-hosts", hosts]
    if per_host:
        line += ["--map-by", f"ppr:{per_host}:node"] if _is_open_mpi(mpiexec) else [
            "-ppn", str(per_host)
        ]  # fmt: skip
    elif _is_open_mpi(mpiexec):
        line.append("--oversubscribe")
    job = {
        "rank": environment.RANK_NAMES, "size": environment.SIZE_NAMES,
        "local_rank": environment.LOCAL_RANK_NAMES, "local_size": environment.LOCAL_SIZE_NAMES,
        "directory": directory, "quiet": quiet, "grace": GRACE, "launcher": os.getpid(),
        "logs": (logs or Logs())._asdict(),
    }  # fmt: skip
    script = str(Path(supervisor.__file__))
    return [*line, sys.executable, "-S", "-E", script, json.dumps(job), *command]


class Start(NamedTuple):
    """A process to be started, and its environment."""

    command: list[str]
    settings: dict[str, str]


def starts_without_mpi(
    per_node: int, command: Sequence[str], settings: dict[str, str], *, directory: str,
    nodes: int = 1, node: int = 0, logs: Logs | None = None,
) -> list[Start]:  # fmt: skip
    """Return how to start the ranks of this machine one by one, each under a supervisor.

    They are connected by sockets. ``node`` is the number of this machine among ``nodes``, on each
    of which somebody does the same.
    """
    job = {
        "rank": ["RANK"], "size": ["WORLD_SIZE"], "local_rank": ["LOCAL_RANK"],
        "local_size": ["LOCAL_WORLD_SIZE"], "directory": directory, "quiet": False, "grace": GRACE,
        "launcher": os.getpid(), "logs": (logs or Logs())._asdict(),
    }  # fmt: skip
    script = str(Path(supervisor.__file__))
    line = [sys.executable, "-S", "-E", script, json.dumps(job), *command]
    return [
        Start(line, settings | {
            "RANK": str(node * per_node + local), "WORLD_SIZE": str(nodes * per_node),
            "LOCAL_RANK": str(local), "LOCAL_WORLD_SIZE": str(per_node),
        })
        for local in range(per_node)
    ]  # fmt: skip


class Job:
    """Ranks that run together, all of which are ended when one of them fails.

    MPI's launcher does so by itself only for ranks that have started MPI.

    Args:
        starts: The processes to start: MPI's launcher, or the ranks.
        count: The number of ranks on this machine.
        directory: Where supervisors write how the ranks end.
        patience: Seconds that the others have to say what the failure of one means for them.
    """

    def __init__(
        self, starts: Sequence[Start], count: int, directory: Path, patience: float = GRACE
    ) -> None:
        self._count = count
        self._patience = patience
        self._directory = directory
        self._begin = time.time()
        self._processes = [
            subprocess.Popen(each.command, env=each.settings, preexec_fn=_ending_with_parent())
            for each in starts
        ]
        self._limit: float | None = None
        self._is_told = False

    def wait(self, timeout: float | None = None) -> int | None:
        """Return the exit code of the job, 0 or 1; ``None`` if it runs for ``timeout`` seconds."""
        over = None if timeout is None else time.monotonic() + timeout
        while running := self._running():
            if over is not None and time.monotonic() >= over:
                return None
            self._end_after_failure()
            with contextlib.suppress(subprocess.TimeoutExpired):
                running[0].wait(_PAUSE)
        failed = any(each.returncode for each in self._processes) or self._codes(failed=True)
        if failed:  # MPI's launcher may have killed a supervisor that would do this
            supervisor.remove_orphaned_memory(self._begin)
        return 1 if failed else 0

    def is_running(self) -> bool:
        """Return whether the job runs."""
        return bool(self._running())

    def _running(self) -> list[subprocess.Popen[bytes]]:
        return [each for each in self._processes if each.poll() is None]

    def interrupt(self) -> None:
        """End the job as from the keyboard, at last by force, and wait for its end."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._send(number)
            over = time.monotonic() + GRACE
            while self._running() and time.monotonic() < over:
                time.sleep(_PAUSE)
        self._send(signal.SIGKILL)
        for each in self._processes:
            each.wait()

    def _send(self, number: int) -> None:
        for each in self._running():
            each.send_signal(number)

    def _end_after_failure(self) -> None:
        """End all ranks when one has failed, after some seconds or when all have ended."""
        if self._limit is None:
            if self._codes(failed=True):
                self._limit = time.monotonic() + self._patience
        elif time.monotonic() > self._limit or (
            not self._is_told and len(self._codes()) == self._count
        ):
            self._send(signal.SIGKILL if self._is_told else signal.SIGTERM)
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
