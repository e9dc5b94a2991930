"""Pooling layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


def _pool(kind: str, layer: Any) -> Any:
    """Return the function of a kind of pooling for the spatial dims of a layer."""
    return getattr(functional, f"{kind}{layer.dimensions}d")


class _MaxPoolNd(Module):
    """Base class of max pooling layers."""

    #: number of spatial dims
    dimensions: int

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that a layer is for."""
        raise NotImplementedError

    def forward(self, input: Tensor) -> Any:
        return self._pooled(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Max pooling of sequences: the maximum of each window.

    Args:
        kernel_size: Size of the window, an int or one for each spatial dim.
        stride: Stride of the window; ``kernel_size`` by default.
        padding: Padding by negative infinity on both sides, at most half the window.
        dilation: Distance between elements of the window.
        return_indices: Whether to return the indices of the maxima too, for unpooling.
        ceil_mode: Whether to round output sizes up instead of down.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: ``[N, C, L_out]`` or ``[C, L_out]``, with
            ``L_out = (L + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    dimensions = 1

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.max_pool1d(*args, **kwargs)


class MaxPool2d(_MaxPoolNd):
    """Max pooling of images: the maximum of each window.

    Args: As for `MaxPool1d`.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with sizes as for ``MaxPool1d``.

    >>> torch.nn.MaxPool2d(2)(torch.ones(1, 1, 6, 6)).shape
    torch.Size([1, 1, 3, 3])
    """

    dimensions = 2

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.max_pool2d(*args, **kwargs)


class AvgPool1d(Module):
    """Average pooling of sequences: the mean of each window.

    Args:
        kernel_size, stride: As for `MaxPool1d`.
        padding: Zero padding on both sides, at most half the window.
        ceil_mode: Whether to round output sizes up instead of down.
        count_include_pad: Whether padded zeros count as elements of the mean.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: ``[N, C, L_out]`` or ``[C, L_out]``, with
            ``L_out = (L + 2 * padding - kernel_size) // stride + 1``.

    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """Average pooling of images: the mean of each window.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: As for `AvgPool1d`.
        divisor_override: Divisor to use instead of the number of elements.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with sizes as for ``AvgPool1d``.

    >>> torch.nn.AvgPool2d(2)(torch.ones(1, 1, 2, 2))
    tensor([[[[1.]]]])
    """

    dimensions = 2

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.avg_pool2d(*args, **kwargs)

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return self._pooled(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def _single(value: Any) -> tuple[int]:
    return tuple(value) if hasattr(value, "__iter__") else (value,)


class _Adaptive(Module):
    """Base class of adaptive pooling, which has a fixed output size."""

    dimensions: int

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that a layer is for."""
        raise NotImplementedError

    def forward(self, input: Tensor) -> Any:
        return self._pooled(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Adaptive average pooling of sequences to a given size.

    Args:
        output_size: Size of the output, an int.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: the same with size ``output_size`` of the last
            dim.

    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    dimensions = 1

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.adaptive_avg_pool1d(*args, **kwargs)


class AdaptiveAvgPool2d(_Adaptive):
    """Adaptive average pooling of images to a given size.

    Args:
        output_size: Size of the output, an int or one for each spatial dim; None keeps a size.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with the given sizes.

    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.ones(1, 3, 5, 7)).shape
    torch.Size([1, 3, 1, 1])
    """

    dimensions = 2

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.adaptive_avg_pool2d(*args, **kwargs)


class AdaptiveMaxPool2d(_Adaptive):
    """Adaptive max pooling of images to a given size.

    Args:
        output_size: Size of the output, an int or one for each spatial dim; None keeps a size.
        return_indices: Whether to return the indices of the maxima too, for unpooling.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with the given sizes.

    >>> torch.nn.AdaptiveMaxPool2d(1)(torch.tensor([[[1.0, 3.0], [2.0, 0.0]]]))
    tensor([[[3.]]])
    """

    dimensions = 2

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.adaptive_max_pool2d(*args, **kwargs)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return self._pooled(input, self.output_size, self.return_indices)


class MaxPool3d(_MaxPoolNd):
    """Max pooling of volumes: the maximum of each window.

    Args: As for `MaxPool1d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with sizes as for
            ``MaxPool1d``.

    >>> torch.nn.MaxPool3d(2)(torch.zeros(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    dimensions = 3

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.max_pool3d(*args, **kwargs)


class AvgPool3d(AvgPool2d):
    """Average pooling of volumes: the mean of each window.

    Args: As for `AvgPool2d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with sizes as for
            ``AvgPool1d``.

    >>> torch.nn.AvgPool3d(2)(torch.zeros(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    dimensions = 3

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.avg_pool3d(*args, **kwargs)


class AdaptiveAvgPool3d(_Adaptive):
    """Adaptive average pooling of volumes to a given size.

    Args:
        output_size: Size of the output, an int or one for each spatial dim; None keeps a size.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with the given sizes.

    >>> torch.nn.AdaptiveAvgPool3d(1)(torch.zeros(2, 4, 4, 4)).shape
    torch.Size([2, 1, 1, 1])
    """

    dimensions = 3

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.adaptive_avg_pool3d(*args, **kwargs)


class AdaptiveMaxPool1d(AdaptiveMaxPool2d):
    """Adaptive max pooling of sequences to a given size.

    Args:
        output_size: Size of the output, an int.
        return_indices: Whether to return the indices of the maxima too, for unpooling.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: the same with size ``output_size`` of the last
            dim.

    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    dimensions = 1

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.adaptive_max_pool1d(*args, **kwargs)


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """Adaptive max pooling of volumes to a given size.

    Args: As for `AdaptiveMaxPool2d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with the given sizes.

    >>> torch.nn.AdaptiveMaxPool3d(1)(torch.zeros(2, 4, 4, 4)).shape
    torch.Size([2, 1, 1, 1])
    """

    dimensions = 3

    def _pooled(self, *args: Any, **kwargs: Any) -> Any:
        return functional.adaptive_max_pool3d(*args, **kwargs)


class _MaxUnpoolNd(Module):
    """Base class of layers that invert max pooling."""

    dimensions: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = self._per_dimension(kernel_size)
        self.stride = self._per_dimension(kernel_size if stride is None else stride)
        self.padding = self._per_dimension(padding)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return _pool("max_unpool", self)(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def _per_dimension(self, value: Any) -> tuple[int, ...]:
        return tuple(value) if hasattr(value, "__iter__") else (value,) * self.dimensions

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Layer that puts maxima of sequences back at their indices, with zeros elsewhere.

    Args:
        kernel_size: Size of the pooling window, an int or one for each spatial dim.
        stride: Stride of the window; ``kernel_size`` by default.
        padding: Padding of the pooling.

    Shape:
        Input: the maxima and their indices, ``[N, C, L]`` or ``[C, L]``; optionally the output
            size. Output: the same with sizes ``(L - 1) * stride - 2 * padding + kernel_size`` by
            default.

    >>> torch.nn.MaxUnpool1d(2)(torch.tensor([[3.0, 2.0]]), torch.tensor([[1, 2]]))
    tensor([[0., 3., 2., 0.]])
    """

    dimensions = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """Layer that puts maxima of images back at their indices, with zeros elsewhere.

    Args: As for `MaxUnpool1d`.

    Shape:
        Input: the maxima and their indices, ``[N, C, H, W]`` or ``[C, H, W]``; optionally the
            output size. Output: the same with sizes as for ``MaxUnpool1d``.

    >>> maxima, indices = torch.nn.MaxPool2d(2, return_indices=True)(torch.ones(1, 1, 4, 4))
    >>> torch.nn.MaxUnpool2d(2)(maxima, indices).sum()
    tensor(4.)
    """

    dimensions = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """Layer that puts maxima of volumes back at their indices, with zeros elsewhere.

    Args: As for `MaxUnpool1d`.

    Shape:
        Input: the maxima and their indices, ``[N, C, D, H, W]`` or ``[C, D, H, W]``; optionally the
            output size. Output: the same with sizes as for ``MaxUnpool1d``.

    >>> maxima, indices = torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1, dtype=torch.int64)
    >>> torch.nn.MaxUnpool3d(2)(maxima, indices).shape
    torch.Size([1, 2, 2, 2])
    """

    dimensions = 3


class _LPPoolNd(Module):
    """Base class of power-average pooling."""

    dimensions: int

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return _pool("lp_pool", self)(
            input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """Power-average pooling of sequences: the p-norm of each window.

    Args:
        norm_type: Exponent p of the norm.
        kernel_size, stride, ceil_mode: As for `MaxPool1d`.

    Shape:
        Input: ``[N, C, L]`` or ``[C, L]``. Output: the same with sizes as for ``AvgPool1d``.

    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """

    dimensions = 1


class LPPool2d(_LPPoolNd):
    """Power-average pooling of images: the p-norm of each window.

    Args: As for `LPPool1d`.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with sizes as for ``AvgPool1d``.

    >>> torch.nn.LPPool2d(2, 2)(torch.ones(1, 2, 2))
    tensor([[[2.]]])
    """

    dimensions = 2


class LPPool3d(_LPPoolNd):
    """Power-average pooling of volumes: the p-norm of each window.

    Args: As for `LPPool1d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with sizes as for
            ``AvgPool1d``.

    >>> torch.nn.LPPool3d(2, 2)(torch.ones(1, 2, 2, 2))
    tensor([[[[2.8284]]]])
    """

    dimensions = 3


class _FractionalMaxPoolNd(Module):
    """Base class of fractional max pooling."""

    dimensions: int

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        name = type(self).__name__
        self.kernel_size = self._each(kernel_size)
        if min(self.kernel_size) <= 0:
            raise ArgumentError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else self._each(output_size)
        self.output_ratio = None if output_ratio is None else self._each(output_ratio)
        if output_size is None and output_ratio is None:
            raise ArgumentError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ArgumentError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < each < 1 for each in self.output_ratio):
            raise ArgumentError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _each(self, value: Any) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, tuple | list) else (value,) * self.dimensions

    def forward(self, input: Tensor) -> Any:
        return _pool("fractional_max_pool", self)(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Fractional max pooling of images, whose windows are placed at random.

    Source: B. Graham, "Fractional max-pooling", 2014.

    Args:
        kernel_size: Size of the window, an int or one for each spatial dim.
        output_size: Size of the output.
        output_ratio: Size of the output as a fraction of the input, in (0, 1).
        return_indices: Whether to return the indices of the maxima too, for unpooling.
        _random_samples: Random numbers in [0, 1) that place the windows, instead of new ones.

    Shape:
        Input: ``[N, C, H, W]`` or ``[C, H, W]``. Output: the same with the given sizes.

    Raises:
        ValueError: If not exactly one of ``output_size`` and ``output_ratio`` is given.

    >>> torch.nn.FractionalMaxPool2d(2, output_ratio=0.6)(torch.ones(1, 1, 10, 5)).shape
    torch.Size([1, 1, 6, 3])
    """

    dimensions = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Fractional max pooling of volumes, whose windows are placed at random.

    Source: see ``FractionalMaxPool2d``.

    Args: As for `FractionalMaxPool2d`.

    Shape:
        Input: ``[N, C, D, H, W]`` or ``[C, D, H, W]``. Output: the same with the given sizes.

    Raises:
        ValueError: If not exactly one of ``output_size`` and ``output_ratio`` is given.

    >>> torch.nn.FractionalMaxPool3d(2, output_size=2)(torch.zeros(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    dimensions = 3
