"""Extraction of patches from images, and summation of patches to images."""

from __future__ import annotations

from typing import Any

from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class Fold(Module):
    """Layer that sums patches at their positions in images.

    Args:
        output_size: Spatial size of the images.
        kernel_size: Size of a patch, an int or one for each spatial dim.
        dilation: Distance between elements of a patch.
        padding: Zero padding of the images, which is removed.
        stride: Distance between patches.

    Shape:
        Input: ``[N, C * prod(kernel_size), L]`` or the same without N, for L patches. Output: ``[N,
            C, *output_size]``.

    >>> torch.nn.Fold((3, 3), 2)(torch.ones(1, 4, 4))
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
        stride: Any = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return functional.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Layer that extracts patches from images.

    Args:
        kernel_size, dilation: As for `Fold`.
        padding: Zero padding of the images.
        stride: Distance between patches.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: ``[N, C * prod(kernel_size), L]`` or the
            same without N, for L patches.

    >>> torch.nn.Unfold(2)(torch.ones(1, 3, 4, 4)).shape
    torch.Size([1, 12, 9])
    """

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
