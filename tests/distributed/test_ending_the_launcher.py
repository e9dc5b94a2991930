"""A launcher that is ended leaves no rank behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pellucid.distributed import run as launcher
from pellucid.processes import supervisor
from tests.distributed.launch import SOURCE, needs_mpi
from tests.samples.duration import takes_long

WAITING = """
import os, pathlib, sys, time
import pellucid.distributed as dist
if __name__ == "__main__":
    dist.init_process_group()
    dist.barrier()
    pathlib.Path(sys.argv[1], f"pid{dist.get_rank()}").write_text(str(os.getpid()))
    time.sleep(120)
"""


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition, seconds: float) -> bool:
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("number", "transport"),
    [
        (signal.SIGTERM, "sockets"),
        pytest.param(signal.SIGKILL, "sockets", marks=takes_long),
        pytest.param(signal.SIGTERM, "mpi", marks=[needs_mpi, takes_long]),
        pytest.param(signal.SIGKILL, "mpi", marks=needs_mpi),
    ],
)
def test_no_rank_and_no_file_outlives_its_launcher(
    tmp_path: Path, number: signal.Signals, transport: str
) -> None:
    program, folder = tmp_path / "waiting.py", tmp_path / "temporary"
    program.write_text(WAITING)
    folder.mkdir()
    job = subprocess.Popen(
        [sys.executable, "-m", "pellucid.distributed.run", "--nproc-per-node", "2",
         "--transport", transport, str(program), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(SOURCE), "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    told = [tmp_path / "pid0", tmp_path / "pid1"]
    assert until(lambda: all(each.is_file() and each.read_text() for each in told), 40)
    ranks = [int(each.read_text()) for each in told]
    job.send_signal(number)
    assert until(lambda: not any(map(is_running, ranks)), 15)
    code = job.wait(15)
    if number == signal.SIGTERM:
        assert code == 128 + number
    assert until(lambda: not list(folder.glob("pellucid-run-*")), 15)


HAVING = """
import mmap, pathlib, sys, time
with open(sys.argv[1], "w+b") as file:
    file.truncate(4096)
    mapped = mmap.mmap(file.fileno(), 4096)
print("mapped", flush=True)
time.sleep(120)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", ["mpich_shm_{:x}_0", "mpich_shar_tmp{:x}"])
def test_memory_that_a_killed_rank_left_while_mpi_started_is_removed(name: str) -> None:
    memory = Path("/dev/shm", name.format(os.getpid()))
    begin = time.time() - 1
    command = [sys.executable, "-S", "-c", HAVING, str(memory)]
    rank = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert rank.stdout is not None
        assert rank.stdout.readline() == b"mapped\n"
        supervisor.remove_orphaned_memory(begin)
        assert memory.exists()  # a process has it mapped
        rank.kill()
        rank.wait()
        supervisor.remove_orphaned_memory(time.time() + 60)
        assert memory.exists()  # made before
        supervisor.remove_orphaned_memory(begin)
        assert not memory.exists()
    finally:
        rank.kill()
        rank.communicate()
        memory.unlink(missing_ok=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_helper_of_mpi_that_nobody_ends_is_ended(tmp_path: Path) -> None:
    helpers = []
    for name in ("orted", "sleeping"):
        (tmp_path / name).symlink_to(shutil.which("sleep") or "")
        helpers.append(subprocess.Popen([str(tmp_path / name), "120"]))
    lost, other = helpers
    call = "supervisor.end_lost_helper({}, 0)"
    ending = "; ".join(["import supervisor", *(call.format(each.pid) for each in (other, lost))])
    try:
        subprocess.run(
            [sys.executable, "-c", ending], cwd=Path(supervisor.__file__).parent, check=True
        )
        assert lost.wait(60) in (-signal.SIGTERM, -signal.SIGKILL)
        assert other.poll() is None
    finally:
        for each in helpers:
            each.kill()
            each.wait()


def test_several_machines_without_their_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE"):
        monkeypatch.delenv(name, raising=False)
    for node in ("0", "1"):
        with pytest.raises(
            ValueError, match=r"--node-rank N --master-addr HOST0.*--hosts HOST0,HOST1"
        ):
            launcher.main(["--nnodes", "2", "--node-rank", node, "script.py"])


@needs_mpi
@takes_long
def test_a_file_names_the_machines_as_a_queue_does(tmp_path: Path) -> None:
    program, hosts = tmp_path / "size.py", tmp_path / "hosts"
    program.write_text("import os\nprint(os.environ['RANK'], 'of', os.environ['WORLD_SIZE'])\n")
    hosts.write_text("# of the queue\nlocalhost slots=2\n\nlocalhost:2\n")
    command = [sys.executable, "-m", "pellucid.distributed.run", "--hostfile", str(hosts)]
    told = subprocess.run(
        [*command, "--nproc-per-node", "2", str(program)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert sorted(told.stdout.splitlines()) == ["0 of 2", "1 of 2"]
