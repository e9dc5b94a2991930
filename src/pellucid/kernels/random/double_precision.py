"""Normal numbers in double precision, rounded as PyTorch rounds them."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["fused_multiply_add", "grouped_normals"]


def fused_multiply_add(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """Compute ``a * b + c`` in double precision, rounding (all but always) only once.

    The rounding errors of the product and of the sum are computed exactly and added at the end.
    Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971.
    """
    if b == 1.0 and c == 0.0:
        return a
    with np.errstate(over="ignore", invalid="ignore"):
        product = a * b
        total = product + c
        if b == 1.0 or c == 0.0:
            return total
        a_high, b_high = _upper_half(a), _upper_half(np.float64(b))
        a_low, b_low = a - a_high, b - b_high
        error = a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low
        shift = total - product
        error += (product - (total - shift)) + (c - shift)
        # Splitting fails only where numbers are so large that their halves overflow.
        return np.where(np.isfinite(error), total + error, total)


def _upper_half(x: np.ndarray | np.float64) -> np.ndarray | np.float64:
    """Return the leading 26 bits of the mantissa."""
    scaled = x * 134217729.0  # 2**27 + 1
    return scaled - (scaled - x)


def grouped_normals(uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Pair column j with column j + 8 by the method of Box and Muller, in double precision."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniforms[:, :8]))
    angle = 2.0 * math.pi * uniforms[:, 8:]
    normals = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return fused_multiply_add(normals, std, mean)
