"""Convolution of sequences with time as the first dimension."""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.public import public
from pellucid.errors import ShapeError
from pellucid.ops.nn.conv import conv1d


@public("conv_tbc nn.functional.conv_tbc")
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    """Convolve sequences ``[T, N, in]`` with filters ``[k, in, out]``: ``[T', N, out]``.

    ``bias`` is ``[out]``; ``pad`` zeros are put at both ends of time. Raises RuntimeError for
    shapes that do not match.

    Args:
        input: Sequences ``[T, N, C]``.
        weight: Filters ``[K, C, O]``.
        bias: Vector ``[O]``.
        pad: Zeros added at both ends in time.

    >>> F = torch.nn.functional
    >>> F.conv_tbc(torch.ones(4, 2, 3), torch.ones(2, 3, 5), torch.zeros(5)).shape
    torch.Size([3, 2, 5])
    """
    if input.ndim != 3:
        raise ShapeError("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        raise ShapeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        raise ShapeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise ShapeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.shape[2] != bias.shape[0]:
        raise ShapeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    out = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return out.permute(2, 0, 1).contiguous()
