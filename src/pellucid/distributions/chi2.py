"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.gamma import Gamma
from pellucid.tensors import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """Sum the squares of ``df`` standard normal numbers.

    >>> import pellucid as torch
    >>> torch.distributions.Chi2(3.0).variance
    tensor(6.)
    """

    arg_constraints = {"df": constraints.positive}
    # The parameters of the gamma distribution are no parameters here, but follow the batch.
    _kept_event_dims = {"concentration": 0, "rate": 0}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
