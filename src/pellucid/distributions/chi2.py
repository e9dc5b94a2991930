"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from pellucid.distributions import constraints
from pellucid.distributions.gamma import Gamma
from pellucid.tensors import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution: the sum of ``df`` squared standard normal variables.

    ``batch_shape`` is the shape of ``df``, and ``event_shape`` is ``()``.

    Args:
        df: Degrees of freedom, positive; a number or a floating-point tensor.
        validate_args: As for `Distribution`.

    Raises: As for `Distribution`.

    >>> torch.distributions.Chi2(3.0).variance
    tensor(6.)
    """

    arg_constraints = {"df": constraints.positive}
    # These are not parameters of this class, but are expanded with the batch.
    _kept_event_dims = {"concentration": 0, "rate": 0}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
