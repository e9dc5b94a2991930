"""Instance normalisation that learns its number of channels from the first input."""

from __future__ import annotations

from typing import Any

from pellucid.nn.modules.batchnorm import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _InstanceNorm,
    _LazyNormBase,
)

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _LazyInstanceNorm(_LazyNormBase, _InstanceNorm):
    def __init__(
        self, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=bias)
        factory = {"device": device, "dtype": dtype}
        self._wait_for_input(affine, track_running_stats, bias, factory)

    def _channel_dim(self, input: Any) -> int:
        return input.dim() - self.ranks[0]


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """Be an `InstanceNorm1d` that learns ``num_features`` from the first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """Be an `InstanceNorm2d` that learns ``num_features`` from the first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """Be an `InstanceNorm3d` that learns ``num_features`` from the first input."""

    cls_to_become = InstanceNorm3d
