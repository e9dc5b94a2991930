"""Normalisation against means and variances in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.kernels.active import cpu as be
from tests.samples.grouped import together

RNG = np.random.default_rng(23)
EPS = 1e-5
TOLERANCE = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-12}
precisions = pytest.mark.parametrize("dtype", TOLERANCE)


def normalise(x, axes, weight, bias):
    x = x.astype(np.float64)
    mean, var = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    rstd = 1 / np.sqrt(var + EPS)
    return (x - mean) * rstd * weight + bias, mean, rstd, var


def close(actual, expected, dtype):
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@together()
@precisions
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("affine", [False, True])
def test_layer_norm_normalises_the_last_dimensions(ndim, affine, dtype):
    x = (3 + 2 * RNG.standard_normal((4, 5, 6))).astype(dtype)
    weight, bias = RNG.standard_normal((2, *x.shape[-ndim:])).astype(dtype)
    out, mean, rstd = be.layer_norm(
        x, ndim, weight if affine else None, bias if affine else None, EPS
    )
    axes = tuple(range(-ndim, 0))
    expected = normalise(x, axes, weight if affine else 1, bias if affine else 0)
    assert out.dtype == dtype
    for actual, wanted in zip((out, mean, rstd), expected, strict=False):
        close(actual, wanted, dtype)
        assert actual.shape == wanted.shape


@together()
@precisions
@pytest.mark.parametrize("shape", [(7, 3), (4, 3, 1), (4, 3, 5), (2, 3, 4, 5)])
@pytest.mark.parametrize("affine", [False, True])
def test_batch_norm_normalises_the_channels(shape, affine, dtype):
    x = (3 + 2 * RNG.standard_normal(shape)).astype(dtype)
    weight, bias = RNG.standard_normal((2, 3)).astype(dtype)
    axes = tuple(a for a in range(len(shape)) if a != 1)
    column = (3, *(1,) * (len(shape) - 2))
    expected, mean, rstd, var = normalise(
        x, axes, weight.reshape(column) if affine else 1, bias.reshape(column) if affine else 0
    )
    given = (weight, bias) if affine else (None, None)
    out, *statistics = be.batch_norm(x, *given, EPS)
    assert out.dtype == dtype
    close(out, expected, dtype)
    for actual, wanted in zip(statistics, (mean, rstd, var), strict=True):
        close(actual, wanted.ravel(), dtype)
    same = be.batch_norm_inference(x, *given, mean.ravel(), var.ravel(), EPS)
    close(same, expected, dtype)
    assert same.dtype == dtype


@together()
@precisions
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((6, 8), (1,)), ((6, 8), (0,)), ((9, 3, 30, 40), (0, 2, 3)), ((4, 3, 5), (2,))],
)
@pytest.mark.parametrize("weighting", [None, "averaged", "kept"])
def test_the_gradient_of_the_input_is_its_formula(shape, axes, weighting, dtype):
    g, x = (1 + RNG.standard_normal((2, *shape))).astype(dtype)
    one = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    _, mean, rstd, _ = normalise(x, axes, 1, 0)
    weight = None
    if weighting is not None:
        weight = RNG.standard_normal(one if weighting == "kept" else shape).astype(dtype)
    w = g.astype(np.float64) * (1 if weight is None else weight)
    n = (x - mean) * rstd
    average = w.mean(axes, keepdims=True) + n * (w * n).mean(axes, keepdims=True)
    work = np.float32 if dtype is np.float16 else dtype
    found = be.normalisation_to_input(g, x, mean.astype(work), rstd.astype(work), weight, axes)
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, rstd * (w - average), rtol=5 * TOLERANCE[dtype], atol=5 * TOLERANCE[dtype]
    )


@together()
@precisions
@pytest.mark.parametrize("shape", [(7, 3), (4, 3, 1), (6, 3, 2, 2), (9, 3, 30, 40)])
@pytest.mark.parametrize("affine", [False, True])
def test_the_gradients_of_batch_norm_are_their_formulas(shape, affine, dtype):
    g, x = (1 + RNG.standard_normal((2, *shape))).astype(dtype)
    weight = RNG.standard_normal(3).astype(dtype) if affine else None
    axes, work = (0, *range(2, len(shape))), np.float32 if dtype is np.float16 else dtype
    n, mean, rstd, var = normalise(x, axes, 1, 0)
    exact = g.astype(np.float64)
    w = exact if weight is None else exact * weight.reshape(mean[:1].shape)
    average = w.mean(axes, keepdims=True) + n * (w * n).mean(axes, keepdims=True)
    statistics = (mean.ravel().astype(work), var.ravel().astype(work))
    by_input, by_weight, by_bias = be.batch_norm_gradients(g, x, weight, *statistics, EPS)
    close(by_input / 5, rstd * (w - average) / 5, dtype)
    for found, terms in ((by_weight, exact * n), (by_bias, exact)):
        tolerance = TOLERANCE[dtype] * np.abs(terms).sum(axes).max()
        np.testing.assert_allclose(found, terms.sum(axes), rtol=0, atol=tolerance)
        assert found.dtype == by_input.dtype == dtype


@together()
@precisions
@pytest.mark.parametrize(
    ("shape", "statistics", "axes"),
    [
        ((6, 8), (1,), (0,)),
        ((5, 6, 8), (2,), (0, 1)),
        ((9, 3, 30, 40), (0, 2, 3), (0, 2, 3)),
        ((4, 3), (0,), (0,)),
        ((2, 4, 3, 5), (1, 3), (1, 3)),
    ],
)
def test_the_gradient_of_a_weight_adds_up_products(shape, statistics, axes, dtype):
    g, x = RNG.standard_normal((2, *shape)).astype(dtype)
    normalised, mean, rstd, _ = normalise(x, statistics, 1, 0)
    work = np.float32 if dtype is np.float16 else dtype
    found = be.normalisation_to_weight(g, x, mean.astype(work), rstd.astype(work), axes)
    expected = (g.astype(np.float64) * normalised).sum(axes)
    scale = np.abs(g.astype(np.float64) * normalised).sum(axes).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE[dtype] * scale)
    from_end = tuple(axis - len(shape) for axis in axes)
    same = be.normalisation_to_weight(g, x, mean.astype(work), rstd.astype(work), from_end)
    np.testing.assert_array_equal(same, found)


def test_a_large_mean_does_not_drown_the_deviation():
    x = (1e4 + RNG.standard_normal((64, 2, 8))).astype(np.float32)
    out, _, _, var = be.batch_norm(x, None, None, EPS)
    np.testing.assert_allclose(var, x.astype(np.float64).var(axis=(0, 2)), rtol=1e-3)
    assert abs(out.std() - 1) < 1e-2


def test_the_input_is_left_alone_whatever_its_order_of_memory():
    x = np.asfortranarray(RNG.standard_normal((4, 3, 5)))
    before = x.copy()
    np.testing.assert_allclose(
        be.batch_norm(x, None, None, EPS)[0], normalise(x, (0, 2), 1, 0)[0], atol=1e-12
    )
    np.testing.assert_allclose(
        be.layer_norm(x, 2, None, None, EPS)[0], normalise(x, (1, 2), 1, 0)[0], atol=1e-12
    )
    np.testing.assert_array_equal(x, before)


def test_nothing_is_normalised_silently():
    assert be.layer_norm(np.zeros((0, 4)), 1, None, None, EPS)[0].shape == (0, 4)
    assert be.layer_norm(np.zeros((4, 0)), 1, None, None, EPS)[0].shape == (4, 0)
    out, mean, _, _ = be.batch_norm(np.zeros((0, 3, 2)), None, None, EPS)
    assert out.shape == (0, 3, 2)
    assert np.isnan(mean).all()
