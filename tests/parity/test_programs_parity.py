"""Unchanged programs print under the alias the numbers that they print under PyTorch."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((REPOSITORY / "tests" / "alias" / "programs").glob("*.py"))
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")

# Processes change one network at once, in no order that could be repeated.
BY_CHANCE = {"hogwild"}


def printed(program: Path, folder: Path, *way: str) -> str:
    folder.mkdir()
    source = str(REPOSITORY / "src")
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    finished = subprocess.run(
        [sys.executable, *way, str(program)], cwd=folder, env=environment, capture_output=True,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_the_numbers_of_pytorch(program: Path, tmp_path: Path) -> None:
    if program.stem in BY_CHANCE:
        pytest.skip("its numbers are different each time")
    if "torchvision" in program.read_text("utf-8"):
        pytest.importorskip("torchvision")
    theirs = printed(program, tmp_path / "torch")
    ours = printed(program, tmp_path / "pellucid", "-m", "pellucid", "run")
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    values = [[float(number) for number in NUMBER.findall(text)] for text in (ours, theirs)]
    np.testing.assert_allclose(*values, rtol=1e-3, atol=2e-4)
