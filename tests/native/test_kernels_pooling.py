"""The compiled pooling against the NumPy kernels."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels
from tests.samples.grouped import together

pytestmark = needs_kernels

# size, kernel, stride, padding, dilation
WINDOWS = [
    ((9,), (3,), (2,), (1,), (1,)),
    ((8, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((6, 27), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((4, 64), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((33, 20), (3, 3), (1, 1), (1, 1), (1, 1)),
    ((10, 11), (3, 2), (3, 1), (1, 0), (1, 1)),
    ((12, 13), (3, 3), (2, 2), (1, 1), (2, 1)),
    ((7, 7), (2, 2), (3, 3), (0, 0), (1, 1)),
    ((5, 6, 7), (2, 3, 2), (2, 1, 2), (1, 1, 0), (1, 1, 1)),
]


def windows_of(case):
    size, *options = case
    return (2, 3, *size), options


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("case", WINDOWS, ids=str)
def test_max_pooling_and_its_gradient_equal_the_numpy_kernels(case, ceil_mode, dtype):
    shape, options = windows_of(case)
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 3, shape).astype(dtype)  # many are equal
    expected = cpu.max_pool(x, *options, ceil_mode)
    assert_close(kernels.max_pool(x, *options, ceil_mode), expected)
    g = rng.normal(size=expected[0].shape).astype(dtype)
    found = kernels.max_pool_to_input(g, expected[1], shape)
    assert_close(found, cpu.max_pool_to_input(g, expected[1], shape))


@pytest.mark.parametrize("case", WINDOWS, ids=str)
def test_max_pooling_of_special_values_equals_the_numpy_kernel(case):
    shape, options = windows_of(case)
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(np.float32)
    x[rng.random(shape) < 0.1] = np.nan
    x[rng.random(shape) < 0.5] = -np.inf
    assert_close(kernels.max_pool(x, *options, False), cpu.max_pool(x, *options, False))


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("averaging", [(False, True, None), (True, False, None), (False, True, 3)])
@pytest.mark.parametrize("case", WINDOWS, ids=str)
def test_average_pooling_and_its_gradient_equal_the_numpy_kernels(case, averaging, dtype):
    shape, (*options, _) = windows_of(case)
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(dtype)
    expected = cpu.avg_pool(x, *options, *averaging)
    assert_close(kernels.avg_pool(x, *options, *averaging), expected)
    g = rng.normal(size=expected.shape).astype(dtype)
    found = kernels.avg_pool_to_input(g, shape, *options, *averaging)
    assert_close(found, cpu.avg_pool_to_input(g, shape, *options, *averaging))


def test_an_index_outside_the_input_is_declined():
    g, indices = np.ones((1, 1, 2)), np.array([[[0, 9]]])
    assert kernels.max_pool_to_input(g, indices, (1, 1, 4)) is NotImplemented


def test_windows_that_hold_nothing_but_padding_are_declined():
    x = np.ones((1, 1, 1), np.float32)
    assert kernels.max_pool(x, (2,), (1,), (1,), (3,), False) is NotImplemented


def test_a_pool_that_is_left_to_python_has_copied_nothing():
    spread = np.broadcast_to(np.float32(1), (1, 1, 2**31))  # more elements than indices of 32 bits
    start = time.process_time()
    assert kernels.max_pool(spread, (2,), (2,), (0,), (1,), False) is NotImplemented
    assert kernels.avg_pool(spread, (2,), (2,), (0,), False, True, None) is NotImplemented
    assert time.process_time() - start < 0.1  # the copy would be of 8 gigabytes
