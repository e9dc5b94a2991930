"""The frequencies that belong to the elements of Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.core.construct import numpy_dtype_of, placed_tensor
from pellucid.core.definition.public import CASTING, public
from pellucid.errors import DtypeError, ShapeError


@public("fft.fftfreq", out=CASTING, checked=False)
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Return the frequencies of `fft`'s elements for samples a distance ``d`` apart.

    Args:
        n: Length of the transform.
        d: Distance between samples.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.

    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    _require_length(n)
    count = np.arange(n)
    turned = np.where(count < (n + 1) // 2, count, count - n)
    return _frequencies("fftfreq", turned, n, d, dtype, device, requires_grad)


@public("fft.rfftfreq", out=CASTING, checked=False)
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Return the frequencies of `rfft`'s elements for samples a distance ``d`` apart.

    Args: As for `fftfreq`.

    >>> torch.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    _require_length(n)
    return _frequencies("rfftfreq", np.arange(n // 2 + 1), n, d, dtype, device, requires_grad)


def _require_length(n: int) -> None:
    if n < 0:
        raise ShapeError(f"the number of samples must not be negative, but got {n}")


def _frequencies(
    name: str, counts: Any, n: int, d: float, dtype: Any, device: Any, requires_grad: bool
) -> Any:
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    if numpy_dtype.kind in "biu":
        raise DtypeError(f"{name} requires a floating point or complex dtype")
    step = 1.0 / (n * d) if n else 1.0
    return placed_tensor((counts * step).astype(numpy_dtype), device, requires_grad=requires_grad)
