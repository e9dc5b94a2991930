"""Distributions of transformed variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.independent import Independent
from pellucid.distributions.transforms import ComposeTransform, Transform
from pellucid.distributions.utils import sum_rightmost
from pellucid.errors import ArgumentError
from pellucid.shapes import Size
from pellucid.tensors import Tensor

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """Distribution of a variable after one or more transforms.

    Args:
        base_distribution: Distribution of the variable before the transforms.
        transforms: A ``Transform``, or a list of them that are applied in order.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If ``transforms`` is anything else, or if the base distribution has too few
            dims.

    >>> d = torch.distributions
    >>> d.TransformedDistribution(d.Normal(0.0, 1.0), d.ExpTransform()).log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints = {}
    #: the distribution of the variable before the transforms
    base_dist: Any
    has_rsample: Any = property(lambda self: self.base_dist.has_rsample)

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        self.transforms = _as_list(transforms)
        transform = ComposeTransform(self.transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        domain_dim, codomain_dim = transform.domain.event_dim, transform.codomain.event_dim
        if len(base_shape) < domain_dim:
            raise ArgumentError(
                f"base_distribution needs to have shape with size at least {domain_dim}, "
                f"but got {base_shape}."
            )
        shape = Size(transform.forward_shape(base_shape))
        # The parameters of the transforms may enlarge the batch.
        expanded = Size(transform.inverse_shape(shape))
        base_event_dim = len(base_distribution.event_shape)
        if expanded != base_shape:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event_dim])
        if domain_dim > base_event_dim:
            base_distribution = Independent(base_distribution, domain_dim - base_event_dim)
        self.base_dist = base_distribution
        change = codomain_dim - domain_dim
        event_dim = max(codomain_dim, len(base_distribution.event_shape) + change)
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        if name != "base_dist":
            return super()._expanded(name, value, shape)
        inner = ComposeTransform(self.transforms).inverse_shape(shape + self._event_shape)
        return value.expand(inner[: len(inner) - len(value.event_shape)])

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self._event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        event_dim = len(self._event_shape)
        volume: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(x, y)
            volume = volume + sum_rightmost(stretch, event_dim - transform.domain.event_dim)
            y = x
        base = self.base_dist.log_prob(y)
        return sum_rightmost(base, event_dim - len(self.base_dist.event_shape)) - volume

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonized(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._forward(self.base_dist.icdf(self._monotonized(value)))

    def _monotonized(self, value: Tensor) -> Tensor:
        """Mirror probabilities around 0.5 if the transforms are decreasing."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5


def _as_list(transforms: Any) -> list[Transform]:
    if isinstance(transforms, Transform):
        return [transforms]
    if isinstance(transforms, list) and all(isinstance(each, Transform) for each in transforms):
        return transforms
    if isinstance(transforms, list):
        raise ArgumentError("transforms must be a Transform or a list of Transforms")
    raise ArgumentError(f"transforms must be a Transform or list, but was {transforms}")
