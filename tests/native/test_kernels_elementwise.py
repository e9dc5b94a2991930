"""The compiled elementwise kernels: accuracy, special values and layouts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from tests.native.kernel_samples import DTYPES, assert_close, kernels, needs_kernels, strided

pytestmark = needs_kernels


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def slope(function):
    """Return central differences, in extended precision."""
    step = np.longdouble(1e-5)
    return lambda x: (function(x + step) - function(x - step)) / (2 * step)


# the function in extended precision, the largest error allowed in units in the last place, and the
# interval on which it is measured
FUNCTIONS = {
    "relu": (lambda x: np.maximum(0, x), 0, (-9, 9)),
    "exp": (np.exp, 1.1, (-87, 88)),
    "log": (np.log, 0.8, (1e-30, 100)),
    "log1p": (np.log1p, 1.5, (-0.99, 50)),
    "sigmoid": (sigmoid, 1.1, (-80, 80)),
    "log_sigmoid": (log_sigmoid, 1.6, (-80, 80)),
    "silu": (lambda x: x * sigmoid(x), 1.6, (-80, 80)),
}
SINGLE = {
    "tanh": (np.tanh, 1.4, (-12, 12)),
    "erf": (lambda x: special.erf(np.float64(x)), 0.6, (-5, 5)),
    "gelu": (lambda x: x * special.ndtr(np.float64(x)), 2.5, (0, 30)),
    "gelu_tanh": (gelu_tanh, 2.5, (0, 30)),
}
CASES = [
    *((name, dtype, *case) for name, case in FUNCTIONS.items() for dtype in DTYPES),
    *((name, np.float32, *case) for name, case in SINGLE.items()),
    ("tanh", np.float64, np.tanh, 3, (-20, 20)),
]


@pytest.mark.parametrize(("name", "dtype", "function", "units", "interval"), CASES)
def test_functions_are_exact_to_a_few_units(name, dtype, function, units, interval):
    x = np.random.default_rng(0).uniform(*interval, 30_001).astype(dtype)
    x[:100] *= 1e-3
    found = getattr(kernels, name)(x)
    expected = function(x.astype(np.longdouble))
    error = np.abs(found - expected) / np.spacing(np.abs(expected).astype(dtype))
    assert float(error.max()) <= units


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("silu_slope", lambda x: x * sigmoid(x)),
        ("gelu_tanh_slope", gelu_tanh),
        ("gelu_slope", lambda x: x * special.ndtr(np.float64(x)).astype(np.longdouble)),
    ],
)
def test_slopes_are_those_of_differences(name, function):
    x = np.linspace(-6, 6, 1001, dtype=np.float32)
    # differences of what was rounded to double lose half of its digits
    np.testing.assert_allclose(
        getattr(kernels, name)(x), slope(function)(x.astype(np.longdouble)), atol=2e-6
    )


SPECIAL_VALUES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, 1e30, -1e30]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("exp", np.exp),
        ("log", np.log),
        ("log1p", np.log1p),
        ("tanh", np.tanh),
        ("sigmoid", special.expit),
        ("log_sigmoid", log_sigmoid),
        ("relu", lambda x: np.maximum(0, x)),
    ],
)
def test_special_values_are_those_of_numpy(name, function, dtype):
    x = np.array(SPECIAL_VALUES, dtype)
    with np.errstate(all="ignore"):
        expected = function(x)
    found = getattr(kernels, name)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-38)
    numbers = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (17,), (5, 7, 3), (40_001,)])
def test_every_shape_is_taken(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    assert_close(np.asarray(kernels.exp(x)), np.asarray(np.exp(x)))


@pytest.mark.parametrize("shape", [(30, 11), (40, 1500)])
def test_arrays_with_gaps_and_in_other_orders_are_taken(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    assert_close(kernels.tanh(strided(x)), np.tanh(x))
    assert kernels.tanh(x.T).strides == np.tanh(x.T).strides
    assert_close(kernels.tanh(x.T), np.tanh(x.T))
    assert_close(kernels.sigmoid(np.broadcast_to(x[0], shape)), sigmoid(np.tile(x[0], (len(x), 1))))


def test_a_result_may_be_written_over_its_operand():
    x = np.random.default_rng(0).normal(size=20_000).astype(np.float32)
    expected = kernels.exp(x)
    kernels.exp(x, out=x)
    assert np.array_equal(x, expected)


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "tanh"])
@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int64, np.complex64, np.longdouble])
def test_other_dtypes_are_computed_by_numpy(name, dtype):
    x = np.array([1, 2, 3], dtype)
    found, expected = getattr(kernels, name)(x), getattr(np, name)(x)
    assert found.dtype == expected.dtype
    assert_close(found, expected)
