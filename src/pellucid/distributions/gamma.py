"""The gamma distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.exp_family import ExponentialFamily
from pellucid.distributions.utils import broadcast_all
from pellucid.ops.elementwise.special_functions import igamma
from pellucid.ops.random.gamma_sampling import _standard_gamma
from pellucid.tensors import Tensor
from pellucid.tensors.creation import as_tensor
from pellucid.tensors.limits import finfo

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution, with mean ``concentration / rate``.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        concentration: Shape parameter (alpha), positive.
        rate: Rate parameter (beta), the reciprocal of the scale; positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Gamma(4.0, 2.0).mean
    tensor(2.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        # The logarithm of a sample stays finite; its gradient is that of the sample as drawn.
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype)
        self._check_sample(value)
        shape = self.concentration
        normalizer = shape.xlogy(self.rate) - shape.lgamma()
        return normalizer + (shape - 1).xlogy(value) - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1.0 - shape) * shape.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Tensor:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()
