"""Compiled sums against NumPy's in double precision, and for threads and special values."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid
from pellucid._native import compiled
from pellucid.kernels.active import cpu

#: NumPy's own products and sums promise no such thing
needs_compiled = pytest.mark.skipif(compiled is None, reason="there is no compiled module")


@needs_compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((300_000,), None), ((3, 70_000), (1,)), ((100_000, 33), (0,)), ((2, 3_000, 600), (1,))],
)
def test_the_number_of_threads_does_not_change_a_bit_of_a_sum(shape, axes, dtype, threads):
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    found = []
    for count in (1, 2, 3):
        pellucid.set_num_threads(count)
        found.append(np.asarray(cpu.total(x, axes, False)).tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("axes", [None, (0,), (1,)])
def test_special_values_reach_their_sums_only(axes):
    x = np.ones((40, 50), np.float32)
    x[3, 4], x[5, 6], x[7, 8], x[9, 8] = np.nan, np.inf, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(cpu.total(x, axes, False), x.sum(axis=axes))


def test_large_terms_that_cancel_leave_the_small_ones():
    x = np.tile(np.array([1e15, 1.0, -1e15]), 1000)
    assert cpu.total(x, None, False) == pytest.approx(1000, abs=1)


@pytest.mark.parametrize("axes", [None, (0,), (1,)])
def test_many_positive_numbers_are_added_up_to_the_last_place(axes):
    x = np.random.default_rng(0).random((2_000, 700)).astype(np.float32)
    np.testing.assert_allclose(cpu.total(x, axes, False), x.sum(axis=axes, dtype=float), rtol=3e-7)
