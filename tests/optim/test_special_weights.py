"""Weights that are inf or nan leave an optimizer's state alone, unless there is weight decay."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch

OPTIMIZERS: dict[str, Any] = {
    "SGD": lambda params: torch.optim.SGD(params, lr=0.1),
    "SGD with momentum": lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9),
    "Adam": lambda params: torch.optim.Adam(params, lr=0.1),
    "Adam with amsgrad": lambda params: torch.optim.Adam(params, lr=0.1, amsgrad=True),
    "RMSprop": lambda params: torch.optim.RMSprop(params, lr=0.1, momentum=0.5, centered=True),
    "Adadelta": lambda params: torch.optim.Adadelta(params, lr=0.1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_without_decay_the_state_follows_from_the_gradients_alone(name: str, dtype: Any):
    weights = torch.tensor([float("inf"), float("nan"), -float("inf"), 1.0] * 5, dtype=dtype)
    usual = torch.ones(20, dtype=dtype)
    states = []
    for start in (weights, usual):
        x = start.clone().requires_grad_()
        optimizer = OPTIMIZERS[name]([x])
        for _ in range(3):
            x.grad = torch.full((20,), 0.5, dtype=dtype)
            optimizer.step()
        state = optimizer.state[x].values()
        states.append([each.tolist() for each in state if isinstance(each, torch.Tensor)])
    assert states[0] == states[1]


def test_a_largest_square_that_is_nan_stays_nan():
    x = torch.ones(20, requires_grad=True)
    optimizer = torch.optim.Adam([x], lr=0.1, amsgrad=True)
    for gradient in (float("nan"), 1.0):
        x.grad = torch.full((20,), gradient)
        optimizer.step()
        optimizer.state[x]["exp_avg_sq"].zero_()
    assert optimizer.state[x]["max_exp_avg_sq"].isnan().all()
