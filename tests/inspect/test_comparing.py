"""Two runs of a step compared: the first operation that differs, with both lines."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import compare

torch.manual_seed(0)
MODEL = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
INPUT = torch.randn(16, 4)


def step() -> None:
    MODEL.zero_grad()
    hidden = MODEL[:2](INPUT)
    loss = MODEL[2](hidden).pow(2).mean()
    loss.backward()


def other_loss() -> None:
    MODEL.zero_grad()
    hidden = MODEL[:2](INPUT)
    loss = MODEL[2](hidden).pow(2).sum()
    loss.backward()


def test_a_step_is_the_same_as_itself() -> None:
    found = compare(step, step)
    assert found
    assert found.same > 6
    assert str(found).startswith("no difference in ")


def test_the_first_operation_that_differs_is_named_with_both_lines() -> None:
    found = compare(step, other_loss)
    assert not found
    assert (found.same, found.phase) == (4, "forward")
    assert found.first is not None
    assert found.second is not None
    assert (found.first[0], found.second[0]) == ("mean", "sum")
    assert found.first[2] == "loss = MODEL[2](hidden).pow(2).mean()"
    assert found.second[2] == "loss = MODEL[2](hidden).pow(2).sum()"


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3


def test_a_gradient_that_differs_is_found_in_backward() -> None:
    x = torch.ones(3, requires_grad=True)
    found = compare(lambda: (x * 2).sum().backward(), lambda: Doubled.apply(x).sum().backward())
    assert found.phase == "backward"
    assert found.difference == "values differ by up to 1"
    assert found.second is not None
    assert found.second[0] == "DoubledBackward"


def test_random_numbers_are_the_same_in_both() -> None:
    def draw() -> None:
        (torch.randn(3) + torch.rand(3)).exp()

    assert compare(draw, draw)


def test_small_differences_may_be_allowed() -> None:
    x = torch.ones(3)
    assert not compare(lambda: x + 1.0, lambda: x + 1.001)
    assert compare(lambda: x + 1.0, lambda: x + 1.001, atol=0.01)
    assert compare(lambda: x + 1.0, lambda: x + 1.001, rtol=0.01)


def test_a_run_that_does_more_or_has_other_shapes_is_told() -> None:
    x = torch.ones(3)
    assert compare(lambda: x + 1, lambda: (x + 1) * 2).difference == "one of the runs ends here"
    assert compare(lambda: x + 1, lambda: x[:2] + 1).difference == "float32[3] and float32[2]"
    assert compare(lambda: x / 0, lambda: x / 1).difference == (
        "an element is finite in one run only"
    )


def test_a_state_that_the_first_run_has_changed_is_told() -> None:
    net, x = nn.BatchNorm1d(3), torch.ones(4, 3)
    found = compare(lambda: net(x), lambda: net(x))
    assert "as the first run did: give each run a copy" in found.difference


def test_only_functions_are_compared() -> None:
    with pytest.raises(TypeError, match="takes two functions, not Tensor"):
        compare(lambda: None, torch.ones(2))  # pyright: ignore[reportArgumentType]
