from __future__ import annotations

import mpmath
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


def test_log1p_of_a_small_complex_number_keeps_its_real_part() -> None:
    numbers = [1e-19 + 1e-18j, -1e-5 + 3e-3j, 1e-3 - 1e-9j, -0.9 + 0.1j, 3 + 4j, -1 - 1e-9j]
    with mpmath.workdps(60):
        exact = [complex(mpmath.log(1 + mpmath.mpc(each))) for each in numbers]
    found = torch.log1p(torch.tensor(numbers, dtype=torch.complex128)).numpy()
    np.testing.assert_allclose(found.real, np.real(exact), rtol=1e-14)
    np.testing.assert_allclose(found.imag, np.imag(exact), rtol=1e-14)
    single = torch.log1p(torch.tensor(numbers[:3], dtype=torch.complex64)).numpy()
    np.testing.assert_allclose(single.real, np.real(exact[:3]), rtol=1e-6)


def test_log1p_in_place_and_into_a_tensor_is_log1p() -> None:
    z = torch.tensor([1e-19 + 1e-18j, 0.3 - 2j])
    expected = torch.log1p(z).tolist()
    assert torch.log1p(z, out=torch.empty_like(z)).tolist() == expected
    assert z.log1p_().tolist() == expected


def test_sums_of_infinite_complex_exponentials_are_infinite() -> None:
    infinite, nothing = complex(np.inf), complex(-np.inf)
    x = torch.tensor([infinite, infinite, nothing, 1.0, nothing])
    y = torch.tensor([infinite, 2 + 1j, nothing, nothing, 2 + 1j])
    assert torch.logaddexp(x, y).tolist() == [infinite, infinite, nothing, 1.0, 2 + 1j]
    sums = torch.logcumsumexp(torch.tensor([nothing, 1.0, infinite, 3j, infinite]), 0).tolist()
    assert sums == [nothing, 1.0, infinite, infinite, infinite]
