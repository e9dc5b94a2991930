"""The compiled convolution against the NumPy one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels, strided
from tests.samples.grouped import together

pytestmark = needs_kernels

# images, channels and filters of a group, groups, size, kernel, stride, padding, dilation
GEOMETRIES = [
    (2, 3, 5, 1, (9,), (3,), (1,), (1,), (1,)),
    (3, 2, 9, 1, (17,), (4,), (3,), (2,), (2,)),
    (1, 1, 1, 1, (1, 1), (1, 1), (1, 1), (0, 0), (1, 1)),
    (2, 3, 8, 1, (8, 8), (3, 3), (1, 1), (1, 1), (1, 1)),
    (19, 4, 7, 1, (8, 8), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 3, 16, 1, (33, 20), (3, 3), (1, 1), (0, 0), (1, 1)),
    (2, 4, 3, 1, (10, 11), (3, 3), (2, 2), (1, 1), (1, 1)),
    (2, 4, 10, 1, (10, 11), (1, 1), (2, 3), (0, 0), (1, 1)),
    (2, 2, 6, 1, (12, 13), (3, 2), (1, 2), (2, 3), (2, 1)),
    (2, 2, 2, 1, (7, 7), (2, 2), (4, 4), (0, 0), (1, 1)),
    (2, 2, 3, 1, (5, 5), (3, 3), (1, 1), (4, 4), (1, 1)),
    (2, 1, 1, 6, (14, 40), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 1, 2, 3, (14, 15), (3, 3), (2, 2), (1, 1), (1, 1)),
    (2, 2, 5, 3, (9, 9), (3, 3), (1, 1), (1, 1), (1, 1)),
    (1, 2, 40, 1, (90, 70), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 2, 3, 1, (5, 6, 7), (3, 2, 3), (1, 1, 1), (1, 0, 1), (1, 1, 1)),
    (2, 2, 3, 2, (6, 6, 7), (2, 2, 3), (2, 1, 2), (1, 1, 1), (1, 2, 1)),
    (0, 2, 3, 1, (6, 6), (3, 3), (1, 1), (1, 1), (1, 1)),
]


def operands(geometry, dtype):
    images, channels, filters, groups, size, kernel, *rest = geometry
    rng = np.random.default_rng(0)
    x = rng.normal(size=(images, channels * groups, *size)).astype(dtype)
    w = rng.normal(size=(filters * groups, channels, *kernel)).astype(dtype)
    options = (*rest, groups)
    g = rng.normal(size=cpu.convolve(x, w, *options).shape).astype(dtype)
    return x, w, g, options


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_convolution_equals_the_numpy_kernel(geometry, dtype):
    x, w, _, options = operands(geometry, dtype)
    assert_close(kernels.convolve(x, w, *options, None), cpu.convolve(x, w, *options))


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_its_gradient_by_the_input_equals_the_numpy_kernel(geometry, dtype):
    x, w, g, options = operands(geometry, dtype)
    found = kernels.convolve_to_input(g, w, x.shape, *options, None)
    assert_close(found, cpu.convolve_to_input(g, w, x.shape, *options))


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_its_gradient_by_the_weight_equals_the_numpy_kernel(geometry, dtype):
    x, w, g, options = operands(geometry, dtype)
    found = kernels.convolve_to_weight(g, x, w.shape, *options)
    assert_close(found, cpu.convolve_to_weight(g, x, w.shape, *options), units=512)


@pytest.mark.parametrize("geometry", GEOMETRIES[3:8], ids=str)
def test_arrays_with_gaps_are_taken(geometry):
    x, w, g, options = operands(geometry, np.float32)
    assert_close(kernels.convolve(strided(x), w, *options, None), cpu.convolve(x, w, *options))
    found = kernels.convolve_to_weight(strided(g), strided(x), w.shape, *options)
    assert_close(found, cpu.convolve_to_weight(g, x, w.shape, *options), units=512)


def test_the_bias_is_added_to_each_channel():
    x, w, g, options = operands(GEOMETRIES[3], np.float32)
    bias = np.arange(8, dtype=np.float32)
    found = kernels.convolve(x, w, *options, bias)
    assert_close(found, cpu.convolve(x, w, *options) + bias[:, None, None])
    bias = np.arange(3, dtype=np.float32)
    found = kernels.convolve_to_input(g, w, x.shape, *options, bias)
    assert_close(found, cpu.convolve_to_input(g, w, x.shape, *options) + bias[:, None, None])


@pytest.mark.parametrize("special", [np.nan, np.inf])
@pytest.mark.parametrize("geometry", [GEOMETRIES[3], GEOMETRIES[11]], ids=str)
def test_a_special_value_at_the_border_reaches_what_it_meets_and_nothing_else(geometry, special):
    x, w, g, options = operands(geometry, np.float32)
    x[0, 0, 3, -1] = special
    assert_close(kernels.convolve(x, w, *options, None), cpu.convolve(x, w, *options))
    with np.errstate(invalid="ignore"):
        expected = cpu.convolve_to_weight(g, x, w.shape, *options)
    assert_close(kernels.convolve_to_weight(g, x, w.shape, *options), expected, units=512)


@pytest.mark.parametrize("dtype", [np.float16, np.int64, np.complex64, ">f4"])
def test_other_dtypes_are_declined(dtype):
    x, w = np.ones((1, 1, 3, 3), dtype), np.ones((1, 1, 2, 2), dtype)
    assert kernels.convolve(x, w, (1, 1), (0, 0), (1, 1), 1, None) is NotImplemented


def test_operands_of_two_dtypes_and_of_four_dimensions_are_declined():
    x, w = np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 2, 2), np.float64)
    assert kernels.convolve(x, w, (1, 1), (0, 0), (1, 1), 1, None) is NotImplemented
    x, w = np.ones((1, 1, 3, 3, 3, 3)), np.ones((1, 1, 2, 2, 2, 2))
    options = ((1,) * 4, (0,) * 4, (1,) * 4, 1)
    assert kernels.convolve(x, w, *options, None) is NotImplemented
