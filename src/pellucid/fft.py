"""Fourier transforms: the door ``torch.fft``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.core.construct import fresh, numpy_dtype_of, placed
from pellucid.core.out import public_functions
from pellucid.errors import ShapeError
from pellucid.ops.signal.fourier import fft_fft as fft
from pellucid.ops.signal.fourier import fft_fft2 as fft2
from pellucid.ops.signal.fourier import fft_fftn as fftn
from pellucid.ops.signal.fourier import fft_fftshift as fftshift
from pellucid.ops.signal.fourier import fft_hfft as hfft
from pellucid.ops.signal.fourier import fft_hfft2 as hfft2
from pellucid.ops.signal.fourier import fft_hfftn as hfftn
from pellucid.ops.signal.fourier import fft_ifft as ifft
from pellucid.ops.signal.fourier import fft_ifft2 as ifft2
from pellucid.ops.signal.fourier import fft_ifftn as ifftn
from pellucid.ops.signal.fourier import fft_ifftshift as ifftshift
from pellucid.ops.signal.fourier import fft_ihfft as ihfft
from pellucid.ops.signal.fourier import fft_ihfft2 as ihfft2
from pellucid.ops.signal.fourier import fft_ihfftn as ihfftn
from pellucid.ops.signal.fourier import fft_irfft as irfft
from pellucid.ops.signal.fourier import fft_irfft2 as irfft2
from pellucid.ops.signal.fourier import fft_irfftn as irfftn
from pellucid.ops.signal.fourier import fft_rfft as rfft
from pellucid.ops.signal.fourier import fft_rfft2 as rfft2
from pellucid.ops.signal.fourier import fft_rfftn as rfftn
from pellucid.tensors import Tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return the frequencies of `fft`'s elements for samples a distance ``d`` apart.

    >>> import pellucid as torch
    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    placed(device)
    _require_length(n)
    count = np.arange(n)
    turned = np.where(count < (n + 1) // 2, count, count - n)
    return _frequencies(turned, n, d, dtype, requires_grad)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return the frequencies of `rfft`'s elements for samples a distance ``d`` apart.

    >>> import pellucid as torch
    >>> torch.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    placed(device)
    _require_length(n)
    return _frequencies(np.arange(n // 2 + 1), n, d, dtype, requires_grad)


def _require_length(n: int) -> None:
    if n < 0:
        raise ShapeError(f"the number of samples must not be negative, but got {n}")


def _frequencies(counts: Any, n: int, d: float, dtype: Any, requires_grad: bool) -> Tensor:
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    step = 1.0 / (n * d) if n else 1.0
    return fresh((counts * step).astype(numpy_dtype), requires_grad)


globals().update(public_functions(globals(), __name__))
