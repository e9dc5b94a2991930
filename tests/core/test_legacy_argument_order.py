"""Calls with a number before the second operand, as old optimizers write them."""

from __future__ import annotations

import warnings

import pytest

import pellucid as torch

T = [1.0, 2.0]

pytestmark = pytest.mark.filterwarnings("ignore:This overload of")


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("add", 1, [3.0, 6.0]),
        ("sub", 1, [-1.0, -2.0]),
        ("addcmul", 2, [3.0, 10.0]),
        ("addcdiv", 2, [3.0, 4.0]),
    ],
)
def test_a_number_before_the_operands_scales_them(name: str, others: int, expected: list) -> None:
    x = torch.tensor(T, requires_grad=True)
    operands = [torch.tensor(T)] * others
    for result in (
        getattr(torch, name)(x, 2, *operands),
        getattr(x, name)(2.0, *operands),
        getattr(x.detach().clone(), f"{name}_")(2, *operands),
    ):
        assert result.tolist() == expected
    getattr(x, name)(2, *operands).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.add(x, 2),
        lambda x: torch.add(x, 2, x, alpha=3),
        lambda x: x.addcmul_(x, x, 2),
        lambda x: torch.mul(x, 2, x),
    ],
)
def test_other_orders_are_refused_before_anything_is_written(call: object) -> None:
    x = torch.tensor(T)
    with pytest.raises(TypeError, match="positional arguments but"):
        call(x)  # type: ignore[operator]
    assert x.tolist() == T


@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_a_number_before_the_operands_is_warned_of_once(name):
    x = torch.full((2,), 3.0)
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=f"This overload of {name} is deprecated"):
            old = getattr(torch, name)(x, 2, x, x)
    finally:
        torch.set_warn_always(False)
    assert old.equal(getattr(torch, name)(x, x, x, value=2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(torch, name)(x, 2, x, x)
