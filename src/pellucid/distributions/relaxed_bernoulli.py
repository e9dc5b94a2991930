"""Relaxed Bernoulli distributions, which have differentiable samples."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions._probabilities import ProbsOrLogits
from pellucid.distributions._relaxed import Relaxed
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.transforms import SigmoidTransform
from pellucid.distributions.utils import broadcast_all, clamp_probs
from pellucid.random import rand
from pellucid.tensors import Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbsOrLogits, Distribution):
    """Distribution of the log-odds of a relaxed Bernoulli variable.

    A sample is ``(logits + logistic noise) / temperature``. Sources: C. J. Maddison, A. Mnih and Y.
    W. Teh, "The concrete distribution", 2017; E. Jang, S. Gu and B. Poole, "Categorical
    reparameterization with Gumbel-softmax", 2017.

    Args:
        temperature: Temperature of the relaxation, a positive number or tensor.
        probs: Probabilities in [0, 1], a number or a floating-point tensor.
        logits: Log-odds, instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> module = torch.distributions.relaxed_bernoulli
    >>> module.LogitRelaxedBernoulli(1.0, probs=0.5).log_prob(torch.tensor(0.0))
    tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self.temperature = temperature
        self._set_probability(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniform = clamp_probs(rand(shape, dtype=probs.dtype))
        log_odds = uniform.log() - (-uniform).log1p() + probs.log() - (-probs).log1p()
        return log_odds / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value * self.temperature
        temperature = broadcast_all(self.temperature, difference)[0]
        return temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(Relaxed):
    """Relaxed Bernoulli distribution on (0, 1), with differentiable samples.

    The lower the temperature, the closer samples are to 0 or 1. ``batch_shape`` is the shape of
    ``probs`` or ``logits``.

    Args: As for `LogitRelaxedBernoulli`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> coin = torch.distributions.RelaxedBernoulli(torch.tensor(2.2), torch.tensor([0.1, 0.9]))
    >>> coin.rsample().shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _to_support = SigmoidTransform

    @staticmethod
    def _unmapped(
        temperature: Any, probs: Any, logits: Any, validate_args: bool | None
    ) -> Distribution:
        # As in PyTorch, the base keeps the default for validation.
        return LogitRelaxedBernoulli(temperature, probs, logits)
