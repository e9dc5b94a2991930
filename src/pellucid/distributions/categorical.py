"""The categorical distribution."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import lazy_property, logits_to_probs, one_given, probs_to_logits
from pellucid.errors import ArgumentError
from pellucid.ops.shape.broadcasting import broadcast_tensors
from pellucid.random import multinomial
from pellucid.shapes import Size
from pellucid.tensors import Tensor, creation, ranges
from pellucid.tensors.limits import finfo

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution over the indices 0 to K - 1.

    Samples have dtype int64. ``batch_shape`` is the shape of ``probs`` or ``logits`` without its
    last dim, and ``event_shape`` is ``()``.

    Args:
        probs: Unnormalized probabilities of shape (..., K), not negative; normalized along the last
            dim.
        logits: Unnormalized log-probabilities of shape (..., K), instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> policy = torch.distributions.Categorical(torch.tensor([1.0, 3.0]))
    >>> policy.log_prob(torch.tensor(1)).exp()
    tensor(0.7500)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = one_given(probs=probs, logits=logits)
        if given.dim() < 1:
            raise ArgumentError(
                f"`{name}` parameter must be at least one-dimensional. "
                "Its last dimension holds the categories."
            )
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = given.size(-1)
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The normalized log-probabilities, of shape ``batch_shape + (K,)``."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The normalized probabilities, of shape ``batch_shape + (K,)``."""
        return logits_to_probs(self.logits)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.size()

    @property
    def mean(self) -> Tensor:
        return self._undefined()

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return self._undefined()

    def _undefined(self) -> Tensor:
        return creation.full(self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = Size(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self._num_events)
            drawn = multinomial(rows, shape.numel(), True)
        return drawn.T.reshape(self._extended_shape(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        value, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        # A probability of 0 contributes 0, although its logarithm is infinite.
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._for_batch(ranges.arange(self._num_events), expand)


class OverCategories(Distribution):
    """Base class of distributions whose events hold one number for each category."""

    def __init__(self, categorical: Categorical, validate_args: bool | None) -> None:
        self._categorical = categorical
        shape = categorical.param_shape
        super().__init__(categorical.batch_shape, shape[-1:], validate_args=validate_args)

    @property
    def probs(self) -> Tensor:
        """The normalized probabilities, of shape ``batch_shape + (K,)``."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The normalized log-probabilities, of shape ``batch_shape + (K,)``."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._categorical.param_shape
