"""Probability distributions: sampling, densities, entropies, divergences, transforms."""

from __future__ import annotations

from pellucid.distributions import constraints, transforms, utils
from pellucid.distributions.bernoulli import Bernoulli
from pellucid.distributions.beta import Beta
from pellucid.distributions.binomial import Binomial
from pellucid.distributions.categorical import Categorical
from pellucid.distributions.cauchy import Cauchy
from pellucid.distributions.chi2 import Chi2
from pellucid.distributions.constraint_registry import biject_to, transform_to
from pellucid.distributions.continuous_bernoulli import ContinuousBernoulli
from pellucid.distributions.dirichlet import Dirichlet
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.exp_family import ExponentialFamily
from pellucid.distributions.exponential import Exponential
from pellucid.distributions.fishersnedecor import FisherSnedecor
from pellucid.distributions.gamma import Gamma
from pellucid.distributions.generalized_pareto import GeneralizedPareto
from pellucid.distributions.geometric import Geometric
from pellucid.distributions.gumbel import Gumbel
from pellucid.distributions.half_cauchy import HalfCauchy
from pellucid.distributions.half_normal import HalfNormal
from pellucid.distributions.independent import Independent
from pellucid.distributions.inverse_gamma import InverseGamma
from pellucid.distributions.kl import kl_divergence, register_kl
from pellucid.distributions.kumaraswamy import Kumaraswamy
from pellucid.distributions.laplace import Laplace
from pellucid.distributions.lkj_cholesky import LKJCholesky
from pellucid.distributions.log_normal import LogNormal
from pellucid.distributions.logistic_normal import LogisticNormal
from pellucid.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from pellucid.distributions.mixture_same_family import MixtureSameFamily
from pellucid.distributions.multinomial import Multinomial
from pellucid.distributions.multivariate_normal import MultivariateNormal
from pellucid.distributions.negative_binomial import NegativeBinomial
from pellucid.distributions.normal import Normal
from pellucid.distributions.one_hot_categorical import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from pellucid.distributions.pareto import Pareto
from pellucid.distributions.poisson import Poisson
from pellucid.distributions.relaxed_bernoulli import RelaxedBernoulli
from pellucid.distributions.relaxed_categorical import RelaxedOneHotCategorical
from pellucid.distributions.studentT import StudentT
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from pellucid.distributions.uniform import Uniform
from pellucid.distributions.von_mises import VonMises
from pellucid.distributions.weibull import Weibull
from pellucid.distributions.wishart import Wishart

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform",
    "Categorical", "Cauchy", "Chi2", "ComposeTransform", "ContinuousBernoulli",
    "CorrCholeskyTransform", "CumulativeDistributionTransform", "Dirichlet", "Distribution",
    "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent",
    "IndependentTransform", "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal",
    "LogisticNormal", "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily",
    "Multinomial", "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical",
    "OneHotCategoricalStraightThrough", "Pareto", "Poisson", "PositiveDefiniteTransform",
    "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "StudentT", "TanhTransform", "Transform", "TransformedDistribution",
    "Uniform", "VonMises", "Weibull", "Wishart", "biject_to", "constraints", "identity_transform",
    "kl_divergence", "register_kl", "transform_to", "transforms", "utils",
]  # fmt: skip
