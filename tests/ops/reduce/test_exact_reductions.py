"""Reductions in single precision, against double precision and ``math.fsum``, over layouts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pellucid as torch
import pellucid.nn.functional as F
from tests.samples.grouped import together

LAYOUTS = {
    "leading": (lambda x: x, 0),
    "last": (lambda x: x.T.contiguous(), 1),
    "transposed": (lambda x: x.T, 1),
    "strided": (lambda x: x.repeat_interleave(2, 1)[:, ::2], 0),
    "middle": (lambda x: x.view(1, *x.shape), 1),
}


@pytest.fixture(params=LAYOUTS)
def laid_out(request):
    return LAYOUTS[request.param]


def rows(offset: float, count: int = 100_000):
    noise = np.random.default_rng(0).standard_normal((count, 4))
    return torch.from_numpy((offset + noise).astype(np.float32))


@together()
@pytest.mark.parametrize(
    "reduction",
    [
        torch.sum, torch.mean, torch.nansum, torch.nanmean, torch.logsumexp, torch.var, torch.std,
        torch.linalg.vector_norm, lambda x, dim: torch.linalg.vector_norm(x, 1, dim),
        lambda x, dim: torch.linalg.vector_norm(x, 3.0, dim),
    ],
)  # fmt: skip
@pytest.mark.parametrize("offset", [3.0, 80.0, 1000.0])
def test_reductions_agree_with_double_precision(reduction, offset, laid_out):
    arrange, dim = laid_out
    x = rows(offset)
    found = reduction(arrange(x), dim=dim)
    expected = reduction(arrange(x.double()), dim=dim)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=2e-6)


def test_the_sum_of_a_column_is_that_of_fsum(laid_out):
    arrange, dim = laid_out
    column = np.full(100_000, 0.1, np.float32)
    x = arrange(torch.from_numpy(np.stack([column, column], 1)))
    np.testing.assert_allclose(x.sum(dim).reshape(-1), [math.fsum(column)] * 2, rtol=1e-6)


@together()
@pytest.mark.parametrize("value", [101.0, 1e4, 12345.678])
def test_a_constant_has_no_deviation(value, laid_out):
    arrange, dim = laid_out
    x = arrange(torch.full((100_000, 2), value))
    assert x.std(dim).abs().max() == 0
    assert x.var(dim).abs().max() == 0


@together()
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sums_of_halves_are_rounded_once(dtype, laid_out):
    arrange, dim = laid_out
    x = arrange(torch.full((30_000, 2), 0.1).to(dtype))
    assert torch.equal(x.sum(dim), x.double().sum(dim).to(dtype))
    assert torch.equal(x.mean(dim), x.double().mean(dim).to(dtype))


def test_the_variance_of_complex_numbers_is_exact():
    x = torch.complex(rows(1000.0), rows(-500.0).flip(0))
    np.testing.assert_allclose(x.var(0), x.to(torch.complex128).var(0), rtol=1e-6)


def test_the_gradient_of_a_bias_and_of_an_expanded_operand_are_exact():
    for shape in ((100_000, 3), (50, 3, 2000)):
        bias = torch.zeros(3 if len(shape) == 2 else (3, 1), requires_grad=True)
        g = torch.full(shape, 0.1)
        (torch.zeros(shape) + bias).backward(g)
        expected = g.double().sum_to_size(bias.shape)
        np.testing.assert_allclose(bias.grad, expected, rtol=1e-6)


def test_running_sums_and_products_do_not_gather_errors(laid_out):
    arrange, dim = laid_out
    x = arrange(torch.full((100_000, 2), 0.1))
    np.testing.assert_allclose(x.cumsum(dim), x.double().cumsum(dim), rtol=1e-7)
    x = arrange(torch.full((100_000, 2), 1.00001))
    np.testing.assert_allclose(x.cumprod(dim), x.double().cumprod(dim), rtol=1e-7)


def test_norms_of_many_gradients_are_exact():
    g = torch.full((1_000_000,), 0.1)
    expected = math.sqrt(math.fsum(g.numpy().astype(np.float64) ** 2))
    assert torch.nn.utils.get_total_norm([g]).item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("offset", [0.0, 3e3])
def test_normalised_values_are_those_of_double_precision(offset):
    x = rows(offset, 20_000)
    layer = F.layer_norm(x.T.contiguous(), (20_000,))
    batch = F.batch_norm(x, None, None, training=True)
    group = F.group_norm(x.T.reshape(1, 4, -1), 4)
    wide = x.double()
    deviation = (wide.var(0, correction=0) + 1e-5).sqrt()
    expected = ((wide - wide.mean(0)) / deviation).float()
    for found in (layer.T, batch, group[0].T):
        np.testing.assert_allclose(found, expected, atol=4e-6 if offset == 0 else 3e-4)


def test_losses_average_exactly():
    x = torch.full((300, 1000), 0.1)
    exact = float(np.float32(0.1))
    assert F.l1_loss(x, torch.zeros_like(x)).item() == pytest.approx(exact, rel=3e-7)
    assert F.l1_loss(x.T, torch.zeros_like(x.T)).item() == pytest.approx(exact, rel=3e-7)


def test_softmax_over_a_leading_dimension_adds_up_exactly():
    x = torch.full((100_000, 3), 0.1)
    np.testing.assert_allclose(x.softmax(0), 1e-5, rtol=1e-6)
    np.testing.assert_allclose(x.log_softmax(0), -math.log(100_000), rtol=1e-6)
