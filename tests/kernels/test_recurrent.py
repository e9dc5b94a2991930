"""The compiled steps of recurrent layers against the NumPy ones."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.backend import NumpyBackend
from tests.samples.grouped import together

REFERENCE = NumpyBackend()


def draw(random, dtype, *shape):
    return random.standard_normal(shape).astype(dtype)


@together()
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(1, 2, 3), (4, 5, 7), (6, 64, 64), (3, 0, 2)])
def test_all_steps_of_an_lstm_are_those_of_numpy(sizes, dtype, reverse):
    steps, rows, size = sizes
    random = np.random.default_rng(0)
    x, gradient = (draw(random, dtype, steps, rows, n) for n in (4 * size, size))
    h, c = (draw(random, dtype, rows, size) for _ in range(2))
    weight = draw(random, dtype, size, 4 * size).T
    close = {"rtol": 2e-4, "atol": 2e-5} if dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-12}
    expected = REFERENCE.lstm(x, h, c, weight, reverse)
    for ours, theirs in zip(cpu.lstm(x, h, c, weight, reverse), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, **close)
    _, cells, gates = expected
    for by_cell in (None, draw(random, dtype, steps, rows, size)):
        operands = (gates, cells, c, weight, gradient, by_cell, reverse)
        found, exact = cpu.lstm_to_input(*operands), REFERENCE.lstm_to_input(*operands)
        for ours, theirs in zip(found, exact, strict=True):
            np.testing.assert_allclose(ours, theirs, **close)


def test_a_nan_stays_in_its_sequence():
    random = np.random.default_rng(0)
    x = draw(random, np.float32, 3, 4, 8)
    x[1, 2, 0] = np.nan
    h, c = np.zeros((4, 2), np.float32), np.zeros((4, 2), np.float32)
    out = cpu.lstm(x, h, c, draw(random, np.float32, 8, 2), False)[0]
    assert np.isnan(out[1:, 2]).any()
    assert np.isfinite(np.delete(out, 2, 1)).all()
    assert np.isfinite(out[0]).all()


@together()
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(1, 2, 3), (4, 5, 7), (6, 64, 64), (3, 0, 2)])
def test_all_steps_of_a_gru_are_those_of_numpy(sizes, dtype, reverse):
    steps, rows, size = sizes
    random = np.random.default_rng(0)
    x, gradient = (draw(random, dtype, steps, rows, n) for n in (3 * size, size))
    first, bias = draw(random, dtype, rows, size), draw(random, dtype, 3 * size)
    weight = draw(random, dtype, size, 3 * size).T
    close = {"rtol": 2e-4, "atol": 2e-5} if dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-12}
    expected = REFERENCE.gru(x, first, weight, bias, reverse)
    for ours, theirs in zip(cpu.gru(x, first, weight, bias, reverse), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, **close)
    operands = (expected[1], expected[0], first, weight, gradient, reverse)
    found, exact = cpu.gru_to_input(*operands), REFERENCE.gru_to_input(*operands)
    for ours, theirs in zip(found, exact, strict=True):
        np.testing.assert_allclose(ours, theirs, **close)
