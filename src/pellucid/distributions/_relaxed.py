"""Base class of relaxed (continuous) versions of discrete distributions."""

from __future__ import annotations

from typing import Any, ClassVar

from pellucid.distributions.distribution import Distribution
from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.distributions.transforms import Transform
from pellucid.tensors import Tensor


class Relaxed(TransformedDistribution):
    """Base class of relaxed distributions, which approach a discrete one at low temperature."""

    has_rsample = True
    #: maps samples of the base distribution to the support
    _to_support: ClassVar[type[Transform]]

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        base = self._unmapped(temperature, probs, logits, validate_args)
        super().__init__(base, self._to_support(), validate_args=validate_args)

    @staticmethod
    def _unmapped(
        temperature: Any, probs: Any, logits: Any, validate_args: bool | None
    ) -> Distribution:
        """Return the base distribution, of log-odds or log-probabilities."""
        raise NotImplementedError

    @property
    def temperature(self) -> Any:
        """The temperature of the relaxation."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log-probabilities, or the log-odds of a binary distribution."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
