"""Normalisation by mean and variance: one array as large as the input, changed in place."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.backends._precision import as_working, silent

Array = NDArray[Any]


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
    mean = _mean(rows, 1)
    out = rows - mean
    squares = np.einsum("ij,ij->i", out, out)[:, None]
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
    mean = _mean(work, tuple(axis for axis in range(x.ndim) if axis != 1))
    out = work - mean
    var = _sum_of_squares(out) / work.dtype.type(x.size // max(x.shape[1], 1))
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
    g = as_working(g)
    if weight is not None:
        g = g * weight
    out = x - mean
    out *= rstd
    out *= -_mean(g * out, axes)
    out += g
    out -= _mean(g, axes)
    out *= rstd
    return out.astype(x.dtype, copy=False)


def _mean(x: Array, axis: int | tuple[int, ...]) -> Array:
    """Average, and return NaN over nothing without a warning."""
    total = np.add.reduce(x, axis=axis, keepdims=True)
    return total / x.dtype.type(x.size // max(total.size, 1))


def _reciprocal_root(var: Array, eps: float) -> Array:
    out = np.sqrt(var + eps)
    return np.reciprocal(out, out=out)


def _scale(rstd: Array, weight: Array | None) -> Array:
    return rstd if weight is None else rstd * weight.astype(rstd.dtype, copy=False)


def _channel_shape(x: Array) -> tuple[int, ...]:
    return (1, -1, *(1,) * (x.ndim - 2))


def _sum_of_squares(x: Array) -> Array:
    """Sum the squares of every channel; dot products run over the longest contiguous stretch."""
    if prod(x.shape[2:]) == 1:
        flat = x.reshape(x.shape[:2])
        return np.einsum("nc,nc->c", flat, flat)
    flat = x.reshape(*x.shape[:2], prod(x.shape[2:]))
    return np.einsum("ncs,ncs->nc", flat, flat).sum(axis=0)


def _affine(out: Array, weight: Array | None, bias: Array | None) -> Array:
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out
