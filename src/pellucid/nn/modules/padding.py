"""Padding layers: more elements at the ends of the last dimensions."""

from __future__ import annotations

from typing import Any

from pellucid.nn import functional
from pellucid.nn.modules.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """Hold how much is added: one number for all ends, or one for each, last dimension first."""

    dimensions: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        ends = 2 * self.dimensions
        self.padding = tuple(padding) if hasattr(padding, "__iter__") else (padding,) * ends

    def forward(self, input: Any) -> Any:
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPadNd(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Add elements of one value at the ends of ``[N, C, L]``; negative numbers cut off.

    >>> import pellucid as torch
    >>> torch.nn.ConstantPad1d(1, 9.0)(torch.zeros(1, 2))
    tensor([[9., 0., 0., 9.]])
    """

    dimensions = 1


class ConstantPad2d(_ConstantPadNd):
    """Add elements of one value around images ``[N, C, H, W]``."""

    dimensions = 2


class ConstantPad3d(_ConstantPadNd):
    """Add elements of one value around volumes ``[N, C, D, H, W]``."""

    dimensions = 3


class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad1d(_ZeroPad):
    """Add zeros at the ends of ``[N, C, L]``."""

    dimensions = 1


class ZeroPad2d(_ZeroPad):
    """Add zeros around images ``[N, C, H, W]``.

    >>> import pellucid as torch
    >>> torch.nn.ZeroPad2d((1, 2, 0, 1))(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 3, 5])
    """

    dimensions = 2


class ZeroPad3d(_ZeroPad):
    """Add zeros around volumes ``[N, C, D, H, W]``."""

    dimensions = 3


class _ReflectionPadNd(_Pad):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Mirror ``[N, C, L]`` at its first and last element.

    >>> import pellucid as torch
    >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 1., 2., 3., 2.]])
    """

    dimensions = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Mirror images ``[N, C, H, W]`` at their outermost rows and columns."""

    dimensions = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Mirror volumes ``[N, C, D, H, W]`` at their outermost planes."""

    dimensions = 3


class _ReplicationPadNd(_Pad):
    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Repeat the first and last element of ``[N, C, L]``.

    >>> import pellucid as torch
    >>> torch.nn.ReplicationPad1d(1)(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 1., 2., 2.]])
    """

    dimensions = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Repeat the outermost rows and columns of images ``[N, C, H, W]``."""

    dimensions = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Repeat the outermost planes of volumes ``[N, C, D, H, W]``."""

    dimensions = 3


class _CircularPadNd(_Pad):
    mode = "circular"


class CircularPad1d(_CircularPadNd):
    """Continue ``[N, C, L]`` with its other end.

    >>> import pellucid as torch
    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    dimensions = 1


class CircularPad2d(_CircularPadNd):
    """Continue images ``[N, C, H, W]`` with their opposite sides."""

    dimensions = 2


class CircularPad3d(_CircularPadNd):
    """Continue volumes ``[N, C, D, H, W]`` with their opposite sides."""

    dimensions = 3
