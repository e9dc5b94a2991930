"""Densities, distribution functions and entropies, against SciPy's and against each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import pellucid as torch
from pellucid import distributions as d
from tests.samples.grouped import together

CONTINUOUS = [
    (d.Normal(0.5, 2.0), stats.norm(0.5, 2.0)),
    (d.Uniform(-1.0, 3.0), stats.uniform(-1.0, 4.0)),
    (d.Beta(2.0, 3.5), stats.beta(2.0, 3.5)),
    (d.Gamma(2.5, 2.0), stats.gamma(2.5, scale=0.5)),
    (d.Exponential(2.0), stats.expon(scale=0.5)),
    (d.Laplace(0.5, 2.0), stats.laplace(0.5, 2.0)),
    (d.LogNormal(0.5, 0.7), stats.lognorm(0.7, scale=math.exp(0.5))),
    (d.HalfNormal(2.0), stats.halfnorm(scale=2.0)),
    (d.Cauchy(0.5, 2.0), stats.cauchy(0.5, 2.0)),
    (d.HalfCauchy(2.0), stats.halfcauchy(scale=2.0)),
    (d.StudentT(4.0, 0.5, 2.0), stats.t(4.0, 0.5, 2.0)),
    (d.Chi2(3.0), stats.chi2(3.0)),
    (d.Gumbel(0.5, 2.0), stats.gumbel_r(0.5, 2.0)),
    (d.Pareto(1.5, 3.0), stats.pareto(3.0, scale=1.5)),
    (d.Weibull(2.0, 1.5), stats.weibull_min(1.5, scale=2.0)),
    (d.InverseGamma(3.0, 2.0), stats.invgamma(3.0, scale=2.0)),
    (d.FisherSnedecor(3.0, 9.0), stats.f(3.0, 9.0)),
    (d.VonMises(0.5, 2.0), stats.vonmises(2.0, loc=0.5)),
    (d.GeneralizedPareto(0.5, 2.0, 0.2), stats.genpareto(0.2, 0.5, 2.0)),
]
DISCRETE = [
    (d.Bernoulli(0.3), stats.bernoulli(0.3)),
    (d.Binomial(7, torch.tensor(0.3)), stats.binom(7, 0.3)),
    (d.Poisson(3.5), stats.poisson(3.5)),
    (d.Geometric(0.3), stats.geom(0.3, loc=-1)),
    (d.NegativeBinomial(3.0, torch.tensor(0.4)), stats.nbinom(3.0, 0.6)),
    (
        d.Categorical(torch.tensor([0.2, 0.3, 0.5])),
        stats.rv_discrete(values=([0, 1, 2], [0.2, 0.3, 0.5])),
    ),
]


def named(pairs: list[Any]) -> list[Any]:
    return [pytest.param(*each, id=type(each[0]).__name__) for each in pairs]


def close(ours: Any, theirs: Any, rtol: float = 2e-5) -> None:
    np.testing.assert_allclose(np.asarray(ours.detach().numpy()), theirs, rtol=rtol, atol=2e-6)


@together()
@pytest.mark.parametrize(("ours", "theirs"), named(CONTINUOUS))
def test_a_continuous_density_is_scipys(ours: Any, theirs: Any) -> None:
    points = theirs.ppf(np.linspace(0.05, 0.95, 9)).astype(np.float32)
    close(ours.log_prob(torch.from_numpy(points)), theirs.logpdf(points))


@pytest.mark.parametrize(("ours", "theirs"), named(DISCRETE))
def test_a_discrete_probability_is_scipys(ours: Any, theirs: Any) -> None:
    points = np.arange(int(theirs.support()[1]) + 1 if theirs.support()[1] < 8 else 8)
    close(ours.log_prob(torch.from_numpy(points.astype(np.float32))), theirs.logpmf(points))


WITH_MOMENTS = [
    each
    for each in CONTINUOUS + DISCRETE
    # A category is no quantity, and an angle has a circular variance.
    if not isinstance(each[0], d.Categorical | d.VonMises)
]


@together()
@pytest.mark.parametrize(("ours", "theirs"), named(WITH_MOMENTS))
def test_mean_and_variance_are_scipys(ours: Any, theirs: Any) -> None:
    mean, variance = theirs.stats("mv")
    if isinstance(ours, d.Cauchy):
        assert math.isnan(ours.mean.item())
        return
    close(ours.mean, mean)
    close(ours.variance, variance)
    close(ours.stddev, np.sqrt(variance))


@together()
@pytest.mark.parametrize(("ours", "theirs"), named(CONTINUOUS))
def test_entropy_is_scipys(ours: Any, theirs: Any) -> None:
    if isinstance(ours, d.FisherSnedecor | d.VonMises):
        with pytest.raises(NotImplementedError):
            ours.entropy()
        return
    close(ours.entropy(), theirs.entropy(), rtol=1e-4)


@together()
@pytest.mark.parametrize(("ours", "theirs"), named(CONTINUOUS))
def test_the_quantile_function_undoes_the_distribution_function(ours: Any, theirs: Any) -> None:
    points = torch.from_numpy(theirs.ppf(np.linspace(0.1, 0.9, 5)).astype(np.float32))
    try:
        probability = ours.cdf(points)
    except NotImplementedError:
        return
    close(probability, np.linspace(0.1, 0.9, 5))
    try:
        quantiles = ours.icdf(probability)
    except NotImplementedError:
        return
    close(quantiles, points.numpy(), rtol=2e-4)


def test_the_multivariate_normal_density_is_scipys() -> None:
    mean = np.array([0.5, -1.0, 2.0])
    factor = np.array([[2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.1, -0.3, 0.7]])
    covariance = factor @ factor.T
    point = np.array([[0.0, 0.3, 1.0], [2.0, 1.0, -1.0]])
    expected = stats.multivariate_normal(mean, covariance)
    given = {
        "scale_tril": factor,
        "covariance_matrix": covariance,
        "precision_matrix": np.linalg.inv(covariance),
    }
    for name, matrix in given.items():
        ours = d.MultivariateNormal(torch.from_numpy(mean), **{name: torch.from_numpy(matrix)})
        close(ours.log_prob(torch.from_numpy(point)), expected.logpdf(point), rtol=1e-10)
        close(ours.entropy(), expected.entropy(), rtol=1e-10)
        close(ours.covariance_matrix, covariance, rtol=1e-10)


def test_a_low_rank_normal_is_the_full_one_of_its_covariance() -> None:
    torch.manual_seed(0)
    factor, diagonal = torch.randn(4, 2, dtype=torch.float64), torch.rand(4, dtype=torch.float64)
    low = d.LowRankMultivariateNormal(torch.zeros(4, dtype=torch.float64), factor, diagonal + 0.1)
    full = d.MultivariateNormal(low.loc, low.covariance_matrix)
    point = torch.randn(3, 4, dtype=torch.float64)
    close(low.log_prob(point), full.log_prob(point).numpy(), rtol=1e-9)
    close(low.entropy(), full.entropy().numpy(), rtol=1e-9)
    close(low.scale_tril, full.scale_tril.numpy(), rtol=1e-9)
    close(low.precision_matrix, np.linalg.inv(full.covariance_matrix.numpy()), rtol=1e-9)


def test_the_dirichlet_multinomial_and_wishart_densities_are_scipys() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    weights = np.array([1.5, 0.7, 3.0])
    ours = d.Dirichlet(torch.from_numpy(weights)).log_prob(torch.from_numpy(shares))
    close(ours, stats.dirichlet(weights).logpdf(shares), rtol=1e-10)
    counts = np.array([2.0, 1.0, 4.0])
    multinomial = d.Multinomial(7, torch.from_numpy(shares))
    expected = stats.multinomial(7, shares)
    close(multinomial.log_prob(torch.from_numpy(counts)), expected.logpmf(counts), rtol=1e-10)
    close(multinomial.entropy(), expected.entropy(), rtol=1e-5)
    scale, point = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[3.0, 0.2], [0.2, 4.0]])
    wishart = d.Wishart(torch.tensor(4.5, dtype=torch.float64), torch.from_numpy(scale))
    expected = stats.wishart(4.5, scale)
    close(wishart.log_prob(torch.from_numpy(point)), expected.logpdf(point), rtol=1e-10)
    close(wishart.entropy(), expected.entropy(), rtol=1e-10)


def test_the_continuous_bernoulli_density_integrates_to_one_on_both_sides_of_its_series() -> None:
    points = np.linspace(0.0, 1.0, 2001)
    for probability in (0.1, 0.4989, 0.4991, 0.5, 0.5009, 0.5011, 0.97):
        ours = d.ContinuousBernoulli(torch.tensor(probability, dtype=torch.float64))
        density = ours.log_prob(torch.from_numpy(points)).exp().numpy()
        assert integrate.simpson(density, x=points) == pytest.approx(1.0, abs=1e-9)
        assert integrate.simpson(density * points, x=points) == pytest.approx(
            ours.mean.item(), abs=1e-9
        )


def test_a_mixture_averages_its_components() -> None:
    weights = np.array([0.3, 0.7])
    ours = d.MixtureSameFamily(
        d.Categorical(torch.from_numpy(weights)),
        d.Normal(torch.tensor([0.0, 4.0]).double(), torch.tensor([1.0, 0.5]).double()),
    )
    point = np.linspace(-2.0, 6.0, 7)
    density = weights[0] * stats.norm(0, 1).pdf(point) + weights[1] * stats.norm(4, 0.5).pdf(point)
    close(ours.log_prob(torch.from_numpy(point)), np.log(density), rtol=1e-10)
    assert ours.mean.item() == pytest.approx(2.8)
    assert ours.variance.item() == pytest.approx(0.3 + 0.7 * 0.25 + 0.21 * 16)


def test_a_transformed_density_is_that_of_the_base_over_the_stretch() -> None:
    base = d.Normal(torch.tensor(0.3).double(), torch.tensor(1.2).double())
    ours = d.TransformedDistribution(base, [d.AffineTransform(1.0, -2.0), d.TanhTransform()])
    y = np.linspace(-0.9, 0.9, 7)
    x = (np.arctanh(y) - 1.0) / -2.0
    expected = stats.norm(0.3, 1.2).logpdf(x) - np.log(2.0 * (1 - y**2))
    close(ours.log_prob(torch.from_numpy(y)), expected, rtol=1e-10)
    # The transform falls, so that probabilities turn around.
    close(ours.cdf(torch.from_numpy(y)), stats.norm(0.3, 1.2).sf(x), rtol=1e-10)


def test_the_lkj_density_is_one_over_the_volume_where_correlations_are_uniform() -> None:
    # For 2 x 2 matrices and concentration 1 the correlation is uniform on [-1, 1].
    correlation = np.linspace(-0.8, 0.8, 5)
    factors = np.zeros((5, 2, 2))
    factors[:, 0, 0], factors[:, 1, 0] = 1.0, correlation
    factors[:, 1, 1] = np.sqrt(1 - correlation**2)
    ours = d.LKJCholesky(2, torch.tensor(1.0).double()).log_prob(torch.from_numpy(factors))
    close(ours.exp(), np.full(5, 0.5), rtol=1e-10)


def test_divergences_are_what_integration_gives() -> None:
    p, q = d.Gamma(2.5, 2.0), d.Gumbel(1.0, 0.8)
    of_p, of_q = stats.gamma(2.5, scale=0.5), stats.gumbel_r(1.0, 0.8)
    expected, _ = integrate.quad(lambda x: of_p.pdf(x) * (of_p.logpdf(x) - of_q.logpdf(x)), 0, 40)
    assert d.kl_divergence(p, q).item() == pytest.approx(expected, rel=1e-5)
    expected, _ = integrate.quad(
        lambda x: stats.norm.pdf(x) * (stats.norm.logpdf(x) - stats.laplace(1.0, 2.0).logpdf(x)),
        -12,
        12,
    )
    ours = d.kl_divergence(d.Normal(0.0, 1.0), d.Laplace(1.0, 2.0))
    assert ours.item() == pytest.approx(expected, rel=1e-5)


def test_an_entropy_by_automatic_differentiation_is_that_by_formula() -> None:
    cases = [
        d.Gamma(torch.tensor([0.5, 3.0]).double(), torch.tensor(2.0).double()),
        d.Normal(torch.tensor([0.5, 3.0]).double(), torch.tensor(2.0).double()),
        d.Exponential(torch.tensor([0.5, 3.0]).double()),
        d.ContinuousBernoulli(torch.tensor([0.2, 0.7]).double()),
    ]
    for case in cases:
        close(d.ExponentialFamily.entropy(case), case.entropy().numpy(), rtol=1e-9)
