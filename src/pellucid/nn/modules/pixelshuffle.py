"""Moving channels into space, and back."""

from __future__ import annotations

from typing import Any

from pellucid.nn import functional
from pellucid.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Turn ``[*, C r², H, W]`` into ``[*, C, H r, W r]``.

    Shi et al., "Real-time single image and video super-resolution using an efficient sub-pixel
    convolutional neural network", 2016.

    >>> import pellucid as torch
    >>> torch.nn.PixelShuffle(2)(torch.ones(1, 8, 3, 4)).shape
    torch.Size([1, 2, 6, 8])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Any:
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Turn ``[*, C, H r, W r]`` into ``[*, C r², H, W]``: undo `PixelShuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Any:
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
