"""Floating-point numbers of eight bits, from and to single precision as PyTorch's CPU does."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes

Array = np.ndarray[Any, Any]


def rounded(x: Array, dtype: np.dtype[Any]) -> Array:
    """Round numbers of single precision to the nearest of eight bits, ties to even.

    What is too large becomes infinity in e5m2, the largest number in e4m3fn, which has no infinity,
    and NaN in the others.
    """
    if dtype == dtypes.float8_e8m0fnu.numpy:
        return _powers_of_two(x, dtype)
    if dtype == dtypes.float8_e4m3fn.numpy:
        limit = np.float32(dtypes.largest(dtype))
        x = np.clip(x, -limit, limit)
    codes = np.asarray(x.astype(dtype)).view(np.uint8)
    if dtype == dtypes.float8_e5m2.numpy:
        codes |= np.isnan(x)  # of the codes of NaN PyTorch takes the last
    return codes.view(dtype)


def fitted(values: Any, dtype: np.dtype[Any]) -> Any:
    """Return values rounded where they are to be written in eight bits; any others as they are.

    NumPy writes numbers too large for e4m3fn as NaN.
    """
    if values.dtype == dtype or not dtypes.is_float8(dtype) or dtypes.is_float8(values.dtype):
        return values
    real = np.real(values) if values.dtype.kind == "c" else values
    return rounded(real.astype(np.float32), dtype)


def widened(x: Array) -> Array:
    """Return the numbers in single precision; the NaN of the dtypes without a sign is positive."""
    wide = x.astype(np.float32)
    if x.dtype in (dtypes.float8_e4m3fnuz.numpy, dtypes.float8_e5m2fnuz.numpy):
        return np.where(np.isnan(wide), np.float32(np.nan), wide)
    return wide


def _powers_of_two(x: Array, dtype: np.dtype[Any]) -> Array:
    """Return the exponents of single precision; below half the least power there is no 1 to round.

    The sign is dropped, and zero is the least power, as in PyTorch.
    """
    bits = np.asarray(x).view(np.uint32)
    exponents = (bits >> np.uint32(23)) & np.uint32(255)
    half = (bits & np.uint32(0x400000)) != 0
    above = ((bits & np.uint32(0x3FFFFF)) != 0) | (exponents > 0)
    exponents += half & above & (exponents < 255)
    return exponents.astype(np.uint8).view(dtype)
