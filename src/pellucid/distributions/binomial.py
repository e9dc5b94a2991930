"""The binomial distribution."""

from __future__ import annotations

from typing import Any

from pellucid import creation
from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import (
    broadcast_all,
    check_one_given,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)
from pellucid.errors import UnimplementedError
from pellucid.random import binomial
from pellucid.shapes import Size
from pellucid.tensor import Tensor

__all__ = ["Binomial"]


def _above_zero(x: Tensor) -> Tensor:
    """Return the positive part, with a gradient of a half at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(Distribution):
    """Count the successes in ``total_count`` trials of probability ``probs``.

    >>> import pellucid as torch
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
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_given(probs=probs, logits=logits)
        if probs is not None:
            self.total_count, self.probs = broadcast_all(total_count, probs)
            self.total_count = self.total_count.type_as(self.probs)
        else:
            self.total_count, self.logits = broadcast_all(total_count, logits)
            self.total_count = self.total_count.type_as(self.logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds of a success."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities of a success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

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
        if self._validate_args:
            self._validate_sample(value)
        total = self.total_count
        orders = (value + 1).lgamma() + (total - value + 1).lgamma() - (total + 1).lgamma()
        # n log(1 + exp(logits)), without overflow
        normalizer = total * (_above_zero(self.logits) + (-self.logits.abs()).exp().log1p())
        return value * self.logits - orders - normalizer

    def entropy(self) -> Tensor:
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = 1 + self._common_count("enumerate_support")
        values = creation.arange(count, dtype=self._param.dtype)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _common_count(self, wanted: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise UnimplementedError(
                f"Inhomogeneous total count not supported by `{wanted}`. "
                f"It reaches from {int(self.total_count.min())} to {count}."
            )
        return count
