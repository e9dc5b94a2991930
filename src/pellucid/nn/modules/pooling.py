"""Pooling layers."""

from __future__ import annotations

from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn import functional
from pellucid.nn.modules.module import Module


class _MaxPoolNd(Module):
    """Hold what maximum pooling has in common."""

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

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Return the largest value of each window over ``[N, C, L]``."""

    def forward(self, input: Any) -> Any:
        return functional.max_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip


class MaxPool2d(_MaxPoolNd):
    """Return the largest value of each window over images ``[N, C, H, W]``.

    >>> import pellucid as torch
    >>> torch.nn.MaxPool2d(2)(torch.ones(1, 1, 6, 6)).shape
    torch.Size([1, 1, 3, 3])
    """

    def forward(self, input: Any) -> Any:
        return functional.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip


class AvgPool1d(Module):
    """Return the mean of each window over ``[N, C, L]``."""

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

    def forward(self, input: Any) -> Any:
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """Return the mean of each window over images ``[N, C, H, W]``.

    >>> import pellucid as torch
    >>> torch.nn.AvgPool2d(2)(torch.ones(1, 1, 2, 2))
    tensor([[[[1.]]]])
    """

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

    def forward(self, input: Any) -> Any:
        return functional.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def _single(value: Any) -> tuple[int]:
    return tuple(value) if hasattr(value, "__iter__") else (value,)


class _Adaptive(Module):
    """Hold the size that adaptive pooling is to give."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Return means over ``[N, C, L]``, over as many windows as are asked for."""

    def forward(self, input: Any) -> Any:
        return functional.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """Return means over images ``[N, C, H, W]``, over as many windows as are asked for.

    >>> import pellucid as torch
    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.ones(1, 3, 5, 7)).shape
    torch.Size([1, 3, 1, 1])
    """

    def forward(self, input: Any) -> Any:
        return functional.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """Return maxima over images ``[N, C, H, W]``, over as many windows as are asked for."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Any) -> Any:
        return functional.adaptive_max_pool2d(
            input, self.output_size, return_indices=self.return_indices
        )


class MaxPool3d(_MaxPoolNd):
    """Return the largest value of each window over volumes ``[N, C, D, H, W]``."""

    def forward(self, input: Any) -> Any:
        return functional.max_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip


class AvgPool3d(AvgPool2d):
    """Return the mean of each window over volumes ``[N, C, D, H, W]``."""

    def forward(self, input: Any) -> Any:
        return functional.avg_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class AdaptiveAvgPool3d(_Adaptive):
    """Return means over volumes ``[N, C, D, H, W]``, over as many windows as are asked for."""

    def forward(self, input: Any) -> Any:
        return functional.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(AdaptiveMaxPool2d):
    """Return maxima over ``[N, C, L]``, over as many windows as are asked for."""

    def forward(self, input: Any) -> Any:
        return functional.adaptive_max_pool1d(
            input, self.output_size, return_indices=self.return_indices
        )


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """Return maxima over volumes ``[N, C, D, H, W]``, over as many windows as are asked for."""

    def forward(self, input: Any) -> Any:
        return functional.adaptive_max_pool3d(
            input, self.output_size, return_indices=self.return_indices
        )


class _MaxUnpoolNd(Module):
    """Hold the windows that maximum pooling had."""

    dimensions: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = self._per_dimension(kernel_size)
        self.stride = self._per_dimension(kernel_size if stride is None else stride)
        self.padding = self._per_dimension(padding)

    def _per_dimension(self, value: Any) -> tuple[int, ...]:
        return tuple(value) if hasattr(value, "__iter__") else (value,) * self.dimensions

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Put maxima of windows back to their places in ``[N, C, L]``, zeros elsewhere."""

    dimensions = 1

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return functional.max_unpool1d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool2d(_MaxUnpoolNd):
    """Put maxima of windows back to their places in images, zeros elsewhere.

    >>> import pellucid as torch
    >>> maxima, places = torch.nn.MaxPool2d(2, return_indices=True)(torch.ones(1, 1, 4, 4))
    >>> torch.nn.MaxUnpool2d(2)(maxima, places).sum()
    tensor(4.)
    """

    dimensions = 2

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return functional.max_unpool2d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool3d(_MaxUnpoolNd):
    """Put maxima of windows back to their places in volumes, zeros elsewhere."""

    dimensions = 3

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return functional.max_unpool3d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class _LPPoolNd(Module):
    """Hold what power-average pooling has in common."""

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """Return the p-norm of each window over ``[N, C, L]``."""

    def forward(self, input: Any) -> Any:
        return functional.lp_pool1d(
            input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool2d(_LPPoolNd):
    """Return the p-norm of each window over images ``[N, C, H, W]``."""

    def forward(self, input: Any) -> Any:
        return functional.lp_pool2d(
            input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool3d(_LPPoolNd):
    """Return the p-norm of each window over volumes ``[N, C, D, H, W]``."""

    def forward(self, input: Any) -> Any:
        return functional.lp_pool3d(
            input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class _FractionalMaxPoolNd(Module):
    """Hold what fractional maximum pooling has in common."""

    #: number of spatial dimensions
    _ndim: int

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
        return tuple(value) if isinstance(value, tuple | list) else (value,) * self._ndim

    def forward(self, input: Any) -> Any:
        pool = getattr(functional, f"fractional_max_pool{self._ndim}d")
        return pool(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Return the largest value of windows placed at random, for factors that are no integers.

    B. Graham, "Fractional max-pooling", 2014. Raises ValueError unless just one of ``output_size``
    and ``output_ratio`` is given.

    >>> import pellucid as torch
    >>> torch.nn.FractionalMaxPool2d(2, output_ratio=0.6)(torch.ones(1, 1, 10, 5)).shape
    torch.Size([1, 1, 6, 3])
    """

    _ndim = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Return the largest value of windows of volumes placed at random."""

    _ndim = 3
