"""The geometric distribution."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.distributions import constraints
from pellucid.distributions._probabilities import ProbsOrLogits
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import broadcast_all
from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.tensors import Tensor, creation
from pellucid.tensors.limits import finfo

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits, Distribution):
    """The geometric distribution: the number of failures before the first success.

    ``batch_shape`` is the shape of ``probs`` or ``logits``, and ``event_shape`` is ``()``.

    Args:
        probs: Probabilities of success in (0, 1], a number or a floating-point tensor.
        logits: Log-odds, instead of ``probs``.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> torch.distributions.Geometric(0.25).mean
    tensor(3.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._set_probability(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if self._validate_args and probs is not None:
            positive = self.probs > 0
            if not positive.all():
                raise ArgumentError(
                    f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of "
                    f"distribution {self!r} to be positive but found invalid values:\n"
                    f"{self.probs[~positive]}"
                )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return creation.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        dtype = self.probs.dtype
        with no_grad():
            uniform = creation.empty(shape, dtype=dtype).uniform_(finfo(dtype).tiny, 1)
            return (uniform.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        value, probs = broadcast_all(value, self.probs)
        # Where success is certain, the product below would be 0 * -inf.
        certain = (probs == 1) & (value == 0)
        probs = probs.masked_fill(certain, 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        surprise = functional.binary_cross_entropy_with_logits(
            self.logits, self.probs, reduction="none"
        )
        return surprise / self.probs
