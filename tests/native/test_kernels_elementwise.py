"""The compiled elementwise kernels: accuracy, special values and layouts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from pellucid import _native
from tests.native.kernel_samples import (
    DTYPES,
    assert_close,
    cpu,
    kernels,
    needs_kernels,
    strided,
)
from tests.samples.grouped import together

pytestmark = needs_kernels


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


#: whether sums of products are rounded twice
HAS_NO_FMA = getattr(_native.compiled, "level", "") == "baseline"
# the function in extended precision, the largest error allowed in units in the last place, and the
# interval on which it is measured
FUNCTIONS = {
    "relu": (lambda x: np.maximum(0, x), 0, (-9, 9)),
    "exp": (np.exp, 1.1, (-87, 88)),
    "log": (np.log, 0.8, (1e-30, 100)),
    "log1p": (np.log1p, 1.5, (-0.99, 50)),
    "sigmoid": (sigmoid, 1.3 if HAS_NO_FMA else 1.1, (-80, 80)),
    "log_sigmoid": (log_sigmoid, 1.6, (-80, 80)),
    "silu": (lambda x: x * sigmoid(x), 2.1 if HAS_NO_FMA else 1.6, (-80, 80)),
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


@together()
@pytest.mark.parametrize(("name", "dtype", "function", "units", "interval"), CASES)
def test_functions_are_exact_to_a_few_units(name, dtype, function, units, interval):
    x = np.random.default_rng(0).uniform(*interval, 30_001).astype(dtype)
    x[:100] *= 1e-3
    found = getattr(kernels, name)(x)
    expected = function(x.astype(np.longdouble))
    error = np.abs(found - expected) / np.spacing(np.abs(expected).astype(dtype))
    assert float(error.max()) <= units


def log1p_exp(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# what is found at x, and the same in extended precision
TAILS = {
    "sigmoid": (lambda x: kernels.sigmoid(x), sigmoid),
    "log_sigmoid": (lambda x: kernels.log_sigmoid(x), lambda x: -log1p_exp(-x)),
    "gated": (lambda x: kernels.gated(np.ones_like(x), x), sigmoid),
    "softplus_backward": (
        lambda x: kernels.softplus_backward(np.ones_like(x), x, x.dtype.type(1), x.dtype.type(800)),
        sigmoid,
    ),
}
TAIL_CASES = [(dtype, *TAILS[name]) for name in TAILS for dtype in DTYPES] + [
    (np.float32, lambda x: kernels.softplus(x, np.float32(1), np.float32(20)), log1p_exp),
    (np.float32, lambda x: kernels.logaddexp(x, np.zeros_like(x)), log1p_exp),
    (np.float32, lambda x: kernels.logaddexp(np.zeros_like(x), x), log1p_exp),
]


@together()
@pytest.mark.parametrize(("dtype", "found_at", "function"), TAIL_CASES)
def test_tails_reach_down_to_the_least_number_of_the_dtype(dtype, found_at, function):
    end = np.log(np.finfo(dtype).smallest_subnormal)
    x = np.linspace(1.01 * end, -1.01 * end, 20_001).astype(dtype)
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.longdouble))
        rounded = expected.astype(dtype)
        error = np.abs(found_at(x) - expected) / np.spacing(np.abs(rounded))
    assert float(error.max()) <= 2


def test_the_slope_of_gelu_is_exact_to_three_units_of_one():
    x = np.linspace(-9, 9, 100_001, dtype=np.float32)
    found = kernels.gelu_backward(np.ones_like(x), x)
    wide = x.astype(np.float64)
    density = np.exp(wide * wide * -0.5) / np.sqrt(2 * np.pi)
    expected = special.ndtr(wide) + wide * density
    np.testing.assert_allclose(found, expected, rtol=0, atol=3 * np.finfo(np.float32).eps)


def test_gradients_of_gelu_are_those_of_numpy_at_special_values():
    x = np.array(SPECIAL_VALUES, np.float32)
    with np.errstate(all="ignore"):
        for g in (np.full_like(x, 2), x):
            found, expected = kernels.gelu_backward(g, x), cpu.gelu_backward(g, x)
            np.testing.assert_allclose(found, expected, rtol=5e-7, atol=5e-7)


SPECIAL_VALUES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, 1e30, -1e30]


@together()
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


def test_bounds_that_are_no_numbers_give_none():
    x = np.array([-2, -1, -0.0, 0.5, 3, np.nan, np.inf, -np.inf], np.float32)
    for low, high in ((-1.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (-1.0, np.nan), (0.0, np.inf)):
        np.testing.assert_array_equal(kernels.clip(x, low, high), cpu.clip(x, low, high))


def test_large_results_start_at_a_cache_line():
    x = np.ones(100_001, np.float32)
    made = [kernels.cumsum(x, 0) for _ in range(3)]
    assert all(each.ctypes.data % 64 == 0 for each in made)
    for count in (70_000, 3_000_001, 100_001, 5):  # moved by the C library, and within its blocks
        for each in made:
            each.resize(count, refcheck=False)
            kept = min(count, 70_000)
            assert np.array_equal(each[:kept], np.arange(1, kept + 1))


def test_a_result_may_be_written_over_its_operand():
    x = np.random.default_rng(0).normal(size=20_000).astype(np.float32)
    expected = kernels.exp(x)
    kernels.exp(x, out=x)
    assert np.array_equal(x, expected)


@together()
@pytest.mark.parametrize("name", ["exp", "log", "tanh"])
@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int64, np.complex64, np.longdouble])
def test_other_dtypes_are_computed_by_numpy(name, dtype):
    x = np.array([1, 2, 3], dtype)
    found, expected = getattr(kernels, name)(x), getattr(np, name)(x)
    assert found.dtype == expected.dtype
    assert_close(found, expected)


def mish(x):
    return x * np.tanh(np.logaddexp(0, x))


def softplus(x, beta, threshold):
    return np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta)


def elu(x, below, above, input_scale):
    return np.where(x > 0, x * above, np.expm1(np.minimum(x, 0) * input_scale) * below)


# functions of one or several numbers, in double precision: the largest error allowed in units in
# the last place of single precision, and the intervals of the operands; a number for a parameter
ROUNDED = {
    "exp2": (np.exp2, 1.1, (-126, 127)),
    "expm1": (np.expm1, 1, (-20, 80)),
    "log2": (np.log2, 0.7, (1e-30, 4)),
    "log10": (np.log10, 0.7, (1e-30, 4)),
    "sinh": (np.sinh, 1.1, (-3, 89)),
    "cosh": (np.cosh, 1.1, (-3, 89)),
    "arcsinh": (np.arcsinh, 0.6, (-9, 9)),
    "arccosh": (np.arccosh, 0.6, (1, 9)),
    "arctanh": (np.arctanh, 0.6, (-1, 1)),
    "arctan": (np.arctan, 0.6, (-9, 9)),
    "arcsin": (np.arcsin, 0.6, (-1, 1)),
    "arccos": (np.arccos, 0.6, (-1, 1)),
    "arctan2": (np.arctan2, 0.6, (-9, 9), (-9, 9)),
    "hypot": (np.hypot, 0.6, (-9, 9), (-9, 9)),
    "power": (np.power, 0.7, (0.01, 50), (-20, 20)),
    "erfc": (special.erfc, 0.7, (-5, 9)),
    "erfinv": (special.erfinv, 0.6, (-1, 1)),
    "i0": (special.i0, 0.6, (-80, 80)),
    "i0e": (special.i0e, 0.6, (-20, 20)),
    "i1": (special.i1, 0.6, (-80, 80)),
    "i1e": (special.i1e, 0.6, (-20, 20)),
    "ndtri": (special.ndtri, 0.6, (1e-7, 1)),
    "sinc": (np.sinc, 0.6, (-0.9, 0.9)),
    "j0": (special.j0, 0.6, (-30, 30)),
    "j1": (special.j1, 0.6, (-30, 30)),
    "gammaln": (special.gammaln, 1.4, (0.5, 50)),
    "digamma": (special.digamma, 0.6, (-3, 20)),
    "trigamma": (lambda x: special.polygamma(1, x), 0.6, (-3, 20)),
    "logaddexp": (np.logaddexp, 1.5, (0, 9), (-9, 9)),
    "xlogy": (special.xlogy, 0.6, (0, 9), (0.01, 9)),
    "mish": (mish, 0.7, (-9, 9)),
    "softplus": (softplus, 1.5, (-60, 30), 0.5, 10.0),
    "elu": (elu, 1.1, (-9, 9), 0.5, 2.0, 0.25),
    "remainder": (np.remainder, 0.51, (-99, 99), (-9, 9)),
    "fmod": (np.fmod, 0.51, (-99, 99), (-9, 9)),
    "floor_divide": (np.floor_divide, 0, (-99, 99), (-9, 9)),
    "replace_special": (lambda x, *_: x, 0, (-3, 3), 0.0, 1.0, -1.0),
}


def operands_within(intervals, size=20_001):
    rng = np.random.default_rng(0)
    return [
        rng.uniform(*each, size).astype(np.float32) if isinstance(each, tuple) else np.float32(each)
        for each in intervals
    ]


@together()
@pytest.mark.parametrize("name", ROUNDED)
def test_functions_of_single_precision_are_exact_to_about_a_unit(name):
    function, units, *intervals = ROUNDED[name]
    operands = operands_within(intervals)
    found = getattr(kernels, name)(*operands)
    expected = function(*(np.float64(each) for each in operands))
    error = np.abs(found - expected) / np.spacing(np.abs(expected).astype(np.float32))
    assert float(np.nanmax(error)) <= units


# kernels of simple arithmetic, whose definitions are those of NumPy's backend
ARITHMETIC = {
    "rsqrt": [(0.01, 9)],
    "frac": [(-9, 9)],
    "sign": [(-1, 1)],
    "leaky_relu": [(-1, 1), 0.1],
    "hardswish": [(-9, 9)],
    "huber": [(-3, 3), (-1, 1), 1.5, 0.5],
    "sigmoid_backward": [(-3, 3), (0, 1)],
    "silu_backward": [(-3, 3), (-9, 9)],
    "gelu_tanh_backward": [(-3, 3), (-5, 5)],
    "leaky_relu_backward": [(-3, 3), (-1, 1), 0.1],
    "hardswish_backward": [(-3, 3), (-5, 5)],
    "hardtanh_backward": [(-3, 3), (-5, 5), -1.0, 2.0],
    "softplus_backward": [(-3, 3), (-30, 50), 0.5, 10.0],
    "elu_backward": [(-3, 3), (-9, 9), 0.5, 2.0, 0.25],
    "huber_backward": [(-3, 3), (-3, 3), (-1, 1), 1.5, 0.5],
    "lerp": [(-1, 1), (-1, 1), 0.75],
    "addcmul": [(-1, 1), (-1, 1), (-1, 1), 0.5],
    "addcdiv": [(-1, 1), (-1, 1), (1, 2), 2.0],
}


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_is_that_of_numpy(name, dtype):
    operands = [each.astype(dtype) for each in operands_within(ARITHMETIC[name])]
    if name != "lerp":  # whose infinities meet in differences
        operands[0][: len(SPECIAL_VALUES)] = SPECIAL_VALUES
    if name.endswith("_backward"):
        operands[1][20 : 20 + len(SPECIAL_VALUES)] = SPECIAL_VALUES
    with np.errstate(all="ignore"):
        found, expected = getattr(kernels, name)(*operands), getattr(cpu, name)(*operands)
    assert_close(found, expected, units=8)


OF_SEVERAL = [name for name, (_, _, *more) in ROUNDED.items() if len(more) > 1] + [
    "clip",
    "lerp",
    "addcmul",
    "hardtanh_backward",
    "elu_backward",
]


@together()
@pytest.mark.parametrize("name", OF_SEVERAL)
def test_operands_are_broadcast_and_may_lie_with_gaps(name):
    kernel = getattr(kernels, name)
    rng = np.random.default_rng(0)
    whole = [rng.uniform(0.1, 0.9, (70, 13)).astype(np.float32) for _ in range(kernel.nin)]
    expected = kernel(*whole)
    np.testing.assert_array_equal(kernel(*map(strided, whole)), expected)
    np.testing.assert_array_equal(kernel(*(each.T for each in whole)), expected.T)
    row = whole[0][:1]
    np.testing.assert_array_equal(
        kernel(row, *whole[1:]), kernel(np.repeat(row, 70, 0), *whole[1:])
    )
    number = kernel(whole[0], *([np.float32(0.25)] * (kernel.nin - 1)))
    full = kernel(whole[0], *([np.full((70, 13), 0.25, np.float32)] * (kernel.nin - 1)))
    np.testing.assert_array_equal(number, full)
    last = [*whole[:-1], np.float32(0.25)]
    full = [*whole[:-1], np.full((70, 13), 0.25, np.float32)]
    np.testing.assert_array_equal(kernel(*last), kernel(*full))
    np.testing.assert_array_equal(kernel(strided(whole[0]), *last[1:]), kernel(*full))
    assert kernel(*(each[:0] for each in whole)).shape == (0, 13)


def pairs_of_special_values():
    values = np.array([*SPECIAL_VALUES, 2, -2, 3, 0.5, -2.5, 16777217], np.float32)
    return [each.reshape(-1).copy() for each in np.meshgrid(values, values)]


@pytest.mark.parametrize(
    "name",
    ["arctan2", "hypot", "power", "logaddexp", "xlogy", "remainder", "fmod", "floor_divide"],
)
def test_special_values_of_two_operands_are_those_of_numpy(name):
    x, y = pairs_of_special_values()
    with np.errstate(all="ignore"):
        found, expected = getattr(kernels, name)(x, y), getattr(cpu, name)(x, y)
    np.testing.assert_allclose(found, expected, rtol=3e-7, atol=2e-45)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(expected[zeros]))


@together()
@pytest.mark.parametrize(
    "name",
    [
        "erfc",
        "erfinv",
        "sinc",
        "mish",
        "gammaln",
        "digamma",
        "j0",
        "j1",
        "sign",
        "frac",
        "i0",
        "i0e",
        "i1",
        "i1e",
        "ndtri",
    ],
)
def test_special_values_of_single_precision_are_those_of_numpy(name):
    x = np.array([*SPECIAL_VALUES, 2, 1.9999999, 0.99999994, -0.99999994, 20, -20], np.float32)
    with np.errstate(all="ignore"):
        found, expected = getattr(kernels, name)(x), getattr(cpu, name)(x)
    np.testing.assert_allclose(found, expected, rtol=3e-7, atol=1e-37 if name == "erfc" else 1e-7)


def test_what_is_not_finite_is_replaced():
    x = np.array([*SPECIAL_VALUES, *np.linspace(0, 1, 1000)], np.float32)
    expected = np.nan_to_num(x, nan=2.0, posinf=3.0, neginf=-4.0)
    np.testing.assert_array_equal(kernels.replace_special(x, 2.0, 3.0, -4.0), expected)


@together()
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (17,), (5, 7, 3), (70_001,)])
def test_where_takes_every_bit(shape, dtype):
    rng = np.random.default_rng(0)
    condition = rng.random(shape) < 0.5
    x, y = (rng.integers(-99, 99, shape).astype(dtype) for _ in range(2))
    choices = [(x, y), (x, y.reshape(-1)[0]), (x.reshape(-1)[0], y)]
    for one, other in choices:
        one, other = np.asarray(one), np.asarray(other)
        found = kernels.where(condition, one, other)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, np.where(condition, one, other))
    if x.dtype.kind == "f":
        x.reshape(-1)[0] = np.nan
        np.testing.assert_array_equal(kernels.where(condition, x, 0), np.where(condition, x, 0))
        np.testing.assert_array_equal(
            kernels.where(strided(condition), 0.5, strided(y)), np.where(condition, dtype(0.5), y)
        )


def test_where_leaves_other_choices_to_numpy():
    condition, x = np.ones(3, bool), np.ones(3, np.float32)
    assert kernels.where(condition, x, x.astype(np.float64)) is NotImplemented
    assert kernels.where(condition, 1.0, 2.0) is NotImplemented
    assert kernels.where(condition, np.ones(3, np.int64), 0.5) is NotImplemented
    assert kernels.where(condition, np.ones((2, 3)), 0.0) is NotImplemented
    assert kernels.where(condition.view(np.uint8), x, x) is NotImplemented
    assert kernels.where(condition[:0], x[:0], x[:0]) is NotImplemented
    columns = np.ones((3, 2), np.float32).T
    assert kernels.where(columns > 0, columns, 0.0) is NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
def test_relu_passes_on_gradients_that_are_the_same_everywhere_or_have_gaps(dtype):
    out = np.maximum(np.random.default_rng(0).normal(size=(3, 1500)), 0).astype(dtype)
    wide = np.arange(9000, dtype=dtype).reshape(3, 3000)
    same, row = np.broadcast_to(dtype(2.5), out.shape), np.broadcast_to(wide[0, :1500], out.shape)
    for g in (same, row, wide[:, ::2], wide[:, ::-2]):
        for other in (out, strided(out)):
            np.testing.assert_array_equal(
                kernels.relu_backward(g, other), np.where(other != 0, g, 0)
            )
