"""The compiled conversions from and to single precision against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import cpu, kernels, needs_kernels, strided

pytestmark = needs_kernels

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)
ALL_HALVES = np.arange(1 << 16).astype(np.uint16).view(np.float16)


def assert_same_bits(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    numbers = ~np.isnan(expected)
    bits = f"u{expected.dtype.itemsize}"
    np.testing.assert_array_equal(found.view(bits)[numbers], expected.view(bits)[numbers])


def test_every_half_becomes_the_single_of_its_value():
    assert_same_bits(kernels.cast(ALL_HALVES, SINGLE), ALL_HALVES.astype(np.float32))


def test_singles_next_to_and_between_halves_are_rounded_to_even():
    halves = ALL_HALVES[np.isfinite(ALL_HALVES)].astype(np.float32)
    between = (halves[1:].astype(np.float64) + halves[:-1]) / 2
    middles = between.astype(np.float32)
    up, down = np.nextafter(middles, np.float32(np.inf)), np.nextafter(middles, np.float32(-np.inf))
    x = np.concatenate([halves, middles, up, down])
    assert_same_bits(kernels.cast(x, HALF), x.astype(np.float16))


@pytest.mark.filterwarnings("ignore:overflow")
def test_singles_that_halves_cannot_hold_become_infinite_or_zero():
    x = np.array([65504, 65519.99, 65520, 1e9, 3e38, 1e-45, 2e-8, 3e-8, 6e-8, 6.1e-5], np.float32)
    x = np.concatenate([x, -x, np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)])
    assert_same_bits(kernels.cast(x, HALF), x.astype(np.float16))


def test_bfloat16_is_rounded_to_even_and_read_as_by_its_package():
    brain = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    bits = np.random.default_rng(0).integers(0, 1 << 32, 40_001, np.uint32)
    bits[:3] = 0x3F808000, 0x3F818000, 0x7F7FFFFF  # halfway, halfway, and rounded to infinity
    singles = bits.view(np.float32)
    with np.errstate(all="ignore"):
        expected = singles.astype(brain)
    found = kernels.cast(singles, brain)
    assert found.dtype == brain
    np.testing.assert_array_equal(found.view(np.uint16), expected.view(np.uint16))
    back = kernels.cast(found, SINGLE)
    np.testing.assert_array_equal(back.view(np.uint32), found.astype(np.float32).view(np.uint32))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (100_001,)])
def test_any_shape_is_converted(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    assert_same_bits(kernels.cast(x, HALF), np.asarray(x.astype(np.float16)))


@pytest.mark.parametrize("size", [0, 1, 300, 70_001])
def test_singles_become_integers_as_in_numpy(size):
    x = (np.random.default_rng(0).normal(size=size) * 1e3).astype(np.float32)
    special = [0.5, -0.99, 2**31, -(2.0**31), 2**62, 2**63, -(2.0**63), 3e38, np.inf, -np.inf]
    x[: min(size, 10)] = special[: min(size, 10)]
    whole = np.dtype(np.int64)
    assert_same_bits(kernels.cast(x, whole).view(np.float64), cpu.cast(x, whole).view(np.float64))
    missing = kernels.cast(np.array([np.nan, 1.5], np.float32), whole)
    np.testing.assert_array_equal(missing, [np.iinfo(np.int64).min, 1])


def test_other_types_and_layouts_are_declined():
    x = np.ones((2, 3), np.float32)
    assert kernels.cast(x, np.dtype(np.float64)) is NotImplemented
    assert kernels.cast(x.astype(np.float64), HALF) is NotImplemented
    assert kernels.cast(strided(x), HALF) is NotImplemented
    assert kernels.cast(x, np.float16) is NotImplemented
