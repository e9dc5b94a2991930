"""Running the programs of this folder as several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid
from pellucid.processes.launching import can_launch, find_mpiexec

PROGRAMS = Path(__file__).parent / "programs"
SOURCE = Path(pellucid.__file__).resolve().parents[1]

needs_mpi = pytest.mark.skipif(not can_launch(), reason="needs mpi4py and mpiexec")


def run(
    count: int, program: str, *arguments: str, launcher: str = "mpiexec"
) -> subprocess.CompletedProcess[str]:
    """Run a program as so many processes, by mpiexec or by torchrun's counterpart.

    "run" is that with MPI, where it is installed; "sockets" the same without.
    """
    script = [str(PROGRAMS / f"{program}.py"), *arguments]
    if launcher == "mpiexec":
        command = [str(find_mpiexec()), "-n", str(count), sys.executable, "-W", "error", *script]
    else:
        module = "pellucid.distributed.run"
        command = [sys.executable, "-m", module, "--nproc-per-node", str(count)]
        command += ["--transport", "sockets", *script] if launcher == "sockets" else script
    settings = {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, timeout=300, check=False
    )


def succeed(count: int, program: str, *arguments: str, launcher: str = "mpiexec") -> str:
    """Run a program that ends well on all ranks; return what it prints."""
    finished = run(count, program, *arguments, launcher=launcher)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-6000:]
    return finished.stdout
