"""Shuffling of channels between groups."""

from __future__ import annotations

from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class ChannelShuffle(Module):
    """Layer that interleaves the channels of several groups.

    Source: Zhang et al., "ShuffleNet", 2018.

    Args:
        groups: Number of groups; divides the number of channels.

    Shape:
        Input and output: ``[N, C, *]``.

    >>> torch.nn.ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
