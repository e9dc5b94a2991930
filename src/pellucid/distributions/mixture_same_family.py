"""Mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.categorical import Categorical
from pellucid.distributions.constraints import MixtureSameFamilyConstraint
from pellucid.distributions.distribution import Distribution
from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.shapes import Size
from pellucid.tensors import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """Mixture of distributions of one family, which lie along the last batch dim.

    Args:
        mixture_distribution: ``Categorical`` with the weights of the K components.
        component_distribution: Distribution whose last batch dim has size K.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If an argument is of another class, or if the batch shapes do not fit.

    >>> d = torch.distributions
    >>> weights = d.Categorical(torch.ones(2))
    >>> d.MixtureSameFamily(weights, d.Normal(torch.tensor([0.0, 4.0]), 1.0)).mean
    tensor(2.)
    """

    arg_constraints = {}
    has_rsample = False

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ArgumentError(
                " The Mixture distribution needs to be an  instance of "
                f"torch.distributions.Categorical, not {type(mixture_distribution).__name__}"
            )
        if not isinstance(component_distribution, Distribution):
            raise ArgumentError(
                "The Component distribution needs to be an instance of "
                f"torch.distributions.Distribution, not {type(component_distribution).__name__}"
            )
        weights, components = mixture_distribution.batch_shape, component_distribution.batch_shape
        for one, other in zip(reversed(weights), reversed(components[:-1]), strict=False):
            if one != 1 and other != 1 and one != other:
                raise ArgumentError(
                    f"`mixture_distribution.batch_shape` ({weights}) is not compatible with "
                    f"`component_distribution.batch_shape`({components})"
                )
        count = mixture_distribution.logits.shape[-1]
        if components[-1] != count:
            raise ArgumentError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({components[-1]})"
            )
        self._num_component = count
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(components[:-1], event_shape, validate_args=validate_args)

    def _expanded(self, name: str, value: Any, shape: Size) -> Any:
        if name == "_component_distribution":
            return value.expand((*shape, self._num_component))
        return super()._expanded(name, value, shape)

    @constraints.dependent_property
    def support(self) -> Any:
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The categorical distribution of the component index."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The component distributions, along the last batch dim."""
        return self._component_distribution

    def _weighted(self, value: Tensor) -> Tensor:
        """Average over components, weighted by their probabilities."""
        probs = self.mixture_distribution.probs
        probs = probs.reshape(probs.shape + (1,) * self._event_ndims)
        return (probs * value).sum(dim=-1 - self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The variance: mean of the components' variances plus variance of their means."""
        component = self.component_distribution
        offsets = component.mean - self.mean.unsqueeze(-1 - self._event_ndims)
        return self._weighted(component.variance) + self._weighted(offsets.pow(2.0))

    def cdf(self, value: Tensor) -> Tensor:
        components = self.component_distribution.cdf(self._padded(value))
        return (components * self.mixture_distribution.probs).sum(dim=-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        components = self.component_distribution.log_prob(self._padded(value))
        weights = functional.log_softmax(self.mixture_distribution.logits, dim=-1)
        return (components + weights).logsumexp(dim=-1)

    def _padded(self, value: Tensor) -> Tensor:
        return value.unsqueeze(-1 - self._event_ndims)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = Size(sample_shape)
        with no_grad():
            dim = len(shape) + len(self._batch_shape)
            chosen = self.mixture_distribution.sample(shape)
            samples = self.component_distribution.sample(shape)
            index = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            shape_of_index = (*shape, *self._batch_shape, 1, *self._event_shape)
            return samples.gather(dim, index.expand(shape_of_index)).squeeze(dim)

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )
