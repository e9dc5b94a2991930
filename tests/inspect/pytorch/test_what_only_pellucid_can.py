"""What cannot be done to PyTorch's graphs says why; what is foretold of them is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid
from pellucid import inspect
from pellucid.inspect import pytorch
from tests.inspect.pytorch.test_ledgers_of_pytorch import needs_stored

torch: Any = pytest.importorskip("torch")
nn = torch.nn

PARTS = "frees the whole graph that a pass has run, or nothing of it"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda loss, y: inspect.plan(loss, retain_graph=[y]), PARTS),
        (lambda loss, y: inspect.what_if(loss, retain_graph=[y]), PARTS),
        (lambda loss, y: inspect.cut(y), "do not let go of their operands from outside"),
        (lambda loss, y: inspect.graph(loss, values=True), "runs operations of the graph again"),
        (lambda loss, y: inspect.where_from(loss), "runs operations of the graph again"),
        (lambda loss, y: inspect.ranks_differ(nn.Linear(1, 1)), "watch --with torch"),
        (lambda loss, y: pellucid.autograd.backward(loss, atomic=True), "no atomic=True"),
        (lambda loss, y: pellucid.autograd.backward([loss]), "call its own backward()"),
        (lambda loss, y: pellucid.autograd.grad(loss, y), "torch.autograd.grad"),
    ],
)
def test_what_is_not_possible_says_why(call: Callable[[Any, Any], Any], why: str) -> None:
    y = torch.ones(3, requires_grad=True).exp()
    with pytest.raises(TypeError) as refused:
        call(y.sum(), y)
    assert why in str(refused.value)


def writes(w: Any, y: Any) -> None:
    y.sum().backward(retain_graph=[y])


def returns(w: Any, y: Any) -> None:
    torch.autograd.grad(y.sum(), w, retain_graph=[y])


@pytest.mark.parametrize("call", [writes, returns])
def test_keeping_a_part_of_a_graph_is_refused_with_the_line(
    call: Callable[[Any, Any], None],
) -> None:
    w = torch.ones(3, requires_grad=True)
    y = w.exp()
    with pytest.raises(TypeError) as alone:
        call(w, y)
    with pytorch.lines(), pytest.raises(TypeError) as watched:
        call(w, y)
    said = str(watched.value)
    assert said.startswith(str(alone.value))
    assert "retain_graph=[y])" in said
    assert PARTS in said


@needs_stored
def test_a_larger_batch_costs_what_is_foretold() -> None:
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))

    def loss_of(batch: int) -> Any:
        return net(torch.ones(batch, 6)).square().mean()

    small, large = loss_of(32), loss_of(64)
    foretold = inspect.what_if(small, batch=64)
    assert foretold.now.held == inspect.memory(small).held_bytes
    assert foretold.then.held == inspect.memory(large).held_bytes
    assert foretold.then.peak == inspect.plan(large).peak


def test_histories_of_parameters_are_those_of_the_program() -> None:
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    gradients, weights, losses = [], [], []
    with inspect.history() as seen:
        for step in range(3):
            optimizer.zero_grad()
            loss = net(torch.full((4, 3), step + 1.0)).square().mean()
            loss.backward()
            gradients.append(net.weight.grad.norm().item())
            weights.append(net.weight.norm().item())
            losses.append((step + 1, loss.item()))
            optimizer.step()
    rows = seen.of("Linear.weight")
    assert [row.gradient for row in rows] == pytest.approx(gradients, rel=1e-5)
    assert [row.weight for row in rows] == pytest.approx(weights, rel=1e-5)
    assert [row.update for row in rows] == pytest.approx([0.1 * each for each in gradients], 1e-4)
    assert seen.losses == losses
    assert torch.overrides._get_current_function_mode() is None
