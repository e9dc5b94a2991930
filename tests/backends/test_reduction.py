"""Sums by BLAS and products by halves, against NumPy in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pellucid.backends.numpy import cpu

SHAPES = [
    (3,), (70000,), (2, 40000), (100, 100), (300, 37), (5, 10240), (20, 30, 40), (10000, 1),
    (9000, 3), (6, 7, 8, 30),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_are_those_of_double_precision(shape, dtype, keepdims):
    x = np.random.default_rng(0).random(shape).astype(dtype)
    tolerance = 4e-6 if dtype == "float32" else 1e-13
    axes = [
        None,
        (x.ndim - 1,),
        (0,),
        tuple(range(x.ndim)),
        tuple(range(max(x.ndim - 2, 0), x.ndim)),
        tuple(range(x.ndim - 1)),
        (0, *range(2, x.ndim)),
        tuple(range(0, x.ndim, 2)),
    ]
    for axis in axes:
        found = cpu.total(x, axis, keepdims)
        expected = np.add.reduce(x, axis, np.float64, None, keepdims)
        assert np.shape(found) == expected.shape
        assert np.asarray(found).dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=tolerance)


def test_errors_do_not_grow_with_the_length():
    x = np.full(1 << 22, 0.1, np.float32)
    assert cpu.total(x, None, False) == pytest.approx(math.fsum(x), rel=1e-6)
    for shape in ((-1, 1), (-1, 4)):
        columns = cpu.total(x.reshape(shape), (0,), False)
        np.testing.assert_allclose(columns, math.fsum(x) / columns.size, rtol=4e-6)


def test_a_sum_with_nan_or_both_infinities_is_nan():
    x = np.ones((100, 100), np.float32)
    x[3, 4] = np.nan
    x[5, 6], x[5, 7] = np.inf, -np.inf
    x[8, 9] = np.inf
    with np.errstate(invalid="ignore"):
        sums = cpu.total(x, (1,), False)
    assert np.flatnonzero(np.isnan(sums)).tolist() == [3, 5]
    assert np.flatnonzero(np.isinf(sums)).tolist() == [8]


@pytest.mark.parametrize("width", [1, 64, 65, 127, 1000, 1001])
@pytest.mark.parametrize("keepdims", [False, True])
def test_products_along_rows_are_those_of_double_precision(width, keepdims):
    x = 1 + 0.01 * np.random.default_rng(0).standard_normal((80, width)).astype(np.float32)
    found = cpu.product(x, (1,), None, keepdims)
    np.testing.assert_allclose(found, np.prod(x.astype(float), 1, keepdims=keepdims), rtol=1e-4)


def test_a_product_with_a_zero_is_zero():
    x = np.full((50, 100), 2.0, np.float32)
    x[7, 99] = 0
    assert np.flatnonzero(cpu.product(x, (1,), None, False) == 0).tolist() == [7]
