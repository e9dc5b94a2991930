"""Convolutions and transposed convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError, ShapeError
from pellucid.nn import functional, init
from pellucid.nn.lazy_tensors import UninitializedParameter
from pellucid.nn.modules.lazy import LazyModuleMixin
from pellucid.nn.modules.module import Module, weight_and_bias
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty

#: the mode of functional.pad for each padding mode of a layer
_MODES = ("zeros", "reflect", "replicate", "circular")
_MODES_LISTED = f"{{{', '.join(map(repr, _MODES))}}}"


class _ConvNd(Module):
    """Base class of convolutions of any number of spatial dims."""

    dimensions: int
    transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        output_padding: Any, dilation: Any, groups: int, bias: bool, padding_mode: str, device: Any,
        dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        _check_arguments(in_channels, out_channels, groups, padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = self._per_dimension(kernel_size)
        self.stride = self._per_dimension(stride)
        self.padding = padding if isinstance(padding, str) else self._per_dimension(padding)
        self.dilation = self._per_dimension(dilation)
        self.output_padding = self._per_dimension(output_padding)
        self.groups = groups
        self.padding_mode = padding_mode
        channels = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (channels[0], channels[1] // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _per_dimension(self, value: Any) -> tuple[int, ...]:
        return tuple(value) if hasattr(value, "__iter__") else (value,) * self.dimensions

    def reset_parameters(self) -> None:
        """Initialize weight and bias randomly."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.uniform_within_fan_in_(self.bias, self.weight)

    def _padding_per_end(self) -> list[int]:
        """Return the padding of each end, last dim first, as ``functional.pad`` expects it."""
        if self.padding == "valid":
            return [0, 0] * self.dimensions
        if isinstance(self.padding, tuple):
            return [width for width in reversed(self.padding) for _ in range(2)]
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return [width for total in reversed(totals) for width in (total // 2, total - total // 2)]

    def extra_repr(self) -> str:
        n = self.dimensions
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != (0,) * n:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _check_arguments(
    in_channels: int, out_channels: int, groups: int, padding: Any, stride: Any, padding_mode: str
) -> None:
    if groups <= 0:
        raise ArgumentError("groups must be a positive integer")
    if in_channels % groups:
        raise ArgumentError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ArgumentError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ArgumentError(
                f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
            )
        strides = stride if hasattr(stride, "__iter__") else (stride,)
        if padding == "same" and any(each != 1 for each in strides):
            raise ArgumentError("padding='same' is not supported for strided convolutions")
    if padding_mode not in _MODES:
        raise ArgumentError(
            f"padding_mode must be one of {_MODES_LISTED}, but got padding_mode='{padding_mode}'"
        )


class _DirectConvolution(_ConvNd):
    """Base class of convolutions that are not transposed."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, 0, dilation, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._padding_per_end(), mode=self.padding_mode)
            padding = 0
        convolve = getattr(functional, f"conv{self.dimensions}d")
        return convolve(
            input, *weight_and_bias(self), self.stride, padding, self.dilation, self.groups
        )


class Conv1d(_DirectConvolution):
    """1-d convolution (cross-correlation) of sequences.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel, an int or one for each spatial dim.
        stride: Stride of the kernel.
        padding: Padding on both sides of each spatial dim, or ``"valid"`` (none) or ``"same"``
            (output of the input's size).
        dilation: Distance between elements of the kernel.
        groups: Number of groups of channels that are convolved separately; divides both channel
            counts.
        bias: Whether to add a learnable bias.
        padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape:
        Input: ``[N, C_in, L]`` or ``[C_in, L]``. Output: ``[N, C_out, L_out]`` or ``[C_out,
            L_out]``, with ``L_out = (L + 2 * padding - dilation * (kernel_size - 1) - 1) // stride
            + 1``.

    Attributes:
        weight: ``[out_channels, in_channels / groups, kernel_size]``.
        bias: ``[out_channels]``, or None.

    >>> torch.nn.Conv1d(2, 4, 3, padding=1)(torch.ones(1, 2, 8)).shape
    torch.Size([1, 4, 8])
    """

    dimensions = 1


class Conv2d(_DirectConvolution):
    """2-d convolution (cross-correlation) of images.

    Args: As for `Conv1d`.

    Shape:
        Input: ``[N, C_in, H, W]`` or ``[C_in, H, W]``. Output: ``[N, C_out, H_out, W_out]`` or
            ``[C_out, H_out, W_out]``, with sizes as for ``Conv1d``.

    Attributes:
        weight: ``[out_channels, in_channels / groups, *kernel_size]``.
        bias: ``[out_channels]``, or None.

    >>> torch.nn.Conv2d(1, 4, 3)(torch.ones(2, 1, 8, 8)).shape
    torch.Size([2, 4, 6, 6])
    """

    dimensions = 2


class Conv3d(_DirectConvolution):
    """3-d convolution (cross-correlation) of volumes.

    Args: As for `Conv1d`.

    Shape:
        Input: ``[N, C_in, D, H, W]`` or ``[C_in, D, H, W]``. Output: ``[N, C_out, D_out, H_out,
            W_out]`` or the same without N, with sizes as for ``Conv1d``.

    Attributes:
        weight: ``[out_channels, in_channels / groups, *kernel_size]``.
        bias: ``[out_channels]``, or None.

    >>> torch.nn.Conv3d(1, 2, 2)(torch.ones(1, 1, 3, 3, 3)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    dimensions = 3


class _ConvTransposeNd(_ConvNd):
    """Base class of transposed convolutions, the gradients of convolutions."""

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
        dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ArgumentError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        extra = (
            self.output_padding
            if output_size is None
            else self._output_padding_for(input, output_size)
        )
        convolve = getattr(functional, f"conv_transpose{self.dimensions}d")
        return convolve(
            input, *weight_and_bias(self), self.stride, self.padding, extra, self.groups,
            self.dilation,
        )  # fmt: skip

    def _output_padding_for(self, input: Any, output_size: Any) -> tuple[int, ...]:
        """Return the output padding for the requested size; raise ValueError if there is none."""
        n = self.dimensions
        wanted = tuple(output_size)[-n:]
        least = tuple(
            (size - 1) * s - 2 * p + d * (k - 1) + 1
            for size, s, p, d, k in zip(
                input.shape[-n:], self.stride, self.padding, self.dilation, self.kernel_size,
                strict=True,
            )
        )  # fmt: skip
        most = tuple(size + s - 1 for size, s in zip(least, self.stride, strict=True))
        if any(not low <= w <= high for low, w, high in zip(least, wanted, most, strict=True)):
            raise ArgumentError(
                f"requested an output size of {list(wanted)}, but valid sizes range from "
                f"{list(least)} to {list(most)} (for an input of {list(input.shape)[2:]})"
            )
        return tuple(w - low for w, low in zip(wanted, least, strict=True))


class ConvTranspose1d(_ConvTransposeNd):
    """1-d transposed convolution of sequences.

    Args:
        in_channels, out_channels, kernel_size, groups: As for `Conv1d`.
        bias, dilation, device, dtype: As for `Conv1d`.
        stride: Stride of the convolution that is transposed.
        padding: Number of elements removed on both sides of each spatial dim of the output.
        output_padding: Number of elements added on one side of each spatial dim of the output.
        padding_mode: ``"zeros"``, the only one.

    Shape:
        Input: ``[N, C_in, L]`` or ``[C_in, L]``. Output: ``[N, C_out, L_out]`` or ``[C_out,
            L_out]``, with ``L_out = (L - 1) * stride - 2 * padding + dilation * (kernel_size - 1) +
            output_padding + 1``.

    Attributes:
        weight: ``[in_channels, out_channels / groups, kernel_size]``.
        bias: ``[out_channels]``, or None.

    >>> torch.nn.ConvTranspose1d(1, 2, 3, stride=2)(torch.zeros(1, 1, 4)).shape
    torch.Size([1, 2, 9])
    """

    dimensions = 1


class ConvTranspose2d(_ConvTransposeNd):
    """2-d transposed convolution of images.

    Args: As for `ConvTranspose1d`.

    Shape:
        Input: ``[N, C_in, H, W]`` or ``[C_in, H, W]``. Output: ``[N, C_out, H_out, W_out]`` or
            ``[C_out, H_out, W_out]``, with sizes as for ``ConvTranspose1d``.

    Attributes:
        weight: ``[in_channels, out_channels / groups, *kernel_size]``.
        bias: ``[out_channels]``, or None.

    >>> torch.nn.ConvTranspose2d(1, 1, 2, stride=2)(torch.ones(1, 1, 3, 3)).shape
    torch.Size([1, 1, 6, 6])
    """

    dimensions = 2


class ConvTranspose3d(_ConvTransposeNd):
    """3-d transposed convolution of volumes.

    Args: As for `ConvTranspose1d`.

    Shape:
        Input: ``[N, C_in, D, H, W]`` or ``[C_in, D, H, W]``. Output: ``[N, C_out, D_out, H_out,
            W_out]`` or the same without N, with sizes as for ``ConvTranspose1d``.

    Attributes:
        weight: ``[in_channels, out_channels / groups, *kernel_size]``.
        bias: ``[out_channels]``, or None.

    >>> torch.nn.ConvTranspose3d(1, 2, 2, stride=2)(torch.zeros(1, 1, 2, 2, 2)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    dimensions = 3


class _LazyConvXdMixin(LazyModuleMixin, _ConvNd):
    """Mixin of convolutions that take the number of input channels from the first input."""

    weight: Any
    bias: Any

    def _uninitialize(self, out_channels: int, bias: bool, factory: Any) -> None:
        """Replace the tensors that depend on the channels by uninitialized ones."""
        self.out_channels = out_channels
        self.weight = UninitializedParameter(**factory)
        if bias:
            self.bias = UninitializedParameter(**factory)

    def reset_parameters(self) -> None:
        """Initialize weight and bias randomly, once their shapes are known."""
        if self.in_channels and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Any, *_: Any, **__: Any) -> None:
        """Set ``in_channels`` and create the weight.

        Args:
            input: The first input.
            _: Further arguments of the first call.
            __: Those by name.
        """
        if not self.has_uninitialized_params():
            return
        n = self.dimensions
        if input.dim() not in (n + 1, n + 2):
            raise ShapeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-n - 1]
        if self.in_channels % self.groups:
            raise ArgumentError("in_channels must be divisible by groups")
        channels = (self.out_channels, self.in_channels)
        first, second = channels[::-1] if self.transposed else channels
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyDirect(_LazyConvXdMixin, _DirectConvolution):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        # Without channels and bias there are no weights to draw, so no random number is consumed.
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._uninitialize(out_channels, bias, {"device": device, "dtype": dtype})


class _LazyTransposed(_LazyConvXdMixin, _ConvTransposeNd):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        # As in _LazyDirect, no random number is consumed.
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip
        self._uninitialize(out_channels, bias, {"device": device, "dtype": dtype})


class LazyConv1d(_LazyDirect, Conv1d):
    """``Conv1d`` that takes ``in_channels`` from the first input.

    Args:
        out_channels, kernel_size, stride, padding, dilation: As for `Conv1d`.
        groups, bias, padding_mode, device, dtype: As for `Conv1d`.

    >>> torch.nn.LazyConv1d(2, 3)(torch.zeros(1, 4, 5)).shape
    torch.Size([1, 2, 3])
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyDirect, Conv2d):
    """``Conv2d`` that takes ``in_channels`` from the first input.

    Args: As for `LazyConv1d`.

    >>> layer = torch.nn.LazyConv2d(4, 3)
    >>> y = layer(torch.ones(1, 2, 5, 5))
    >>> layer
    Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1))
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyDirect, Conv3d):
    """``Conv3d`` that takes ``in_channels`` from the first input.

    Args: As for `LazyConv1d`.

    >>> torch.nn.LazyConv3d(2, 2)(torch.zeros(1, 4, 3, 3, 3)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """``ConvTranspose1d`` that takes ``in_channels`` from the first input.

    Args:
        out_channels, kernel_size, stride, padding, output_padding: As for `ConvTranspose1d`.
        groups, bias, dilation, padding_mode, device, dtype: As for `ConvTranspose1d`.

    >>> torch.nn.LazyConvTranspose1d(2, 3)(torch.zeros(1, 4, 5)).shape
    torch.Size([1, 2, 7])
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    """``ConvTranspose2d`` that takes ``in_channels`` from the first input.

    Args: As for `LazyConvTranspose1d`.

    >>> torch.nn.LazyConvTranspose2d(2, 3)(torch.zeros(1, 4, 5, 5)).shape
    torch.Size([1, 2, 7, 7])
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    """``ConvTranspose3d`` that takes ``in_channels`` from the first input.

    Args: As for `LazyConvTranspose1d`.

    >>> torch.nn.LazyConvTranspose3d(2, 2)(torch.zeros(1, 4, 3, 3, 3)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    cls_to_become = ConvTranspose3d
