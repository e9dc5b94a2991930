"""Convolutions by Winograd's algorithm, against the NumPy kernels in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import _native
from tests.native.kernel_samples import cpu, kernels, needs_kernels

pytestmark = needs_kernels

#: images, channels, height, width, filters, padding: odd and even sizes, rows that are cut into
#: parts, blocks of several images, channels that fill no vector; results by tiles of 2 and of 4
#: rows, gradients by tiles of 2 and of 4
LAYERS = [
    (1, 16, 14, 14, 16, (1, 1)), (2, 17, 9, 13, 35, (0, 2)), (3, 32, 15, 16, 33, (2, 0)),
    (33, 32, 8, 8, 40, (1, 1)), (1, 16, 8, 300, 16, (1, 1)), (2, 40, 29, 31, 36, (1, 0)),
    (40, 129, 7, 7, 16, (1, 1)), (5, 64, 26, 26, 32, (0, 0)), (3, 20, 6, 40, 24, (1, 1)),
]  # fmt: skip


def made(layer, seed=0):
    """Return images, filters, a gradient of the result, and the options."""
    rng = np.random.default_rng(seed)
    n, c, height, width, k, padding = layer
    x = rng.normal(size=(n, c, height, width)).astype(np.float32)
    w = rng.normal(size=(k, c, 3, 3)).astype(np.float32)
    out = (n, k, height + 2 * padding[0] - 2, width + 2 * padding[1] - 2)
    return x, w, rng.normal(size=out).astype(np.float32), ((1, 1), padding, (1, 1), 1)


def three(library, x, w, g, options):
    """Return the result and both gradients."""
    return (
        library.convolve(x, w, *options, None),
        library.convolve_to_input(g, w, x.shape, *options),
        library.convolve_to_weight(g, x, w.shape, *options),
    )


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_results_and_gradients_are_close_to_double_precision(layer):
    x, w, g, options = made(layer)
    expected = three(cpu, *(each.astype(np.float64) for each in (x, w, g)), options)
    sizes = three(cpu, *(abs(each).astype(np.float64) for each in (x, w, g)), options)
    for one, other, terms in zip(three(kernels, x, w, g, options), expected, sizes, strict=True):
        assert one.dtype == np.float32
        assert np.abs(one - other).max() <= 2 * np.finfo(np.float32).eps * terms.max()


def test_a_bias_is_added():
    x, w, _, options = made(LAYERS[1])
    bias = np.arange(len(w), dtype=np.float32)
    found = kernels.convolve(x, w, *options, bias)
    np.testing.assert_allclose(
        found, kernels.convolve(x, w, *options, None) + bias[:, None, None], rtol=1e-4, atol=1e-4
    )


def test_an_image_has_the_same_bits_with_others_and_with_any_threads():
    before = kernels.get_num_threads()
    try:
        for layer in LAYERS:
            x, w, g, options = made(layer)
            kernels.set_num_threads(1)
            alone = three(kernels, x, w, g, options)
            one = kernels.convolve(x[:1], w, *options, None)
            np.testing.assert_array_equal(one, alone[0][:1])
            kernels.set_num_threads(3)
            for found, expected in zip(three(kernels, x, w, g, options), alone, strict=True):
                np.testing.assert_array_equal(found, expected)
    finally:
        kernels.set_num_threads(before)


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, 3e38])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinite_and_very_large_numbers_reach_only_what_depends_on_them(number):
    for where in range(3):
        x, w, g, options = made((2, 32, 16, 16, 32, (1, 1)))
        (x, w, g)[where][1, 3, 2, 2] = number
        found = three(kernels, x, w, g, options)
        for one, other in zip(found, three(cpu, x, w, g, options), strict=True):
            np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
            np.testing.assert_array_equal(np.isinf(one), np.isinf(other))


@pytest.mark.skipif(
    getattr(_native.compiled, "level", "") == "baseline", reason="convolutions are direct there"
)
@pytest.mark.parametrize("channels", [64, 144], ids=["tiles of 4 rows", "tiles of 2 rows"])
def test_it_is_more_exact_than_adding_up_one_tap_after_the_other(channels):
    x, w, _, options = made((2, channels, 28, 28, 32, (1, 1)))
    exact = cpu.convolve(x.astype(np.float64), w.astype(np.float64), *options, None)
    plain = np.zeros_like(exact, dtype=np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    for c in range(channels):
        for i in range(3):
            for j in range(3):
                place = padded[:, None, c, i : i + 28, j : j + 28]
                plain += w[None, :, c, i, j, None, None] * place
    found = kernels.convolve(x, w, *options, None)
    assert np.abs(found - exact).max() < np.abs(plain - exact).max()


@pytest.mark.skipif(
    getattr(_native.compiled, "level", "") == "baseline", reason="convolutions are direct there"
)
@pytest.mark.parametrize("size", [10, 32], ids=["tiles of 2", "tiles of 4"])
def test_the_gradient_by_the_filters_is_more_exact_than_adding_up_one_place_after_the_other(size):
    x, w, g, options = made((2, 32, size, size, 48, (0, 0)))
    exact = cpu.convolve_to_weight(*(e.astype(np.float64) for e in (g, x)), w.shape, *options)
    plain = np.zeros((48, 32), np.float32)
    for n, i, j in np.ndindex(2, size - 2, size - 2):  # of the filters' first taps
        plain += g[n, :, None, i, j] * x[n, None, :, i, j]
    found = kernels.convolve_to_weight(g, x, w.shape, *options)
    assert np.abs(found - exact).max() < np.abs(plain - exact[:, :, 0, 0]).max()


@pytest.mark.skipif(
    getattr(_native.compiled, "level", "") == "baseline", reason="convolutions are direct there"
)
@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_by_the_filters_is_exact_where_few_images_have_channels_of_all_sizes(seed):
    x, w, g, options = made((2, 16, 17, 19, 16, (1, 1)), seed)
    rng = np.random.default_rng(seed)
    x, g = ((e * 10 ** rng.uniform(-3, 3, (2, 16, 1, 1))).astype(np.float32) for e in (x, g))
    exact = cpu.convolve_to_weight(*(e.astype(np.float64) for e in (g, x)), w.shape, *options)
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    plain = np.zeros_like(w)
    for n, i, j in np.ndindex(2, 17, 19):
        plain += g[n, :, None, None, None, i, j] * wide[n, None, :, i : i + 3, j : j + 3]
    found = kernels.convolve_to_weight(g, x, w.shape, *options)
    ours, others = (np.sqrt(np.mean((each - exact) ** 2)) for each in (found, plain))
    assert ours < 1.5 * others
