"""The compiled kernels of small matrices against LAPACK, by way of the NumPy ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels, strided

pytestmark = needs_kernels


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (700, 8, 8), (2, 3, 16, 16)], ids=str)
def test_small_matrices_are_dealt_with_as_by_lapack(shape, dtype):
    generator = np.random.default_rng(0)
    n = shape[-1]
    a = (generator.normal(size=shape) + 2 * n * np.eye(n)).astype(dtype)[..., ::-1, :]
    b = generator.normal(size=(*shape[:-1], 5)).astype(dtype)
    positive = a @ np.swapaxes(a, -1, -2) + np.eye(n, dtype=dtype)
    for given in (a, strided(a)):
        assert_close(kernels.inverse(given), cpu.inverse(a))
        assert_close(kernels.solve(given, strided(b)), cpu.solve(a, b))
        assert_close(kernels.determinant(given), cpu.determinant(a), 512)
        assert_close(kernels.cofactors(given), cpu.cofactors(a), 512)
    for upper in (False, True):
        assert_close(kernels.cholesky(strided(positive), upper), cpu.cholesky(positive, upper))


def test_only_one_triangle_is_factorized():
    a = np.array([[4.0, 100.0], [2.0, 3.0]])
    assert_close(kernels.cholesky(a, False), cpu.cholesky(a, False))


def test_singular_and_large_matrices_are_left_to_lapack():
    singular = np.stack([np.eye(3), np.ones((3, 3))])
    b = np.ones((2, 3, 1))
    assert kernels.inverse(singular) is NotImplemented
    assert kernels.solve(singular, b) is NotImplemented
    assert kernels.cofactors(singular) is NotImplemented
    assert kernels.cholesky(-np.eye(2), False) is NotImplemented
    np.testing.assert_array_equal(kernels.determinant(singular), [1, 0])
    assert kernels.solve(np.eye(3), b) is NotImplemented
    assert kernels.solve(np.eye(3), np.ones((3, 40))) is NotImplemented
    for a in (np.eye(17), np.ones((2, 3)), np.ones((0, 2, 2)), np.eye(2, dtype=np.int64)):
        assert kernels.inverse(a) is NotImplemented
        assert kernels.determinant(a) is NotImplemented
