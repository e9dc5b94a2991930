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
    "negative": (np.negative, 0, (-9, 9)),
    "absolute": (np.abs, 0, (-9, 9)),
    "square": (np.square, 0.51, (-9, 9)),
    "reciprocal": (np.reciprocal, 0.51, (0.1, 9)),
    "sqrt": (np.sqrt, 0.51, (0, 100)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.5, (0.01, 100)),
    "relu": (lambda x: np.maximum(x, 0), 0, (-9, 9)),
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
        ("sqrt", np.sqrt),
        ("relu", lambda x: np.maximum(x, 0)),
        ("reciprocal", np.reciprocal),
        ("absolute", np.abs),
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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("divide", np.divide),
        ("maximum", np.maximum),
        ("minimum", np.minimum),
        ("tanh_gradient", lambda g, out: g * (1 - out * out)),
        ("sigmoid_gradient", lambda g, out: g * (out * (1 - out))),
        ("relu_gradient", lambda g, out: np.where(out != 0, g, 0)),
    ],
)
def test_functions_of_two_arrays_are_those_of_numpy(name, function, dtype):
    a, b = np.meshgrid(*2 * [np.array([*SPECIAL_VALUES, 2.5], dtype)])
    with np.errstate(all="ignore"):
        expected = function(a, b).astype(dtype)
    np.testing.assert_array_max_ulp(getattr(kernels, name)(a, b), expected, 2)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (17,), (5, 7, 3), (40_001,)])
def test_every_shape_is_taken(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    assert_close(kernels.exp(x), np.asarray(np.exp(x)))
    assert_close(kernels.add(x, x), np.asarray(x + x))


def test_arrays_with_gaps_are_taken():
    x = np.random.default_rng(0).normal(size=(30, 11)).astype(np.float32)
    assert_close(kernels.tanh(strided(x)), np.tanh(x))
    assert_close(kernels.multiply(strided(x), x[:, ::-1]), x * x[:, ::-1])


@pytest.mark.parametrize("dtype", [np.float16, np.int32, bool, np.complex128, ">f8"])
def test_other_dtypes_are_declined(dtype):
    assert kernels.exp(np.ones(3, dtype)) is NotImplemented
    assert kernels.add(np.ones(3, dtype), np.ones(3, dtype)) is NotImplemented


def test_what_is_no_array_or_has_another_shape_is_declined():
    assert kernels.exp(1.0) is NotImplemented
    assert kernels.add(np.ones(3), np.ones((1, 3))) is NotImplemented
    assert kernels.erf(np.ones(3)) is NotImplemented  # in double precision: SciPy's
