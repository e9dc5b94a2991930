"""The compiled transforms inside SciPy against SciPy's public ones."""

from __future__ import annotations

import itertools

import numpy as np

from pellucid.kernels.numpy import fourier


def test_compiled_transforms_are_those_of_the_public_functions() -> None:
    compiled = fourier.compiled_functions()
    assert compiled is not None, "this SciPy has other compiled transforms: they are not used"
    public = fourier.PublicFunctions
    wave = np.random.default_rng(0).standard_normal((3, 4, 5))
    for real, forward, normalization, dims in itertools.product(
        (wave, wave.astype(np.float32), wave[::2, :, 1:].T),
        (True, False),
        (0, 1, 2),
        ((1,), (0, 2)),
    ):
        last = real.shape[dims[-1]]
        half = public.r2c(real, dims, forward, normalization)
        for found, expected in (
            (compiled.r2c(real, dims, forward, normalization), half),
            (
                compiled.c2c(real, dims, forward, normalization),
                public.c2c(real + 0j, dims, forward, normalization),
            ),
            (
                compiled.c2c(half, dims, forward, normalization),
                public.c2c(half, dims, forward, normalization),
            ),
            (
                compiled.c2r(half, dims, last, not forward, normalization),
                public.c2r(half, dims, last, not forward, normalization),
            ),
        ):
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, atol=1e-5)


def test_normalizations_divide_by_nothing_the_root_and_the_number_of_points() -> None:
    ones = np.ones((2, 8))
    for functions in (fourier.compiled_functions(), fourier.PublicFunctions):
        for forward in (True, False):
            sums = [functions.c2c(ones, (1,), forward, k)[0, 0].real for k in range(3)]
            np.testing.assert_allclose(sums, [8, 8**0.5, 1])
