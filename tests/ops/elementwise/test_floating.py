"""Mantissas, exponents and neighbours of floating-point numbers; divisors and multiples."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pellucid as torch

NUMBERS = [0.0, -0.0, 1.0, -3.0, 0.1, 1e-310, 1.7e308, math.inf, -math.inf]


def test_mantissas_and_exponents_are_those_of_python() -> None:
    found = torch.frexp(torch.tensor(NUMBERS, dtype=torch.float64))
    expected = [math.frexp(each) for each in NUMBERS]
    assert found.mantissa.tolist() == [mantissa for mantissa, _ in expected]
    assert found.exponent.tolist() == [exponent for _, exponent in expected]
    assert found.exponent.dtype is torch.int32


def test_ldexp_puts_together_what_frexp_takes_apart() -> None:
    numbers = torch.tensor(NUMBERS, dtype=torch.float64)
    assert torch.ldexp(*torch.frexp(numbers)).tolist() == NUMBERS


def test_ldexp_overflows_only_where_the_product_does() -> None:
    tiny = torch.tensor([1e-300], dtype=torch.float64)
    assert torch.ldexp(tiny, torch.tensor([1030])).item() == math.ldexp(1e-300, 1030)
    assert torch.ldexp(tiny, torch.tensor([9000])).item() == math.inf


def test_ldexp_takes_exponents_with_a_fraction() -> None:
    found = torch.ldexp(torch.tensor([3.0]), torch.tensor([0.5]))
    assert found.item() == pytest.approx(3 * 2**0.5)


def test_neighbours_are_those_of_python() -> None:
    x = torch.tensor([1.0, 0.0, -2.0, 5.0], dtype=torch.float64)
    y = torch.tensor([2.0, -1.0, -2.0, math.inf], dtype=torch.float64)
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    assert torch.nextafter(x, y).tolist() == [math.nextafter(a, b) for a, b in pairs]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_neighbour_is_one_of_the_dtype_itself(dtype: torch.dtype) -> None:
    one = torch.ones(1, dtype=dtype)
    step = torch.nextafter(one, one + 1).double() - 1
    assert step.item() == torch.finfo(dtype).eps


def test_divisors_and_multiples_are_those_of_python() -> None:
    x, y = np.array([12, -18, 0, 7, 0]), np.array([18, 12, 5, -7, 0])
    a, b = torch.from_numpy(x), torch.from_numpy(y)
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    assert torch.gcd(a, b).tolist() == [math.gcd(*pair) for pair in pairs]
    assert torch.lcm(a, b).tolist() == [math.lcm(*pair) for pair in pairs]


@pytest.mark.parametrize("function", [torch.gcd, torch.lcm])
def test_divisors_of_what_is_no_integer_are_refused(function: object) -> None:
    with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
        function(torch.ones(2), torch.ones(2))


def test_mantissas_of_integers_are_refused() -> None:
    with pytest.raises(RuntimeError, match="only supports floating-point dtypes"):
        torch.frexp(torch.tensor([1]))


# ---- no derivative ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x // 2,
        lambda x: 2 // x,
        lambda x: 2 % x,
        lambda x: torch.remainder(2, x),
        lambda x: torch.heaviside(x, torch.ones(1)),
        lambda x: torch.histogram(x, 3).hist,
    ],
)
def test_backward_says_that_there_is_no_derivative(compute: object) -> None:
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    result = compute(x)
    assert result.requires_grad
    with pytest.raises(RuntimeError, match=r"derivative for aten::\w+ is not implemented"):
        result.sum().backward()


def test_forward_mode_says_that_there_is_no_derivative() -> None:
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(NotImplementedError, match="forward AD with aten::floor_divide"):
            x // 2


def test_the_remainder_of_a_tensor_has_derivatives_of_every_order() -> None:
    x = torch.tensor([5.5], requires_grad=True)
    y = torch.tensor([2.0], requires_grad=True)
    first = torch.autograd.grad(x % y, (x, y), create_graph=True)
    assert [each.item() for each in first] == [1.0, -2.0]
    (second,) = torch.autograd.grad(first[1], y, allow_unused=True, materialize_grads=True)
    assert second.item() == 0


def test_ldexp_by_a_fraction_overflows_only_where_the_product_does() -> None:
    scaled = torch.ldexp(torch.tensor(3.4e38), torch.tensor(-0.5))
    np.testing.assert_allclose(scaled.item(), 3.4e38 * 2**-0.5, rtol=1e-6)


def test_ldexp_takes_booleans_as_numbers() -> None:
    scaled = torch.ldexp(torch.tensor([True, False]), torch.tensor([True, False]))
    assert scaled.dtype is torch.float32
    assert scaled.tolist() == [2.0, 0.0]


def test_floating_point_numbers_are_not_scaled_by_booleans() -> None:
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.ldexp(torch.ones(1), torch.tensor([True]))
