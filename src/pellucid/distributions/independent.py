"""Distributions whose last batch dims are reinterpreted as event dims."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import sum_rightmost
from pellucid.errors import ArgumentError
from pellucid.shapes import Size
from pellucid.tensors import Tensor

__all__ = ["Independent"]


class Independent(Distribution):
    """Distribution whose last batch dims are reinterpreted as event dims.

    ``log_prob`` and ``entropy`` sum over these dims.

    Args:
        base_distribution: The distribution to reinterpret.
        reinterpreted_batch_ndims: Number of batch dims that become event dims.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If the base distribution has fewer batch dims.

    >>> d = torch.distributions
    >>> d.Independent(d.Normal(torch.zeros(3), 1.0), 1).log_prob(torch.zeros(3))
    tensor(-2.7568)
    """

    arg_constraints = {}

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        batch_dims = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > batch_dims:
            raise ArgumentError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {batch_dims}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = batch_dims - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        if name == "base_dist":
            return value.expand(shape + self._event_shape[: self.reinterpreted_batch_ndims])
        return super()._expanded(name, value, shape)

    @property
    def has_rsample(self) -> bool:
        """Whether samples are differentiable."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:
        """Whether all values can be listed."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        support = self.base_dist.support
        if self.reinterpreted_batch_ndims:
            return constraints.independent(support, self.reinterpreted_batch_ndims)
        return support

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError(
                "Enumeration over cartesian product is not implemented: there are "
                f"{self.reinterpreted_batch_ndims} reinterpreted dimensions"
            )
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
