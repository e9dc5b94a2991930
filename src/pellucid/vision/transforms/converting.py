"""Transforms from one kind of picture, or of numbers, to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.dtypes import dtype as Dtype
from pellucid.nn.modules.module import Module
from pellucid.random import rand
from pellucid.tensors import Tensor
from pellucid.vision.pil import channels_of
from pellucid.vision.transforms import functional as F


class ToTensor:
    """The conversion of an image or array ``[H, W, C]`` to a tensor ``[C, H, W]`` from 0 to 1.

    >>> import numpy
    >>> ToTensor()(numpy.zeros((4, 5, 3), numpy.uint8)).shape
    torch.Size([3, 4, 5])
    """

    def __call__(self, pic: Any) -> Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return "ToTensor()"


class PILToTensor:
    """The conversion of an image to a tensor ``[C, H, W]`` of the same numbers."""

    def __call__(self, pic: Any) -> Tensor:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return "PILToTensor()"


class ToPILImage:
    """The conversion of a tensor ``[C, H, W]`` or array ``[H, W, C]`` to a Pillow image."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return "ToPILImage()" if self.mode is None else f"ToPILImage(mode={self.mode})"


class ConvertImageDtype(Module):
    """The conversion of pixels to another dtype and its range."""

    def __init__(self, dtype: Dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        return F.convert_image_dtype(image, self.dtype)


class Normalize(Module):
    """Subtract a mean from every channel and divide by a standard deviation."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: Tensor) -> Tensor:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"Normalize(mean={self.mean}, std={self.std})"


class Grayscale(Module):
    """The brightness of an image, in one or three equal channels."""

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self) -> str:
        return f"Grayscale(num_output_channels={self.num_output_channels})"


class RandomGrayscale(Module):
    """The brightness of an image at random, in as many channels as there were."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        channels = channels_of(img)
        return F.rgb_to_grayscale(img, channels) if rand(1) < self.p else img

    def __repr__(self) -> str:
        return f"RandomGrayscale(p={self.p})"
