"""Rearrangement of channels to pixels, and back."""

from __future__ import annotations

from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class PixelShuffle(Module):
    """Layer that rearranges channels to blocks of r x r pixels.

    Source: Shi et al., "Real-time single image and video super-resolution using an efficient
    sub-pixel convolutional neural network", 2016.

    Args:
        upscale_factor: Factor r of height and width.

    Shape:
        Input: ``[*, C * r * r, H, W]``. Output: ``[*, C, H * r, W * r]``.

    >>> torch.nn.PixelShuffle(2)(torch.ones(1, 8, 3, 4)).shape
    torch.Size([1, 2, 6, 8])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Layer that rearranges blocks of r x r pixels to channels, the inverse of ``PixelShuffle``.

    Args:
        downscale_factor: Factor r by which height and width are divided.

    Shape:
        Input: ``[*, C, H * r, W * r]``. Output: ``[*, C * r * r, H, W]``.

    >>> torch.nn.PixelUnshuffle(2)(torch.zeros(1, 1, 4, 6)).shape
    torch.Size([1, 4, 2, 3])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
