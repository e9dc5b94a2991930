"""Upsampling layers."""

from __future__ import annotations

from typing import Any

from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class Upsample(Module):
    """Layer that resizes sequences, images or volumes to a size or by a factor.

    Args:
        size: Size of the output, an int or one for each spatial dim.
        scale_factor: Factor of the size, a number or one for each spatial dim.
        mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"`` or ``"trilinear"``.
        align_corners: Whether corner elements of input and output are aligned.
        recompute_scale_factor: Whether to use the ratio of the rounded sizes instead of the factor.

    Shape:
        Input: ``[N, C, *]`` with one to three spatial dims. Output: the same with the new sizes.

    >>> torch.nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
        align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        self.scale_factor: Any = None
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(each) for each in scale_factor)
        elif scale_factor:
            self.scale_factor = float(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor}, mode={self.mode!r}"
        return f"size={self.size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Layer that resizes images by nearest neighbor interpolation.

    Args:
        size, scale_factor: As for `Upsample`.

    Shape:
        Input: ``[N, C, H, W]``. Output: the same with the new sizes.

    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Layer that resizes images by bilinear interpolation with aligned corners.

    Args: As for `UpsamplingNearest2d`.

    Shape:
        Input: ``[N, C, H, W]``. Output: the same with the new sizes.

    >>> torch.nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
