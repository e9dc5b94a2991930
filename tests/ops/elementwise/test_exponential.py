from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import pellucid as torch


def test_integers_are_computed_in_the_default_dtype() -> None:
    for dtype in (torch.bool, torch.uint8, torch.int64):
        assert torch.exp(torch.ones(2, dtype=dtype)).dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.sin(torch.tensor([1])).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_logarithms_outside_their_domain_give_nan_or_infinity_without_a_warning() -> None:
    x = torch.tensor([0.0, -1.0])
    assert x.log()[0] == -np.inf
    assert x.log()[1].isnan()
    assert x.log2().isnan().tolist() == [False, True]


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_polygamma_and_its_derivative_follow_scipy(n: int) -> None:
    x = torch.tensor([0.7, 1.5, 4.0], dtype=torch.float64, requires_grad=True)
    y = torch.polygamma(n, x)
    np.testing.assert_allclose(y.detach().numpy(), scipy.special.polygamma(n, x.detach().numpy()))
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), scipy.special.polygamma(n + 1, x.detach().numpy()))


def test_a_negative_order_of_polygamma_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not support negative n"):
        torch.polygamma(-1, torch.ones(1))


def test_xlogy_is_zero_where_the_factor_is_zero() -> None:
    x = torch.tensor([0.0, 0.0], dtype=torch.float64, requires_grad=True)
    y = torch.xlogy(x, torch.tensor([0.0, 2.0], dtype=torch.float64))
    assert y.tolist() == [0.0, 0.0]
    y.sum().backward()
    assert x.grad.tolist() == [0.0, pytest.approx(np.log(2))]


def test_a_sum_of_exponentials_does_not_overflow() -> None:
    x = torch.tensor([1000.0], requires_grad=True)
    y = torch.logaddexp(x, torch.tensor([-1000.0]))
    y.sum().backward()
    assert (y.item(), x.grad.item()) == (1000.0, 1.0)
