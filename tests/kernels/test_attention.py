"""Attention in blocks against its definition and the NumPy kernel."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.backend import NumpyBackend
from tests.samples.grouped import together

REFERENCE = NumpyBackend()
#: batch, queries, keys, width, width of values
SIZES = [((), 3, 5, 4, 2), ((2,), 1, 1, 1, 1), ((2, 3), 40, 33, 8, 6), ((1,), 700, 300, 4, 4)]


def operands(batch, queries, keys, width, value_width, dtype):
    random = np.random.default_rng(0)
    shapes = [(queries, width), (keys, width), (keys, value_width), (queries, value_width)]
    return [random.standard_normal((*batch, *shape)).astype(dtype) for shape in shapes]


def gaps(x):
    """Return the same array as every other column, and as a transposed array."""
    return np.repeat(x, 2, -1)[..., ::2], np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def tolerance(dtype):
    return {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-12}


@together()
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", SIZES)
def test_attention_and_its_gradients_are_numpys(sizes, dtype, causal):
    *given, g = operands(*sizes, dtype)
    expected = REFERENCE.attention(*given, 0.7, causal)
    gradients = REFERENCE.attention_to_inputs(g, *given, 0.7, causal)
    for q, k, v in (given, [gaps(x)[0] for x in given], [gaps(x)[1] for x in given]):
        np.testing.assert_allclose(
            cpu.attention(q, k, v, 0.7, causal), expected, **tolerance(dtype)
        )
        found = cpu.attention_to_inputs(gaps(g)[1], q, k, v, 0.7, causal)
        for ours, theirs in zip(found, gradients, strict=True):
            np.testing.assert_allclose(ours, theirs, **tolerance(dtype))


def test_attention_is_an_average_by_softmax():
    q, k, v, _ = operands((2,), 4, 6, 3, 5, np.float64)
    scores = np.exp(q @ k.mT * 0.5)
    expected = scores / scores.sum(-1, keepdims=True) @ v
    np.testing.assert_allclose(cpu.attention(q, k, v, 0.5, False), expected, rtol=1e-12)


def test_a_nan_stays_with_its_query():
    q, k, v, g = operands((2,), 4, 4, 3, 5, np.float32)
    q[1, 2, 0] = np.nan
    out = cpu.attention(q, k, v, 0.5, True)
    assert np.isnan(out[1, 2]).all()
    assert np.isnan(out).sum() == 5
    by_query = cpu.attention_to_inputs(g, q, k, v, 0.5, True)[0]
    assert np.isnan(by_query).any(-1).sum() == 1


def test_large_scores_do_not_overflow():
    q, k, v, _ = operands((1,), 2, 3, 2, 2, np.float32)
    out = cpu.attention(q * 1e4, k * 1e4, v, 1.0, False)
    assert np.isfinite(out).all()
