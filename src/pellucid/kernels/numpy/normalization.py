"""Normalisation by mean and variance: one array as large as the input, changed in place."""

from __future__ import annotations

from math import prod

import numpy as np

from pellucid.kernels.numpy import Array
from pellucid.kernels.numpy.moments import average, moments, sum_of_products
from pellucid.kernels.numpy.precision import as_working, silent
from pellucid.kernels.numpy.reduction import total


@silent
def layer_norm(
    x: Array, ndim: int, weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Normalise over the last `ndim` dimensions; return the result, the means and 1 / deviations.

    The statistics keep the normalised dimensions with size one. Those of half precision are
    returned in single precision.
    """
    work = as_working(x)
    kept = x.shape[: x.ndim - ndim]
    rows = work.reshape(prod(kept), prod(x.shape[x.ndim - ndim :]))
    out, mean, squares = moments(rows, (1,))
    rstd = _reciprocal_root(squares / rows.dtype.type(rows.shape[1]), eps)
    out *= rstd
    out = _affine(out.reshape(x.shape), weight, bias).astype(x.dtype, copy=False)
    statistics = (*kept, *(1,) * ndim)
    return out, mean.reshape(statistics), rstd.reshape(statistics)


@silent
def batch_norm(
    x: Array, weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array, Array]:
    """Normalise every channel of ``x [N, C, *S]`` over all else.

    Returns the result, the means, 1 / deviations and (biased) variances; the last three ``[C]``.
    """
    work, shape = as_working(x), _channel_shape(x)
    axes = (0, *range(2, x.ndim))
    out, mean, squares = moments(work, axes)
    var = squares.reshape(-1) / work.dtype.type(x.size // max(x.shape[1], 1))
    rstd = _reciprocal_root(var, eps)
    out *= _scale(rstd, weight).reshape(shape)
    if bias is not None:
        out += bias.reshape(shape)
    return out.astype(x.dtype, copy=False), mean.reshape(-1), rstd, var


@silent
def batch_norm_inference(
    x: Array, weight: Array | None, bias: Array | None, mean: Array, var: Array, eps: float
) -> Array:
    """Normalise the channels of ``x [N, C, *S]`` by statistics that are given, each ``[C]``."""
    work, shape = as_working(x), _channel_shape(x)
    scale = _scale(_reciprocal_root(as_working(var), eps), weight)
    out = work - mean.reshape(shape).astype(work.dtype, copy=False)
    out *= scale.reshape(shape)
    if bias is not None:
        out += bias.reshape(shape)
    return out.astype(x.dtype, copy=False)


@silent
def normalisation_to_input(
    g: Array, x: Array, mean: Array, rstd: Array, weight: Array | None, axes: tuple[int, ...]
) -> Array:
    """Return the gradient through ``(x - mean) * rstd * weight``, whose mean and scale are `x`'s.

    `mean` and `rstd` keep the `axes` over which they were taken with size one.
    """
    g, axes = as_working(g), _from_start(axes, x.ndim)
    scale = rstd
    if weight is not None:
        if weight.shape == rstd.shape:
            scale = rstd * weight
        else:
            g = g * weight
    out = x - mean
    out *= sum_of_products(g, out, axes) * (rstd * rstd * (-1 / _count(x, axes)))
    out += g
    out -= average(g, axes)
    out *= scale
    return out.astype(x.dtype, copy=False)


@silent
def normalisation_to_weight(
    g: Array, x: Array, mean: Array, rstd: Array, axes: tuple[int, ...]
) -> Array:
    """Add up ``g * (x - mean) * rstd`` over `axes`, which are not kept."""
    g, axes = as_working(g), _from_start(axes, x.ndim)
    rstd = rstd.reshape((1,) * (x.ndim - rstd.ndim) + rstd.shape)
    out = x - mean
    if all(rstd.shape[axis] == 1 for axis in axes):
        found = sum_of_products(g, out, axes) * rstd
    else:
        out *= rstd
        out *= g
        found = total(out, axes, True)
    kept = [size for axis, size in enumerate(x.shape) if axis not in axes]
    return found.reshape(kept).astype(x.dtype, copy=False)


def batch_norm_gradients(
    g: Array, x: Array, weight: Array | None, mean: Array, var: Array, eps: float
) -> tuple[Array, Array, Array]:
    """Return the gradients of input, weight and bias of `batch_norm`."""
    shape, axes = _channel_shape(x), (0, *range(2, x.ndim))
    mean, rstd = mean.reshape(shape), silent(_reciprocal_root)(as_working(var), eps).reshape(shape)
    factors = None if weight is None else weight.reshape(shape)
    by_input = normalisation_to_input(g, x, mean, rstd, factors, axes)
    by_weight = normalisation_to_weight(g, x, mean, rstd, axes)
    return by_input, by_weight, total(g, axes, False)


def _from_start(axes: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    return tuple(axis % ndim for axis in axes)


def _count(x: Array, axes: tuple[int, ...]) -> int:
    return max(prod(x.shape[axis] for axis in axes), 1)


def _reciprocal_root(var: Array, eps: float) -> Array:
    out = np.sqrt(var + eps)
    return np.reciprocal(out, out=out)


def _scale(rstd: Array, weight: Array | None) -> Array:
    return rstd if weight is None else rstd * weight.astype(rstd.dtype, copy=False)


def _channel_shape(x: Array) -> tuple[int, ...]:
    return (1, -1, *(1,) * (x.ndim - 2))


def _affine(out: Array, weight: Array | None, bias: Array | None) -> Array:
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out
