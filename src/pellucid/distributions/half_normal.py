"""The half-normal distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions._half import HalfSymmetric
from pellucid.distributions.normal import Normal
from pellucid.tensors import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(HalfSymmetric):
    """The half-normal distribution: the absolute value of a normal variable of mean 0.

    ``batch_shape`` is the shape of ``scale``, and ``event_shape`` is ``()``.

    Args:
        scale: Standard deviation of the normal variable, positive; a number or a floating-point
            tensor.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.HalfNormal(1.0).mean
    tensor(0.7979)
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal variable."""
        return self.base_dist.stddev

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
