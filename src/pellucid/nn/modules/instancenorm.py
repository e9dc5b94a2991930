"""Lazy instance normalization, which takes its number of channels from the first input."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.nn.modules.batchnorm import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _InstanceNorm,
    _LazyNormBase,
)

__all__ = [
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d",
    "LazyInstanceNorm2d", "LazyInstanceNorm3d",
]  # fmt: skip


class _LazyInstanceNorm(_LazyNormBase, _InstanceNorm):
    def __init__(
        self, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=bias)
        factory = {"device": device, "dtype": dtype}
        self._uninitialize(affine, track_running_stats, bias, factory)

    def _channel_dim(self, input: Any) -> int:
        return input.dim() - self.ranks[0]


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """``InstanceNorm1d`` that takes ``num_features`` from the first input.

    Args:
        eps: Number added to the variance for numerical stability.
        momentum: Weight of the new value in running statistics; None means their cumulative
            average.
        affine: Whether to learn a weight and a bias for each channel.
        track_running_stats: Whether to keep running statistics for evaluation.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.
        bias: Whether to learn a bias, if ``affine``.

    >>> import pellucid as torch
    >>> torch.nn.LazyInstanceNorm1d()(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    cls_to_become = InstanceNorm1d


@sections_of(LazyInstanceNorm1d)
class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """``InstanceNorm2d`` that takes ``num_features`` from the first input.

    Args: As for `LazyInstanceNorm1d`.

    >>> import pellucid as torch
    >>> torch.nn.LazyInstanceNorm2d()(torch.zeros(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become = InstanceNorm2d


@sections_of(LazyInstanceNorm1d)
class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """``InstanceNorm3d`` that takes ``num_features`` from the first input.

    Args: As for `LazyInstanceNorm1d`.

    >>> import pellucid as torch
    >>> torch.nn.LazyInstanceNorm3d()(torch.zeros(2, 3, 2, 2, 2)).shape
    torch.Size([2, 3, 2, 2, 2])
    """

    cls_to_become = InstanceNorm3d
