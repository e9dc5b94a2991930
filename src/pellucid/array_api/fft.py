"""The extension of the standard for Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import pellucid as torch
from pellucid.array_api.creation import Device
from pellucid.dtypes import dtype as Dtype
from pellucid.tensors import Tensor

Norm = Literal["backward", "ortho", "forward"]


def _along_axis(name: str, transform: Callable[..., Any]) -> Any:
    """Return a transform along one axis, with the standard's arguments."""

    def compute(
        x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
    ) -> Tensor:
        return transform(x, n=n, dim=axis, norm=norm)

    return _named(
        name, compute, "n: How many samples, cut off or filled up with zeros.",
        "axis: Axis along which the transform is taken.",
    )  # fmt: skip


def _along_axes(name: str, transform: Callable[..., Any]) -> Any:
    """Return a transform along several axes, with the standard's arguments."""

    def compute(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None,
        norm: Norm = "backward",
    ) -> Tensor:  # fmt: skip
        return transform(x, s=s, dim=axes, norm=norm)

    return _named(
        name, compute, "s: How many samples along each axis.",
        "axes: Axes along which the transform is taken; all, or the last ones, if None.",
    )  # fmt: skip


def _named(name: str, function: Any, samples: str, axes: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Compute ``{name}``, as the array API standard defines it.

    Args:
        x: Array.
        {samples}
        {axes}
        norm: Which direction is divided by the number of samples; ``"ortho"``: both, by its root.
    """
    return function


fft = _along_axis("fft", torch.fft.fft)
ifft = _along_axis("ifft", torch.fft.ifft)
rfft = _along_axis("rfft", torch.fft.rfft)
irfft = _along_axis("irfft", torch.fft.irfft)
hfft = _along_axis("hfft", torch.fft.hfft)
ihfft = _along_axis("ihfft", torch.fft.ihfft)
fftn = _along_axes("fftn", torch.fft.fftn)
ifftn = _along_axes("ifftn", torch.fft.ifftn)
rfftn = _along_axes("rfftn", torch.fft.rfftn)
irfftn = _along_axes("irfftn", torch.fft.irfftn)


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: Dtype | None = None, device: Device = None
) -> Tensor:
    """Return the frequencies of a transform of ``n`` samples at distance ``d``.

    Args:
        n: How many samples there are.
        d: Distance of two samples.
        dtype: Dtype of the result; decided by the arguments if None.
        device: Device of the result; the CPU is the only one that computes.
    """
    return torch.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: Dtype | None = None, device: Device = None
) -> Tensor:
    """Return the frequencies of a transform of ``n`` real samples at distance ``d``.

    Args: As for `fftfreq`.
    """
    return torch.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return the values with frequency zero in the middle.

    Args:
        x: Array.
        axes: Axis, or several; all if None.
    """
    return torch.fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return the values with frequency zero in front, as transforms have it.

    Args: As for `fftshift`.
    """
    return torch.fft.ifftshift(x, axes)
