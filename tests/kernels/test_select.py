"""Choosing without branches gives what NumPy's functions give, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.kernels.active import cpu
from tests.samples.grouped import together

SIZES = [7, 5000, 40000]


def values(size: int, dtype: str) -> np.ndarray:
    random = np.random.default_rng(0)
    x = (random.standard_normal(size) * 3).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x[:5] = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    return x


@together()
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16", "int8"])
def test_where_keeps_every_bit(size, dtype):
    x, y = values(size, dtype), values(size, dtype)[::-1].copy()
    condition = np.random.default_rng(1).random(size) > 0.5
    for a, b in [(x, y), (x, 0), (0, y), (x, 1), (x, y[0]), (x[::-1], y)]:
        found, expected = cpu.where(condition, a, b), np.where(condition, a, b)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()


def test_where_takes_the_dtype_that_both_choices_fit():
    condition = np.zeros(5000, bool)
    assert cpu.where(condition, np.zeros(5000, np.int32), 1.5).dtype == np.float64
    assert cpu.where(condition, np.zeros(5000, np.float32), np.zeros(5000)).dtype == np.float64


@together()
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (None, 0.5), (0.5, None), (1.0, -1.0)])
def test_clip_raises_and_then_lowers(size, bounds):
    x = values(size, "float32")
    low, high = bounds
    expected = x if low is None else np.maximum(x, np.float32(low))
    expected = expected if high is None else np.minimum(expected, np.float32(high))
    np.testing.assert_array_equal(cpu.clip(x, low, high), expected)


@pytest.mark.parametrize("size", SIZES)
def test_relu_lets_nan_through(size):
    x = values(size, "float32")
    np.testing.assert_array_equal(cpu.relu(x), np.maximum(x, 0))


@pytest.mark.parametrize("size", SIZES)
def test_the_sign_of_nan_is_zero(size):
    x = values(size, "float32")
    expected = np.sign(x)
    expected[np.isnan(x)] = 0
    np.testing.assert_array_equal(cpu.sign(x), expected)
