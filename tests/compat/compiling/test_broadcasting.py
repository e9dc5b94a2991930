"""Gradients are summed to the sizes of smaller operands where steps run at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid._native import compiled

pytestmark = pytest.mark.skipif(compiled is None, reason="there is nothing that runs at once")

CALLS = 8
Loss = Callable[[Any, Any], Any]


def root_mean_square(x: Any, w: Any) -> Any:
    return x * w / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def softmax(x: Any, w: Any) -> Any:
    e = torch.exp(x * w)
    return e / e.sum(1, keepdim=True) * x


def pairs(x: Any, w: Any) -> Any:
    return (x.unsqueeze(1) - w.unsqueeze(0)).square() * x[0]


def column(x: Any, w: Any) -> Any:
    return x * w[:, :1] + w.sum(0) - w[1]


def rows_and_numbers(x: Any, w: Any) -> Any:
    return (x * w.mean()) + w[:1] * w.sum(1, keepdim=True)


def used_again(x: Any, w: Any) -> Any:
    scale = w.sum(1, keepdim=True)
    return x * scale + scale * w


def without_history(x: Any, w: Any) -> Any:
    largest = (x * w).detach().sum(1, keepdim=True)
    return torch.exp(x * w - largest) * w.detach()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "act", [root_mean_square, softmax, pairs, column, rows_and_numbers, used_again, without_history]
)
def test_it_runs_at_once_and_gives_the_same(act: Loss, dtype: Any) -> None:
    seen = []
    for wrap in (lambda step: step, torch.compile):
        torch.manual_seed(0)
        x = torch.randn(6, 5, dtype=dtype, requires_grad=True)
        w = torch.randn(6, 5, dtype=dtype, requires_grad=True)
        add = torch.ones(5, dtype=dtype, requires_grad=True)

        def step(x: Any = x, w: Any = w, add: Any = add) -> Any:
            loss = (act(x, w) + add).sum()
            loss.backward()
            return loss

        run = wrap(step)
        found: list[Any] = []
        for call in range(CALLS):
            if call % 3 == 0:
                x.grad = w.grad = add.grad = None
            found.append(run().item())
            for each in (x, w, add):
                assert each.grad is not None
                found.append((each.grad.tolist(), each.grad._version, each.grad.stride()))
        seen.append(found)
    assert seen[0] == seen[1]
    (stretch,) = torch.inspect.compiled(run).recordings[0].stretches
    assert stretch.runs
    assert stretch.nodes > 0
