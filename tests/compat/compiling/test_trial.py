"""A compiled function that takes no less time than the function runs plain; both are tried."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid._native import compiled
from pellucid.compat.compiling import compiled as compiling
from tests.compat.compiling.random_programs import first_difference as of_programs
from tests.compat.compiling.random_steps import first_difference as of_steps

#: more calls than are timed
MANY = 160


def runs_plain(function: Any) -> str:
    return torch.inspect.compiled(function).plain_because


def test_one_operation_runs_plain_after_some_calls() -> None:
    f = torch.compile(lambda x: torch.relu(x))
    x = torch.tensor([-1.0, 2.0])
    assert [f(x).tolist() for _ in range(MANY)] == [[0.0, 2.0]] * MANY
    assert "plain and" in runs_plain(f)
    assert [each.name for each in torch.inspect.compiled(f).recordings[0].operations] == ["relu"]
    torch.compiler.reset()
    assert f(x).tolist() == [0.0, 2.0]
    assert not runs_plain(f)


def test_a_module_of_one_layer_runs_plain_after_some_calls() -> None:
    net = nn.ReLU()
    f = torch.compile(net)
    assert [f(torch.tensor([-1.0])).item() for _ in range(MANY)] == [0.0] * MANY
    assert "plain and" in runs_plain(f)
    net.register_forward_hook(lambda module, args, out: out + 1)
    assert f(torch.tensor([-1.0])).item() == 1.0


@pytest.mark.skipif(compiled is None, reason="there is nothing that runs at once")
def test_what_takes_less_time_goes_on_by_its_recording() -> None:
    w = torch.ones(4, 4, requires_grad=True)

    def step(x: Any) -> Any:
        y = x
        for _ in range(30):
            y = y * w
        y.sum().backward()
        return y

    f = torch.compile(step)
    for number in range(1, MANY):
        f(torch.full((4, 4), 2.0))
        assert w.grad is not None
        assert w.grad[0, 0].item() == 60.0 * number
    assert not runs_plain(f)
    assert torch.inspect.compiled(f).recordings[0].stretches[0].runs


def test_effects_happen_once_in_each_call() -> None:
    seen: list[int] = []

    @torch.compile
    def f(x: Any, n: int) -> Any:
        seen.append(n)
        return x.add_(1)

    x = torch.zeros(1)
    assert [f(x, n).item() for n in range(MANY)] == list(range(1, MANY + 1))
    assert seen == list(range(MANY))


def test_errors_are_those_of_the_function() -> None:
    f = torch.compile(lambda x, n: x / n if n else torch.relu(n))
    for number in range(MANY):
        if number % 7:
            assert f(torch.ones(1), 2).item() == 0.5
        else:
            with pytest.raises(TypeError, match="relu"):
                f(torch.ones(1), 0)


def test_programs_that_are_told_they_are_compiled_go_on_by_their_recording() -> None:
    told = torch.compile(lambda x: (x, torch.compiler.is_compiling()))
    graphs: list[Any] = []
    by_backend = torch.compile(
        lambda x: torch.relu(x), backend=lambda gm, inputs: graphs.append(gm) or gm.forward
    )
    for _ in range(MANY):
        assert told(torch.ones(1))[1]
        assert by_backend(torch.ones(1)).item() == 1.0
    assert not runs_plain(told)
    assert not runs_plain(by_backend)
    assert len(graphs) == 1


@pytest.mark.parametrize("seed", range(8))
def test_random_steps_and_programs_do_the_same_in_turns(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "FIRST_RUNS", 1)
    assert of_steps(seed) == ""
    assert of_programs(seed) == ""
