"""The compiled module is there or not, and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid as torch
from pellucid import _native

_SOURCE = Path(torch.__file__).parents[1]


def config_with(setting: str) -> str:
    """Return what a fresh process says with this value of PELLUCID_NATIVE."""
    environment = os.environ | {"PELLUCID_NATIVE": setting, "PYTHONPATH": str(_SOURCE)}
    program = "import pellucid; print(pellucid.show_config())"
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def test_the_module_can_be_turned_off():
    assert "compiled module: no: turned off by PELLUCID_NATIVE=0" in config_with("0")


@pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
def test_the_processor_level_can_be_limited():
    assert "processor level baseline" in config_with("baseline")


def test_threads_and_blas_are_told():
    lines = torch.show_config().splitlines()
    assert [line.split(":")[0] for line in lines] == ["compiled module", "threads", "BLAS"]
    assert lines[1] == f"threads: {torch.get_num_threads()}"
