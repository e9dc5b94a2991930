"""What the tests of compiled kernels share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pellucid import _native
from pellucid.kernels.numpy.backend import NumpyBackend

#: The compiled kernels; a module that uses them must also take `needs_kernels`.
kernels: Any = None if _native.compiled is None else _native.compiled.kernels

#: what they are compared with
cpu = NumpyBackend()

needs_kernels = pytest.mark.skipif(kernels is None, reason="there is no compiled module")

DTYPES = [np.float32, np.float64]


def assert_close(found: Any, expected: Any, units: float = 64) -> None:
    """Compare arrays, or tuples of them: within so many rounding errors of the largest element."""
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, units)
        return
    assert found is not NotImplemented
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    finite = expected[np.isfinite(expected)] if expected.dtype.kind == "f" else expected
    size = float(np.abs(finite).max(initial=1))
    eps = np.finfo(expected.dtype).eps if expected.dtype.kind == "f" else 0
    np.testing.assert_allclose(found, expected, rtol=units * eps, atol=units * eps * size)


def strided(x: np.ndarray) -> np.ndarray:
    """Return an array that is equal, and laid out backwards and with gaps."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    view = wide[..., ::-2]
    view[...] = x
    return view
