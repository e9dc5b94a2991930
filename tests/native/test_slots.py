"""A tensor whose private slots a program has deleted is an error of Python's, never a crash."""

from __future__ import annotations

import subprocess
import sys

SLOTS = ("_grad", "_edge", "_extra", "_storage", "_view", "_array")
CALLS = (
    "t * t", "-t", "t[0]", "t.view(3)", "t.split(1)", "t.sum()", "t[0].item()", "t.detach()",
    "torch.cat([t, t])", "torch.where(t > 0, t, t)", "torch.nn.Linear(3, 3)(t)",
    "(t * 2).sum().backward()", "torch.autograd.grad((t * t).sum(), t, create_graph=True)",
    "loss.backward()", "torch.inspect.graph((t * t).sum())", "torch.inspect.memory(loss)",
    "unrecorded.add_(1)", "unrecorded.fill_(2)", "unrecorded.__setitem__(0, 1)", "step(SGD)",
    "step(Adam)",
)  # fmt: skip

PROGRAM = """
import pellucid as torch
from pellucid.optim import SGD, Adam

def step(kind):
    t.grad = torch.ones(3)
    kind([t], lr=0.1).step()

for slot in SLOTS:
    for call in CALLS:
        for recorded in (True, False):
            t = torch.ones(3, requires_grad=recorded)
            unrecorded = torch.ones(3)
            loss = (t * t).sum()
            for each in (t, unrecorded):
                if hasattr(each, slot):
                    delattr(each, slot)
            try:
                eval(call)
            except (AttributeError, RuntimeError, TypeError):
                pass
print("through")
"""


def test_calls_with_a_deleted_slot_end_in_python() -> None:
    program = f"SLOTS, CALLS = {SLOTS!r}, {CALLS!r}\n{PROGRAM}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "through\n"), done.stderr
