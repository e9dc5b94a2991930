"""Programs written for PyTorch run unchanged, and learn; watching them finds no fault."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.alias.launching import run_pellucid

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
LOSS = re.compile(r"(?:^|[^a-z_])loss:? ([-\d.]+)")


def write_digits(folder: Path) -> None:
    """Write small files in MNIST's format: bars whose place says the class."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    for part, count in (("train", 96), ("t10k", 32)):
        labels = rng.integers(0, 10, count).astype(np.uint8)
        pictures = rng.integers(0, 60, (count, 28, 28)).astype(np.uint8)
        rows = np.arange(28) // 3 == labels[:, None]
        pictures[rows] = 255
        for name, array in (("images-idx3", pictures), ("labels-idx1", labels)):
            head = b"\0\0" + bytes([8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
            (folder / f"{part}-{name}-ubyte").write_bytes(head + array.tobytes())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs_unchanged(program: Path, tmp_path: Path) -> None:
    write_digits(tmp_path / "data" / "MNIST" / "raw")
    finished = run_pellucid(tmp_path, "watch", program)
    assert finished.returncode == 0, finished.stderr
    assert "does not provide" not in finished.stderr
    assert "faults, found none" in finished.stderr.rstrip().splitlines()[-1]
    losses = [float(loss) for loss in LOSS.findall(finished.stdout)]
    assert all(np.isfinite(losses))
    if losses:
        assert losses[-1] < losses[0]
