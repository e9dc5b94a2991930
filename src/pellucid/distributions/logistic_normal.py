"""The logistic-normal distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.independent import Independent
from pellucid.distributions.normal import Normal
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import StickBreakingTransform
from pellucid.tensors import Tensor

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The logistic-normal distribution on the simplex.

    A sample is a normal vector of D numbers mapped to D + 1 shares by ``StickBreakingTransform``.

    Args:
        loc: Means of the normal vector, a number or a floating-point tensor of shape (..., D).
        scale: Standard deviations of the normal vector, positive, of a shape that broadcasts with
            ``loc``.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).event_shape
    torch.Size([3])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def _normal(self) -> Any:
        base = self.base_dist
        return base.base_dist if isinstance(base, Independent) else base

    @property
    def loc(self) -> Tensor:
        """The means of the underlying normal vector."""
        return self._normal.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the underlying normal vector."""
        return self._normal.scale
