"""``grad_dtype``: gradients of a leaf in another dtype than its own."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch


@pytest.mark.parametrize("leaves", [(2,), (2, 3), (64, 64)])
def test_sums_over_passes_are_kept_in_the_wider_dtype(leaves: tuple[int, ...]) -> None:
    weight = torch.ones(leaves, requires_grad=True)
    weight.grad_dtype = torch.float64
    for _ in range(3):
        (weight * 1e-8).sum().backward()
        (weight * 1.0).sum().backward()
    exact = 3 * (np.float64(np.float32(1e-8)) + 1)
    assert weight.grad.dtype == torch.float64
    assert np.array_equal(weight.grad.numpy(), np.full(leaves, exact))


def test_a_linear_layer_fills_gradients_of_another_dtype() -> None:
    layer = torch.nn.Linear(3, 2)
    layer.weight.grad_dtype = layer.bias.grad_dtype = torch.float64
    x = torch.arange(12.0).reshape(4, 3)
    for times in (1, 2):
        layer(x).sum().backward()
        assert np.array_equal(layer.weight.grad.numpy(), times * np.tile(x.numpy().sum(0), (2, 1)))
    assert layer.weight.grad.dtype == layer.bias.grad.dtype == torch.float64


def test_a_compiled_step_heeds_a_dtype_that_is_set_between_its_calls() -> None:
    weight = torch.ones(3, requires_grad=True)

    @torch.compile
    def step(x: torch.Tensor) -> torch.Tensor:
        weight.grad = None
        loss = (weight * x).sum()
        loss.backward()
        return loss

    x = torch.ones(3)
    for wanted in (torch.float32, torch.float32, torch.float64, torch.float64, torch.float32):
        weight.grad = None
        weight.grad_dtype = wanted
        step(x)
        assert weight.grad.dtype == wanted


def test_hooks_see_the_gradient_in_its_dtype_and_none_keeps_what_arrives() -> None:
    seen: list[torch.dtype] = []

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g.double()

    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: seen.append(g.dtype))
    x.grad_dtype = torch.float16
    (x * 2).sum().backward()
    x.grad = None
    x.grad_dtype = None
    Doubled.apply(x).sum().backward()
    assert seen == [torch.float16, torch.float64]
    assert x.grad.dtype == torch.float64
