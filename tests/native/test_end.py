"""The end of the program: whatever daemon threads compute then, it ends as without them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import threading, time
import pellucid as torch

started = threading.Event()

def train():
    model = torch.nn.Sequential(torch.nn.Linear(200, 400), torch.nn.ReLU(), torch.nn.Linear(400, 1))
    x = torch.randn(500, 200)
    while True:
        torch.cat([model(x), model(x)]).sum().backward()
        model[0].weight.grad.add_(1.0)
        torch.sort(x.view(-1))
        started.set()

for _ in range(4):
    threading.Thread(target=train, daemon=True).start()
started.wait()
"""


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="the sanitizer does not follow the unwinding of a thread that Python ends, and takes "
    "what it then writes to its own stack for an overflow",
)
@pytest.mark.parametrize("turn", range(3))
def test_a_daemon_thread_that_trains_at_the_end_is_ended_quietly(turn: int):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
