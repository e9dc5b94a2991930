"""Sums by BLAS and products by halves, against NumPy in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.moments import moments
from tests.samples.grouped import together

SHAPES = [
    (3,), (70000,), (2, 40000), (100, 100), (300, 37), (5, 10240), (20, 30, 40), (10000, 1),
    (9000, 3), (6, 7, 8, 30),
]  # fmt: skip


@together()
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


@together()
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


UNIT = 2.0**-24  # half the distance between neighbours of 1 in single precision

LAYOUTS = {
    "leading": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1],
    "expanded": lambda x: np.broadcast_to(x[:1], x.shape),
    "middle": lambda x: x.reshape(4, -1, x.shape[1]),
    "permuted": lambda x: x.reshape(4, -1, x.shape[1]).transpose(2, 0, 1),
}


def pairwise_bound(x, axes):
    """Return the largest error of a pairwise sum of positive numbers, relative to the sum."""
    count = np.prod([x.shape[axis] for axis in axes])
    return (math.ceil(math.log2(count)) + 1) * UNIT


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(40000, 3), (1004, 37), (128, 10), (4, 30001), (65536, 1)])
def test_no_sum_is_less_exact_than_a_pairwise_one(layout, shape):
    rng = np.random.default_rng(0)
    for x in (np.full(shape, 0.1), 0.1 * rng.uniform(1, 1.001, shape), rng.random(shape)):
        x = LAYOUTS[layout](x.astype(np.float32))
        every = range(x.ndim)
        for axes in (*((axis,) for axis in every), tuple(every), (0, x.ndim - 1)):
            expected = np.add.reduce(x.astype(np.float64), axes)
            found = cpu.total(x, axes, False)
            np.testing.assert_allclose(found, expected, rtol=pairwise_bound(x, axes))
            parts = cpu.total(x + 2j * x, axes, False)
            np.testing.assert_allclose(parts.real, expected, rtol=pairwise_bound(x, axes))
            np.testing.assert_allclose(parts.imag, 2 * expected, rtol=pairwise_bound(x, axes))


def test_a_sum_over_no_dimension_is_a_copy():
    x = np.ones((100, 100), np.float32)
    assert not np.shares_memory(cpu.total(x, (), False), x)


def test_an_expanded_array_is_summed_without_its_copies():
    x = np.broadcast_to(np.float32(0.5), (1 << 20, 1 << 20))
    assert cpu.total(x, None, False) == 2.0**39
    assert cpu.total(x[:, :3], (0,), False).tolist() == [2.0**19] * 3


@pytest.mark.parametrize("count", [100, 1000, 10007, 200_000])
def test_means_and_variances_are_exact_in_every_layout(count):
    rng = np.random.default_rng(0)
    for offset, spread in ((1000, 1), (1e4, 0.1), (-3, 1)):
        tall = (offset + spread * rng.standard_normal((count, 2))).astype(np.float32)
        for x, axes in ((tall, (0,)), (np.ascontiguousarray(tall.T), (1,)), (tall.T, (1,))):
            deviations, mean, squares = moments(x, axes)
            wide = x.astype(np.float64)
            np.testing.assert_allclose(mean, wide.mean(axes, keepdims=True), rtol=1e-6)
            variance = wide.var(axes, keepdims=True)
            np.testing.assert_allclose(squares / count, variance, rtol=3e-6)
            squares = cpu.squared_deviations(x, axes)
            np.testing.assert_allclose(squares / count, variance, rtol=3e-6)
            assert deviations.shape == x.shape


def test_columns_of_an_empty_matrix_add_up_to_zero():
    for shape in ((0, 3), (100, 0), (0, 0), (0, 1)):
        assert cpu.column_sums(np.ones(shape, np.float32)).tolist() == [0.0] * shape[1]
