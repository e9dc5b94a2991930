"""Random numbers of compiled kernels: the same bits as from the NumPy ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import cpu, kernels, needs_kernels, strided

pytestmark = needs_kernels


@pytest.mark.parametrize("groups", [0, 1, 5, 4000])
@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (-3.0, 0.7), (1.0, 0.0), (0, 2)])
def test_normal_numbers_have_the_bits_of_the_numpy_kernel(groups, mean, std):
    draws = np.random.default_rng(0).integers(0, 1 << 24, (groups, 16))
    uniforms = (draws * 2.0**-24).astype(np.float32)
    uniforms[:1, :3] = 0, 1 - 2.0**-24, 0.5
    expected = cpu.grouped_normals(uniforms, mean, std)
    found = kernels.grouped_normals(uniforms, mean, std)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(kernels.grouped_normals(strided(uniforms), mean, std), expected)


def test_the_number_of_threads_changes_no_bits():
    uniforms = np.random.default_rng(0).random((5000, 16), np.float32)
    count = kernels.get_num_threads()
    try:
        kernels.set_num_threads(1)
        alone = kernels.grouped_normals(uniforms, 1.0, 2.0)
        kernels.set_num_threads(2)
        np.testing.assert_array_equal(kernels.grouped_normals(uniforms, 1.0, 2.0), alone)
    finally:
        kernels.set_num_threads(count)


def test_other_shapes_and_types_are_declined():
    assert kernels.grouped_normals(np.zeros((2, 16)), 0.0, 1.0) is NotImplemented
    assert kernels.grouped_normals(np.zeros((2, 8), np.float32), 0.0, 1.0) is NotImplemented
