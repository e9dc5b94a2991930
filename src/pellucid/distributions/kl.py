"""Kullback-Leibler divergences ``KL(p || q)``, the expectation of ``log p - log q`` under p.

The divergence is infinite if p has values outside the support of q.
"""

from __future__ import annotations

import math
from typing import Any

from pellucid.autograd.backward import grad
from pellucid.distributions._divergence import _KL_REGISTRY as _KL_REGISTRY
from pellucid.distributions._divergence import kl_divergence, register_kl
from pellucid.distributions.bernoulli import Bernoulli
from pellucid.distributions.beta import Beta
from pellucid.distributions.binomial import Binomial
from pellucid.distributions.categorical import Categorical
from pellucid.distributions.cauchy import Cauchy
from pellucid.distributions.continuous_bernoulli import ContinuousBernoulli
from pellucid.distributions.dirichlet import Dirichlet
from pellucid.distributions.exp_family import ExponentialFamily
from pellucid.distributions.exponential import Exponential
from pellucid.distributions.gamma import Gamma
from pellucid.distributions.geometric import Geometric
from pellucid.distributions.gumbel import Gumbel
from pellucid.distributions.half_normal import HalfNormal
from pellucid.distributions.independent import Independent
from pellucid.distributions.laplace import Laplace
from pellucid.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    lowrank_log_det,
    lowrank_mahalanobis,
)
from pellucid.distributions.multivariate_normal import MultivariateNormal, squared_mahalanobis
from pellucid.distributions.normal import Normal
from pellucid.distributions.one_hot_categorical import OneHotCategorical
from pellucid.distributions.pareto import Pareto
from pellucid.distributions.poisson import Poisson
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.uniform import Uniform
from pellucid.distributions.utils import euler_constant, sum_rightmost
from pellucid.errors import UnimplementedError
from pellucid.linalg import solve_triangular
from pellucid.nn.functional import softplus
from pellucid.ops.elementwise.conditional import where
from pellucid.shapes import broadcast_shapes
from pellucid.tensors import Tensor, creation

__all__ = ["kl_divergence", "register_kl"]


def _x_log_x(tensor: Tensor) -> Tensor:
    return tensor.xlogy(tensor)


# ---- p and q of the same family ---------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p: Any, q: Any) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    ones = where(q.probs == 0, math.inf, ones).masked_fill(p.probs == 0, 0)
    zeros = where(q.probs == 1, math.inf, zeros).masked_fill(p.probs == 1, 0)
    return ones + zeros


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p: Any, q: Any) -> Tensor:
    # p.total_count times the divergence of one trial; infinite if q has fewer trials.
    if (p.total_count < q.total_count).any():
        raise UnimplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    trials = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return where(p.total_count > q.total_count, math.inf, p.total_count * trials)


@register_kl(Beta, Beta)
def _kl_beta_beta(p: Any, q: Any) -> Tensor:
    p_total = p.concentration1 + p.concentration0
    q_total = q.concentration1 + q.concentration0
    q_beta = q.concentration1.lgamma() + q.concentration0.lgamma() + p_total.lgamma()
    p_beta = p.concentration1.lgamma() + p.concentration0.lgamma() + q_total.lgamma()
    ones = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    zeros = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return q_beta - p_beta + ones + zeros + (q_total - p_total) * p_total.digamma()


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = where(q.probs == 0, math.inf, terms)
    return where(p.probs == 0, 0, terms).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p: Any, q: Any) -> Tensor:
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    mean = p.mean * (p.logits - q.logits)
    return mean + p._log_norm() + (-p.probs).log1p() - q._log_norm() - (-q.probs).log1p()


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p: Any, q: Any) -> Tensor:
    # W. D. Penny, "KL-divergences of normal, gamma, Dirichlet and Wishart densities", 2001
    p_total, q_total = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = p_total.lgamma() - q_total.lgamma()
    parts = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    logs = p.concentration.digamma() - p_total.digamma().unsqueeze(-1)
    return totals - parts + ((p.concentration - q.concentration) * logs).sum(-1)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Tensor:
    """Return the Bregman divergence of the log-normalizer."""
    if type(p) is not type(q):
        raise UnimplementedError(
            f"The cross KL-divergence between different exponential families, here "
            f"{type(p).__name__} and {type(q).__name__}, cannot be computed using Bregman "
            "divergences"
        )
    p_params = [each.detach().requires_grad_() for each in p._natural_params]
    q_params = q._natural_params
    log_normalizer = p._log_normalizer(*p_params)
    slopes = grad(log_normalizer.sum(), p_params, create_graph=True)
    result = q._log_normalizer(*q_params) - log_normalizer
    for of_p, of_q, slope in zip(p_params, q_params, slopes, strict=True):
        result = result - sum_rightmost((of_q - of_p) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p: Any, q: Any) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    gammas = q.concentration.lgamma() - p.concentration.lgamma()
    logs = (p.concentration - q.concentration) * p.concentration.digamma()
    return rates + gammas + logs + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p: Any, q: Any) -> Tensor:
    scales = p.scale / q.scale
    offset, p_offset = q.loc / q.scale, p.loc / q.scale
    expectation = (offset + (scales + 1).lgamma() - p_offset).exp()
    means = scales * euler_constant + p_offset - offset
    return -scales.log() + means + expectation - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p: Any, q: Any) -> Tensor:
    return _kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p: Any, q: Any) -> Tensor:
    # M. Gil, "On Rényi divergence measures for continuous alphabet sources", 2011
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _kl_normal_normal(p: Any, q: Any) -> Tensor:
    variances = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (variances + distance - 1 - variances.log())


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p: Any, q: Any) -> Tensor:
    # F. Chyzak and F. Nielsen, "A closed-form formula for the Kullback-Leibler divergence between
    # Cauchy distributions", 2019
    apart = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return apart - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p: Any, q: Any) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return where(p.support.lower_bound < q.support.lower_bound, math.inf, result)


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p: Any, q: Any) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), math.inf, result)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p: Any, q: Any) -> Tensor:
    """Return the divergence of the base distributions, which equal transforms do not change."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise UnimplementedError(
            "the divergence of distributions whose transforms or event shapes differ"
        )
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _kl_independent_independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise UnimplementedError(
            "the divergence of distributions with different reinterpreted dimensions: "
            f"{p.reinterpreted_batch_ndims} and {q.reinterpreted_batch_ndims}"
        )
    result = kl_divergence(p.base_dist, q.base_dist)
    return sum_rightmost(result, p.reinterpreted_batch_ndims)


# ---- multivariate normal ----------------------------------------------------------------------


def _trace_of_solved(factor: Tensor, other: Tensor) -> Tensor:
    """Return the trace of ``(factor factor')**-1 other other'`` for lower triangular ``factor``."""
    shape = broadcast_shapes(factor.shape[:-2], other.shape[:-2])
    factor = factor.expand(shape + factor.shape[-2:])
    other = other.expand(shape + other.shape[-2:])
    return solve_triangular(factor, other, upper=False).pow(2).sum((-2, -1))


def _check_sizes(p: Any, q: Any) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two multivariate normal distributions with different event "
            f"shapes cannot be computed: {p.event_shape} and {q.event_shape}"
        )


def _half_log_det(tril: Tensor) -> Tensor:
    return tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _lowrank_log_det(d: LowRankMultivariateNormal) -> Tensor:
    return lowrank_log_det(
        d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, d._capacitance_tril
    )


def _lowrank_distance(d: LowRankMultivariateNormal, offset: Tensor) -> Tensor:
    return lowrank_mahalanobis(
        d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, offset, d._capacitance_tril
    )


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p: Any, q: Any) -> Tensor:
    _check_sizes(p, q)
    of_p, of_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    dets = _half_log_det(of_q) - _half_log_det(of_p)
    distance = squared_mahalanobis(of_q, q.loc - p.loc)
    return dets + 0.5 * (_trace_of_solved(of_q, of_p) + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(p: Any, q: Any) -> Tensor:
    _check_sizes(p, q)
    of_q = q._unbroadcasted_scale_tril
    dets = 2 * _half_log_det(of_q) - _lowrank_log_det(p)
    distance = squared_mahalanobis(of_q, q.loc - p.loc)
    factor = _trace_of_solved(of_q, p._unbroadcasted_cov_factor)
    diagonal = _trace_of_solved(of_q, p._unbroadcasted_cov_diag.sqrt().diag_embed())
    return 0.5 * (dets + distance + factor + diagonal - p.event_shape[0])


def _lowrank_trace(q: LowRankMultivariateNormal, root: Tensor) -> Tensor:
    """Return the trace of ``covariance(q)**-1 root root'``, by Woodbury's identity."""
    diagonal = q._unbroadcasted_cov_diag
    apart = (root.pow(2) / diagonal.unsqueeze(-1)).sum((-2, -1))
    along = (q._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)) @ root
    return apart - _trace_of_solved(q._capacitance_tril, along)


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Tensor:
    _check_sizes(p, q)
    of_p = p._unbroadcasted_scale_tril
    dets = _lowrank_log_det(q) - 2 * _half_log_det(of_p)
    distance = _lowrank_distance(q, q.loc - p.loc)
    return 0.5 * (dets + distance + _lowrank_trace(q, of_p) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Tensor:
    _check_sizes(p, q)
    dets = _lowrank_log_det(q) - _lowrank_log_det(p)
    distance = _lowrank_distance(q, q.loc - p.loc)
    factor = _lowrank_trace(q, p._unbroadcasted_cov_factor)
    diagonal = _lowrank_trace(q, p._unbroadcasted_cov_diag.sqrt().diag_embed())
    return 0.5 * (dets + distance + factor + diagonal - p.event_shape[0])


# ---- p and q of different families ------------------------------------------------------------


@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._log_norm()


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
def _kl_positive_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p: Any, q: Any) -> Tensor:
    logs = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() - _gamma_log_density(q, logs, p.mean)


def _gamma_log_density(q: Any, log: Tensor, mean: Tensor) -> Tensor:
    """Return the expected log-density, given the expected logarithm and mean."""
    normalizer = q.concentration * q.rate.log() - q.concentration.lgamma()
    return normalizer + (q.concentration - 1) * log - q.rate * mean


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Uniform, Normal)
def _kl_any_normal(p: Any, q: Any) -> Tensor:
    square = (p.variance + (p.mean - q.loc).pow(2)) / q.scale.pow(2)
    return -p.entropy() + 0.5 * math.log(2 * math.pi) + q.scale.log() + 0.5 * square


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p: Any, q: Any) -> Tensor:
    return where(p.alpha <= 2, math.inf, _kl_any_normal(p, q))


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _kl_unit_uniform(p: Any, q: Any) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    return where((q.low > 0) | (q.high < 1), math.inf, result)


@register_kl(Exponential, Gamma)
def _kl_exponential_gamma(p: Any, q: Any) -> Tensor:
    return -p.entropy() - _gamma_log_density(q, -euler_constant - p.rate.log(), p.mean)


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p: Any, q: Any) -> Tensor:
    product = p.rate * q.scale
    return _gumbel_cross(p, q, (q.loc / q.scale).exp() * (product / (product + 1)))


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p: Any, q: Any) -> Tensor:
    product = p.rate * q.scale
    expectation = (q.loc / q.scale).exp() * (1 + product.reciprocal()).pow(-p.concentration)
    return _gumbel_cross(p, q, expectation)


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p: Any, q: Any) -> Tensor:
    exponent = -(p.loc - q.loc) / q.scale + 0.5 * (p.scale / q.scale).pow(2)
    return _gumbel_cross(p, q, exponent.exp())


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p: Any, q: Any) -> Tensor:
    low, high = (p.low - q.loc) / q.scale, (p.high - q.loc) / q.scale
    return _gumbel_cross(p, q, ((-low).exp() - (-high).exp()) / (high - low))


def _gumbel_cross(p: Any, q: Any, expectation: Tensor) -> Tensor:
    """Return the divergence, given the expected ``exp(-(x - loc) / scale)``."""
    return -p.entropy() + q.scale.log() + (p.mean - q.loc) / q.scale + expectation


@register_kl(Normal, Laplace)
def _kl_normal_laplace(p: Any, q: Any) -> Tensor:
    offset = p.loc - q.loc
    standardized = offset / p.scale
    bell = math.sqrt(2 / math.pi) * p.scale * (-0.5 * standardized.pow(2)).exp()
    distance = bell + offset * (math.sqrt(0.5) * standardized).erf()
    return -p.entropy() + (2 * q.scale).log() + distance / q.scale


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p: Any, q: Any) -> Tensor:
    result = -p.entropy() - q.rate.log() + q.rate * p.mean
    return where(p.alpha <= 1, math.inf, result)


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p: Any, q: Any) -> Tensor:
    logs = p.scale.log() + p.alpha.reciprocal()
    result = -p.entropy() - _gamma_log_density(q, logs, p.mean)
    return where(p.alpha <= 1, math.inf, result)


def _mean_log(low: Tensor, high: Tensor) -> Tensor:
    """Return the mean of ``log x`` between two nonnegative bounds."""
    return (_x_log_x(high) - _x_log_x(low)) / (high - low) - 1


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p: Any, q: Any) -> Tensor:
    logs = (q.concentration1 - 1) * _mean_log(p.low, p.high)
    complements = (q.concentration0 - 1) * _mean_log(1 - p.high, 1 - p.low)
    total = (q.concentration1 + q.concentration0).lgamma()
    normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - total
    result = -p.entropy() - logs - complements + normalizer
    return where((p.high > 1) | (p.low < 0), math.inf, result)


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._log_norm()
    return where((p.high > 1) | (p.low < 0), math.inf, result)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p: Any, q: Any) -> Tensor:
    result = q.rate * p.mean - q.rate.log() - p.entropy()
    return where(p.low < 0, math.inf, result)


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p: Any, q: Any) -> Tensor:
    logs = _mean_log(p.low, p.high)
    return where(p.low < 0, math.inf, -p.entropy() - _gamma_log_density(q, logs, p.mean))


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p: Any, q: Any) -> Tensor:
    density = q.alpha.log() + q.alpha * q.scale.log()
    logs = (q.alpha + 1) * _mean_log(p.low, p.high)
    return where(p.low < q.support.lower_bound, math.inf, -p.entropy() - density + logs)


# ---- the support of p is not within that of q -------------------------------------------------


def _kl_infinite(p: Any, q: Any) -> Tensor:
    """Return infinity in the batch shape of p."""
    return creation.full(p.batch_shape, math.inf, dtype=_parameter(p).dtype)


def _parameter(p: Any) -> Tensor:
    return getattr(p, next(iter(p.arg_constraints)))


_NOT_WITHIN = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
for _wider, _narrower in _NOT_WITHIN.items():
    for _each in _narrower:
        register_kl(_wider, _each)(_kl_infinite)
