"""Softmax and the smooth activations against double precision, SciPy, and their limits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from pellucid.kernels.active import cpu as be
from pellucid.kernels.numpy.precision import quiet
from tests.samples.grouped import together

RNG = np.random.default_rng(17)
INF = np.inf
TOLERANCE = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-14}
precisions = pytest.mark.parametrize("dtype", TOLERANCE)
WIDE = np.array([-1e4, -100.0, -20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 20.0, 100.0, 1e4])


@together()
@precisions
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_normalised_exponentials_agree_with_scipy(name, axis, dtype):
    x = (30 * RNG.standard_normal((4, 5, 3))).astype(dtype)
    out = getattr(be, name)(x, axis)
    expected = getattr(scipy.special, name)(x.astype(np.float64), axis=axis)
    assert out.dtype == dtype
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)


def test_rows_of_infinities_have_their_limits():
    low, high = np.full((1, 3), -INF), np.array([[INF, 0.0, INF]])
    assert np.isnan(be.softmax(low, 1)).all()
    assert np.isnan(be.log_softmax(low, 1)).all()
    assert be.logsumexp(low, 1).tolist() == [-INF]
    assert be.logsumexp(high, 1).tolist() == [INF]
    assert be.softmax(np.array([-INF, 0.0]), 0).tolist() == [0, 1]
    assert be.log_softmax(np.array([-INF, 0.0]), 0).tolist() == [-INF, 0]
    assert np.isnan(be.logsumexp(np.array([np.nan, 1.0]), 0))


def test_over_nothing_the_logarithm_of_the_sum_is_minus_infinity():
    x = np.zeros((0, 3), np.float32)
    assert be.softmax(x, 0).shape == (0, 3)
    assert be.log_softmax(x, 1).shape == (0, 3)
    assert be.logsumexp(x, 0).tolist() == [-INF] * 3
    assert be.logsumexp(x, 0, keepdims=True).shape == (1, 3)


def test_a_number_is_its_own_row():
    x = np.array(2.0, np.float32)
    results = [be.softmax(x, 0), be.log_softmax(x, -1), be.logsumexp(x, 0)]
    assert [r.item() for r in results] == [1, 0, 2]
    assert all(r.shape == () and r.dtype == np.float32 for r in results)


def test_logsumexp_reduces_several_axes_and_complex_numbers():
    x = RNG.standard_normal((2, 3, 4))
    expected = np.log(np.exp(x).sum(axis=(0, 2), keepdims=True))
    np.testing.assert_allclose(be.logsumexp(x, (0, 2), keepdims=True), expected)
    z = x + 1j * RNG.standard_normal(x.shape)
    np.testing.assert_allclose(be.logsumexp(z, 1), np.log(np.exp(z).sum(axis=1)))


def test_integers_become_single_precision():
    x = np.array([1, 2])
    for out in (be.softmax(x, 0), be.logsumexp(x, 0), be.sigmoid(x), be.gelu(x), be.softplus(x)):
        assert out.dtype == np.float32


def normal_distribution(x):
    return scipy.special.ndtr(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


SMOOTH = {
    "sigmoid": (lambda be, x: be.sigmoid(x), scipy.special.expit),
    "log_sigmoid": (lambda be, x: be.log_sigmoid(x), scipy.special.log_expit),
    "softplus": (lambda be, x: be.softplus(x), lambda x: np.logaddexp(0, x)),
    "softplus of beta 2": (lambda be, x: be.softplus(x, 2.0), lambda x: np.logaddexp(0, 2 * x) / 2),
    "gelu": (lambda be, x: be.gelu(x), lambda x: x * normal_distribution(x)),
    "gelu tanh": (lambda be, x: be.gelu(x, "tanh"), gelu_tanh),
}


@together()
@precisions
@pytest.mark.parametrize(("kernel", "definition"), SMOOTH.values(), ids=SMOOTH)
def test_smooth_activations_agree_with_their_definitions(kernel, definition, dtype):
    x = WIDE.astype(dtype)
    out = kernel(be, x)
    expected = definition(x.astype(np.float64))
    assert out.dtype == dtype
    assert out is not x
    # Above its threshold of 20 softplus is linear, which is off by exp(-20).
    tolerance = max(TOLERANCE[dtype], 3e-9)
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)
    for zero_dim in (kernel(be, np.array(0.5, dtype)), kernel(be, np.zeros((0, 2), dtype))):
        assert isinstance(zero_dim, np.ndarray)


def test_softplus_is_linear_above_its_threshold():
    assert be.softplus(np.array([3.0]), 1.0, 2.0).tolist() == [3]
    assert be.softplus(np.array([INF, -INF])).tolist() == [INF, 0]


def test_log_sigmoid_keeps_the_small_tail():
    assert be.log_sigmoid(np.array([50.0])).item() == pytest.approx(-np.exp(-50.0), rel=1e-12)


@together()
@precisions
@pytest.mark.parametrize(
    "name", ["erf", "erfc", "erfinv", "gammaln", "digamma", "i0", "i0e", "i1", "ndtr", "log_ndtr"]
)
def test_special_functions_are_scipys_and_keep_the_dtype(name, dtype):
    x = np.array([[0.1, 0.5, 0.9], [0.2, 0.3, 0.7]], dtype)
    out = getattr(be, name)(x)
    expected = getattr(scipy.special, name)(x.astype(np.float64))
    assert out.dtype == dtype
    np.testing.assert_allclose(out, expected, rtol=4 * TOLERANCE[dtype])


def test_the_error_function_is_exact_to_single_precision_everywhere():
    x = np.concatenate([np.linspace(-6, 6, 100001), np.logspace(-45, 0, 1000)]).astype(np.float32)
    out, expected = be.erf(x), scipy.special.erf(x.astype(np.float64))
    np.testing.assert_allclose(out, expected, rtol=5e-7, atol=2e-45)
    assert np.abs(out).max() == 1
    limits = be.erf(np.array([-INF, INF, np.nan, 0.0], np.float32))
    np.testing.assert_array_equal(limits, [-1, 1, np.nan, 0])


def test_special_functions_take_numbers_and_are_silent_at_poles():
    assert be.xlogy(np.array([0.0, 2.0], np.float32), 0.0).tolist() == [0, -INF]
    assert be.xlogy(np.array([2], np.int64), np.array([1], np.int64)).dtype == np.float32
    assert be.digamma(np.array([0.0, -1.0])).tolist()[0] == -INF
    assert be.erfinv(np.array([-1.0, 1.0])).tolist() == [-INF, INF]
    with pytest.raises(AttributeError):
        be.no_such_function


def test_kernels_are_silent_also_within_a_call_that_is_silent_already() -> None:
    extremes = np.array([-1e5, -np.inf, np.inf, np.nan])
    with np.errstate(all="raise"):
        alone = be.sigmoid(extremes)
        within = quiet.run(be.sigmoid, extremes)
        with pytest.raises(FloatingPointError):
            np.exp(1e5)
    np.testing.assert_array_equal(alone, [0, 0, 1, np.nan])
    np.testing.assert_array_equal(within, alone)
