"""The compiled cells of recurrent networks against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels, strided

pytestmark = needs_kernels


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def samples(dtype, *columns):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(7, width)).astype(dtype) for width in columns]


def lstm(x, before):
    i, f, candidate, o = np.split(x, 4, 1)
    gates = [sigmoid(i), sigmoid(f), np.tanh(candidate), sigmoid(o)]
    c = gates[1] * before + gates[0] * gates[2]
    return gates[3] * np.tanh(c), c, np.concatenate(gates, 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_lstm_cell_equals_its_formula(dtype):
    x, before = samples(dtype, 4 * 21, 21)
    assert_close(kernels.lstm_cell(x, before), lstm(x, before))
    assert_close(kernels.lstm_cell(strided(x), strided(before)), lstm(x, before))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gates_are_exact_to_two_and_a_half_units(dtype):
    x = np.linspace(-86, 86, 100_004).astype(dtype).reshape(-1, 4)
    _, _, gates = kernels.lstm_cell(x, np.zeros((len(x), 1), dtype))
    inputs = np.delete(x, 2, 1).astype(np.longdouble)
    expected = 1 / (1 + np.exp(-inputs))
    error = np.abs(np.delete(gates, 2, 1) - expected) / np.spacing(expected.astype(dtype))
    assert float(error.max()) <= 2.5


@pytest.mark.parametrize("dtype", DTYPES)
def test_gates_are_shut_open_or_nan_where_what_goes_in_is_not_finite(dtype):
    x = np.array([[-np.inf, np.inf, 0, np.nan], [-1000, 1000, 0, 1000]], dtype)
    _, _, gates = kernels.lstm_cell(x, np.zeros((2, 1), dtype))
    np.testing.assert_array_equal(gates, np.array([[0, 1, 0, np.nan], [0, 1, 0, 1]], dtype))


def test_the_gradient_of_an_lstm_cell_is_that_of_differences():
    x, before, grad_h, grad_c, along = samples(np.float64, 4 * 5, 5, 5, 5, 4 * 5)
    step = 1e-6
    ahead, behind = lstm(x + step * along, before), lstm(x - step * along, before)
    slopes = [(one - other) / (2 * step) for one, other in zip(ahead, behind, strict=True)]
    expected = (grad_h * slopes[0] + grad_c * slopes[1]).sum()
    _, c, gates = lstm(x, before)
    found = kernels.lstm_cell_to_input(gates, before, c, grad_h, grad_c)
    assert (found * along).sum() == pytest.approx(expected, rel=1e-8)


def test_the_gradient_of_the_cell_before_is_that_of_differences():
    x, before, grad_h, grad_c, along = samples(np.float64, 4 * 5, 5, 5, 5, 5)
    step = 1e-6
    ahead, behind = lstm(x, before + step * along), lstm(x, before - step * along)
    slopes = [(one - other) / (2 * step) for one, other in zip(ahead, behind, strict=True)]
    expected = (grad_h * slopes[0] + grad_c * slopes[1]).sum()
    _, c, gates = lstm(x, before)
    found = kernels.lstm_cell_to_cell(gates, c, grad_h, grad_c)
    assert (found * along).sum() == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_of_cells_equal_the_numpy_kernels(dtype):
    gates, x, wide, one, other, third = samples(dtype, 4 * 21, 3 * 21, 3 * 21, 21, 21, 21)
    one[0, 0], one[1, 1], wide[2, 2] = np.nan, np.inf, -np.inf
    for given in ((gates, one, other, third), (strided(gates), one, strided(other), third)):
        assert_close(kernels.lstm_cell_to_cell(*given), cpu.lstm_cell_to_cell(*given))
    for given in ((x, wide, one, other), (strided(x), strided(wide), one, strided(other))):
        assert_close(kernels.gru_cell_to_input(*given), cpu.gru_cell_to_input(*given))


def test_the_gradient_of_a_gru_cell_is_that_of_differences():
    x, y, before, grad_h, along = samples(np.float64, 3 * 5, 3 * 5, 5, 5, 3 * 5)
    step = 1e-6
    ahead, behind = gru(x + step * along, y, before), gru(x - step * along, y, before)
    expected = (grad_h * (ahead[0] - behind[0]) / (2 * step)).sum()
    found = kernels.gru_cell_to_input(gru(x, y, before)[1], y, before, grad_h)
    assert (found * along).sum() == pytest.approx(expected, rel=1e-8)


def gru(x, y, before):
    width = before.shape[1]
    r, z = np.split(sigmoid(x[:, : 2 * width] + y[:, : 2 * width]), 2, 1)
    candidate = np.tanh(x[:, 2 * width :] + r * y[:, 2 * width :])
    return candidate + z * (before - candidate), np.concatenate([r, z, candidate], 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_gru_cell_equals_its_formula(dtype):
    x, y, before = samples(dtype, 3 * 19, 3 * 19, 19)
    assert_close(kernels.gru_cell(x, y, before), gru(x, y, before))


def test_other_shapes_are_declined():
    x, before = samples(np.float32, 20, 5)
    assert kernels.lstm_cell(x[:, :19], before) is NotImplemented
    assert kernels.lstm_cell(x[:3], before) is NotImplemented
    assert kernels.lstm_cell_to_cell(x[:, :19], before, before, before) is NotImplemented
    assert kernels.gru_cell_to_input(x, x, before, before) is NotImplemented
    assert kernels.gru_cell(x, x, before) is NotImplemented
