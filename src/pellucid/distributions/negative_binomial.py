"""The negative binomial distribution."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions._probabilities import ProbsOrLogits
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.gamma import Gamma
from pellucid.distributions.utils import lazy_property
from pellucid.nn.functional import logsigmoid
from pellucid.random import poisson
from pellucid.tensors import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits, Distribution):
    """The negative binomial distribution: successes before ``total_count`` failures.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        total_count: Number of failures at which to stop, not negative; need not be an integer.
        probs: Probabilities of success in [0, 1), a number or a floating-point tensor.
        logits: Log-odds, instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> torch.distributions.NegativeBinomial(3.0, torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._set_count_and_probability(total_count, probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Gamma:
        # The count is Poisson distributed with a gamma distributed rate.
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        total = self.total_count
        power = total * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        orders = (1.0 + value).lgamma() + total.lgamma() - (total + value).lgamma()
        # With no failures to wait for, the count is 0 and both gamma functions are infinite.
        return power - orders.masked_fill(total + value == 0, 0.0)
