"""Branches of residual networks that are left out by chance (Huang et al. 2016)."""

from __future__ import annotations

import pellucid.nn as nn
from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty

__all__ = ["StochasticDepth", "stochastic_depth"]


def stochastic_depth(input: Tensor, p: float, mode: str, training: bool = True) -> Tensor:
    """Set rows of a tensor, or all of it, to zero with a probability, and scale what is kept.

    Source: Huang et al., "Deep Networks with Stochastic Depth", 2016.

    Args:
        input: Tensor ``[N, *]``.
        p: The probability, between 0 and 1; what is kept is divided by ``1 - p``.
        mode: ``"row"`` or ``"batch"``.
        training: Whether anything is done.

    Raises:
        ValueError: If there is no such mode, or ``p`` is out of range.

    >>> stochastic_depth(torch.ones(2), p=0.5, mode="row", training=False)
    tensor([1., 1.])
    """
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"drop probability has to be between 0 and 1, but got {p}")
    if mode not in ("batch", "row"):
        raise ArgumentError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0.0:
        return input
    rows = input.shape[0] if mode == "row" else 1
    kept = empty([rows] + [1] * (input.ndim - 1), dtype=input.dtype).bernoulli_(1.0 - p)
    return input * (kept.div_(1.0 - p) if p < 1.0 else kept)


class StochasticDepth(nn.Module):
    """A layer that drops rows or batches at random in training; see `stochastic_depth`.

    Args:
        p: The probability, as in `stochastic_depth`.
        mode: ``"row"`` or ``"batch"``.

    >>> StochasticDepth(0.5, "row").eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, p: float, mode: str) -> None:
        super().__init__()
        self.p = p
        self.mode = mode

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with parts set to zero, or unchanged in evaluation."""
        return stochastic_depth(input, self.p, self.mode, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}, mode={self.mode}"
