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


#: what hides the compiled module from a process, as where it has not been built
HIDDEN = """
import sys
class Hides:
    def find_spec(self, name, path=None, target=None):
        if name == "pellucid._native.compiled":
            raise ImportError("hidden")
sys.meta_path.insert(0, Hides())
"""


def what_is_said(prelude: str, program: str) -> tuple[str, str]:
    """Return what a process without the module prints, and what it says beside that."""
    environment = {**os.environ, "PYTHONPATH": str(_SOURCE), "PELLUCID_NATIVE": ""}
    ran = subprocess.run(
        [sys.executable, "-c", HIDDEN + prelude + program],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout, ran.stderr


def test_an_interactive_session_is_told_once_that_the_module_is_missing():
    printed, told = what_is_said(
        "sys.ps1 = '>>> '\n", "import pellucid, pellucid.nn\nprint(pellucid.show_config())"
    )
    assert told.count("\n") == 1
    assert "without its compiled module" in told
    assert "python -m pellucid info" in told
    assert "compiled module: no: not built" in printed
    assert "it needs a C++ compiler" in printed


def test_a_program_is_not_told():
    assert what_is_said("", "import pellucid; print(pellucid.ones(1).sum().item())") == (
        "1.0\n",
        "",
    )
