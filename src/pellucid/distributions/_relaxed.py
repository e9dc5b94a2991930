"""What relaxed distributions have in common: temperature and probabilities of what they map."""

from __future__ import annotations

from typing import Any

from pellucid.distributions.transformed_distribution import TransformedDistribution
from pellucid.tensors import Tensor


class Relaxed(TransformedDistribution):
    """Map relaxed logarithms or log-odds, the nearer to a choice the lower the temperature."""

    has_rsample = True

    @property
    def temperature(self) -> Any:
        """How far from a choice of one."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, or the log-odds."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
