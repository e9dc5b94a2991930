"""Values at zeros, infinities and cancellations, next to closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

ZEROS = [0.0, -0.0]


@together()
@pytest.mark.parametrize("size", [1, 3, 40, 40_000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        torch.nn.functional.relu6,
        lambda x: x.clamp(min=0.0),
        lambda x: x.clamp(max=-0.0),
        lambda x: x.clamp(-0.0, 1.0),
        lambda x: x.clamp(torch.tensor(0.0, dtype=x.dtype), None),
        torch.nn.functional.elu,
    ],
)
def test_a_zero_within_bounds_keeps_its_sign(function, dtype, size):
    x = torch.tensor(ZEROS * size, dtype=dtype)
    assert np.signbit(function(x).numpy()).tolist() == np.signbit(x.numpy()).tolist()


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_a_deviation_is_there_where_its_square_is_beyond_single_precision(scale):
    x = torch.tensor([0.0, 1.0, 3.0]) * scale
    expected = np.std([0.0, 1.0, 3.0], ddof=1) * scale
    np.testing.assert_allclose(x.std().item(), expected, rtol=1e-6)
    np.testing.assert_allclose(torch.stack([x, x * 0], 1).std(0).tolist(), [expected, 0], rtol=1e-6)


@pytest.mark.parametrize("degree", [1, 2, 7, 30, 200])
def test_chebyshev_polynomials_of_the_third_and_fourth_kind_are_exact_to_the_ends(degree):
    x = np.linspace(-0.999, 0.999, 101).astype(np.float32)
    angle = np.arccos(x.astype(np.float64))
    third = np.cos((degree + 0.5) * angle) / np.cos(angle / 2)
    fourth = np.sin((degree + 0.5) * angle) / np.sin(angle / 2)
    given = torch.from_numpy(x)
    found = torch.special.chebyshev_polynomial_v(given, degree)
    np.testing.assert_allclose(found.numpy(), third, rtol=1e-6, atol=1e-6)
    found = torch.special.chebyshev_polynomial_w(given, degree)
    np.testing.assert_allclose(found.numpy(), fourth, rtol=1e-6, atol=1e-6)
    assert found.dtype is torch.float32


def test_functions_far_out_have_their_limits():
    assert torch.special.airy_ai(torch.tensor([1e30, 300.0])).tolist() == [0, 0]
    infinite = torch.tensor(torch.inf)
    assert torch.special.zeta(infinite, infinite).isnan()
