"""The compiled kernels for layers and losses of few elements against the bodies of their ops."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.ops.elementwise.conditional import clamp
from pellucid.ops.nn import cross_entropy
from pellucid.ops.nn.conv import convolution
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.reduce.statistics import vector_norm
from tests.native.kernel_samples import DTYPES, assert_close, cpu, kernels, needs_kernels, strided

pytestmark = needs_kernels


def normals(*shape):
    return np.random.default_rng(0).normal(size=shape)


def body(function, *arguments):
    return np.asarray(function.op.body(cpu, *arguments))


@pytest.mark.parametrize("dtype", [*DTYPES, np.int64])
def test_padding_adds_one_value_and_cuts_off(dtype):
    x = (normals(2, 3, 4) * 9).astype(dtype)
    for pad in ((1, 2), (0, 0), (-1, 3, 2, -2), (0, 1, -1, -1, 4, -2), (-2, -2), (-4, 1), ()):
        assert_close(kernels.padded(x, pad, 0), body(pad_constant, x, pad))
        assert_close(kernels.padded(strided(x), pad, 0), body(pad_constant, x, pad))
    found = kernels.padded(x, (1, 1), 2.5)
    if dtype is np.int64:
        assert found is NotImplemented
    else:
        assert_close(found, body(pad_constant, x, (1, 1), 2.5))
    for declined in ((1,), (1.0, 2), (1, 1) * 4, (-5, 0), (2**62, 2**62), (1 << 20, 0)):
        assert kernels.padded(x, declined, 0) is NotImplemented
    assert kernels.padded(np.float32(x), (1, 1), 1e300) is NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
def test_bounds_keep_nan_and_signs_of_zeros(dtype):
    x = np.array([-2, -0.0, 0.0, 0.5, 3, np.nan, np.inf, -np.inf], dtype)
    for low, high in (
        (-1, 1.5),
        (None, 0),
        (0, None),
        (0.0, 0.0),
        (-0.0, 2),
        (np.array(1, dtype), 2),
    ):
        found = kernels.clipped(x, low, high)
        assert found.tobytes() == body(clamp, x, low, high).tobytes()
    for low, high in ((2, 1), (np.nan, 1), (np.ones(8, dtype), None), ("1", None)):
        assert kernels.clipped(x, low, high) is NotImplemented


def test_norms_are_those_of_single_precision():
    x = normals(3, 4, 5).astype(np.float32)
    for dim in (None, 1, (2,), -3):
        for keepdims in (False, True):
            arguments = (2, dim, keepdims)
            assert_close(kernels.euclidean_norm(x, *arguments), body(vector_norm, x, *arguments))
    assert kernels.euclidean_norm(x, 1, None, False) is NotImplemented
    assert kernels.euclidean_norm(x, 2, (0, 1), False) is NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_classes_and_their_gradients(reduction, dtype):
    x, target = normals(6, 4).astype(dtype), np.array([0, 3, 1, 1, 2, 0])
    losses, both = (x, target, None, reduction, -100), (x, target, reduction)
    if dtype is np.float64 and reduction != "none":
        assert kernels.class_losses(*losses) is kernels.class_cross_entropy(*both) is NotImplemented
    else:
        negative = cross_entropy.nll_loss_forward
        assert_close(kernels.class_losses(*losses), body(negative, *losses))
        expected = body(cross_entropy.cross_entropy_loss, *both)
        assert_close(kernels.class_cross_entropy(*both), expected)
    g = np.full(6 if reduction == "none" else (), 3, dtype)
    arguments = (g, target, None, (6, 4), reduction, -100)
    expected = body(cross_entropy.nll_loss_backward, *arguments)
    assert_close(kernels.class_gradients(*arguments), expected)
    for ignored, wrong in ((1, target), (-100, target + 1)):
        assert kernels.class_losses(x, wrong, None, reduction, ignored) is NotImplemented
        assert kernels.class_gradients(g, wrong, *arguments[2:5], ignored) is NotImplemented


def test_a_convolution_of_which_nothing_comes_out_is_declined():
    x, weight, bias = normals(2, 4, 5, 5), normals(6, 2, 3, 3), normals(6)
    sizes = ((1, 1), (0, 1), (1, 1), 2)
    found = kernels.convolution(x, weight, bias, *sizes)
    assert_close(found, body(convolution, x, weight, bias, *sizes))
    assert kernels.convolution(x[:, :, :2], weight, bias, *sizes) is NotImplemented
    assert kernels.convolution(x, weight, bias[:5], *sizes) is NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
def test_adaptive_averages_and_their_transpose(dtype):
    for shape, size in (
        ((3, 7), (3,)),
        ((2, 3, 5, 6), (2, 4)),
        ((2, 4, 5, 20), (4, 2, 7)),
        ((2, 3), (5,)),
    ):
        x, out_shape = normals(*shape).astype(dtype), (*shape[: -len(size)], *size)
        g = normals(*out_shape).astype(dtype)
        for array in (x, strided(x)):
            assert_close(kernels.adaptive_avg_pool(array, size), cpu.adaptive_avg_pool(x, size))
        found = kernels.adaptive_avg_pool_to_input(g, shape, size)
        assert_close(found, cpu.adaptive_avg_pool_to_input(g, shape, size))
        assert kernels.adaptive_avg_pool_to_input(g, (9, *shape), size) is NotImplemented
    for declined in ((0,), (1, 1, 1, 1), (2.0,)):
        assert kernels.adaptive_avg_pool(np.ones((2, 3, 4, 5), dtype), declined) is NotImplemented
