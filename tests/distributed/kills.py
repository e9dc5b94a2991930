"""Ranks that are killed at random moments: all are told, and nothing is left but the checkpoint.

``python -m tests.distributed.kills 200`` does it as often as it says, over sockets and, where it is
installed, over MPI, and prints what was not as it should be; ``200 4`` has four jobs at a time.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pellucid as torch
from pellucid.distributed import checkpoint
from pellucid.processes.launching import can_launch
from tests.distributed.launch import PROGRAMS, SOURCE

RANKS = 3
#: seconds for what takes one on a quiet machine
PATIENCE = 90
#: variable that marks the processes of a job
MARK = "PELLUCID_KILLED_JOB"
TOLD = re.compile(r"rank (\d) cannot complete .*? because (?:rank (\d))?")


def kill_once(chance: random.Random, transport: str) -> list[str]:
    """Start a job, kill one of its ranks at a random moment; return what is wrong afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        folder, mark = Path(directory), uuid.uuid4().hex
        (folder / "temporary").mkdir()
        job = _started(folder, mark, transport)
        try:
            return _after_a_kill(job, folder, mark, chance)
        finally:
            job.kill()


def _started(folder: Path, mark: str, transport: str) -> subprocess.Popen[str]:
    settings = {
        "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
        "TMPDIR": str(folder / "temporary"), MARK: mark,
    }  # fmt: skip
    return subprocess.Popen(
        [
            sys.executable, "-m", "pellucid.distributed.run", "--nproc-per-node", str(RANKS),
            "--transport", transport, str(PROGRAMS / "training.py"), str(folder),
        ],
        env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _after_a_kill(
    job: subprocess.Popen[str], folder: Path, mark: str, chance: random.Random
) -> list[str]:
    pids = [folder / f"pid{rank}" for rank in range(RANKS)]
    if not _until(lambda: all(each.is_file() and each.read_text() for each in pids)):
        return ["the ranks did not start"]
    is_early = chance.random() < 0.2
    if not is_early and not _until((folder / "trains").exists):
        return ["the ranks did not train"]
    time.sleep(chance.uniform(0, 2))
    victim = chance.randrange(RANKS)
    trained = (folder / "trains").exists()
    shared = _shared_memory(mark)
    os.kill(int(pids[victim].read_text()), signal.SIGKILL)
    _, errors = job.communicate(timeout=PATIENCE)
    wrong = [f"exit code {job.returncode}"] if job.returncode != 1 else []
    if f"rank {victim} of {RANKS}" not in errors or "was killed by SIGKILL" not in errors:
        wrong.append("the launcher does not say who was killed")
    told = {int(rank): by for rank, by in TOLD.findall(errors)}
    silent = [rank for rank in range(RANKS) if rank != victim and rank not in told]
    if trained and silent:
        wrong.append(f"ranks {silent} say nothing")
    if trained and str(victim) not in told.values():
        wrong.append(f"nobody names rank {victim}")
    if not _until(lambda: not _marked(mark), 15):
        wrong.append(f"processes are left: {_marked(mark)}")
    if not _until(lambda: not any((folder / "temporary").iterdir()), 15):
        wrong.append(f"files are left: {list((folder / 'temporary').iterdir())}")
    if not _until(lambda: not any(each.exists() for each in shared), 15):
        wrong.append(f"shared memory is left: {[each for each in shared if each.exists()]}")
    if trained:
        wrong += _torn(folder / "checkpoint")
    return [f"{each}\n{errors[-2000:]}" for each in wrong]


def _torn(folder: Path) -> list[str]:
    state = {"first": torch.zeros(1 << 16), "second": torch.zeros(1 << 16)}
    checkpoint.load(state, checkpoint_id=folder, no_dist=True)
    step = state["first"][0].item()
    whole = step >= 1 and bool(
        (state["first"] == step).all() and (state["second"] == 2 * step).all()
    )
    return [] if whole else ["the checkpoint is torn"]


def _until(condition, seconds: float = PATIENCE) -> bool:
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def _marked(mark: str) -> list[str]:
    """Return the processes of a job that run."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = (path / "environ").read_bytes()
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment and state != "Z":
            found.append(path.name)
    return found


def _shared_memory(mark: str) -> set[Path]:
    """Return the files of shared memory that the processes of a job have mapped."""
    found = set()
    for process in _marked(mark):
        try:
            mapped = Path("/proc", process, "maps").read_text()
        except OSError:
            continue
        found |= {Path(path) for path in re.findall(r"/dev/shm/\S+$", mapped, re.MULTILINE)}
    return found


def main(times: int, transports: tuple[str, ...], seed: int = 0, at_a_time: int = 1) -> list[str]:
    """Kill ranks of so many jobs, over each transport in turn; return what went wrong."""

    def kill(number: int) -> list[str]:
        transport = transports[number % len(transports)]
        found = kill_once(random.Random(f"{seed} {number}"), transport)
        return [f"kill {number} over {transport}: {each}" for each in found]

    with ThreadPoolExecutor(at_a_time) as several:
        return [each for found in several.map(kill, range(times)) for each in found]


if __name__ == "__main__":
    count, *together = map(int, sys.argv[1:])
    over = ("sockets", "mpi") if can_launch() else ("sockets",)
    failed = main(count, over, random.SystemRandom().randrange(1 << 30), *together)
    print("\n".join(failed))
    names = " and ".join(over)
    print(f"{count} ranks were killed over {names}, {len(failed)} things not as they should be")
    sys.exit(bool(failed))
