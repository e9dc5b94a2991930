"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import AffineTransform, ExpTransform
from pellucid.distributions.uniform import Uniform
from pellucid.distributions.utils import broadcast_all, euler_constant
from pellucid.tensors import Tensor, creation
from pellucid.tensors.limits import finfo

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, with ``cdf(x) = exp(-exp(-(x - loc) / scale))``.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        loc: Location, which is the mode.
        scale: Scale, positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Gumbel(0.0, 1.0).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        low = creation.full_like(self.loc, limits.tiny)
        high = creation.full_like(self.loc, 1 - limits.eps)
        base = Uniform(low, high, validate_args=validate_args)
        negated = AffineTransform(loc=0, scale=-creation.ones_like(self.scale))
        last = AffineTransform(loc=self.loc, scale=-self.scale)
        steps = [ExpTransform().inv, negated, ExpTransform().inv, last]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
