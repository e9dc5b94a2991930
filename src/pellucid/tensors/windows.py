"""Windows for signals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.core.construct import numpy_dtype_of, placed_tensor
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.errors import DtypeError, ShapeError
from pellucid.tensors import Tensor


def _dtype_of_window(name: str, length: int, dtype: Any) -> np.dtype[Any]:
    """Return the dtype of a window; raise for a negative length, and for integers."""
    if length < 0:
        raise ShapeError(f"{name} requires non-negative window_length, got window_length={length}")
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    if not dtypes.is_floating(numpy_dtype):
        raise DtypeError(f"{name} expects floating point dtypes, got: {dtype}")
    if dtypes.is_float8(numpy_dtype):
        raise unsupported("arange_cpu", numpy_dtype)
    return numpy_dtype


def _window(
    name: str, cosines: tuple[float, ...], length: int, periodic: bool, dtype: Any, device: Any,
    requires_grad: bool,
) -> Tensor:  # fmt: skip
    """Add up cosines of rising frequency with these weights, over one period."""
    numpy_dtype = _dtype_of_window(f"{name}_window", length, dtype)
    if length <= 1:
        return placed_tensor(np.ones(length, numpy_dtype), device, requires_grad=requires_grad)
    angles = 2 * math.pi * np.arange(length) / (length if periodic else length - 1)
    window = np.zeros(length)
    for order, weight in enumerate(cosines):
        window += weight * np.cos(order * angles)
    return placed_tensor(window.astype(numpy_dtype), device, requires_grad=requires_grad)


@public("hann_window")
def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a Hann window; ``periodic`` leaves out the last point, for use with Fourier transforms.

    Args:
        window_length: Number of elements of the window.
        periodic: Whether the window is one period of a periodic function, as spectral
            analysis needs.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Has no effect: there is no device to copy to.

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("hann", (0.5, -0.5), window_length, periodic, dtype, device, requires_grad)


@public("hamming_window")
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *,
    dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a Hamming window, ``alpha - beta * cos``.

    Args:
        window_length, periodic, dtype, layout: As for `hann_window`.
        device, requires_grad, pin_memory: As for `hann_window`.
        alpha: Constant part.
        beta: Weight of the cosine that is subtracted.

    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _window("hamming", (alpha, -beta), window_length, periodic, dtype, device, requires_grad)


@public("blackman_window")
def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a Blackman window.

    Args: As for `hann_window`.

    >>> torch.blackman_window(4)[2]
    tensor(1.)
    """
    return _window(
        "blackman", (0.42, -0.5, 0.08), window_length, periodic, dtype, device, requires_grad
    )


@public("bartlett_window")
def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a Bartlett window: a triangle.

    Args: As for `hann_window`.

    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    numpy_dtype = _dtype_of_window("bartlett_window", window_length, dtype)
    whole = window_length if periodic else window_length - 1
    if window_length <= 1:
        return placed_tensor(
            np.ones(window_length, numpy_dtype), device, requires_grad=requires_grad
        )
    heights = 1 - np.abs(2 * np.arange(window_length) / whole - 1)
    return placed_tensor(heights.astype(numpy_dtype), device, requires_grad=requires_grad)


@public("kaiser_window")
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a Kaiser window: modified Bessel functions over a half circle of radius ``beta``.

    Raises RuntimeError for a negative length and for integers.

    Args:
        window_length, periodic, dtype, layout: As for `hann_window`.
        device, requires_grad, pin_memory: As for `hann_window`.
        beta: How narrow the window is.

    >>> torch.kaiser_window(3, periodic=False, beta=0.0)
    tensor([1., 1., 1.])
    """
    numpy_dtype = _dtype_of_window("kaiser_window", window_length, dtype)
    if window_length <= 1:
        return placed_tensor(
            np.ones(window_length, numpy_dtype), device, requires_grad=requires_grad
        )
    heights = np.kaiser(window_length + periodic, beta)[:window_length]
    return placed_tensor(heights.astype(numpy_dtype), device, requires_grad=requires_grad)
