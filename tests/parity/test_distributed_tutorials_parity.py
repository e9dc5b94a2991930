"""Programs as PyTorch's tutorials of many processes teach them: the same losses, unmodified."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid
from pellucid.processes.launching import can_launch

pytest.importorskip("torch")

PROGRAMS = Path(__file__).parent / "processes" / "tutorials"
SOURCE = Path(pellucid.__file__).resolve().parents[1]
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
NEEDS_MPI = pytest.mark.skipif(not can_launch(), reason="needs mpi4py and mpiexec")
TRANSPORTS = ["sockets", pytest.param("mpi", marks=NEEDS_MPI)]


def settings() -> dict[str, str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return {
        **os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore",
        "OPENBLAS_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
    }  # fmt: skip


def printed(command: list[str], environment: dict[str, str], starts: int = 1) -> list[str]:
    """Return the lines that a program prints, in order of their words.

    One of PyTorch's may be started again: at times a thread of gloo ends it when all is done.
    """
    for _ in range(starts):
        finished = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        if "terminate called without an active exception" not in finished.stderr:
            break
    assert finished.returncode == 0, finished.stderr[-4000:]
    return finished.stdout.splitlines()


def with_torch(program: str, count: int, argument: str) -> list[str]:
    """Run a program with PyTorch, started as torchrun starts it."""
    environment = settings() | {"WORLD_SIZE": str(count)}
    command = [sys.executable, str(PROGRAMS / program), argument]
    others = [
        subprocess.Popen(command, env=environment | {"RANK": str(rank)}, stdout=subprocess.PIPE)
        for rank in range(1, count)
    ]
    told = printed(command, environment | {"RANK": "0"})
    for each in others:
        told += each.communicate(timeout=300)[0].decode().splitlines()
        assert each.returncode == 0
    return told


def with_pellucid(program: str, count: int, argument: str, transport: str) -> list[str]:
    """Run it with the counterpart of torchrun."""
    command = [sys.executable, "-m", "pellucid.distributed.run", "--transport", transport]
    command += ["--nproc-per-node", str(count), str(PROGRAMS / program), argument]
    return printed(command, settings())


def check_same(ours: list[str], theirs: list[str]) -> None:
    """Compare texts and numbers of the lines that were printed."""
    assert [NUMBER.sub("#", line) for line in ours] == [NUMBER.sub("#", line) for line in theirs]
    numbers = [[float(each) for each in NUMBER.findall("\n".join(told))] for told in (ours, theirs)]
    assert len(numbers[0]) >= 5
    assert numbers[0] == pytest.approx(numbers[1], rel=2e-5, abs=1e-6)


@pytest.mark.parametrize("program", ["first_steps.py", "data_parallel.py"])
@pytest.mark.parametrize("count", [2, 3])
def test_programs_that_start_their_own_processes(program: str, count: int) -> None:
    script = [str(PROGRAMS / program), str(count)]
    ours = printed([sys.executable, "-m", "pellucid", "run", *script], settings())
    check_same(ours, printed([sys.executable, *script], settings(), starts=3))


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("program", ["language_model.py", "sharded.py", "stages.py"])
def test_programs_that_torchrun_starts(program: str, transport: str, tmp_path: Path) -> None:
    folders = tmp_path / "theirs", tmp_path / "ours"
    for each in folders:
        each.mkdir()
    theirs = with_torch(program, 2, str(folders[0]))
    check_same(with_pellucid(program, 2, str(folders[1]), transport), theirs)


def test_both_dims_of_a_mesh_and_four_stages(tmp_path: Path) -> None:
    for program in ("sharded.py", "stages.py"):
        folders = tmp_path / f"{program} theirs", tmp_path / f"{program} ours"
        for each in folders:
            each.mkdir()
        theirs = with_torch(program, 4, str(folders[0]))
        check_same(with_pellucid(program, 4, str(folders[1]), "sockets"), theirs)
