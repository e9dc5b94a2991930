"""The generalized Pareto distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import broadcast_all
from pellucid.ops.elementwise.conditional import where
from pellucid.random import rand
from pellucid.tensors import Tensor

__all__ = ["GeneralizedPareto"]

_NEARLY_EXPONENTIAL = 1e-8


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution of values above ``loc``.

    ``P(X > x) = (1 + concentration * (x - loc) / scale)**(-1 / concentration)``; with
    ``concentration`` 0 it is exponential. Parameters are numbers or floating-point tensors that
    broadcast together; their common shape is ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        loc: Lower bound.
        scale: Scale, positive.
        concentration: Shape parameter, any real number.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = where(
            self.concentration < 0, self.loc - self.scale / self.concentration, float("inf")
        )
        return constraints.interval(self.loc, upper)

    def _exponential(self) -> Any:
        return self.concentration.abs() < _NEARLY_EXPONENTIAL

    def _safe_concentration(self) -> Tensor:
        return where(self._exponential(), 1.0, self.concentration)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _log_survival(self, value: Tensor) -> Tensor:
        z, k = (value - self.loc) / self.scale, self._safe_concentration()
        return where(self._exponential(), -z, -(k * z).log1p() / k)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        z, k = (value - self.loc) / self.scale, self._safe_concentration()
        general = -(1 + 1 / k) * (k * z).log1p()
        return where(self._exponential(), -z, general) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return 1 - self._log_survival(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        k = self._safe_concentration()
        log_rest = (-value).log1p()
        general = (-k * log_rest).expm1() / k
        return self.loc + self.scale * where(self._exponential(), -log_rest, general)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1

    @property
    def mean(self) -> Tensor:
        mean = self.loc + self.scale / (1 - self.concentration)
        return where(self.concentration < 1, mean, float("inf"))

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        variance = self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k))
        return where(k < 0.5, variance, float("inf"))

    @property
    def mode(self) -> Tensor:
        return self.loc
