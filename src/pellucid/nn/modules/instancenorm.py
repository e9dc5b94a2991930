"""Instance normalization, and the same with a number of channels taken from the first input."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.nn import functional
from pellucid.nn.modules.batchnorm import BatchNorm1d, _LazyNormBase, _NormBase
from pellucid.tensors import Tensor


class _InstanceNorm(_NormBase):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_rank(input)
        unbatched = input.dim() == self.ranks[0]
        result = functional.instance_norm(
            input.unsqueeze(0) if unbatched else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result.squeeze(0) if unbatched else result


@sections_of(BatchNorm1d)
class InstanceNorm1d(_InstanceNorm):
    """Instance normalization: each channel of each sample is normalized by itself.

    Source: Ulyanov, Vedaldi and Lempitsky, "Instance normalization", 2016.

    Args: As for `BatchNorm1d`.

    Shape:
        Input and output: ``[N, C, L]`` or ``[C, L]``.

    >>> torch.nn.InstanceNorm1d(1)(torch.tensor([[[0.0, 2.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of images: each channel of each image is normalized by itself.

    Source: see ``InstanceNorm1d``.

    Args: As for `InstanceNorm1d`.

    Shape:
        Input and output: ``[N, C, H, W]`` or ``[C, H, W]``.

    >>> torch.nn.InstanceNorm2d(1)(torch.tensor([[[[0.0, 2.0]]]]))
    tensor([[[[-1.0000,  1.0000]]]])
    """

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of volumes: each channel of each volume is normalized by itself.

    Source: see ``InstanceNorm1d``.

    Args: As for `InstanceNorm1d`.

    Shape:
        Input and output: ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    >>> torch.nn.InstanceNorm3d(1)(torch.tensor([[[[[0.0, 2.0]]]]]))
    tensor([[[[[-1.0000,  1.0000]]]]])
    """

    ranks = (4, 5)


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
        eps, momentum, affine, track_running_stats, device, dtype, bias: As for `InstanceNorm1d`.

    >>> torch.nn.LazyInstanceNorm1d()(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """``InstanceNorm2d`` that takes ``num_features`` from the first input.

    Args: As for `LazyInstanceNorm1d`.

    >>> torch.nn.LazyInstanceNorm2d()(torch.zeros(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """``InstanceNorm3d`` that takes ``num_features`` from the first input.

    Args: As for `LazyInstanceNorm1d`.

    >>> torch.nn.LazyInstanceNorm3d()(torch.zeros(2, 3, 2, 2, 2)).shape
    torch.Size([2, 3, 2, 2, 2])
    """

    cls_to_become = InstanceNorm3d
