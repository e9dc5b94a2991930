"""Pooling against loops over windows."""

from __future__ import annotations

from itertools import product
from math import ceil, floor

import numpy as np
import pytest

from pellucid.kernels.active import cpu as be
from tests.samples.grouped import together

RNG = np.random.default_rng(11)

# size, kernel, stride, padding, dilation
SLIDING = [
    ((9,), (3,), (2,), (1,), (1,)),
    ((6, 7), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((7, 5), (3, 2), (1, 3), (1, 1), (2, 1)),
    ((7, 8), (3, 3), (2, 2), (1, 1), (1, 1)),
    ((5, 5), (5, 5), (5, 5), (0, 0), (1, 1)),
    ((4, 5, 6), (2, 3, 2), (2, 1, 3), (1, 0, 1), (1, 2, 1)),
]
sliding = pytest.mark.parametrize(("size", "kernel", "stride", "padding", "dilation"), SLIDING)
modes = pytest.mark.parametrize("ceil_mode", [False, True])
ADAPTIVE = [
    ((7,), (3,)),
    ((6, 8), (3, 2)),
    ((5, 7), (1, 1)),
    ((3, 4), (5, 4)),
    ((5, 4, 6), (2, 3, 4)),
]
adaptive = pytest.mark.parametrize(("size", "output"), ADAPTIVE)


def sliding_windows(size, kernel, stride, padding, dilation, ceil_mode):
    """Return, along each axis, which positions every window holds, padding included."""
    axes = []
    for s, k, step, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        rounded = ceil if ceil_mode else floor
        count = rounded((s + 2 * p - d * (k - 1) - 1) / step) + 1
        if ceil_mode and (count - 1) * step >= s + p:
            count -= 1
        axes.append([[o * step - p + t * d for t in range(k)] for o in range(count)])
    return axes


def adaptive_windows(size, output):
    return [
        [list(range(o * s // n, ceil((o + 1) * s / n))) for o in range(n)]
        for s, n in zip(size, output, strict=True)
    ]


def max_by_loops(x, windows):
    size = x.shape[2:]
    shape = (*x.shape[:2], *map(len, windows))
    values, indices = np.zeros(shape, x.dtype), np.zeros(shape, np.int64)
    for image in np.ndindex(x.shape[:2]):
        for at in product(*(range(len(axis)) for axis in windows)):
            best = None
            for place in product(*(axis[o] for axis, o in zip(windows, at, strict=True))):
                if all(0 <= i < s for i, s in zip(place, size, strict=True)):
                    value = x[(*image, *place)]
                    if best is None or value > best[0] or value != value:
                        best = value, np.ravel_multi_index(place, size)
            values[(*image, *at)], indices[(*image, *at)] = best
    return values, indices


def averaging_matrix(size, windows, divisor):
    """Write averaging down as a matrix over the flattened positions."""
    rows = []
    for at in product(*(range(len(axis)) for axis in windows)):
        row = np.zeros(size)
        places = list(product(*(axis[o] for axis, o in zip(windows, at, strict=True))))
        inside = [p for p in places if all(0 <= i < s for i, s in zip(p, size, strict=True))]
        for place in inside:
            row[place] = 1 / divisor(places, inside)
        rows.append(row.ravel())
    return np.array(rows)


def with_ties_and_specials(shape):
    x = RNG.integers(-2, 3, shape).astype(np.float32)
    x[RNG.random(shape) < 0.15] = -np.inf
    x[0][RNG.random(shape[1:]) < 0.15] = np.nan
    return x


@together()
@sliding
@modes
def test_max_pool_takes_the_first_of_the_largest(
    size, kernel, stride, padding, dilation, ceil_mode
):
    x = with_ties_and_specials((2, 3, *size))
    windows = sliding_windows(size, kernel, stride, padding, dilation, ceil_mode)
    values, indices = be.max_pool(x, kernel, stride, padding, dilation, ceil_mode)
    expected_values, expected_indices = max_by_loops(x, windows)
    np.testing.assert_array_equal(values, expected_values)
    np.testing.assert_array_equal(indices, expected_indices)
    assert indices.dtype == np.int64


@adaptive
def test_adaptive_max_pool_takes_the_first_of_the_largest(size, output):
    x = with_ties_and_specials((2, 2, *size))
    values, indices = be.adaptive_max_pool(x, output)
    expected_values, expected_indices = max_by_loops(x, adaptive_windows(size, output))
    np.testing.assert_array_equal(values, expected_values)
    np.testing.assert_array_equal(indices, expected_indices)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32, np.uint8])
def test_max_pool_keeps_the_dtype(dtype):
    x = RNG.integers(0, 9, (1, 2, 4, 4)).astype(dtype)
    values, _ = be.max_pool(x, (2, 2), (2, 2), (1, 1), (1, 1))
    assert values.dtype == dtype
    windows = sliding_windows((4, 4), (2, 2), (2, 2), (1, 1), (1, 1), False)
    np.testing.assert_array_equal(values, max_by_loops(x, windows)[0])


@sliding
def test_max_pool_gradient_and_gather_follow_the_indices(size, kernel, stride, padding, dilation):
    x = RNG.standard_normal((2, 3, *size))
    values, indices = be.max_pool(x, kernel, stride, padding, dilation)
    np.testing.assert_array_equal(be.take_spatial(x, indices), values)
    g = RNG.standard_normal(values.shape)
    expected = np.zeros((6, int(np.prod(size))))
    for row, at, value in zip(expected, indices.reshape(6, -1), g.reshape(6, -1), strict=True):
        for i, v in zip(at, value, strict=True):
            row[i] += v
    np.testing.assert_allclose(
        be.max_pool_to_input(g, indices, x.shape), expected.reshape(x.shape), atol=1e-14
    )


@together()
@sliding
@modes
@pytest.mark.parametrize(("pads", "override"), [(True, None), (False, None), (True, 7)])
def test_average_pool_and_its_transpose_are_one_matrix(
    size, kernel, stride, padding, dilation, ceil_mode, pads, override
):
    windows = sliding_windows(size, kernel, stride, padding, (1,) * len(size), ceil_mode)

    def divisor(places, inside):
        if override:
            return override
        if not pads:
            return len(inside)
        reach = zip(size, padding, strict=True)
        limits = [s + p for s, p in reach]
        return sum(all(i < n for i, n in zip(p, limits, strict=True)) for p in places)

    matrix = averaging_matrix(size, windows, divisor)
    x = RNG.standard_normal((2, 3, *size))
    settings = kernel, stride, padding, ceil_mode, pads, override
    out = be.avg_pool(x, *settings)
    np.testing.assert_allclose(out.reshape(6, -1), x.reshape(6, -1) @ matrix.T, atol=1e-12)
    g = RNG.standard_normal(out.shape)
    back = be.avg_pool_to_input(g, x.shape, *settings)
    np.testing.assert_allclose(back.reshape(6, -1), g.reshape(6, -1) @ matrix, atol=1e-12)


@adaptive
def test_adaptive_average_pool_and_its_transpose_are_one_matrix(size, output):
    matrix = averaging_matrix(size, adaptive_windows(size, output), lambda _, inside: len(inside))
    x = RNG.standard_normal((2, 3, *size))
    out = be.adaptive_avg_pool(x, output)
    np.testing.assert_allclose(out.reshape(6, -1), x.reshape(6, -1) @ matrix.T, atol=1e-12)
    g = RNG.standard_normal(out.shape)
    back = be.adaptive_avg_pool_to_input(g, x.shape, output)
    np.testing.assert_allclose(back.reshape(6, -1), g.reshape(6, -1) @ matrix, atol=1e-12)


def test_adaptive_pooling_to_the_same_size_returns_a_copy():
    x = RNG.standard_normal((1, 2, 3, 3))
    out = be.adaptive_avg_pool(x, (3, 3))
    np.testing.assert_array_equal(out, x)
    assert not np.shares_memory(out, x)


def test_half_precision_averages_do_not_stall():
    x = np.ones((1, 1, 64, 64), np.float16)
    assert be.avg_pool(x, (64, 64), (64, 64), (0, 0)).item() == 1
    assert be.adaptive_avg_pool(x, (1, 1)).dtype == np.float16


def test_an_infinity_stays_in_its_own_windows():
    x = np.zeros((1, 1, 5))
    x[..., 0] = np.inf
    assert np.isfinite(be.adaptive_avg_pool(x, (3,))[..., 1:]).all()


def test_no_images_give_no_windows():
    x = np.zeros((0, 3, 6, 6), np.float32)
    values, indices = be.max_pool(x, (2, 2), (2, 2), (0, 0), (1, 1))
    assert values.shape == indices.shape == (0, 3, 3, 3)
    assert be.max_pool_to_input(values, indices, x.shape).shape == x.shape
    assert be.avg_pool(x, (2, 2), (2, 2), (0, 0)).shape == (0, 3, 3, 3)
    assert be.adaptive_avg_pool(x, (4, 4)).shape == (0, 3, 4, 4)
    assert be.adaptive_avg_pool_to_input(np.zeros((0, 3, 4, 4)), x.shape, (4, 4)).shape == x.shape


def test_pooling_reads_arrays_in_any_order_of_memory():
    x = np.asfortranarray(RNG.standard_normal((2, 3, 6, 6)))
    plain = np.ascontiguousarray(x)
    settings = (3, 3), (2, 2), (1, 1)
    np.testing.assert_allclose(be.avg_pool(x, *settings), be.avg_pool(plain, *settings), atol=1e-14)
    for a, b in zip(
        be.max_pool(x, *settings, (1, 1)), be.max_pool(plain, *settings, (1, 1)), strict=True
    ):
        np.testing.assert_array_equal(a, b)
