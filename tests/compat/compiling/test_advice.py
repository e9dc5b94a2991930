"""What `watch` says of compiling a step: how many operations, which lines, and what not."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native
from pellucid.compat.compiling import settings
from pellucid.compat.compiling.advice import _saving_of_an_op, advice
from pellucid.inspect import record

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no module")

_PROGRAM = """\
import pellucid as torch
net, total = torch.nn.Linear(2, 1), 0.0
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(3, 2)
def one(x):
    loss = (net(x) - 1).square().mean()
    loss.backward()
    return loss
def run(count):
    global total
    for _ in range(count):
        optimizer.zero_grad()
        loss = torch.tanh(net(x)).sum()
        loss.backward()
        optimizer.step()
        total += loss.item()
        print(end="")
"""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(settings, "everything", set())
    lines = _PROGRAM.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "advised.py", (len(_PROGRAM), None, lines, "advised.py"))
    names: dict[str, Any] = {}
    exec(compile(_PROGRAM, "advised.py", "exec"), names)
    return names


def test_a_loop_is_told_which_lines_make_a_function_and_what_stays_outside(program: Any) -> None:
    with record() as recording:
        program["run"](1)
    told = advice(recording, 10_000, lambda: 1000.0).splitlines()
    assert told == [
        "torch.compile: 3 operations of a step could run at once, which would save up to about "
        "3.00 µs of 10.0 µs (30%). Make a function of lines 12 to 17, advised.py:12, and compile "
        "it.",
        "  Leave loss.item() in line 16 outside: item() hands a value to Python.",
        "  Leave print() in line 17 outside: it acts outside of the program.",
    ]


def test_a_step_that_is_a_function_is_to_be_compiled(program: Any) -> None:
    with record() as recording:
        program["one"](program["x"])
    assert advice(recording, 10_000, lambda: 1000.0).endswith("Compile one(), advised.py:5.")


def test_nothing_is_said_where_it_would_give_little_or_is_compiled(program: Any) -> None:
    with record() as recording:
        program["run"](1)
    assert not advice(recording, 1_000_000, lambda: 1000.0)
    assert not advice(recording, 10_000, lambda: 0.0)
    with record() as nothing:
        torch.ones(2)
    assert not advice(nothing, 10_000, lambda: 1000.0)
    settings.everything.add(object())
    assert not advice(recording, 10_000, lambda: 1000.0)


def test_what_an_op_saves_is_measured_and_leaves_nothing_behind(program: Any) -> None:
    state = torch.get_rng_state()
    assert 0 <= _saving_of_an_op() < 1e8
    assert not settings.everything
    assert torch.equal(state, torch.get_rng_state())
