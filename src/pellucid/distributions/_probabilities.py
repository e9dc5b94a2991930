"""Base class of distributions with a probability, given as ``probs`` or as ``logits``."""

from __future__ import annotations

from typing import Any

from pellucid.distributions.utils import (
    broadcast_all,
    lazy_property,
    logits_to_probs,
    one_given,
    probs_to_logits,
)
from pellucid.shapes import Size
from pellucid.tensors import Tensor


class ProbsOrLogits:
    """Base class that keeps ``probs`` or ``logits`` and computes the other on demand."""

    def _set_probability(self, probs: Any, logits: Any) -> None:
        """Store whichever of the two parameters is given."""
        name, given = one_given(probs=probs, logits=logits)
        (parameter,) = broadcast_all(given)
        setattr(self, name, parameter)

    def _set_count_and_probability(self, total_count: Any, probs: Any, logits: Any) -> None:
        """Store the number of trials and whichever of the two parameters is given."""
        name, given = one_given(probs=probs, logits=logits)
        count, parameter = broadcast_all(total_count, given)
        setattr(self, name, parameter)
        self.total_count = count.type_as(parameter)

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.size()
