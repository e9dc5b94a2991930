"""Products of matrices by our own kernels, against the definition in double precision."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid
from pellucid.nn.functional import linear
from tests.native.kernel_samples import kernels, needs_kernels

pytestmark = needs_kernels

#: below and above every tile, block and panel, and whole ones
SIZES = [
    (4, 2, 512), (5, 3, 200), (13, 31, 33), (14, 256, 32), (15, 257, 16), (16, 100, 16),
    (28, 64, 64), (29, 64, 16), (29, 64, 96), (57, 300, 17), (64, 128, 512), (130, 784, 65),
    (253, 512, 31), (300, 1024, 48), (40, 300, 600),
]  # fmt: skip


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def laid_out(x: np.ndarray, order: str) -> np.ndarray:
    """Return an array that is equal: by rows, by columns, or a part of a wider one."""
    if order == "part":
        wide = np.full((x.shape[0], x.shape[1] + 5), np.nan, x.dtype)
        wide[:, 2:-3] = x
        return wide[:, 2:-3]
    return np.asarray(x, order="F" if order == "F" else "C")


def assert_is_product(found, a, b, bias=0.0):
    """Compare with double precision: a sum of n terms may be off by some units of their sizes."""
    expected = a.astype(np.float64) @ b.astype(np.float64) + bias
    terms = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64) + np.abs(bias)
    assert (np.abs(found - expected) <= 8 * np.finfo(np.float32).eps * terms).all()


@pytest.mark.parametrize("second", ["C", "F", "part"])
@pytest.mark.parametrize("first", ["C", "F", "part"])
def test_products_are_exact_to_some_units_in_every_layout(first, second, rng):
    for rows, inner, columns in SIZES:
        a = rng.normal(size=(rows, inner)).astype(np.float32)
        b = rng.normal(size=(inner, columns)).astype(np.float32)
        assert_is_product(kernels.matmul(laid_out(a, first), laid_out(b, second)), a, b)


@pytest.mark.parametrize(("rows", "columns"), [(300, 400), (60, 2_000)])
def test_a_row_has_the_same_bits_with_others_and_with_any_threads(rows, columns, rng):
    before = kernels.get_num_threads()
    a = rng.normal(size=(rows, 700)).astype(np.float32)
    b = rng.normal(size=(700, columns)).astype(np.float32)
    try:
        kernels.set_num_threads(1)
        whole = kernels.matmul(a, b)
        some = slice(rows // 3, rows // 2)
        np.testing.assert_array_equal(kernels.matmul(a[some], b), whole[some])
        for threads in (2, 3, 7):
            kernels.set_num_threads(threads)
            np.testing.assert_array_equal(kernels.matmul(a, b), whole)
    finally:
        kernels.set_num_threads(before)


def test_long_inner_sizes_and_many_columns_are_taken_in_strips(rng):
    for rows, inner, columns in [(4, 20_000, 70), (5, 1_000, 3_000), (31, 9_000, 300)]:
        a = rng.normal(size=(rows, inner)).astype(np.float32)
        b = rng.normal(size=(inner, columns)).astype(np.float32)
        assert_is_product(kernels.matmul(a, b), a, b)
        assert_is_product(kernels.matmul(a, np.asarray(b, order="F")), a, b)


def test_special_numbers_reach_their_own_row_and_column_only(rng):
    a = rng.normal(size=(30, 40)).astype(np.float32)
    b = rng.normal(size=(40, 50)).astype(np.float32)
    a[7, 3], b[5, 49] = np.inf, np.nan
    found = kernels.matmul(a, b)
    special = ~np.isfinite(found)
    expected = np.zeros_like(special)
    expected[7] = expected[:, 49] = True
    np.testing.assert_array_equal(special, expected)


def test_a_bias_is_added_once(rng):
    for rows, inner, columns in SIZES:
        x = rng.normal(size=(rows, inner)).astype(np.float32)
        weight = rng.normal(size=(columns, inner)).astype(np.float32)
        bias = rng.normal(size=columns).astype(np.float32)
        found = linear(*map(pellucid.tensor, (x, weight, bias))).numpy()
        assert_is_product(found, x, weight.T, bias)
