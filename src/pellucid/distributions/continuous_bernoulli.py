"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions._probabilities import ProbsOrLogits
from pellucid.distributions.exp_family import ExponentialFamily
from pellucid.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs
from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.ops.elementwise.conditional import where
from pellucid.random import rand
from pellucid.tensors import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1].

    The density is proportional to ``probs**x * (1 - probs)**(1 - x)``. Source: G. Loaiza-Ganem and
    J. P. Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational
    autoencoders", 2019. ``batch_shape`` is the shape of ``probs`` or ``logits``, and
    ``event_shape`` is ``()``.

    Args:
        probs: Probabilities in [0, 1], a number or a floating-point tensor.
        logits: Log-odds, instead of ``probs``.
        lims: Bounds around 0.5 between which the normalizer is computed by its Taylor series,
            because its formula is not accurate there.
        validate_args: As for `Distribution`.

    Raises:
        ValueError: If both or neither of ``probs`` and ``logits`` are given, or if arguments are
            validated and a parameter violates its constraint.

    >>> torch.distributions.ContinuousBernoulli(0.5).mean
    tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._set_probability(probs, logits)
        if probs is not None:
            inside = constraints.unit_interval.check(self.probs).all()
            if (validate_args is None or validate_args) and not inside:
                raise ArgumentError("The parameter probs has invalid values: some not in [0, 1]")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter in (0, 1), which is not the mean."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _unstable(self) -> Any:
        """Return where ``probs`` is so close to 0.5 that the exact formulas lose their digits."""
        return (self.probs > self._lims[0]) & (self.probs <= self._lims[1])

    def _away_from_half(self) -> Tensor:
        return where(self._unstable(), self._lims[0], self.probs)

    def _log_norm(self) -> Tensor:
        """Return the logarithm of the normalizing constant."""
        probs = self._away_from_half()
        # Each logarithm is evaluated only on the side of 0.5 where it is defined.
        below, above = probs.clamp(max=0.5), probs.clamp(min=0.5)
        magnitude = ((-probs).log1p() - probs.log()).abs().log()
        slope = where(probs <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log())
        square = (self.probs - 0.5) ** 2
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * square) * square
        return where(self._unstable(), taylor, magnitude - slope)

    @property
    def mean(self) -> Tensor:
        probs = self._away_from_half()
        mean = probs / (2.0 * probs - 1.0) + 1.0 / ((-probs).log1p() - probs.log())
        offset = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * offset**2) * offset
        return where(self._unstable(), taylor, mean)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    @property
    def variance(self) -> Tensor:
        probs = self._away_from_half()
        log_odds = (-probs).log1p() - probs.log()
        variance = probs * (probs - 1.0) / (1.0 - 2.0 * probs) ** 2 + 1.0 / log_odds**2
        square = (self.probs - 0.5) ** 2
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * square) * square
        return where(self._unstable(), taylor, variance)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        likelihood = -functional.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return likelihood + self._log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        probs = self._away_from_half()
        weight = probs**value * (1.0 - probs) ** (1.0 - value)
        cdf = (weight + probs - 1.0) / (2.0 * probs - 1.0)
        inside = where(self._unstable(), value, cdf)
        return where(value <= 0.0, 0.0, where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        probs = self._away_from_half()
        above = (-probs + value * (2.0 * probs - 1.0)).log1p() - (-probs).log1p()
        return where(self._unstable(), value, above / (probs.log() - (-probs).log1p()))

    def entropy(self) -> Tensor:
        complement = (-self.probs).log1p()
        return self.mean * (complement - self.probs.log()) - self._log_norm() - complement

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Tensor:
        unstable = (x > self._lims[0] - 0.5) & (x <= self._lims[1] - 0.5)
        kept = where(unstable, self._lims[0] - 0.5, x)
        normalizer = (kept.exp() - 1.0).abs().log() - kept.abs().log()
        return where(unstable, 0.5 * x + x**2 / 24.0 - x**4 / 2880.0, normalizer)
