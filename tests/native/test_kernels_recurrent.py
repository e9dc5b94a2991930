"""The compiled cells of recurrent networks against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.kernel_samples import DTYPES, assert_close, kernels, needs_kernels, strided

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


def test_the_gradient_of_an_lstm_cell_is_that_of_differences():
    x, before, grad_h, grad_c, along = samples(np.float64, 4 * 5, 5, 5, 5, 4 * 5)
    step = 1e-6
    ahead, behind = lstm(x + step * along, before), lstm(x - step * along, before)
    slopes = [(one - other) / (2 * step) for one, other in zip(ahead, behind, strict=True)]
    expected = (grad_h * slopes[0] + grad_c * slopes[1]).sum()
    _, c, gates = lstm(x, before)
    found = kernels.lstm_cell_to_input(gates, before, c, grad_h, grad_c)
    assert (found * along).sum() == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_gru_cell_equals_its_formula(dtype):
    x, y, before = samples(dtype, 3 * 19, 3 * 19, 19)
    r, z = sigmoid(x[:, :19] + y[:, :19]), sigmoid(x[:, 19:38] + y[:, 19:38])
    candidate = np.tanh(x[:, 38:] + r * y[:, 38:])
    h = candidate + z * (before - candidate)
    expected = (h, np.concatenate([r, z, candidate], 1))
    assert_close(kernels.gru_cell(x, y, before), expected)


def test_other_shapes_are_declined():
    x, before = samples(np.float32, 20, 5)
    assert kernels.lstm_cell(x[:, :19], before) is NotImplemented
    assert kernels.lstm_cell(x[:3], before) is NotImplemented
    assert kernels.gru_cell(x, x, before) is NotImplemented
