"""Functions of single precision against NumPy's in double precision, over all bit patterns."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid._native import compiled
from pellucid.kernels.active import cpu
from tests.samples.grouped import together

NAMES = (
    "sin", "cos", "tan", "exp2", "expm1", "log2", "log10", "sinh", "cosh", "arctanh", "arctan",
    "arcsin", "arccos",
)  # fmt: skip


def arguments() -> np.ndarray:
    """Return special values, any bits, and numbers where the functions bend."""
    random = np.random.default_rng(0)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, 3e38, 1e-3, 9.7e-4, 8, 1e6, -1e9]
    bits = random.integers(0, 2**32, 50_000, dtype=np.uint32).view(np.float32)
    others = [random.uniform(-size, size, 10_000) for size in (1, 100, 1.2e6)]
    arrays = [np.array(special, np.float32), bits, *(each.astype(np.float32) for each in others)]
    return np.concatenate(arrays)


@together()
@pytest.mark.parametrize("name", NAMES)
def test_results_are_exact_to_about_a_unit(name):
    x = arguments()
    with np.errstate(all="ignore"):
        found = getattr(cpu, name)(x)
        exact = getattr(np, name)(x.astype(np.float64))
        rounded = exact.astype(np.float32)
        regular = np.isfinite(rounded)
        np.testing.assert_array_equal(found[~regular], rounded[~regular])
        zeros = rounded == 0
        np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(rounded[zeros]))
        unit = np.spacing(np.abs(rounded[regular])).astype(np.float64)
        # without the compiled module, some of these are NumPy's own
        most = 1.1 if compiled is not None else 2.5
        assert (np.abs(found[regular] - exact[regular]) / unit).max() <= most


@together()
@pytest.mark.parametrize("name", NAMES)
def test_gaps_and_order_do_not_matter(name):
    x = np.random.default_rng(0).uniform(-1, 1, (30, 40)).astype(np.float32)
    function = getattr(cpu, name)
    with np.errstate(all="ignore"):
        expected = function(x)
        for arranged in (np.repeat(x, 2, 1)[:, ::2], np.asfortranarray(x), x[::-1][::-1]):
            np.testing.assert_array_equal(function(arranged), expected)
        assert function(x[:0]).shape == (0, 40)
        np.testing.assert_array_equal(function(x[0, 0]), expected[0, 0])
