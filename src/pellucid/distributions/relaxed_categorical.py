"""Relaxed categorical distributions: choices that can be differentiated."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions._relaxed import Relaxed
from pellucid.distributions.categorical import Categorical, OverCategories
from pellucid.distributions.transforms import ExpTransform
from pellucid.distributions.utils import broadcast_all, clamp_probs
from pellucid.random import rand
from pellucid.tensors import Tensor, creation

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OverCategories):
    """Be the logarithms of relaxed shares: a log-softmax of Gumbel numbers around ``logits``.

    Source: C. J. Maddison, A. Mnih and Y. W. Teh, "The concrete distribution", 2017.

    >>> import pellucid as torch
    >>> module = torch.distributions.relaxed_categorical
    >>> module.ExpRelaxedCategorical(torch.tensor(1.0), torch.ones(3)).event_shape
    torch.Size([3])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        super().__init__(Categorical(probs, logits), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniform = clamp_probs(rand(shape, dtype=self.logits.dtype))
        gumbels = -((-(uniform.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count = self._event_shape[0]
        logits, value = broadcast_all(self.logits, value)
        temperature = creation.full_like(logits[..., 0], 1.0) * self.temperature
        scale = creation.full_like(temperature, float(count)).lgamma()
        scale = scale + temperature.log() * (count - 1)
        score = logits - value * self.temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(Relaxed):
    """Be shares, the nearer to a one-hot vector the lower the ``temperature``.

    >>> import pellucid as torch
    >>> choice = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3))
    >>> choice.rsample().shape
    torch.Size([3])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
