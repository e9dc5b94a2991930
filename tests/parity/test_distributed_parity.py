"""Several processes exchange and learn what they do with PyTorch and gloo."""

from __future__ import annotations

import importlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid
from pellucid.processes.launching import can_launch, find_mpiexec

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not can_launch(), reason="needs mpi4py and mpiexec")

PROGRAMS = Path(__file__).parent / "processes"
SOURCE = Path(pellucid.__file__).resolve().parents[1]
SETTINGS = {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
PROGRAM_NAMES = ["program.py", "in_the_graph.py", "pipelines.py", "uneven.py", "sharded.py"]
#: what is rounded to half precision on its way
COARSE = {"fp16": 2e-3, "float16": 1e-3, "bfloat16": 1e-2}


def with_gloo(program: str, count: int, directory: Path) -> None:
    """Run the program with PyTorch, each rank a process of its own."""
    shared = {"WORLD_SIZE": str(count), "INIT_METHOD": f"file://{directory / 'meeting'}"}
    running = [
        subprocess.Popen(
            [sys.executable, str(PROGRAMS / program), str(directory)],
            env=os.environ | SETTINGS | shared | {"RANK": str(rank)},
            stderr=subprocess.PIPE,
        )
        for rank in range(count)
    ]
    try:
        for process in running:
            _, errors = process.communicate(timeout=240)
            assert process.returncode == 0, errors.decode()[-3000:]
    finally:
        for process in running:
            process.kill()
            process.communicate()


def with_sockets(program: str, count: int, directory: Path) -> None:
    """Run the program with pellucid in PyTorch's place, over sockets."""
    finished = subprocess.run(
        [
            sys.executable, "-m", "pellucid.distributed.run", "--transport", "sockets",
            "--nproc-per-node", str(count), str(PROGRAMS / program), str(directory),
        ],
        env=os.environ | SETTINGS, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr[-6000:]


def with_mpi(program: str, count: int, directory: Path) -> None:
    """Run the program with pellucid in PyTorch's place."""
    command = [str(find_mpiexec()), "-n", str(count), sys.executable, "-m", "pellucid", "run"]
    finished = subprocess.run(
        [*command, str(PROGRAMS / program), str(directory)],
        env=os.environ | SETTINGS, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr[-6000:]


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled:UserWarning")
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("program", PROGRAM_NAMES)
def test_processes_compute_what_they_do_with_gloo(program: str, count: int, tmp_path: Path) -> None:
    runs = {"gloo": with_gloo, "mpi": with_mpi, "sockets": with_sockets}
    for name, run in runs.items():
        (tmp_path / name).mkdir()
        run(program, count, tmp_path / name)
    for name, rank in itertools.product(("mpi", "sockets"), range(count)):
        ours, theirs = tmp_path / name / f"{rank}.npz", tmp_path / "gloo" / f"{rank}.npz"
        with np.load(ours) as mine, np.load(theirs) as expected:
            assert sorted(mine) == sorted(expected)
            for name, value in expected.items():
                if value.dtype.kind in "biuU":
                    np.testing.assert_array_equal(mine[name], value, err_msg=f"{rank}: {name}")
                    continue
                close = next((each for key, each in COARSE.items() if key in name), 1e-5)
                np.testing.assert_allclose(
                    mine[name], value, rtol=close, atol=close, err_msg=f"{rank}: {name}"
                )
    if program == "program.py":
        check_checkpoints(tmp_path)


def check_checkpoints(folder: Path) -> None:
    """Read PyTorch's checkpoint with pellucid and those of pellucid with PyTorch."""
    for name, library in (("gloo", pellucid), ("mpi", torch), ("sockets", torch)):
        with np.load(folder / name / "0.npz") as kept:
            expected = {key: kept[f"sharded {key}"] for key in ("0.weight", "0.bias", "3.weight")}
        state = {
            "model": {key: library.zeros(*value.shape) for key, value in expected.items()},
            "sizes": [0], "turn": 0,
        }  # fmt: skip
        load = importlib.import_module(f"{library.__name__}.distributed.checkpoint").load
        load(state, checkpoint_id=folder / name / "checkpoint", no_dist=True)
        for key, value in expected.items():
            np.testing.assert_array_equal(state["model"][key].numpy(), value)
        assert (state["sizes"], state["turn"]) == ([1, 2], 5)
