"""Crops, flips, resizes and rotations. Random numbers are those of torchvision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn.modules.module import Module
from pellucid.random import rand, randint
from pellucid.tensors.creation import empty
from pellucid.vision.pil import size_of
from pellucid.vision.transforms import functional as F
from pellucid.vision.transforms.functional import InterpolationMode


def uniform(low: float, high: float) -> float:
    """Draw a number from an interval, from the stream of ``manual_seed``."""
    return empty(1).uniform_(low, high).item()


class Resize(Module):
    """A change of size to a height and width, or of the shorter side to one number."""

    def __init__(
        self, size: int | Sequence[int],
        interpolation: InterpolationMode = InterpolationMode.BILINEAR, max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        self.interpolation = interpolation
        self.max_size = max_size
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"Resize(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


class CenterCrop(Module):
    """Cut the middle out."""

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = F.pair(size)

    def forward(self, img: Any) -> Any:
        return F.center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"CenterCrop(size={self.size})"


class Pad(Module):
    """Surround the picture with a value, or with copies of its edge."""

    def __init__(
        self, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
    ) -> None:
        super().__init__()
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return f"Pad(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"


class RandomCrop(Module):
    """A crop of the given size at a random position, after optional padding.

    >>> RandomCrop(4, padding=1)(torch.ones(3, 4, 4)).shape
    torch.Size([3, 4, 4])
    """

    def __init__(
        self, size: int | Sequence[int], padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False, fill: Any = 0, padding_mode: str = "constant",
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = F.pair(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Draw row and column of the corner; return them with height and width."""
        (height, width), (rows, columns) = size_of(img), output_size
        if height < rows or width < columns:
            raise ArgumentError(
                f"Required crop size {output_size} is larger than input image size "
                f"{(height, width)}"
            )
        if (height, width) == (rows, columns):
            return 0, 0, height, width
        top = int(randint(0, height - rows + 1, (1,)))
        left = int(randint(0, width - columns + 1, (1,)))
        return top, left, rows, columns

    def forward(self, img: Any) -> Any:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            height, width = size_of(img)
            missing = max(self.size[1] - width, 0), max(self.size[0] - height, 0)
            if any(missing):
                img = F.pad(img, missing, self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"RandomCrop(size={self.size}, padding={self.padding})"


class _RandomFlip(Module):
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomHorizontalFlip(_RandomFlip):
    """Mirror left and right, or not."""

    def forward(self, img: Any) -> Any:
        return F.hflip(img) if rand(1) < self.p else img


class RandomVerticalFlip(_RandomFlip):
    """Mirror top and bottom, or not."""

    def forward(self, img: Any) -> Any:
        return F.vflip(img) if rand(1) < self.p else img


class RandomResizedCrop(Module):
    """A crop of random area and aspect ratio, scaled to one size.

    >>> RandomResizedCrop(8)(torch.ones(3, 20, 30)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self, size: int | Sequence[int], scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3 / 4, 4 / 3),
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = F.pair(size)
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation
        self.antialias = antialias

    @staticmethod
    def get_params(
        img: Any, scale: Sequence[float], ratio: Sequence[float]
    ) -> tuple[int, int, int, int]:
        """Draw a part until it fits, at most ten times; then take the middle."""
        height, width = size_of(img)
        logarithms = math.log(ratio[0]), math.log(ratio[1])
        for _ in range(10):
            area = height * width * uniform(scale[0], scale[1])
            aspect = math.exp(uniform(*logarithms))
            columns, rows = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < columns <= width and 0 < rows <= height:
                top = int(randint(0, height - rows + 1, (1,)))
                left = int(randint(0, width - columns + 1, (1,)))
                return top, left, rows, columns
        aspect = min(max(width / height, min(ratio)), max(ratio))
        rows = min(height, round(width / aspect))
        columns = min(width, round(height * aspect))
        return (height - rows) // 2, (width - columns) // 2, rows, columns

    def forward(self, img: Any) -> Any:
        part = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *part, self.size, self.interpolation, self.antialias)

    def __repr__(self) -> str:
        return (
            f"RandomResizedCrop(size={self.size}, scale={tuple(round(s, 4) for s in self.scale)}, "
            f"ratio={tuple(round(r, 4) for r in self.ratio)}, "
            f"interpolation={self.interpolation.value}, antialias={self.antialias})"
        )


class RandomRotation(Module):
    """A rotation by a random angle from an interval of degrees."""

    def __init__(
        self, degrees: float | Sequence[float],
        interpolation: InterpolationMode = InterpolationMode.NEAREST, expand: bool = False,
        center: Sequence[int] | None = None, fill: Any = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(degrees, int | float):
            if degrees < 0:
                raise ArgumentError("If degrees is a single number, it must be positive.")
            degrees = (-degrees, degrees)
        self.degrees = [float(angle) for angle in degrees]
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = fill

    def forward(self, img: Any) -> Any:
        angle = uniform(self.degrees[0], self.degrees[1])
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)

    def __repr__(self) -> str:
        return (
            f"RandomRotation(degrees={self.degrees}, interpolation={self.interpolation.value}, "
            f"expand={self.expand}, fill={self.fill})"
        )
