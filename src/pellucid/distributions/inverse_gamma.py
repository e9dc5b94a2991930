"""The inverse gamma distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.gamma import Gamma
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import PowerTransform
from pellucid.ops.elementwise.conditional import where
from pellucid.tensors import Tensor

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The inverse gamma distribution: the reciprocal of a gamma variable.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        concentration: Shape parameter of the gamma distribution, positive.
        rate: Rate of the gamma distribution, positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.InverseGamma(3.0, 2.0).mean
    tensor(1.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        inversion = PowerTransform(-base.rate.new_ones(()))
        super().__init__(base, inversion, validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The shape parameter of the gamma distribution."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of the gamma distribution."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        mean = self.rate / (self.concentration - 1)
        return where(self.concentration > 1, mean, float("inf"))

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        shape = self.concentration
        variance = self.rate.square() / ((shape - 1).square() * (shape - 2))
        return where(shape > 2, variance, float("inf"))

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()
