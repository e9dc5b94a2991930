"""What distributions of a chance have in common: it is given as ``probs`` or as ``logits``."""

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


class Chance:
    """Have a probability between 0 and 1; what is not given follows from what is."""

    def _take(self, probs: Any, logits: Any) -> None:
        """Keep the one of two parameters that is given."""
        name, given = one_given(probs=probs, logits=logits)
        (parameter,) = broadcast_all(given)
        setattr(self, name, parameter)

    def _take_with_count(self, total_count: Any, probs: Any, logits: Any) -> None:
        """Keep a number of trials, in the dtype of the probabilities, and the one that is given."""
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
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()
