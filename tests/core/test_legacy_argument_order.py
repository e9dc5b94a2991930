"""Calls with a number before the second operand, as old optimizers write them."""

from __future__ import annotations

import warnings

import numpy as np
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


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("addmm", [(2, 4), (2, 3), (3, 4)]),
        ("addmv", [(2,), (2, 3), (3,)]),
        ("addr", [(2, 3), (2,), (3,)]),
        ("addbmm", [(2, 4), (5, 2, 3), (5, 3, 4)]),
        ("baddbmm", [(5, 2, 4), (5, 2, 3), (5, 3, 4)]),
    ],
)
def test_beta_and_alpha_may_stand_before_what_they_scale(name: str, shapes: list) -> None:
    m, a, b = (torch.arange(1.0, 1 + np.prod(shape)).reshape(shape) for shape in shapes)
    product = getattr(torch, name)(torch.zeros_like(m), a, b)
    function = getattr(torch, name)
    for result in (
        function(2, m, a, b),
        getattr(m, name)(2, a, b),
        getattr(m.clone(), f"{name}_")(2, a, b),
        function(2, m, a, b, out=torch.empty_like(m)),
    ):
        assert result.equal(2 * m + product)
    assert function(2, m, 3, a, b).equal(2 * m + 3 * product)
    assert getattr(m.clone(), f"{name}_")(2, 3.0, a, b).equal(2 * m + 3 * product)
    for wrong in (lambda: function(m, 2, a, b), lambda: function(2, m, a, b, beta=3)):
        with pytest.raises(TypeError):
            wrong()
