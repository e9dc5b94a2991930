"""The binomial distribution."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions._probabilities import ProbsOrLogits
from pellucid.distributions.distribution import Distribution
from pellucid.errors import UnimplementedError
from pellucid.random import binomial
from pellucid.tensors import Tensor, ranges

__all__ = ["Binomial"]


def _positive_part(x: Tensor) -> Tensor:
    """Return the positive part, with gradient 0.5 at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(ProbsOrLogits, Distribution):
    """The binomial distribution: the number of successes in ``total_count`` trials.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        total_count: Number of trials, a nonnegative integer or a tensor of such.
        probs: Probabilities in [0, 1], a number or a floating-point tensor.
        logits: Log-odds, instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> torch.distributions.Binomial(2, torch.tensor(0.5)).log_prob(torch.tensor(1.0)).exp()
    tensor(0.5000)
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._set_count_and_probability(total_count, probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        total = self.total_count
        orders = (value + 1).lgamma() + (total - value + 1).lgamma() - (total + 1).lgamma()
        # n log(1 + exp(logits)), without overflow
        normalizer = total * (_positive_part(self.logits) + (-self.logits.abs()).exp().log1p())
        return value * self.logits - orders - normalizer

    def entropy(self) -> Tensor:
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = 1 + self._common_count("enumerate_support")
        return self._for_batch(ranges.arange(count, dtype=self._param.dtype), expand)

    def _common_count(self, wanted: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise UnimplementedError(
                f"Inhomogeneous total count not supported by `{wanted}`. "
                f"It reaches from {int(self.total_count.min())} to {count}."
            )
        return count
