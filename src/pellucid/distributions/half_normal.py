"""The half-normal distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions._half import Half
from pellucid.distributions.normal import Normal
from pellucid.tensors import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """Be the absolute value of a normal number of mean 0, with ``scale`` as there.

    >>> import pellucid as torch
    >>> torch.distributions.HalfNormal(1.0).mean
    tensor(0.7979)
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal number."""
        return self.base_dist.stddev

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
