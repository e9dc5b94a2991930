"""Groups of processes that MPI has not started: sockets connect them."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.distributed import run as launcher
from pellucid.processes.sockets.tcp_store import is_loopback
from tests.distributed.launch import PROGRAMS, SOURCE, needs_mpi, run, succeed
from tests.samples.duration import takes_long

SETTINGS = os.environ | {
    "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
}  # fmt: skip


def test_every_exchange_agrees_as_over_mpi() -> None:
    assert "all agree on collectives" in succeed(3, "collectives", launcher="sockets")


@takes_long
def test_training_agrees_as_over_mpi(tmp_path: Path) -> None:
    told = succeed(
        2, "several", "data_parallel", "+", "sharded", str(tmp_path), "save", "+", "overlap", "+",
        "pipeline", launcher="sockets",
    )  # fmt: skip
    for what in ("on data-parallel training", "after save", "on overlap", "on pipelines"):
        assert f"all agree {what}" in told


@takes_long
def test_a_recording_and_the_checks_see_all_ranks() -> None:
    assert "all agree on what is seen" in succeed(3, "seen", launcher="sockets")


@needs_mpi
@takes_long
def test_they_see_the_same_over_mpi() -> None:
    assert "all agree on what is seen" in succeed(2, "seen")


@takes_long
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("raising", r"because rank 1 failed: ValueError: a bad batch \(ending.py:\d+\)"),
        ("killed", r"because rank 1 died: its process \d+ on \S+ is gone"),
    ],
)
def test_the_others_say_which_rank_has_ended_and_why(tmp_path: Path, how: str, why: str) -> None:
    finished = run(3, "ending", how, str(tmp_path / "pid"), launcher="sockets")
    assert finished.returncode == 1
    for rank in (0, 2):
        assert re.search(
            rf"rank {rank} cannot complete all_reduce\(float32\[1048576\], SUM\) at ending.py:\d+: "
            + why,
            finished.stderr,
        ), finished.stderr[-3000:]
    if how == "killed":
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


BY_HAND = """
import sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def run(rank, size, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=size)
    x = torch.full((2,), float(rank))
    if rank == 0:
        dist.send(x + 7, dst=1)
    elif rank == 1:
        dist.recv(x, src=0)
    dist.all_reduce(x)
    if rank == size - 1:
        print(x.tolist(), dist.get_backend(), flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.set_start_method(sys.argv[2])
    processes = [mp.Process(target=run, args=(rank, 3, sys.argv[1])) for rank in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
"""


@takes_long
def test_processes_started_by_hand_find_one_another_by_each_kind_of_url(tmp_path: Path) -> None:
    program = tmp_path / "by_hand.py"
    program.write_text(BY_HAND)
    boards = set(Path("/dev/shm").glob("pellucid-board-*"))
    for url, start in [
        (f"file://{tmp_path}/store", "fork"), ("env://", "fork"), ("tcp://127.0.0.1:{}", "spawn"),
    ]:  # fmt: skip
        port = _free_port()
        finished = subprocess.run(
            [sys.executable, "-m", "pellucid", "run", str(program), url.format(port), start],
            env=SETTINGS | {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert finished.stdout == "[9.0, 9.0] gloo\n", finished.stderr
    assert set(Path("/dev/shm").glob("pellucid-board-*")) <= boards


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@takes_long
def test_one_launcher_on_each_machine_makes_one_job() -> None:
    endpoint = f"127.0.0.1:{_free_port()}"
    command = [
        sys.executable, "-m", "pellucid.distributed.run", "--nnodes", "2", "--nproc-per-node", "1",
        "--rdzv-endpoint", endpoint, "--node-rank",
    ]  # fmt: skip
    script = str(PROGRAMS / "several.py")
    launchers = [
        subprocess.Popen(
            [*command, node, script, "data_parallel"], env=SETTINGS, stdout=subprocess.PIPE,
            text=True,
        )
        for node in "01"
    ]  # fmt: skip
    told = [each.communicate(timeout=60)[0] for each in launchers]
    assert [each.returncode for each in launchers] == [0, 0]
    assert "all agree on data-parallel training" in "".join(told)


RESTARTED = """
import os, sys
from torch.distributed.elastic.multiprocessing.errors import record

@record
def main():
    if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and os.environ["RANK"] == "1":
        raise ValueError("the first attempt")
    print("rank", os.environ["RANK"], "of attempt", os.environ["TORCHELASTIC_RESTART_COUNT"])

main()
"""


@takes_long
def test_a_job_that_failed_is_started_again_as_often_as_asked(tmp_path: Path) -> None:
    program = tmp_path / "restarted.py"
    program.write_text(RESTARTED)
    finished = subprocess.run(
        [
            sys.executable, "-m", "pellucid.distributed.run", "--transport", "sockets",
            "--nproc-per-node", "2", "--max-restarts", "1", str(program),
        ],
        env=SETTINGS, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    assert "starting all ranks again: 1 of 1" in finished.stderr
    lines = sorted(line for line in finished.stdout.splitlines() if line.endswith("attempt 1"))
    assert lines == ["rank 0 of attempt 1", "rank 1 of attempt 1"]


@pytest.mark.parametrize(
    "transport", ["sockets", pytest.param("mpi", marks=[needs_mpi, takes_long])]
)
def test_what_ranks_print_gets_their_number_and_goes_to_files(
    tmp_path: Path, transport: str
) -> None:
    program = tmp_path / "talking.py"
    program.write_text("import os, sys\nfor _ in 'ab': print('out', os.environ['RANK'])\n"
                       "print('wrong', os.environ['ROLE_NAME'], file=sys.stderr)\n")  # fmt: skip
    finished = subprocess.run(
        [
            sys.executable, "-m", "pellucid.distributed.run", "--transport", transport,
            "--nproc-per-node", "2", "--log-dir", str(tmp_path / "logs"), "--redirects", "2",
            "--tee", "1", "--rdzv-id", "job", str(program),
        ],
        env=SETTINGS, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    told = [f"[default{rank}]:out {rank}" for rank in (0, 0, 1, 1)]
    assert sorted(finished.stdout.splitlines()) == told
    assert "wrong" not in finished.stderr
    for rank in range(2):
        folder = tmp_path / "logs" / "job" / "attempt_0" / str(rank)
        assert (folder / "stdout.log").read_text() == f"out {rank}\n" * 2
        assert (folder / "stderr.log").read_text() == "wrong default\n"


TALKING = """
import sys

for _ in "ab":
    print("out", 1, end=".\\n")
print("wrong", 2, file=sys.stderr)
print("last words", end="")
"""


def test_a_rank_writes_each_line_in_one_call(tmp_path: Path) -> None:
    program = tmp_path / "talking.py"
    program.write_text(TALKING)
    heard, speaking = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with heard, speaking:
        heard.settimeout(60)
        process = subprocess.Popen(
            [sys.executable, "-m", "pellucid", "run", str(program)], stdout=speaking,
            stderr=speaking, env=SETTINGS | {"RANK": "0", "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        parts = [heard.recv(100) for _ in range(4)]
        assert process.wait(60) == 0
    assert parts == [b"out 1.\n", b"out 1.\n", b"wrong 2\n", b"last words"]


def test_output_that_would_go_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="--log-dir"):
        launcher.main(["--redirects", "3", "script.py"])
    with pytest.raises(ValueError, match="0:1,1:3"):
        launcher.main(["--tee", "both", "script.py"])


def test_the_loopback_is_known() -> None:
    assert is_loopback("localhost")
    assert is_loopback("127.0.1.1")
    assert not is_loopback("10.0.0.1")
