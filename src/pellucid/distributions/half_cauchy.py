"""The half-Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions._half import HalfSymmetric
from pellucid.distributions.cauchy import Cauchy
from pellucid.tensors import Tensor, creation

__all__ = ["HalfCauchy"]


class HalfCauchy(HalfSymmetric):
    """The half-Cauchy distribution: the absolute value of a Cauchy variable around 0.

    ``batch_shape`` is the shape of ``scale``, and ``event_shape`` is ``()``.

    Args:
        scale: Scale of the Cauchy variable, which is the median here; positive, a number or a
            floating-point tensor.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.HalfCauchy(1.0).icdf(torch.tensor(0.5))
    tensor(1.)
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    @property
    def scale(self) -> Tensor:
        """The median."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return creation.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance
