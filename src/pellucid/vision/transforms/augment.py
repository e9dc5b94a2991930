"""Transforms of colours, and random erasing. Random numbers are those of torchvision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn.modules.module import Module
from pellucid.random import rand, randint, randperm
from pellucid.tensors import Tensor
from pellucid.tensors.creation import as_tensor, empty
from pellucid.vision.transforms import functional as F
from pellucid.vision.transforms.geometry import uniform

Range = tuple[float, float] | None


class ColorJitter(Module):
    """Random changes of brightness, contrast, saturation and hue, in random order.

    Each is a number, how far to go either way, or an interval.
    """

    def __init__(
        self, brightness: float | Sequence[float] = 0, contrast: float | Sequence[float] = 0,
        saturation: float | Sequence[float] = 0, hue: float | Sequence[float] = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.brightness = _interval(brightness, "brightness")
        self.contrast = _interval(contrast, "contrast")
        self.saturation = _interval(saturation, "saturation")
        self.hue = _interval(hue, "hue", middle=0.0, limits=(-0.5, 0.5))

    def forward(self, img: Any) -> Any:
        order = randperm(4).tolist()
        changes = (
            (F.adjust_brightness, self.brightness),
            (F.adjust_contrast, self.contrast),
            (F.adjust_saturation, self.saturation),
            (F.adjust_hue, self.hue),
        )
        # All factors are drawn before any is used, and none where nothing is to change.
        drawn = [(change, uniform(*among)) if among else None for change, among in changes]
        for step in (drawn[k] for k in order):
            if step is not None:
                change, factor = step
                img = change(img, factor)
        return img

    def __repr__(self) -> str:
        return (
            f"ColorJitter(brightness={self.brightness}, contrast={self.contrast}, "
            f"saturation={self.saturation}, hue={self.hue})"
        )


def _interval(
    value: float | Sequence[float],
    name: str,
    middle: float = 1.0,
    limits: tuple[float, float] = (0.0, math.inf),
) -> Range:
    if isinstance(value, int | float):
        if value < 0:
            raise ArgumentError(f"If {name} is a single number, it must be non negative.")
        low, high = middle - value, middle + value
        if name != "hue":
            low = max(low, 0.0)
    else:
        low, high = float(value[0]), float(value[1])
    if not limits[0] <= low <= high <= limits[1]:
        raise ArgumentError(f"{name} values should be between {limits}, but got {[low, high]}.")
    return None if low == high == middle else (low, high)


class RandomErasing(Module):
    """A random rectangle of a tensor ``[..., C, H, W]`` overwritten by a value or noise.

    >>> RandomErasing(p=1.0)(torch.ones(1, 8, 8)).min()
    tensor(0.)
    """

    def __init__(
        self, p: float = 0.5, scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3), value: float | Sequence[float] | str = 0,
        inplace: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(value, str) and value != "random":
            raise ArgumentError("If value is str, it should be 'random'")
        if not 0 <= p <= 1:
            raise ArgumentError("Random erasing probability should be between 0 and 1")
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    def forward(self, img: Tensor) -> Tensor:
        if not rand(1) < self.p:
            return img
        for _ in range(10):
            place = self._drawn_place(img.shape[-2], img.shape[-1])
            if place is not None:
                rows, columns = place
                value = self._drawn_value(img, rows, columns)
                top = int(randint(0, img.shape[-2] - rows + 1, (1,)))
                left = int(randint(0, img.shape[-1] - columns + 1, (1,)))
                return F.erase(img, top, left, rows, columns, value, self.inplace)
        return img

    def _drawn_place(self, height: int, width: int) -> tuple[int, int] | None:
        area = height * width * uniform(self.scale[0], self.scale[1])
        aspect = math.exp(uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
        rows, columns = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        return (rows, columns) if rows < height and columns < width else None

    def _drawn_value(self, img: Tensor, rows: int, columns: int) -> Tensor:
        if self.value == "random":
            return empty(img.shape[-3], rows, columns, dtype=img.dtype).normal_()
        return as_tensor(self.value, dtype=img.dtype).reshape(-1, 1, 1)

    def __repr__(self) -> str:
        return (
            f"RandomErasing(p={self.p}, scale={self.scale}, ratio={self.ratio}, "
            f"value={self.value}, inplace={self.inplace})"
        )


class GaussianBlur(Module):
    """A blur with a random deviation from an interval.

    >>> GaussianBlur(3, 0.5)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 3, 3])
    """

    def __init__(
        self, kernel_size: int | Sequence[int], sigma: float | Sequence[float] = (0.1, 2.0)
    ) -> None:
        super().__init__()
        self.kernel_size = F.pair(kernel_size)
        if any(size <= 0 or size % 2 == 0 for size in self.kernel_size):
            raise ArgumentError("Kernel size value should be an odd and positive number.")
        self.sigma = tuple(sigma) if isinstance(sigma, Sequence) else (float(sigma), float(sigma))
        if not 0 < self.sigma[0] <= self.sigma[1]:
            raise ArgumentError(
                f"sigma values should be positive and of the form (min, max). Got {self.sigma}"
            )

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """Draw a deviation."""
        return uniform(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        sigma = self.get_params(self.sigma[0], self.sigma[1])
        return F.gaussian_blur(img, self.kernel_size, sigma)

    def __repr__(self) -> str:
        return f"GaussianBlur(kernel_size={self.kernel_size}, sigma={self.sigma})"
