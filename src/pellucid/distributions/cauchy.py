"""The Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions._location import LocationScale
from pellucid.tensors import Tensor, creation

__all__ = ["Cauchy"]


class Cauchy(LocationScale):
    """The Cauchy (Lorentz) distribution, which has no mean and no variance.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        loc: Median.
        scale: Half width at half maximum, the distance of the quartiles from ``loc``; positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(1.0))
    tensor(0.7500)
    """

    @property
    def mean(self) -> Tensor:
        return self._full(float("nan"))

    @property
    def variance(self) -> Tensor:
        return self._full(float("inf"))

    def _full(self, value: float) -> Tensor:
        return creation.full(self._extended_shape(), value, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.loc + creation.empty(shape, dtype=self.loc.dtype).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        squared = ((value - self.loc) / self.scale) ** 2
        return -math.log(math.pi) - self.scale.log() - squared.log1p()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
