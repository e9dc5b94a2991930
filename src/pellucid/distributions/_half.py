"""Base class of the distributions of |X| where X is symmetric around 0."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import AbsTransform
from pellucid.ops.elementwise.conditional import where
from pellucid.tensors import Tensor, creation


class HalfSymmetric(TransformedDistribution):
    """Distribution of the absolute value of a variable that is symmetric around 0."""

    arg_constraints: Any = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, symmetric: Distribution, validate_args: bool | None) -> None:
        super().__init__(symmetric, AbsTransform(), validate_args=validate_args)

    @property
    def mode(self) -> Tensor:
        return creation.zeros_like(self.base_dist.mode)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        log_prob = self.base_dist.log_prob(value) + math.log(2)
        return where(value >= 0, log_prob, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
