"""Conditions and loops as functions."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid.func import control_flow


def test_a_condition_chooses_and_the_graph_has_what_ran() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.cond(x.sum() > 2, torch.square, torch.sin, (x,))
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert torch.cond(False, torch.square, torch.neg, (x,)).tolist() == [-1.0, -2.0]


def test_each_sample_gets_its_own_branch() -> None:
    choose = torch.vmap(lambda p, x: torch.cond(p, torch.square, torch.neg, (x,)))
    result = choose(torch.tensor([True, False]), torch.tensor([3.0, 4.0]))
    assert result.tolist() == [9.0, -4.0]


@pytest.mark.parametrize(
    ("pred", "operands", "words"),
    [
        ("yes", (), "Expected pred to be bool or tensor"),
        (torch.ones(2), (), "single-element tensor"),
        (torch.tensor(True), (1,), "only consists of tensor leaves"),
    ],
)
def test_what_no_condition_can_be(pred: Any, operands: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        torch.cond(pred, torch.neg, torch.neg, operands)


def test_a_loop_ends_when_its_condition_fails() -> None:
    steps, x = control_flow.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, torch.ones(2))
    )
    assert steps == 3
    assert x.tolist() == [8.0, 8.0]


def test_map_goes_along_the_first_dimension() -> None:
    xs = {"a": torch.arange(6.0).reshape(3, 2), "b": torch.arange(3.0)}
    result = control_flow.map(lambda x, y: (x["a"] * x["b"] + y,), xs, torch.ones(2))
    expected = xs["a"] * xs["b"].unsqueeze(1) + 1
    assert torch.equal(result[0], expected)
    with pytest.raises(RuntimeError, match="must be consistent"):
        control_flow.map(torch.add, (torch.ones(2), torch.ones(3)))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", range(1, 9))
def test_scans_are_running_products(length: int, reverse: bool) -> None:
    x = torch.rand(2, length, dtype=torch.float64, requires_grad=True)
    expected = x.flip(1).cumprod(1).flip(1) if reverse else x.cumprod(1)
    together = control_flow.associative_scan(torch.mul, x, 1, reverse, "generic")
    last, each = control_flow.scan(
        lambda carry, s: (carry * s, carry * s), torch.ones(2, dtype=torch.float64), x,
        dim=1, reverse=reverse,
    )  # fmt: skip
    torch.testing.assert_close(together, expected)
    torch.testing.assert_close(each, expected)
    torch.testing.assert_close(last, x.prod(1))
    (wanted,) = torch.autograd.grad(expected.sum(), x)
    (given,) = torch.autograd.grad(together.sum(), x)
    torch.testing.assert_close(given, wanted)
