"""The Weibull distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.exponential import Exponential
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import AffineTransform, PowerTransform
from pellucid.distributions.utils import broadcast_all, euler_constant
from pellucid.tensors import Tensor, creation

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution, with ``P(X > x) = exp(-(x / scale)**concentration)``.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        scale: Scale, positive.
        concentration: Shape parameter, positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _kept_event_dims = {"concentration_reciprocal": 0}

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(creation.ones_like(self.scale), validate_args=validate_args)
        power = PowerTransform(exponent=self.concentration_reciprocal)
        steps = [power, AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        squares = (1 + 2 * self.concentration_reciprocal).lgamma().exp()
        mean = (1 + self.concentration_reciprocal).lgamma()
        return self.scale.pow(2) * (squares - (2 * mean).exp())

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1
