"""Samples have the distributions they say, and derivatives that follow their quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import pellucid as torch
from pellucid import distributions as d

SURE = 1e-4
"""A test of fit rejects a good sampler this rarely; the seed is fixed, so it never flickers."""

SAMPLED = [
    (d.Normal(0.5, 2.0), stats.norm(0.5, 2.0)),
    (d.Gamma(0.3, 2.0), stats.gamma(0.3, scale=0.5)),
    (d.Gamma(7.5, 2.0), stats.gamma(7.5, scale=0.5)),
    (d.Beta(0.5, 1.5), stats.beta(0.5, 1.5)),
    (d.StudentT(3.0), stats.t(3.0)),
    (d.Gumbel(0.5, 2.0), stats.gumbel_r(0.5, 2.0)),
    (d.Laplace(0.5, 2.0), stats.laplace(0.5, 2.0)),
    (d.HalfCauchy(2.0), stats.halfcauchy(scale=2.0)),
    (d.Pareto(1.5, 3.0), stats.pareto(3.0, scale=1.5)),
    (d.Weibull(2.0, 1.5), stats.weibull_min(1.5, scale=2.0)),
    (d.VonMises(0.0, 2.0), stats.vonmises(2.0)),
    (d.FisherSnedecor(3.0, 9.0), stats.f(3.0, 9.0)),
    (d.InverseGamma(3.0, 2.0), stats.invgamma(3.0, scale=2.0)),
]
COUNTED = [
    (d.Poisson(0.7), stats.poisson(0.7)),
    (d.Poisson(25.0), stats.poisson(25.0)),
    (d.Binomial(9, torch.tensor(0.3)), stats.binom(9, 0.3)),
    (d.Binomial(80, torch.tensor(0.6)), stats.binom(80, 0.6)),
    (d.Geometric(0.3), stats.geom(0.3, loc=-1)),
    (d.NegativeBinomial(3.0, torch.tensor(0.4)), stats.nbinom(3.0, 0.6)),
]


@pytest.mark.parametrize(("ours", "theirs"), SAMPLED, ids=[repr(each[0]) for each in SAMPLED])
def test_samples_fit_the_distribution(ours: Any, theirs: Any) -> None:
    torch.manual_seed(1)
    assert stats.kstest(ours.sample((4000,)).numpy(), theirs.cdf).pvalue > SURE


@pytest.mark.parametrize(("ours", "theirs"), COUNTED, ids=[repr(each[0]) for each in COUNTED])
def test_counts_fit_the_distribution(ours: Any, theirs: Any) -> None:
    torch.manual_seed(2)
    counts = ours.sample((6000,)).numpy().astype(int)
    # All that is rare goes into one last class.
    classes = np.arange(int(theirs.ppf(1e-3)), int(theirs.ppf(1 - 1e-3)) + 1)
    seen = np.array([(counts == each).sum() for each in classes])
    expected = theirs.pmf(classes) * len(counts)
    rest = len(counts) - seen.sum(), len(counts) - expected.sum()
    result = stats.chisquare([*seen, rest[0]], [*expected, rest[1]])
    assert result.pvalue > SURE


def test_multinomial_counts_have_the_mean_and_covariance_they_say() -> None:
    torch.manual_seed(3)
    shares = np.array([0.1, 0.3, 0.6])
    counts = d.Multinomial(20, torch.from_numpy(shares)).sample((5000,)).numpy()
    assert (counts.sum(-1) == 20).all()
    np.testing.assert_allclose(counts.mean(0), 20 * shares, rtol=0.05)
    covariance = stats.multinomial(20, shares).cov()
    np.testing.assert_allclose(np.cov(counts.T), covariance, atol=0.3)


def test_normal_vectors_have_the_covariance_they_say() -> None:
    torch.manual_seed(4)
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    full = d.MultivariateNormal(torch.zeros(2), torch.from_numpy(covariance).float())
    np.testing.assert_allclose(np.cov(full.sample((8000,)).numpy().T), covariance, atol=0.1)
    low = d.LowRankMultivariateNormal(
        torch.zeros(2), torch.tensor([[1.0], [0.5]]), torch.tensor([1.0, 0.75])
    )
    np.testing.assert_allclose(np.cov(low.sample((8000,)).numpy().T), covariance, atol=0.1)


def test_wishart_samples_have_the_mean_they_say_and_are_drawn_once() -> None:
    torch.manual_seed(5)
    wishart = d.Wishart(torch.tensor(5.0), torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
    samples = wishart.sample((5000,))
    np.testing.assert_allclose(samples.mean(0).numpy(), wishart.mean.numpy(), rtol=0.05, atol=0.1)
    assert wishart.support.check(samples).all()


def test_correlation_matrices_have_the_variance_of_their_concentration() -> None:
    torch.manual_seed(6)
    factors = d.LKJCholesky(3, 2.0).sample((5000,))
    correlations = (factors @ factors.mT).numpy()
    np.testing.assert_allclose(correlations[:, [0, 1, 2], [0, 1, 2]], 1.0, atol=1e-6)
    # (1 + r) / 2 has a beta distribution with both parameters c + (dim - 2) / 2.
    scaled = (1 + correlations[:, 2, 0]) / 2
    assert stats.kstest(scaled, stats.beta(2.5, 2.5).cdf).pvalue > SURE


@pytest.mark.parametrize("quantile", [0.01, 0.3, 0.7, 0.99])
def test_a_gamma_sample_moves_with_its_quantile(quantile: float) -> None:
    a = np.array([0.03, 0.5, 1.0, 3.0, 30.0, 300.0, 1e4])
    step = 1e-4 * np.minimum(a, np.sqrt(a))

    def sample(a: np.ndarray) -> np.ndarray:
        return special.gammaincinv(a, quantile)

    expected = (
        sample(a - 2 * step) - 8 * sample(a - step) + 8 * sample(a + step) - sample(a + 2 * step)
    ) / (12 * step)
    ours = torch._standard_gamma_grad(torch.from_numpy(a), torch.from_numpy(sample(a))).numpy()
    np.testing.assert_allclose(ours, expected, rtol=1e-7)


@pytest.mark.parametrize("quantile", [0.01, 0.3, 0.7, 0.99])
def test_a_share_moves_with_its_quantile(quantile: float) -> None:
    a, b = np.array([0.05, 0.5, 1.0, 3.0, 30.0]), 5.0
    step = 1e-4 * np.minimum(a, np.sqrt(a))

    def sample(a: np.ndarray) -> np.ndarray:
        return special.betaincinv(a, b, quantile)

    expected = (
        sample(a - 2 * step) - 8 * sample(a - step) + 8 * sample(a + step) - sample(a + 2 * step)
    ) / (12 * step)
    x = sample(a)
    ours = torch._dirichlet_grad(*map(torch.from_numpy, (x, a, a + b))).numpy() * (1 - x)
    np.testing.assert_allclose(ours, expected, rtol=1e-6)


def test_the_gradient_of_a_mean_over_samples_is_that_of_the_mean() -> None:
    torch.manual_seed(7)
    concentration = torch.tensor([0.5, 2.0, 4.0], requires_grad=True)
    weights = torch.tensor([1.0, -2.0, 3.0])
    samples = d.Dirichlet(concentration).rsample((20000,))
    (estimated,) = torch.autograd.grad((samples.mean(0) * weights).sum(), concentration)
    mean = d.Dirichlet(concentration).mean
    (exact,) = torch.autograd.grad((mean * weights).sum(), concentration)
    np.testing.assert_allclose(estimated.numpy(), exact.numpy(), atol=0.03)


def test_samples_without_history_have_none() -> None:
    scale = torch.tensor(2.0, requires_grad=True)
    for each in (d.Normal(0.0, scale), d.Gamma(scale, 1.0), d.LogNormal(0.0, scale)):
        assert not each.sample().requires_grad
        assert each.rsample().requires_grad


def test_a_straight_through_sample_passes_its_gradient_to_the_probabilities() -> None:
    probs = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
    ours = d.OneHotCategoricalStraightThrough(probs)
    sample = ours.rsample((4,))
    assert set(sample.detach().numpy().round(6).reshape(-1).tolist()) == {0.0, 1.0}
    weights = torch.tensor([1.0, 2.0, 3.0])
    (gradient,) = torch.autograd.grad((sample * weights).sum(), probs)
    # Through the probabilities, which are divided by their sum: 4 (w - p . w).
    expected = 4 * (weights - (probs.detach() * weights).sum())
    np.testing.assert_allclose(gradient.numpy(), expected.numpy(), rtol=1e-5)


def test_samplers_take_no_more_of_the_stream_than_they_use() -> None:
    """Elements drawn one call at a time are those drawn at once."""
    rates = torch.tensor([0.3, 4.0, 12.0, 150.0])
    for draw in (torch.poisson, torch._standard_gamma):
        torch.manual_seed(8)
        together = draw(rates)
        torch.manual_seed(8)
        apart = [draw(each) for each in rates]
        assert torch.stack(apart).tolist() == together.tolist()


def test_a_generator_of_ones_own_leaves_the_shared_stream_alone() -> None:
    torch.manual_seed(9)
    expected = torch.rand(2).tolist()
    torch.manual_seed(9)
    generator = torch.Generator().manual_seed(0)
    first = torch.poisson(torch.full((5,), 20.0), generator=generator)
    torch.binomial(torch.full((5,), 20.0), torch.full((5,), 0.4), generator=generator)
    assert torch.rand(2).tolist() == expected
    generator.manual_seed(0)
    again = torch.poisson(torch.full((5,), 20.0), generator=generator)
    assert again.tolist() == first.tolist()


def test_edges_of_counts_are_exact() -> None:
    assert torch.poisson(torch.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    count, prob = torch.tensor([5.0, 5.0, 0.0]), torch.tensor([0.0, 1.0, 0.5])
    assert torch.binomial(count, prob).tolist() == [0.0, 5.0, 0.0]
    assert torch.binomial(torch.ones(2, 0), torch.ones(2, 0)).shape == (2, 0)
    assert torch.binomial(torch.tensor([3.0]), torch.tensor(float("nan"))).isnan().all()
