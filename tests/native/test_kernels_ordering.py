"""The compiled sorting, selecting and running totals against the NumPy kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import assert_close, cpu, kernels, needs_kernels, strided

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
