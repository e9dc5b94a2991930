"""Base classes of distributions that are symmetric around ``loc``."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import broadcast_all
from pellucid.tensors import Tensor


class Symmetric(Distribution):
    """Base class of real distributions that are symmetric around ``loc`` and highest there."""

    support = constraints.real
    loc: Tensor

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc


class LocationScale(Symmetric):
    """Base class of symmetric distributions of ``loc + scale * X`` with a fixed variable X."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)
