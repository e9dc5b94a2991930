"""Division and casting against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import floor, fmod, trunc

import numpy as np
import pytest

from pellucid.kernels.active import cpu as be
from tests.samples.grouped import together

INTEGERS = [np.int8, np.int16, np.int32, np.int64]
NUMERATORS, DENOMINATORS = np.meshgrid(np.arange(-7, 8), [-3, -2, -1, 1, 2, 3])

EXACT = {
    "floor_divide": floor,
    "trunc_divide": trunc,
}


@together()
@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64])
@pytest.mark.parametrize("name", EXACT)
def test_quotients_are_rounded_as_their_names_say(name, dtype):
    a, b = NUMERATORS.ravel(), DENOMINATORS.ravel()
    expected = [EXACT[name](Fraction(int(p), int(q))) for p, q in zip(a, b, strict=True)]
    out = getattr(be, name)(a.astype(dtype), b.astype(dtype))
    assert out.dtype == dtype
    assert out.tolist() == expected


@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64])
def test_remainders_take_the_sign_of_divisor_or_dividend(dtype):
    a, b = NUMERATORS.ravel(), DENOMINATORS.ravel()
    pairs = [(int(p), int(q)) for p, q in zip(a, b, strict=True)]
    a, b = a.astype(dtype), b.astype(dtype)
    assert be.remainder(a, b).tolist() == [p % q for p, q in pairs]
    assert be.fmod(a, b).tolist() == [fmod(p, q) for p, q in pairs]
    assert be.fmod(a, b).dtype == be.remainder(a, b).dtype == dtype


@pytest.mark.parametrize("name", ["floor_divide", "trunc_divide", "remainder", "fmod"])
def test_integers_are_not_divided_by_zero_nor_booleans_at_all(name):
    divide = getattr(be, name)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divide(np.array([1, 2]), np.array([1, 0]))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divide(np.array([1, 2]), 0)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        divide(np.array([True]), np.array([True]))
    assert divide(np.zeros(0, int), np.zeros(0, int)).shape == (0,)


def test_the_quotient_that_does_not_fit_wraps():
    a, b = np.array([-128], np.int8), np.array([-1], np.int8)
    assert be.floor_divide(a, b).tolist() == be.trunc_divide(a, b).tolist() == [-128]


def test_true_division_of_integers_is_single_precision():
    out = be.true_divide(np.array([1, 2, True]), np.array([3, -4, 1]))
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, np.array([1 / 3, -0.5, 1], np.float32))
    assert be.true_divide(np.array([True]), np.array([True])).dtype == np.float32
    assert be.true_divide(np.array([1.0]), 3).dtype == np.float64


def low_bits(value, dtype):
    """What is left of an integer in a shorter type."""
    bits = 8 * np.dtype(dtype).itemsize
    value %= 1 << bits
    return value - (1 << bits) if np.dtype(dtype).kind == "i" and value >> (bits - 1) else value


@together()
@pytest.mark.parametrize("source", [np.float32, np.float64])
@pytest.mark.parametrize("target", [*INTEGERS, np.uint8])
def test_floats_become_integers_as_on_pytorchs_cpu(source, target):
    inside = [0.0, -1.5, 2.75, 300.0, -70000.0]
    outside = [np.nan, np.inf, -np.inf, 1e20, -1e20]
    register = np.int64 if target == np.int64 else np.int32
    lowest = int(np.iinfo(register).min)
    expected = [low_bits(trunc(v), target) for v in inside]
    expected += [low_bits(lowest, target) for _ in outside]
    for repeats in (1, 9):
        out = be.cast(np.array((inside + outside) * repeats, source), target)
        assert out.dtype == target
        assert out.tolist() == expected * repeats


def test_a_cast_cuts_off_wraps_round_or_overflows():
    assert be.cast(np.array([np.nan, 0.0, -2.0]), bool).tolist() == [True, False, True]
    assert be.cast(np.array([1 + 2j, 2j]), np.float32).tolist() == [1, 0]
    assert be.cast(np.array([2j, 0]), bool).tolist() == [True, False]
    assert be.cast(np.array([1e300]), np.float32).tolist() == [np.inf]
    assert be.cast(np.array([300, -1]), np.uint8).tolist() == [44, 255]
    assert be.cast(np.array(2.5), np.int64).shape == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 3000])
def test_a_remainder_of_zero_keeps_the_sign_of_the_dividend(dtype, count):
    dividends = np.tile(np.array([2.0, -2.0, 0.0, -0.0, 3.0], dtype), count)
    for divisor in (2.0, -2.0):
        divisors = np.full_like(dividends, divisor)
        left = be.remainder(dividends, divisors)
        assert left.dtype == dtype
        zero = dividends % 2 == 0
        assert not left[zero].any()
        assert np.array_equal(np.signbit(left[zero]), np.signbit(dividends[zero]))
        assert np.all(left[~zero] == (1 if divisor > 0 else -1))
