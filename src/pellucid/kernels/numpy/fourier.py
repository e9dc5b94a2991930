"""Fourier transforms by pocketfft, the library inside SciPy.

`scipy.fft` asks which backend to use and checks what the ops here have checked, for twenty
microseconds a call. So the compiled functions below it are called where SciPy has them in the form
that is known here, and else its public ones.

``normalization`` is PyTorch's and pocketfft's number: 0 for none, 1 to divide by the root of the
number of points, 2 to divide by their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import scipy.fft

#: what `scipy.fft` calls the three normalizations of a transform forward; the other way is opposite
_NORMS = ("backward", "ortho", "forward")


def _norm(normalization: int, forward: bool) -> str:
    return _NORMS[normalization if forward else 2 - normalization]


class PublicFunctions:
    """The transforms of `scipy.fft` with the arguments of the compiled ones."""

    @staticmethod
    def c2c(x: Any, dims: Sequence[int], forward: bool, normalization: int) -> Any:
        """Transform complex or real numbers to complex numbers."""
        transform = scipy.fft.fftn if forward else scipy.fft.ifftn
        return transform(x, axes=dims, norm=_norm(normalization, forward))

    @staticmethod
    def r2c(x: Any, dims: Sequence[int], forward: bool, normalization: int) -> Any:
        """Transform real numbers to the half of the spectrum that determines the rest."""
        transform = scipy.fft.rfftn if forward else scipy.fft.ihfftn
        return transform(x, axes=dims, norm=_norm(normalization, forward))

    @staticmethod
    def c2r(x: Any, dims: Sequence[int], size: int, forward: bool, normalization: int) -> Any:
        """Transform half a spectrum to real numbers, ``size`` in the last of the dimensions."""
        transform = scipy.fft.hfftn if forward else scipy.fft.irfftn
        sizes = [*(x.shape[dim] for dim in dims[:-1]), size]
        return transform(x, sizes, axes=dims, norm=_norm(normalization, forward))


def compiled_functions() -> ModuleType | None:
    """Return SciPy's compiled transforms, or None where they take other arguments."""
    try:
        from scipy.fft._pocketfft import pypocketfft  # pyright: ignore

        pypocketfft.c2c(np.ones(2, np.complex64), (0,), True, 0)
        pypocketfft.r2c(np.ones(2, np.float32), (0,), True, 0)
        pypocketfft.c2r(np.ones(2, np.complex64), (0,), 2, True, 0)
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
    return pypocketfft


_functions: Any = compiled_functions() or PublicFunctions

c2c = _functions.c2c
r2c = _functions.r2c
c2r = _functions.c2r
