"""Programs of several ranks under torchrun, each of them watched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pellucid
from pellucid.inspect.checks import ranks_differ
from tests.samples.duration import takes_long

torch: Any = pytest.importorskip("torch")

SOURCE = str(Path(pellucid.__file__).parents[1])
BEGIN = """
import pellucid.inspect.pytorch
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
torch.manual_seed({seed})
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
"""
END = """
dist.barrier()
pellucid.inspect.pytorch.stop()
dist.barrier()
dist.destroy_process_group()
"""
OTHER_SEEDS = """
for _ in range(10):
    net(torch.ones(4, 2)).sum().backward()
    for each in net.parameters():
        dist.all_reduce(each.grad)
        each.grad /= 2
    optimizer.step()
"""
ON_THEIR_OWN = """
for step in range(33):
    optimizer.zero_grad()
    net(torch.full((4, 2), dist.get_rank() + 1.0)).square().mean().backward()
    optimizer.step()
    if {averages} and step % 4 == 3:
        for each in net.parameters():
            dist.all_reduce(each.data)
            each.data /= 2
"""


def told(folder: Path, program: str, *command: str) -> str:
    """Return what two ranks of a program write to stderr under torchrun.

    Args:
        folder: Where the program is put.
        program: Its text.
        command: The module that runs it, with its options; none if the environment has it watched.
    """
    path = folder / "train.py"
    path.write_text(program)
    watched = {} if command else {"PELLUCID_WATCH": "torch"}
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         *command, str(path)],
        capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1", **watched},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("pellucid, rank") >= 4
    return done.stderr


def findings(text: str) -> list[str]:
    """Return what is told at a step, without the rank and the step."""
    return re.findall(r"^pellucid, rank \d, step \d+: (.*)$", text, re.MULTILINE)


@takes_long
def test_what_ranks_find_is_named_by_one_of_them(tmp_path: Path) -> None:
    text = told(tmp_path, BEGIN.format(seed="dist.get_rank()") + OTHER_SEEDS + END)
    differ, never_cleared = findings(text)
    assert differ == (
        f"{ranks_differ.PARAMETERS}: Linear.weight and Linear.bias of rank 1 differ from those of "
        "rank 0"
    )
    assert never_cleared.startswith("gradients never set to zero")
    assert text.count("1 finding that another rank has named") == 1


@takes_long
@pytest.mark.parametrize("averages", [False, True])
def test_ranks_that_never_exchange_anything_are_told(tmp_path: Path, averages: bool) -> None:
    text = told(tmp_path, BEGIN.format(seed=0) + ON_THEIR_OWN.format(averages=averages) + END)
    assert any(each.startswith(ranks_differ.ALONE) for each in findings(text)) is not averages


@takes_long
def test_each_line_of_a_watched_program_names_its_rank(tmp_path: Path) -> None:
    page = tmp_path / "step.html"
    command = "-m", "pellucid", "watch", "--with", "torch", "--html", str(page)
    program = BEGIN.format(seed=0) + OTHER_SEEDS + "dist.destroy_process_group()"
    text = told(tmp_path, program, *command)
    lines = [each for each in text.splitlines() if each.startswith("pellucid")]
    assert {each[:16] for each in lines} == {"pellucid, rank 0", "pellucid, rank 1"}
    assert page.exists()
