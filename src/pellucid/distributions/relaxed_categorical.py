"""Relaxed categorical distributions, which have differentiable samples."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions._relaxed import Relaxed
from pellucid.distributions.categorical import Categorical, OverCategories
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.transforms import ExpTransform
from pellucid.distributions.utils import broadcast_all, clamp_probs
from pellucid.random import rand
from pellucid.tensors import Tensor, creation

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OverCategories):
    """Distribution of the log-probabilities of a relaxed one-hot variable.

    A sample is ``log_softmax((logits + Gumbel noise) / temperature)``. Source: C. J. Maddison, A.
    Mnih and Y. W. Teh, "The concrete distribution", 2017.

    Args:
        temperature: Temperature of the relaxation, a positive number or tensor.
        probs: Unnormalized probabilities of shape (..., K), not negative; normalized along the last
            dim.
        logits: Unnormalized log-probabilities of shape (..., K), instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> module = torch.distributions.relaxed_categorical
    >>> module.ExpRelaxedCategorical(torch.tensor(1.0), torch.ones(3)).event_shape
    torch.Size([3])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self.temperature = temperature
        super().__init__(Categorical(probs, logits), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniform = clamp_probs(rand(shape, dtype=self.logits.dtype))
        gumbels = -((-(uniform.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        count = self._event_shape[0]
        logits, value = broadcast_all(self.logits, value)
        temperature = creation.full_like(logits[..., 0], 1.0) * self.temperature
        scale = creation.full_like(temperature, float(count)).lgamma()
        scale = scale + temperature.log() * (count - 1)
        score = logits - value * self.temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(Relaxed):
    """Relaxed one-hot distribution on the simplex, with differentiable samples.

    The lower the temperature, the closer samples are to one-hot vectors. ``batch_shape`` is the
    shape of ``probs`` or ``logits`` without its last dim, and ``event_shape`` is ``(K,)``.

    Args: As for `ExpRelaxedCategorical`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> choice = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3))
    >>> choice.rsample().shape
    torch.Size([3])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    _to_support = ExpTransform

    @staticmethod
    def _unmapped(
        temperature: Any, probs: Any, logits: Any, validate_args: bool | None
    ) -> Distribution:
        return ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
