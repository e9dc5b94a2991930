"""Run one rank of a job, and say how it has ended: a script, started once per rank by MPI.

It needs nothing but the standard library, so that it starts at once. Its first argument is a
description as JSON: the names of variables that hold the rank, and what to set; the others are the
command. MPI's launcher ends the whole job as soon as one of its processes fails; a rank that was
killed cannot tell the others why, so this stays for some seconds, in which they notice and say so.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
#: seconds between two looks at whether the process has been asked to end
_PAUSE = 0.5
#: seconds within which shared memory that is made is mapped, too
_SETTLING = 0.3
#: what Open MPI and MPICH run on each machine, to start ranks there
_HELPERS = ("orted", "prted", "hydra_pmi_proxy")


def first_of(names: list[str], default: int) -> int:
    """Return the number in the first of these variables that is set."""
    return next((int(os.environ[name]) for name in names if name in os.environ), default)


def end_with_parent() -> None:
    """Ask the system to kill this process when its parent dies, where it can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def streams_in(text: str, local_rank: int) -> int:
    """Return which streams of a rank are meant, 1 for stdout and 2 for stderr: "3" or "0:1,1:2"."""
    if ":" not in text:
        return int(text)
    each = dict(part.split(":") for part in text.split(","))
    return int(each.get(str(local_rank), 0))


def note(directory: Path | None, name: str, text: str) -> None:
    """Write a small file, unless the directory is not there or goes at this moment."""
    if directory is not None and directory.is_dir():
        with contextlib.suppress(FileNotFoundError):
            (directory / name).write_text(text)


def has_ended(process: int) -> bool:
    """Return whether a process is gone, or waits for its parent to ask how it ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except FileNotFoundError:
        return Path("/proc/self/stat").exists() or not _exists(process)
    return state in (b"Z", b"X")


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def hide_shared_memory(process: int | str = "self") -> None:
    """Take away the names under which the ranks of a machine found MPICH's shared memory.

    MPICH keeps them until a job ends well: of one that does not, the memory would stay for ever.
    """
    with contextlib.suppress(OSError):
        for path in _mapped_by(Path(f"/proc/{process}")):
            if "mpich_shm_" not in path:
                continue  # a window's, which other ranks may not have found yet
            with contextlib.suppress(FileNotFoundError):
                Path(path).unlink()


def _mapped_by(process: Path) -> set[str]:
    """Return the names of MPICH's shared memory that a process has mapped."""
    mapped = (process / "maps").read_text()
    return set(re.findall(r"/dev/shm/mpich_sh\w+$", mapped, re.MULTILINE))


def remove_orphaned_memory(since: float) -> None:
    """Remove MPICH's shared memory, made since then, that no process has mapped.

    A rank that is killed while MPI starts leaves it before another rank has found it. What is just
    being made is not mapped yet, either, and is so a moment later.
    """
    left = _orphans(since)
    if left:
        time.sleep(_SETTLING)
        for path in left & _orphans(since):
            with contextlib.suppress(FileNotFoundError):
                Path(path).unlink()


def _orphans(since: float) -> set[str]:
    found: set[str] = set()
    for path in Path("/dev/shm").glob("mpich_sh*_*"):
        with contextlib.suppress(OSError):
            status = path.stat()
            if status.st_uid == os.getuid() and status.st_mtime >= since:
                found.add(str(path))
    for process in Path("/proc").glob("[0-9]*") if found else ():
        with contextlib.suppress(OSError):
            found -= _mapped_by(process)
    return found


def ended(process: subprocess.Popen[bytes], asked: list[int], grace: float) -> int:
    """Return the code with which a process ends; kill it if it does not end after it was asked."""
    limit = None
    while True:
        try:
            return process.wait(_PAUSE)
        except subprocess.TimeoutExpired:
            if asked and limit is None:
                limit = time.monotonic() + 2 * grace
            if limit is not None and time.monotonic() > limit:
                process.kill()


def end_lost_helper(helper: int, patience: float) -> None:
    """Leave a process behind that ends MPI's helper on this machine, if it is still there later.

    One whose network was cut would wait for its launcher for ever.
    """
    try:
        name = Path(f"/proc/{helper}/comm").read_text().strip()
    except OSError:
        return
    if name not in _HELPERS or os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.closerange(3, 1024)
        for number in (signal.SIGTERM, signal.SIGKILL):
            limit = time.monotonic() + patience
            while not has_ended(helper) and time.monotonic() < limit:
                time.sleep(_PAUSE)
            os.kill(helper, number)
    finally:
        os._exit(0)


class Streams:
    """Where what a rank prints goes: to files, to the console with the rank in front, or both.

    Args:
        logs: The launcher's options for logs.
        local_rank: The number of the process on this machine.
        rank: Its rank.
    """

    def __init__(self, logs: dict[str, Any], local_rank: int, rank: int) -> None:
        self._prefix = f"[{logs['role']}{local_rank}]:".encode()
        self._tee = streams_in(logs["tee"], local_rank)
        self._redirects = streams_in(logs["redirects"], local_rank)
        shown = logs["local_ranks_filter"]
        self._is_mute = bool(shown) and str(local_rank) not in shown.split(",")
        self._folder: Path | None = None
        if logs["directory"] and self._tee | self._redirects:
            self._folder = Path(logs["directory"], str(rank))
            self._folder.mkdir(parents=True, exist_ok=True)
        self._threads: list[threading.Thread] = []

    def target(self, number: int) -> Any:
        """Return what Popen takes for stdout (1) or stderr (2)."""
        if self._tee & number:
            return subprocess.PIPE
        if self._redirects & number and self._folder is not None:
            return open(self._folder / _FILES[number], "wb")
        return subprocess.DEVNULL if self._is_mute else None

    def follow(self, process: subprocess.Popen[bytes]) -> None:
        """Copy what the process prints, in threads, where a prefix goes in front."""
        for number, pipe in ((1, process.stdout), (2, process.stderr)):
            if pipe is not None:
                thread = threading.Thread(target=self._copy, args=(pipe, number), daemon=True)
                thread.start()
                self._threads.append(thread)

    def finish(self, patience: float) -> None:
        """Wait until everything has been copied; a process of the rank's own may go on printing."""
        for thread in self._threads:
            thread.join(patience)

    def _copy(self, pipe: Any, number: int) -> None:
        console = (sys.stdout if number == 1 else sys.stderr).buffer
        path = os.devnull if self._folder is None else self._folder / _FILES[number]
        with open(path, "wb", buffering=0) as file:
            for line in pipe:
                file.write(line)
                if not self._is_mute:
                    console.write(self._prefix + line)
                    console.flush()


_FILES = {1: "stdout.log", 2: "stderr.log"}


def run(job: dict[str, Any], command: list[str]) -> int:
    """Run the command as one rank, and return the code to exit with."""
    begin = time.time()
    rank = first_of(job["rank"], 0)
    size = first_of(job["size"], 1)
    os.environ |= {
        "RANK": str(rank), "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(first_of(job["local_rank"], rank)),
        "LOCAL_WORLD_SIZE": str(first_of(job["local_size"], size)),
    }  # fmt: skip
    per_node = int(os.environ["LOCAL_WORLD_SIZE"])
    os.environ |= {
        "GROUP_RANK": str(rank // per_node), "GROUP_WORLD_SIZE": str(-(-size // per_node)),
        "ROLE_RANK": str(rank), "ROLE_WORLD_SIZE": str(size), "ROLE_NAME": job["logs"]["role"],
    }  # fmt: skip
    streams = Streams(job["logs"], int(os.environ["LOCAL_RANK"]), rank)
    process = subprocess.Popen(
        command, close_fds=False, preexec_fn=end_with_parent, stdout=streams.target(1),
        stderr=streams.target(2),
    )  # fmt: skip
    streams.follow(process)
    asked: list[int] = []

    def pass_on(number: int, frame: object) -> None:
        asked.append(number)
        hide_shared_memory(process.pid)
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pass_on)
    directory = Path(job["directory"]) if job["directory"] else None
    note(directory, f"{rank}.pid", str(process.pid))
    code = ended(process, asked, job["grace"])
    if code:
        remove_orphaned_memory(begin)
    streams.finish(job["grace"])
    note(directory, f"{rank}.end", json.dumps([code, time.time()]))
    if directory is not None and has_ended(job["launcher"]):
        shutil.rmtree(directory, ignore_errors=True)  # its launcher was killed
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: os._exit(0))
    if asked:
        return 0  # MPI's launcher, which has asked, would print a report of anything else
    if code:
        end_lost_helper(os.getppid(), 6 * job["grace"])
        how = (
            f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        if not job["quiet"]:
            sys.stderr.write(f"rank {rank} of {size} (process {process.pid}) {how}\n")
            sys.stderr.flush()
        watched = directory is not None and directory.is_dir()
        # Whoever watches the directory ends the job, without the messages of MPI's launcher.
        time.sleep(2 * job["grace"] if watched else job["grace"] if code < 0 else 0)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run(json.loads(sys.argv[1]), sys.argv[2:]))
