"""Convolutions by products, and of small images, against NumPy's in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, cpu, kernels, needs_kernels

pytestmark = needs_kernels

#: images, channels, size, filters, kernel, stride, padding, dilation: images of one position, more
#: images than are taken at once, strides that leave elements unseen, taps that see padding alone,
#: one and three dimensions, filters of one element with and without a stride
LAYERS = [
    (5, 20, (2, 2), 64, (3, 3), (2, 2), (1, 1), (1, 1)),
    (400, 40, (4, 3), 129, (3, 3), (1, 1), (1, 1), (1, 1)),
    (3, 17, (7, 8), 70, (3, 2), (2, 2), (1, 0), (1, 1)),
    (2, 9, (9, 5), 64, (5, 5), (1, 3), (2, 2), (1, 1)),
    (2, 8, (6, 6), 64, (3, 3), (1, 1), (3, 3), (3, 3)),
    (1, 130, (4, 4), 130, (3, 3), (1, 1), (1, 1), (1, 1)),
    (3, 12, (7,), 130, (3,), (2,), (1,), (1,)),
    (2, 5, (3, 4, 4), 64, (2, 3, 3), (1, 2, 2), (1, 1, 1), (1, 1, 1)),
    (3, 40, (9, 8), 33, (1, 1), (1, 1), (0, 0), (1, 1)),
    (4, 33, (3, 3), 32, (1, 1), (1, 1), (0, 0), (1, 1)),
    (3, 32, (9, 11), 40, (1, 1), (2, 2), (0, 0), (1, 1)),
    (2, 35, (6, 6), 32, (1, 1), (2, 1), (1, 1), (1, 1)),
]

#: the same of small images, in whole vectors of images or some fewer, and more than are taken at
#: once; elements that no position reaches
SMALL = [
    (16, 64, (2, 2), 70, (3, 3), (1, 1), (1, 1), (1, 1)),
    (13, 100, (4, 4), 64, (3, 3), (1, 1), (1, 1), (1, 1)),
    (31, 64, (8, 7), 81, (3, 3), (2, 2), (1, 1), (1, 1)),
    (40, 64, (8, 8), 64, (2, 1), (3, 3), (0, 0), (1, 1)),
    (600, 64, (5, 4), 64, (2, 3), (1, 1), (0, 1), (1, 1)),
    (16, 65, (6, 6), 64, (3, 3), (1, 1), (3, 3), (3, 3)),
    (14, 64, (9,), 65, (3,), (2,), (1,), (1,)),
    (16, 64, (2, 4, 4), 64, (2, 3, 3), (1, 2, 2), (1, 1, 1), (1, 1, 1)),
]


def made(layer, dtype=np.float32):
    """Return images, filters, a gradient of the result, a bias and the options."""
    images, channels, size, filters, kernel, *rest = layer
    rng = np.random.default_rng(0)
    x = rng.normal(size=(images, channels, *size)).astype(dtype)
    w = rng.normal(size=(filters, channels, *kernel)).astype(dtype)
    options = (*rest, 1)
    g = rng.normal(size=cpu.convolve(x, w, *options).shape).astype(dtype)
    return x, w, g, rng.normal(size=filters).astype(dtype), options


def three(library, x, w, g, bias, options):
    """Return the result and both gradients."""
    return (
        library.convolve(x, w, *options, bias),
        library.convolve_to_input(g, w, x.shape, *options),
        library.convolve_to_weight(g, x, w.shape, *options),
    )


def in_double(*arrays):
    """Return what the same arrays give in double precision."""
    *operands, options = arrays
    return three(cpu, *(each.astype(np.float64) for each in operands), options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layer", [*LAYERS, *SMALL], ids=str)
def test_results_and_gradients_are_close_to_double_precision(layer, dtype):
    *operands, options = made(layer, dtype)
    sizes = in_double(*map(abs, operands), options)
    found = three(kernels, *operands, options)
    for one, other, terms in zip(found, in_double(*operands, options), sizes, strict=True):
        assert one.dtype == dtype
        assert np.abs(one - other).max() <= 2 * np.finfo(dtype).eps * terms.max()


def test_the_bits_are_the_same_with_any_threads():
    before = kernels.get_num_threads()
    try:
        for layer in [*LAYERS, *SMALL]:
            operands = made(layer)
            kernels.set_num_threads(1)
            alone = three(kernels, *operands)
            kernels.set_num_threads(3)
            for found, expected in zip(three(kernels, *operands), alone, strict=True):
                np.testing.assert_array_equal(found, expected)
    finally:
        kernels.set_num_threads(before)


@pytest.mark.parametrize("number", [np.inf, np.nan])
@pytest.mark.parametrize("layer", [LAYERS[5], SMALL[1]], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinite_numbers_reach_only_what_depends_on_them(number, layer):
    for where in range(3):
        x, w, g, bias, options = made(layer)
        (x, w, g)[where][0, 3, 2, 1] = number
        found = three(kernels, x, w, g, bias, options)
        for one, other in zip(found, three(cpu, x, w, g, bias, options), strict=True):
            # a filter's infinity times the zeros around a gradient is NaN only in NumPy's kernel
            assert not (np.isnan(one) & ~np.isnan(other)).any()
            np.testing.assert_array_equal(np.isinf(one), np.isinf(other))
