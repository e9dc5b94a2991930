"""The compiled sorting, selecting, searching and running results against the NumPy kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import assert_close, cpu, kernels, needs_kernels, strided
from tests.samples.grouped import together

pytestmark = needs_kernels

TYPES = [np.float32, np.float64, np.int64]
SHAPES = [(1,), (9,), (5, 4), (3, 1), (2, 3, 4), (2, 3000, 2), (5000,)]
ALONG = [(shape, axis) for shape in SHAPES for axis in range(-1, len(shape))]


def values(shape, dtype, many_equal=True):
    """Return numbers of both signs, with infinities, NaN and both zeros if there are such."""
    rng = np.random.default_rng(0)
    x = rng.integers(-6, 6, shape) if many_equal else rng.normal(size=shape) * 1e6
    x = x.astype(dtype)
    if x.dtype.kind == "f" and x.size > 8:
        flat = x.reshape(-1)
        flat[rng.permutation(flat.size)[:8]] = [
            np.nan,
            -np.nan,
            np.inf,
            -np.inf,
            0.0,
            -0.0,
            0,
            -0.0,
        ]
    return x


@together()
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("many_equal", [False, True])
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_sorting_keeps_the_order_of_equal_elements(shape, axis, many_equal, descending, dtype):
    x = values(shape, dtype, many_equal)
    expected = cpu.sort(x, axis, descending)
    for given in (x, strided(x)):
        for one, other in zip(kernels.sort(given, axis, descending), expected, strict=True):
            np.testing.assert_array_equal(one, other)


@together()
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("k", [1, 3, 70, 900])
@pytest.mark.parametrize(("shape", "axis"), [((1000,), 0), ((3, 1000), 1), ((1000, 2), 0)])
def test_the_first_of_equal_elements_are_selected(shape, axis, k, largest, dtype):
    x = values(shape, dtype)
    found, places = kernels.topk(x, k, axis, largest, True)
    order = cpu.sort(x, axis, largest)
    for one, other in zip((found, places), order, strict=True):
        np.testing.assert_array_equal(one, np.take(other, range(k), axis))
    in_place = kernels.topk(x, k, axis, largest, False)[1]
    np.testing.assert_array_equal(in_place, np.sort(places, axis))


@together()
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize(("shape", "axis"), [*ALONG, ((4, 0), 1), ((3, 5, 100), 1)])
def test_running_totals_equal_the_numpy_kernels(shape, axis, name, dtype):
    x = np.random.default_rng(0).normal(1, 0.01, shape).astype(dtype)
    expected = getattr(cpu, name)(x, axis)
    assert_close(getattr(kernels, name)(x, axis), expected)
    assert_close(getattr(kernels, name)(strided(x), axis), expected)


def test_running_totals_pass_special_values_on():
    x = np.array([1, np.inf, -np.inf, 2], np.float32)
    np.testing.assert_array_equal(
        kernels.cumsum(x, 0), np.array([1, np.inf, np.nan, np.nan], np.float32)
    )


def test_running_products_overflow_and_vanish_where_one_factor_after_the_other_does():
    far = [1e38] * 9 + [1e-38] * 9 + [-1e-38] * 12 + [1e38] * 12 + [3.0] * 3
    ends = [[1e30, 0, -2, np.inf, 5], [np.inf, -3, -0.0, 1, 2], [-np.inf, 2, -1, np.nan, 0]]
    rows = [far, far[::-1], *((end * 9)[start:] for end in ends for start in range(4))]
    for row in np.array([np.resize(row, 45) for row in rows], np.float32):
        with np.errstate(all="ignore"):
            expected = cpu.cumprod(row, 0)
        np.testing.assert_allclose(kernels.cumprod(row, 0), expected, rtol=1e-6)


def test_running_sums_of_integers_wrap_around():
    most = np.iinfo(np.int64).max
    np.testing.assert_array_equal(kernels.cumsum(np.array([most, 1]), 0), [most, -most - 1])


def test_other_types_and_sizes_are_declined():
    half, x = np.zeros(3, np.float16), np.zeros(3)
    for name in ("cumsum", "cumprod"):
        assert getattr(kernels, name)(half, 0) is NotImplemented
        assert getattr(kernels, name)(x, 1) is NotImplemented
    assert kernels.sort(half, 0, False) is NotImplemented
    assert kernels.sort(np.zeros(0), 0, False) is NotImplemented
    assert kernels.topk(x, 4, 0, True, True) is NotImplemented
    assert kernels.topk(x, 0, 0, True, True) is NotImplemented


@together()
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("many_equal", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [*ALONG, ((3, 5, 100), 1)])
def test_running_extremes_equal_the_numpy_kernels(shape, axis, many_equal, name, dtype):
    x = values(shape, dtype, many_equal)
    expected = getattr(cpu, name)(x, axis)
    for given in (x, strided(x)):
        for one, other in zip(getattr(kernels, name)(given, axis), expected, strict=True):
            np.testing.assert_array_equal(one, other)


@together()
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [*ALONG, ((3, 5, 100), 1)])
def test_products_equal_those_in_double_precision(shape, axis, keepdims):
    x = np.random.default_rng(0).normal(1, 0.01, shape).astype(np.float32)
    expected = np.multiply.reduce(x, axis, np.float64, None, keepdims).astype(np.float32)
    for given in (x, strided(x)):
        assert_close(np.asarray(kernels.product(given, axis, None, keepdims)), expected, units=2)
    found = kernels.product(x, (axis,), np.dtype(np.float32), keepdims)
    assert_close(np.asarray(found), expected, units=2)


@together()
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float16, np.float32, np.complex128])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (2, 0), (2, 4, 4)])
@pytest.mark.parametrize("diagonal", [-(1 << 62), -2, 0, 1, 9])
def test_triangles_are_those_of_numpy(shape, diagonal, dtype):
    x = np.random.default_rng(0).integers(1, 9, shape).astype(dtype)
    for given in (x, strided(x)):
        for name in ("tril", "triu"):
            bounded = max(-99, min(99, diagonal))
            expected = getattr(np, name)(x, bounded)
            np.testing.assert_array_equal(getattr(kernels, name)(given, diagonal), expected)


@together()
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 700])
def test_places_in_an_ordered_vector_are_those_of_numpy(count, side, dtype):
    edges, x = np.sort(values((count,), dtype)), values((3, 50), dtype)
    for given in (x, strided(x)):
        found = kernels.searchsorted(edges, given, side)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, np.searchsorted(edges, x, side))


@pytest.mark.parametrize("least", [0, 3, 80])
def test_numbers_are_counted(least):
    x = np.random.default_rng(0).integers(0, 50, 1000)
    for given in (x, strided(x)):
        expected = np.bincount(x, minlength=least)
        np.testing.assert_array_equal(kernels.bincount(given, None, least), expected)


@together()
@pytest.mark.parametrize("dtype", [np.bool_, np.float32, np.int64])
@pytest.mark.parametrize("shape", [(1,), (40,), (5, 7), (2, 3, 4), (3, 1, 2, 1)])
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_places_of_what_is_not_zero_are_those_of_numpy(shape, share, dtype):
    x = (np.random.default_rng(0).random(shape) < share).astype(dtype)
    for given in (x, strided(x)):
        found = kernels.argwhere(given)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, np.argwhere(x))
        assert found.strides == np.argwhere(x).strides
    if dtype == np.float32:
        special = np.array([np.nan, -0.0, 1e-45, 0.0], dtype)
        np.testing.assert_array_equal(kernels.argwhere(special), [[0], [2]])


def test_what_cannot_be_counted_or_searched_is_declined():
    x = np.ones(3)
    assert kernels.bincount(np.array([-1]), None, 0) is NotImplemented
    assert kernels.bincount(np.array([1]), x[:1], 0) is NotImplemented
    assert kernels.bincount(np.zeros(0, np.int64), None, 0) is NotImplemented
    assert kernels.searchsorted(x, x.astype(np.float32), "left") is NotImplemented
    assert kernels.searchsorted(x[None], x, "left") is NotImplemented
    assert kernels.argwhere(np.float32(1)) is NotImplemented
    assert kernels.cummax(x[:0], 0) is NotImplemented
    assert kernels.product(x, 0, None, False) is NotImplemented
    assert kernels.tril(x, 0) is NotImplemented


@together()
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch", [(), (3,), (2, 70)])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("upper", [False, True])
def test_triangular_matrices_are_solved_as_by_blas(upper, left, unit, batch, dtype):
    rng = np.random.default_rng(0)
    for size, other in ((1, 1), (8, 8), (5, 3), (32, 2)):
        a = (rng.normal(size=(*batch, size, size)) / size + 2 * np.eye(size)).astype(dtype)
        b = rng.normal(size=(*batch, size, other)).astype(dtype)
        b = b if left else np.ascontiguousarray(np.swapaxes(b, -1, -2))
        expected = cpu.solve_triangular(a, b, upper, left, unit)
        turned = np.swapaxes(np.ascontiguousarray(np.swapaxes(a, -1, -2)), -1, -2)
        for given in (a, turned):
            assert_close(kernels.solve_triangular(given, strided(b), upper, left, unit), expected)
    large = np.eye(33, dtype=dtype)
    assert kernels.solve_triangular(large, large, upper, left, unit) is NotImplemented
    assert kernels.solve_triangular(large[:8, :8], large, upper, left, unit) is NotImplemented
