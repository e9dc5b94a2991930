"""Images read at the places of a grid, next to the NumPy kernels: the same bits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, cpu, kernels, needs_kernels, strided

pytestmark = needs_kernels

PADDINGS = ("zeros", "border", "reflection")
#: modes with the orders of differentiation that they have, by number of dimensions
ORDERS = {
    2: {
        "nearest": [(0, 0)],
        "bilinear": [(0, 0), (1, 0), (1, 1)],
        "bicubic": [(0, 0), (0, 1), (2, 3)],
    },
    3: {"nearest": [(0, 0, 0)], "bilinear": [(0, 0, 0), (0, 1, 1)]},
    1: {"bilinear": [(0,), (1,)], "bicubic": [(0,)]},
}


def assert_same(found, expected):
    assert found is not NotImplemented
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def grid_of(rng, shape, dtype):
    """Return places within and beyond the images, at their borders, and none."""
    grid = rng.uniform(-2.5, 2.5, shape).astype(dtype)
    flat = grid.reshape(-1)
    flat[:6] = -1, 1, 0, np.nan, np.inf, -np.inf
    flat[6:9] = 1e30, -1e20, 5
    return grid


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_both_directions_have_the_bits_of_numpy(dims, dtype):
    rng = np.random.default_rng(dims)
    size, places = (5, 1, 6)[-dims:] if dims > 1 else (7,), (3, 7, 11)[-dims:]
    for n, c in ((1, 1), (3, 2), (2, 19)):
        x = rng.normal(size=(n, c, *size)).astype(dtype)
        g = rng.normal(size=(n, c, *places)).astype(dtype)
        grid = grid_of(rng, (n, *places, dims), dtype)
        for (mode, orders), padding, align in itertools.product(
            ORDERS[dims].items(), PADDINGS, (False, True)
        ):
            for order in orders:
                how = (mode, padding, align, order)
                assert_same(kernels.grid_sample(x, grid, *how), cpu.grid_sample(x, grid, *how))
                assert_same(
                    kernels.grid_sample_to_input(g, grid, size, *how),
                    cpu.grid_sample_to_input(g, grid, size, *how),
                )


def test_layouts_and_threads_change_nothing():
    rng = np.random.default_rng(0)
    how = ("bilinear", "zeros", False, (0, 0))
    x = rng.normal(size=(3, 40, 9, 10)).astype(np.float32)
    grid = rng.uniform(-1, 1, (3, 20, 21, 2)).astype(np.float32)
    g = rng.normal(size=(3, 40, 20, 21)).astype(np.float32)
    before = kernels.get_num_threads()
    try:
        for threads in (1, 3):
            kernels.set_num_threads(threads)
            found = kernels.grid_sample(strided(x), strided(grid), *how)
            assert_same(found, cpu.grid_sample(x, grid, *how))
            found = kernels.grid_sample_to_input(strided(g), strided(grid), (9, 10), *how)
            assert_same(found, cpu.grid_sample_to_input(g, grid, (9, 10), *how))
    finally:
        kernels.set_num_threads(before)


def test_what_is_unusual_is_left_to_numpy():
    x, grid = np.ones((2, 1, 3, 3), np.float32), np.zeros((2, 4, 4, 2), np.float32)
    how = ("bilinear", "zeros", False, (0, 0))
    declined = [
        (x.astype(np.float16), grid, *how), (x, grid.astype(np.float64), *how),
        (x[:1], grid, *how), (x, grid[..., :1], *how), (x[0], grid, *how), (x[:0], grid[:0], *how),
        (x, grid, "bilinear", "zeros", False, (2, 0)), (x, grid, "cubic", "zeros", False, (0, 0)),
        (x, grid, "bilinear", "zeros", 0, (0, 0)), (x, grid, "bilinear", "zeros", False, (0,)),
        (x[:, :, :0], grid, *how), (np.float32(1), grid, *how), (x.sum(keepdims=False), grid, *how),
    ]  # fmt: skip
    for arguments in declined:
        assert kernels.grid_sample(*arguments) is NotImplemented
    g = np.ones((2, 1, 4, 4), np.float32)
    for size in ((3,), (0, 3), (1 << 31, 3), (1 << 30, 1 << 30), (3.0, 3), None):
        assert kernels.grid_sample_to_input(g, grid, size, *how) is NotImplemented
