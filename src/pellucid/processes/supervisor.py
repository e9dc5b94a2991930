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
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


def first_of(names: list[str], default: int) -> int:
    """Return the number in the first of these variables that is set."""
    return next((int(os.environ[name]) for name in names if name in os.environ), default)


def end_with_parent() -> None:
    """Ask the system to kill this process when its parent dies, where it can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run(job: dict[str, Any], command: list[str]) -> int:
    """Run the command as one rank, and return the code to exit with."""
    rank = first_of(job["rank"], 0)
    size = first_of(job["size"], 1)
    os.environ |= {
        "RANK": str(rank), "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(first_of(job["local_rank"], rank)),
        "LOCAL_WORLD_SIZE": str(first_of(job["local_size"], size)),
    }  # fmt: skip
    os.environ["GROUP_RANK"] = str(rank // int(os.environ["LOCAL_WORLD_SIZE"]))
    process = subprocess.Popen(command, close_fds=False, preexec_fn=end_with_parent)
    asked: list[int] = []

    def pass_on(number: int, frame: object) -> None:
        asked.append(number)
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pass_on)
    directory = Path(job["directory"]) if job["directory"] else None
    if directory is not None and directory.is_dir():
        (directory / f"{rank}.pid").write_text(str(process.pid))
    code = process.wait()
    if directory is not None and directory.is_dir():
        (directory / f"{rank}.end").write_text(json.dumps([code, time.time()]))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: os._exit(0))
    if asked:
        return 0  # MPI's launcher, which has asked, would print a report of anything else
    if code:
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
