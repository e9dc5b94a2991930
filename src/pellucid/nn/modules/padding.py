"""Padding layers, which add elements at the ends of the last dims."""

from __future__ import annotations

from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class _Pad(Module):
    """Base class of padding layers."""

    dimensions: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        ends = 2 * self.dimensions
        self.padding = tuple(padding) if hasattr(padding, "__iter__") else (padding,) * ends

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPadNd(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Layer that pads sequences with a constant value.

    Args:
        padding: Number of elements to add on each side, an int or one for each end, last dim first;
            negative numbers remove elements.
        value: The value.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: the same with a padded last dim.

    >>> torch.nn.ConstantPad1d(1, 9.0)(torch.zeros(1, 2))
    tensor([[9., 0., 0., 9.]])
    """

    dimensions = 1


class ConstantPad2d(_ConstantPadNd):
    """Layer that pads images with a constant value.

    Args: As for `ConstantPad1d`.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with padded last two dims.

    >>> torch.nn.ConstantPad2d((1, 0, 0, 0), 9.0)(torch.ones(1, 1, 2))
    tensor([[[9., 1., 1.]]])
    """

    dimensions = 2


class ConstantPad3d(_ConstantPadNd):
    """Layer that pads volumes with a constant value.

    Args: As for `ConstantPad1d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with padded last three
            dims.

    >>> torch.nn.ConstantPad3d(1, 9.0)(torch.ones(1, 1, 2, 3)).shape
    torch.Size([1, 3, 4, 5])
    """

    dimensions = 3


class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad1d(_ZeroPad):
    """Layer that pads sequences with zeros.

    Args:
        padding: As for `ConstantPad1d`.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: the same with a padded last dim.

    >>> torch.nn.ZeroPad1d(1)(torch.ones(1, 2))
    tensor([[0., 1., 1., 0.]])
    """

    dimensions = 1


class ZeroPad2d(_ZeroPad):
    """Layer that pads images with zeros.

    Args: As for `ZeroPad1d`.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with padded last two dims.

    >>> torch.nn.ZeroPad2d((1, 2, 0, 1))(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 3, 5])
    """

    dimensions = 2


class ZeroPad3d(_ZeroPad):
    """Layer that pads volumes with zeros.

    Args: As for `ZeroPad1d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with padded last three
            dims.

    >>> torch.nn.ZeroPad3d(1)(torch.ones(1, 1, 2, 3)).shape
    torch.Size([1, 3, 4, 5])
    """

    dimensions = 3


class _ReflectionPadNd(_Pad):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Layer that pads sequences by reflection at the first and last element.

    Args: As for `ZeroPad1d`.

    Shape: As for `ZeroPad1d`.

    >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 1., 2., 3., 2.]])
    """

    dimensions = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Layer that pads images by reflection at the outermost rows and columns.

    Args: As for `ZeroPad2d`.

    Shape: As for `ZeroPad2d`.

    >>> torch.nn.ReflectionPad2d((1, 1, 0, 0))(torch.tensor([[[1.0, 2.0, 3.0]]]))
    tensor([[[2., 1., 2., 3., 2.]]])
    """

    dimensions = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Layer that pads volumes by reflection at the outermost planes.

    Args: As for `ZeroPad3d`.

    Shape: As for `ZeroPad3d`.

    >>> torch.nn.ReflectionPad3d(1)(torch.ones(1, 2, 2, 3)).shape
    torch.Size([1, 4, 4, 5])
    """

    dimensions = 3


class _ReplicationPadNd(_Pad):
    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Layer that pads sequences by repetition of the first and last element.

    Args: As for `ZeroPad1d`.

    Shape: As for `ZeroPad1d`.

    >>> torch.nn.ReplicationPad1d(1)(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 1., 2., 2.]])
    """

    dimensions = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Layer that pads images by repetition of the outermost rows and columns.

    Args: As for `ZeroPad2d`.

    Shape: As for `ZeroPad2d`.

    >>> torch.nn.ReplicationPad2d((1, 1, 0, 0))(torch.tensor([[[1.0, 2.0, 3.0]]]))
    tensor([[[1., 1., 2., 3., 3.]]])
    """

    dimensions = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Layer that pads volumes by repetition of the outermost planes.

    Args: As for `ZeroPad3d`.

    Shape: As for `ZeroPad3d`.

    >>> torch.nn.ReplicationPad3d(1)(torch.ones(1, 1, 2, 3)).shape
    torch.Size([1, 3, 4, 5])
    """

    dimensions = 3


class _CircularPadNd(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        ranks = self.dimensions + 1, self.dimensions + 2
        if input.ndim not in ranks:
            raise ArgumentError(
                f"expected {ranks[0]}D or {ranks[1]}D input (got {input.ndim}D input)"
            )
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Layer that pads sequences with elements from the opposite end.

    Args: As for `ZeroPad1d`.

    Shape: As for `ZeroPad1d`.

    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    dimensions = 1


class CircularPad2d(_CircularPadNd):
    """Layer that pads images with elements from the opposite sides.

    Args: As for `ZeroPad2d`.

    Shape: As for `ZeroPad2d`.

    >>> torch.nn.CircularPad2d((1, 1, 0, 0))(torch.tensor([[[1.0, 2.0, 3.0]]]))
    tensor([[[3., 1., 2., 3., 1.]]])
    """

    dimensions = 2


class CircularPad3d(_CircularPadNd):
    """Layer that pads volumes with elements from the opposite sides.

    Args: As for `ZeroPad3d`.

    Shape: As for `ZeroPad3d`.

    >>> torch.nn.CircularPad3d(1)(torch.ones(1, 1, 2, 3)).shape
    torch.Size([1, 3, 4, 5])
    """

    dimensions = 3
