"""The compiled normalisation, softmax and cross entropy against the NumPy kernels."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.ops.nn.softmax import safe_softmax
from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels, strided
from tests.samples.grouped import together

pytestmark = needs_kernels

IMAGES = [
    (9, 300),
    (64, 64),
    (4, 3, 5, 7),
    (6, 9, 2, 2),
    (2, 16, 9),
    (3, 5, 33),
    (1, 2, 4, 4, 4),
    (2, 3, 1200),
]


def samples(shape, dtype, count):
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(dtype) for _ in range(count)]


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", IMAGES, ids=str)
def test_batch_norm_equals_the_numpy_kernel(shape, dtype):
    (x,) = samples(shape, dtype, 1)
    x += 3
    weight, bias = samples(shape[1], dtype, 2)
    for parameters in ((weight, bias), (weight, None), (None, bias), (None, None)):
        found = kernels.batch_norm(x, *parameters, 1e-5)
        assert_close(found, cpu.batch_norm(x, *parameters, 1e-5))


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", IMAGES, ids=str)
def test_the_gradients_of_batch_norm_equal_the_numpy_kernels(shape, dtype):
    x, g = samples(shape, dtype, 2)
    (weight,) = samples(shape[1], dtype, 1)
    _, mean, rstd, var = cpu.batch_norm(x, None, None, 1e-5)
    axes = (0, *range(2, x.ndim))
    for factor in (weight, None):
        arguments = (g, x, factor, mean, var, 1e-5)
        found, wanted = (each.batch_norm_gradients(*arguments) for each in (kernels, cpu))
        assert_close(found[0], wanted[0])
        for one, other in zip(found[1:], wanted[1:], strict=True):
            assert_close(one, other, 256)
    per_channel = (1, -1, *(1,) * (x.ndim - 2))
    mean, rstd, weight = (each.reshape(per_channel) for each in (mean, rstd, weight))
    for factor in (weight, None):
        arguments = (g, x, mean, rstd, factor, axes)
        assert_close(
            kernels.normalisation_to_input(*arguments), cpu.normalisation_to_input(*arguments)
        )
    arguments = (g, x, mean, rstd, axes)
    assert_close(
        kernels.normalisation_to_weight(*arguments), cpu.normalisation_to_weight(*arguments), 256
    )
    if x.ndim > 2:
        assert_close(kernels.channel_sums(g), g.sum(axes), 256)


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ndim", [1, 2])
@pytest.mark.parametrize("shape", [*IMAGES, (300, 129)], ids=str)
def test_layer_norm_and_its_gradients_equal_the_numpy_kernels(shape, ndim, dtype):
    x, g = samples(shape, dtype, 2)
    weight, bias = samples(shape[-ndim:], dtype, 2)
    for parameters in ((weight, bias), (weight, None), (None, bias), (None, None)):
        found = kernels.layer_norm(x, ndim, *parameters, 1e-5)
        assert_close(found, cpu.layer_norm(x, ndim, *parameters, 1e-5))
    if ndim == x.ndim:
        return
    _, mean, rstd = cpu.layer_norm(x, ndim, weight, bias, 1e-5)
    last, first = tuple(range(x.ndim - ndim, x.ndim)), tuple(range(x.ndim - ndim))
    arguments = (g, x, mean, rstd, weight, last)
    assert_close(kernels.normalisation_to_input(*arguments), cpu.normalisation_to_input(*arguments))
    arguments = (g, x, mean, rstd, first)
    assert_close(
        kernels.normalisation_to_weight(*arguments), cpu.normalisation_to_weight(*arguments), 256
    )


def test_a_mean_far_from_zero_costs_no_digits_of_the_variance():
    x = np.random.default_rng(0).normal(size=(8, 4, 100)) + 1e4
    _, _, _, var = kernels.batch_norm(x.astype(np.float32), None, None, 0.0)
    exact = x.astype(np.float32).astype(np.float64).var(axis=(0, 2))
    np.testing.assert_allclose(var, exact, rtol=1e-5)


def test_sums_are_exact_where_adding_one_by_one_is_not():
    x = np.full((1, 2, 1 << 20), 0.1, np.float32)
    np.testing.assert_array_max_ulp(
        kernels.channel_sums(x), x.sum((0, 2), dtype=np.float64).astype(np.float32), 1
    )
    x = np.tile([1e16, 1.0, -1e16, 1.0], (1, 1, 4096))
    assert kernels.channel_sums(x)[0] == pytest.approx(4096, abs=4096)  # within one block's error


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (5, 1), (7, 10), (3, 4, 65), (40, 700)], ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_equals_the_numpy_kernel(name, shape, dtype):
    (x,) = samples(shape, dtype, 1)
    for axis in range(-1, x.ndim - 1):
        assert_close(getattr(kernels, name)(x, axis), getattr(cpu, name)(x, axis))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_special_values_is_that_of_the_numpy_kernel(name):
    rows = [[np.nan, 1, 2], [-np.inf] * 3, [np.inf, 1, 1], [-np.inf, 0, 0], [1e30, -1e30, 0]]
    x = np.array(rows, np.float32)
    assert_close(getattr(kernels, name)(x, 1), getattr(cpu, name)(x, 1))


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (5, 1), (3, 4, 65), (40, 700)], ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_gradients_of_softmax_equal_those_of_the_numpy_kernel(name, shape, dtype):
    g, x = samples(shape, dtype, 2)
    out, name = getattr(cpu, name)(x, -1), f"{name}_backward"
    expected = getattr(cpu, name)(g, out, -1)
    for axis in (-1, x.ndim - 1):
        assert_close(getattr(kernels, name)(g, out, axis), expected)
        assert_close(getattr(kernels, name)(strided(g), out, axis), expected)
    assert getattr(kernels, name)(g, out, -2) is NotImplemented
    assert getattr(kernels, name)(g.astype(np.float16), out, -1) is NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_softmax_of_attention_is_softmax_where_each_row_has_a_number(dtype):
    x = np.array([[-np.inf, 0, 0], [1e30, -1e30, 0], [1, 2, 3]], dtype)
    for axis in (-1, 1):
        assert_close(kernels.safe_softmax(x, axis), cpu.softmax(x, axis))
        assert_close(kernels.safe_softmax(strided(x), axis), cpu.softmax(x, axis))
    assert kernels.safe_softmax(x, 0) is NotImplemented


@pytest.mark.parametrize("row", [[-np.inf] * 3, [np.nan, 1, 2], [np.inf, 1, 1]], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_without_numbers_is_left_to_python(row, dtype):
    x = np.array([[1, 2, 3], row], dtype)
    assert kernels.safe_softmax(x, 1) is NotImplemented
    expected = cpu.softmax(x, 1)
    if np.isneginf(x[1]).all():
        expected[1] = 0
    assert_close(safe_softmax(torch.tensor(x), 1).numpy(), expected)


@together()
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 300)])
def test_logarithms_of_sums_of_exponentials_equal_the_numpy_kernel(shape, dtype, keepdims):
    x = (np.random.default_rng(0).normal(size=shape) * 30).astype(dtype)
    x.reshape(-1)[:3] = [np.inf, -np.inf, np.nan][: min(3, x.size)]
    for axis in (-1, (len(shape) - 1,)):
        expected = np.asarray(cpu.logsumexp(x, axis, keepdims))
        for given in (x, strided(x)):
            assert_close(kernels.logsumexp(given, axis, keepdims), expected)
    nothing = np.full((2, 3), -np.inf, dtype)
    np.testing.assert_array_equal(kernels.logsumexp(nothing, 1, False), [-np.inf, -np.inf])
    assert kernels.logsumexp(nothing, 0, False) is NotImplemented


@together()
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axes", [None, (0,), (1, 2), (2,)])
def test_sums_of_squares_equal_those_in_double_precision(axes, dtype, keepdims):
    x = np.random.default_rng(0).normal(size=(30, 40, 50)).astype(dtype)
    expected = np.sum(np.float64(x) ** 2, axis=axes, keepdims=keepdims).astype(dtype)
    assert_close(kernels.total_of_squares(x, axes, keepdims), np.asarray(expected), units=2)
    assert kernels.total_of_squares(strided(x), axes, keepdims) is NotImplemented


@together()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 7, 300, 5000])
def test_squares_zeros_and_distances_of_one_reading_are_those_of_numpy(size, dtype):
    x, y = samples((size, 2), dtype, 2)
    x[:: 1 + size // 5] = 0
    squares, zeros = kernels.squares_and_zeros(x)
    assert squares == pytest.approx(np.sum(np.float64(x) ** 2), rel=1e-6)
    assert zeros == np.count_nonzero(x == 0)
    assert kernels.squares_and_zeros(x.T) == (squares, zeros)
    assert kernels.squares_and_zeros_at(x.ctypes.data, x.size, x.itemsize) == (squares, zeros)
    expected = np.sum((np.float64(x) - y) ** 2)
    assert kernels.squared_distance(x, y) == pytest.approx(expected, rel=1e-5)


def test_squares_that_need_more_care_are_declined():
    for bad in (np.nan, np.inf, 1e30, 1e-30):
        assert kernels.squares_and_zeros(np.full(9, bad, np.float32)) is NotImplemented
    tiny = np.full(9, 1e-30, np.float32)
    assert kernels.squared_distance(tiny, 2 * tiny) is NotImplemented
    assert kernels.squares_and_zeros(strided(np.ones(9))) is NotImplemented
    assert kernels.squares_and_zeros_at(0, 3, 4) is NotImplemented
    assert kernels.squares_and_zeros_at(tiny.ctypes.data, 9, 2) is NotImplemented
    assert kernels.squares_and_zeros(np.zeros(9, np.float32)) == (0.0, 9)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_entropy_and_its_gradient_equal_the_formula(dtype):
    (x,) = samples((200, 37), dtype, 1)
    target = np.random.default_rng(1).integers(0, 37, 200)
    logs = cpu.log_softmax(x, 1)
    assert_close(kernels.cross_entropy_rows(x, target), -logs[np.arange(200), target])
    errors = np.exp(logs)
    errors[np.arange(200), target] -= 1
    assert_close(kernels.cross_entropy_loss_backward(x, target), errors)


@pytest.mark.parametrize("wrong", [-1, 3])
def test_a_target_that_is_no_class_is_declined(wrong):
    target = np.array([0, wrong])
    assert kernels.cross_entropy_rows(np.ones((2, 3)), target) is NotImplemented
    assert kernels.cross_entropy_loss_backward(np.ones((2, 3)), target) is NotImplemented


def test_arrays_with_gaps_are_taken():
    (x,) = samples((4, 3, 20), np.float32, 1)
    assert_close(kernels.softmax(strided(x), 2), cpu.softmax(x, 2))
    expected = cpu.batch_norm(x, None, None, 1e-5)
    assert_close(kernels.batch_norm(strided(x), None, None, 1e-5), expected)


def test_empty_arrays_are_declined():
    x = np.ones((0, 3, 20), np.float32)
    assert kernels.batch_norm(x, None, None, 1e-5) is NotImplemented
    assert kernels.layer_norm(x, 1, None, None, 1e-5) is NotImplemented
    assert kernels.softmax(x, 2) is NotImplemented
