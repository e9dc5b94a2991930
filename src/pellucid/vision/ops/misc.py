"""Layers of networks that are trained no further."""

from __future__ import annotations

import pellucid.nn as nn
from pellucid.tensors import Tensor
from pellucid.tensors.creation import ones, zeros

__all__ = ["FrozenBatchNorm2d"]


class FrozenBatchNorm2d(nn.Module):
    """Batch normalization by statistics and factors that stay as they are: all are buffers.

    The input has shape ``[N, num_features, H, W]``.

    Args:
        num_features: The number of channels.
        eps: Added to the variances.

    >>> layer = FrozenBatchNorm2d(1, eps=0.0)
    >>> layer.running_mean.fill_(2.0)
    tensor([2.])
    >>> layer(torch.tensor([[[[2.0, 3.0]]]]))
    tensor([[[[0., 1.]]]])
    """

    weight: Tensor
    bias: Tensor
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", ones(num_features))
        self.register_buffer("bias", zeros(num_features))
        self.register_buffer("running_mean", zeros(num_features))
        self.register_buffer("running_var", ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        """Return the input times a factor for each channel, shifted by a number for each."""
        scale = self.weight * (self.running_var + self.eps).rsqrt()
        shift = self.bias - self.running_mean * scale
        return x * scale.reshape(1, -1, 1, 1) + shift.reshape(1, -1, 1, 1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.weight.shape[0]}, eps={self.eps})"
