"""Categorical distributions over one-hot vectors."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.categorical import Categorical, OverCategories
from pellucid.nn import functional
from pellucid.tensors import Tensor, creation

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OverCategories):
    """The categorical distribution over one-hot vectors.

    ``batch_shape`` is the shape of ``probs`` or ``logits`` without its last dim, and
    ``event_shape`` is ``(K,)``.

    Args:
        probs: Unnormalized probabilities of shape (..., K), not negative; normalized along the last
            dim.
        logits: Unnormalized log-probabilities of shape (..., K), instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> torch.distributions.OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(Categorical(probs, logits), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return self._one_hot(self.probs.argmax(dim=-1))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _one_hot(self, index: Tensor) -> Tensor:
        return functional.one_hot(index, self._event_shape[0]).to(self._categorical._param.dtype)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        size = self._event_shape[0]
        values = creation.eye(size, dtype=self._categorical._param.dtype)
        values = values.view((size,) + (1,) * len(self._batch_shape) + (size,))
        return values.expand((size, *self._batch_shape, size)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot categorical distribution with straight-through gradients.

    The gradient of a sample is passed on unchanged to the probabilities. Source: Y. Bengio, N.
    Léonard and A. Courville, "Estimating or propagating gradients through stochastic neurons for
    conditional computation", 2013.

    Args: As for `OneHotCategorical`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> probs = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> torch.distributions.OneHotCategoricalStraightThrough(probs).rsample().requires_grad
    True
    """

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        probs = self._categorical.probs
        return self.sample(sample_shape) + (probs - probs.detach())
