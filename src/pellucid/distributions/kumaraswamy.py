"""The Kumaraswamy distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import AffineTransform, PowerTransform
from pellucid.distributions.uniform import Uniform
from pellucid.distributions.utils import broadcast_all, euler_constant
from pellucid.ops.elementwise.conditional import where
from pellucid.tensors import Tensor, creation

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution on [0, 1], with ``cdf(x) = 1 - (1 - x**a)**b``.

    Parameters are numbers or floating-point tensors that broadcast together; their common shape is
    ``batch_shape``, and ``event_shape`` is ``()``.

    Args:
        concentration1: First shape parameter a, positive.
        concentration0: Second shape parameter b, positive.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Kumaraswamy(1.0, 1.0).mean
    tensor(0.5000)
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        like = self.concentration0
        base = Uniform(
            creation.zeros_like(like), creation.ones_like(like), validate_args=validate_args
        )
        steps = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        # PyTorch's formula, which is nan for b > 1: log1p is taken of a number below -1.
        log_mode = a.reciprocal() * (-b).log1p() - a.reciprocal() * (-a * b).log1p()
        return where((a < 1) | (b < 1), float("nan"), log_mode.exp())

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def _moment(self, n: int) -> Tensor:
        a, b = self.concentration1, self.concentration0
        arg = 1 + n / a
        return (arg.lgamma() + b.lgamma() - (arg + b).lgamma()).exp() * b

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
