# ruff: noqa: N999 - the name of PyTorch's module
"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.chi2 import Chi2
from pellucid.distributions.distribution import Distribution
from pellucid.distributions.utils import broadcast_all, standard_normal
from pellucid.ops.elementwise.conditional import where
from pellucid.tensors import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t-distribution, shifted by ``loc`` and scaled by ``scale``.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        df: Degrees of freedom, positive.
        loc: Location, which is the mean if ``df > 1``.
        scale: Scale, positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.StudentT(4.0).variance
    tensor(2.)
    """

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return where(self.df <= 1, float("nan"), self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = self.df > 2
        df = where(finite, self.df, 3.0)  # no nan in gradients where the variance is not finite
        variance = self.scale.pow(2) * df / (df - 2)
        return where(finite, variance, where(self.df > 1, float("inf"), float("nan")))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + (0.5 * self.df).lgamma()
            - (0.5 * (self.df + 1.0)).lgamma()
        )
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        return (
            self.scale.log()
            + more * (more.digamma() - half.digamma())
            + 0.5 * self.df.log()
            + log_beta
        )
