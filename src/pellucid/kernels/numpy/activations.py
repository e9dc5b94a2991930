"""Exponentials that are normalised or summed, and the smooth activations, without overflow."""

from __future__ import annotations

import itertools
from math import pi, sqrt

import numpy as np

from pellucid.kernels.numpy import Array, Indices
from pellucid.kernels.numpy.elementwise import clip, where
from pellucid.kernels.numpy.error_function import erf
from pellucid.kernels.numpy.precision import as_working, floating_dtype, silence, silent
from pellucid.kernels.numpy.reduction import row_sums, total
from pellucid.kernels.numpy.rounding import log1p, rounded_kernel
from pellucid.kernels.numpy.sizes import MANY

Axes = int | tuple[int, ...]


def _shifted(x: Array, axis: Axes) -> Array:
    """Subtract the maximum along `axis`, in the working precision and a fresh array."""
    work = as_working(x)
    top = np.maximum.reduce(work, axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(work - top)


def _axes(x: Array, axis: Axes) -> Axes:
    """An array without dimensions is reduced over none of them, whichever is named."""
    return axis if x.ndim else ()


def _sums(x: Array, axis: Axes) -> Array:
    """Add up along `axis`, which stays with size one."""
    axes = axis if isinstance(axis, tuple) else (axis % x.ndim,)
    return total(x, axes, True)


@silent
def softmax(x: Array, axis: Axes) -> Array:
    """Return exponentials divided by their sum along `axis`; NaN where all are -inf."""
    axis = _axes(x, axis)
    out = _shifted(x, axis)
    np.exp(out, out=out)
    out /= _sums(out, axis)
    return out.astype(floating_dtype(x.dtype), copy=False)


@silent
def log_softmax(x: Array, axis: Axes) -> Array:
    """Return the logarithm of `softmax`, without taking it of a vanishing probability."""
    axis = _axes(x, axis)
    out = _shifted(x, axis)
    out -= np.log(_sums(np.exp(out), axis))
    return out.astype(floating_dtype(x.dtype), copy=False)


@silent
def softmax_backward(g: Array, out: Array, axis: Axes) -> Array:
    """Return ``g`` times the derivative of `softmax` where its result is `out`."""
    slope, y = as_working(g), as_working(out)
    return ((slope - _sums(slope * y, _axes(y, axis))) * y).astype(out.dtype, copy=False)


@silent
def log_softmax_backward(g: Array, out: Array, axis: Axes) -> Array:
    """Return ``g`` times the derivative of `log_softmax` where its result is `out`."""
    slope, y = as_working(g), as_working(out)
    return (slope - np.exp(y) * _sums(slope, _axes(y, axis))).astype(out.dtype, copy=False)


# Sums above this have lost nothing to underflow in single precision.
_SAFE_SUM = 1e-30


def row_exponentials(rows: Array) -> tuple[Array, Array, Array]:
    """Return exponentials of rows ``[n, C]`` less a shift, their sums ``[n]``, and the shift.

    The largest of all elements is a shift for all rows, and quickly found; where a row lies so far
    below it that its exponentials vanish, each row gets a shift of its own, ``[n, 1]``.
    """
    shift = np.maximum.reduce(rows, axis=None, initial=-np.inf)
    exponentials = np.subtract(rows, shift)
    np.exp(exponentials, out=exponentials)
    sums = row_sums(exponentials)
    if not np.minimum.reduce(sums, initial=np.inf) > _SAFE_SUM:
        with silence():
            shift = rows.max(axis=1, keepdims=True, initial=-np.inf)
            exponentials = np.exp(rows - shift)
            sums = row_sums(exponentials)
    return exponentials, sums, np.asarray(shift)


def cross_entropy_rows(rows: Array, target: Indices) -> Array:
    """Return minus the logarithm of the softmax of rows ``[n, C]`` at one class for each."""
    _, sums, shift = row_exponentials(rows)
    losses = np.log(sums, out=sums)
    losses += shift.reshape(-1)
    losses -= rows[np.arange(len(rows)), target]
    return losses


def cross_entropy_loss_backward(rows: Array, target: Indices) -> Array:
    """Return the softmax of rows ``[n, C]``, less one at a class for each; it lies row by row."""
    errors, sums, _ = row_exponentials(rows)
    errors /= sums[:, None]
    errors[np.arange(len(errors)), target] -= 1
    return np.ascontiguousarray(errors)


def logsumexp(x: Array, axis: Axes, keepdims: bool = False) -> Array:
    """Return the logarithm of the sum of exponentials over `axis`; -inf over nothing at all."""
    work, axis = as_working(x), _axes(x, axis)
    top = np.real(work).max(axis=axis, keepdims=True, initial=-np.inf)
    with silence():
        shift = np.where(np.isfinite(top), top, 0)
        out = np.log(_sums(np.exp(work - shift), axis)) + shift
    out = np.asarray(out if keepdims else out.squeeze(axis))
    return out.astype(floating_dtype(x.dtype), copy=False)


@silent
def exponential_cumsum(x: Array, before: Array, after: Array, axis: int, from_end: bool) -> Array:
    """Return the running sums of ``x * exp(before)``, times ``exp(after)``, without overflow.

    Positive and negative elements are added up apart, as logarithms in double precision.
    """
    if x.ndim == 0:
        return np.asarray(x * np.exp(before + after)).astype(x.dtype, copy=False)
    x, before, after = np.broadcast_arrays(x, before, after)
    if np.iscomplexobj(before):
        sums, scales = _scaled_cumsum(x, before, axis, from_end)
        return (sums * np.exp(scales + after)).astype(np.result_type(x, before), copy=False)
    logs = np.log(np.abs(x, dtype=np.float64)) + before
    order = (slice(None),) * (axis % x.ndim) + (slice(None, None, -1 if from_end else 1),)
    sums = [
        np.exp(
            np.logaddexp.accumulate(np.where(left_out, -np.inf, logs)[order], axis)[order] + after
        )
        for left_out in (x <= 0, x >= 0)
    ]
    return (sums[0] - sums[1]).astype(x.dtype, copy=False)


@silent
def logcumsumexp(x: Array, axis: int) -> Array:
    """Return the logarithms of the running sums of exponentials, without overflow."""
    if x.dtype.kind != "c":
        return np.logaddexp.accumulate(x, axis)
    if not np.isfinite(x).all():  # what is added to an infinity changes nothing but its phase
        steps = itertools.accumulate(np.moveaxis(x, axis, 0), _complex_logaddexp)
        out = np.stack([*steps], axis)
        return np.where(np.isneginf(np.real(out)), np.real(out), out)  # of zero, as PyTorch has it
    sums, scales = _scaled_cumsum(np.ones_like(x), x, axis, from_end=False)
    return (np.log(sums) + scales).astype(x.dtype, copy=False)


def _scaled_cumsum(x: Array, exponents: Array, axis: int, from_end: bool) -> tuple[Array, Array]:
    """Return the running sums of ``x * exp(exponents)`` as ``sums`` and ``scales``.

    The sums themselves are ``sums * exp(scales)``, with real scales. Each step adds to every
    element the one that lies twice as far away as in the step before.
    """
    turn = slice(None, None, -1 if from_end else 1)
    wide = np.moveaxis(exponents, axis, 0)[turn].astype(np.complex128)
    sums, scales = np.moveaxis(x, axis, 0)[turn] * np.exp(1j * wide.imag), wide.real
    distance = 1
    while distance < len(sums):
        earlier, later = scales[:-distance], scales[distance:]
        top = np.maximum(earlier, later)
        shift = np.where(np.isneginf(top), 0, top)
        joined = sums[:-distance] * np.exp(earlier - shift) + sums[distance:] * np.exp(
            later - shift
        )
        sums = np.concatenate([sums[:distance], joined])
        scales = np.concatenate([scales[:distance], top])
        distance *= 2
    return np.moveaxis(sums[turn], 0, axis), np.moveaxis(scales[turn], 0, axis)


@silent
def logaddexp(x: Array, y: Array) -> Array:
    """Return ``log(exp(x) + exp(y))``; NumPy's own takes one element at a time."""
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        return _complex_logaddexp(x, y)
    if x.size < MANY or x.shape != y.shape:
        return np.logaddexp(x, y)
    out = np.subtract(x, y)
    np.abs(out, out=out)
    np.negative(out, out=out)
    np.exp(out, out=out)
    np.log1p(out, out=out)
    larger = np.maximum(x, y)
    np.add(out, larger, out=out)
    if not np.isfinite(out).all():  # the difference of two equal infinities is not a number
        np.copyto(out, larger, where=np.isinf(larger))
    return out


def _complex_logaddexp(x: Array, y: Array) -> Array:
    first = np.real(x) >= np.real(y)
    larger, smaller = np.where(first, x, y), np.where(first, y, x)
    top = np.real(larger)
    infinite = np.isinf(top) & (top == np.real(smaller))
    if not infinite.any():
        return larger + log1p(np.exp(smaller - larger))
    # the difference of two infinities is not a number, and their exponentials need no shift
    usual = np.where(infinite, 0, larger)
    shifted = usual + log1p(np.exp(np.where(infinite, 0, smaller) - usual))
    sums = np.log(np.exp(larger) + np.exp(smaller))
    return np.where(infinite, np.where(top < 0, smaller, sums), shifted)


@silent
@rounded_kernel
def sigmoid(x: Array) -> Array:
    """Return ``1 / (1 + exp(-x))``."""
    out = np.asarray(np.exp(np.negative(as_working(x))))
    out += 1
    np.reciprocal(out, out=out)
    return out.astype(floating_dtype(x.dtype), copy=False)


def silu(x: Array) -> Array:
    """Return `x` times its `sigmoid`."""
    return np.multiply(x, sigmoid(x))


@silent
@rounded_kernel
def log_sigmoid(x: Array) -> Array:
    """Return the logarithm of `sigmoid`, exact in both tails."""
    work = as_working(x)
    out = np.asarray(np.exp(-np.abs(work)))
    np.log1p(out, out=out)
    np.subtract(np.minimum(work, 0), out, out=out)
    return out.astype(floating_dtype(x.dtype), copy=False)


@rounded_kernel
def softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    """Return ``log(1 + exp(beta * x)) / beta``, and `x` itself where ``beta * x > threshold``."""
    work = as_working(x)
    with silence():
        scaled = work * beta
        out = np.where(scaled > threshold, work, np.log1p(np.exp(scaled)) / beta)
    return out.astype(floating_dtype(x.dtype), copy=False)


_ONE_BEYOND = 30.0


@silent
@rounded_kernel
def mish(x: Array) -> Array:
    """Return ``x * tanh(softplus(x))`` (Misra, "Mish", 2019)."""
    # with n = exp(x), tanh(log(1 + n)) is n (n + 2) / (n (n + 2) + 2): 1 before n can overflow
    n = np.exp(np.minimum(x, _ONE_BEYOND))
    n *= n + 2
    return x * (n / (n + 2))


def gelu(x: Array, approximate: str = "none") -> Array:
    """Return ``x`` times the normal distribution function, exact or by its ``tanh`` approximation.

    Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016).
    """
    work = as_working(x)
    with silence():
        out = _tanh_gate(work) if approximate == "tanh" else erf(work * sqrt(0.5))
        out += 1
        out *= work
        out *= 0.5
    return out.astype(floating_dtype(x.dtype), copy=False)


def _tanh_gate(x: Array) -> Array:
    """Approximate ``erf(x / sqrt(2))``."""
    out = np.asarray(x * x)
    out *= 0.044715
    out += 1
    out *= x
    out *= sqrt(2 / pi)
    return np.tanh(out, out=out)


def leaky_relu(x: Array, slope: float) -> Array:
    """Multiply negative elements by a slope."""
    bent = x * slope
    return np.maximum(x, bent) if 0 < slope <= 1 else where(x > 0, x, bent)


def elu(x: Array, below: float, above: float, input_scale: float) -> Array:
    """Return ``above * x`` where positive, ``below * (exp(input_scale * x) - 1)`` elsewhere."""
    bent = np.expm1(np.minimum(x, 0) * input_scale) * below
    return where(x < 0, bent, x * above)


def hardswish(x: Array) -> Array:
    """Return ``x * min(max(x + 3, 0), 6) / 6``."""
    return x * clip(x + 3, 0, 6) / 6


# ---- gradients: g times a slope -------------------------------------------------------------


@silent
def sigmoid_backward(g: Array, out: Array) -> Array:
    """Return ``g`` times the slope of `sigmoid` where its result is `out`."""
    return g * (out * (1 - out))


@silent
def silu_backward(g: Array, x: Array) -> Array:
    """Return ``g`` times the slope of `silu`."""
    gate = sigmoid(x)
    return g * (gate * (x * (1 - gate) + 1))


@silent
def gelu_backward(g: Array, x: Array) -> Array:
    """Return ``g`` times the slope of `gelu`: the distribution function plus x times density."""
    work = as_working(x)
    density = np.exp(work * work * -0.5) * (1 / sqrt(2 * pi))
    slope = (erf(work * sqrt(0.5)) + 1) * 0.5 + work * density
    return g * slope.astype(floating_dtype(x.dtype), copy=False)


@silent
def gelu_tanh_backward(g: Array, x: Array) -> Array:
    """Return ``g`` times the slope of `gelu` in its approximation."""
    square = x * x
    gate = np.tanh(x * (square * 0.044715 + 1) * sqrt(2 / pi))
    gate_slope = (1 - gate * gate) * (square * (3 * 0.044715) + 1) * sqrt(2 / pi)
    return g * (((gate + 1) + x * gate_slope) * 0.5)


def leaky_relu_backward(g: Array, x: Array, slope: float) -> Array:
    """Return ``g`` where `x` is positive, ``g * slope`` elsewhere."""
    return where(x > 0, g, g * slope)


@silent
def hardswish_backward(g: Array, x: Array) -> Array:
    """Return ``g`` times the slope of `hardswish`; where that is 0, or 1, nothing is computed."""
    return where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g))


def hardtanh_backward(g: Array, x: Array, low: float, high: float) -> Array:
    """Return ``g`` where `x` lies between the bounds or is NaN, 0 elsewhere."""
    return where((x <= low) | (x >= high), 0, g)


@silent
def softplus_backward(g: Array, x: Array, beta: float, threshold: float) -> Array:
    """Return ``g`` times the slope of `softplus`."""
    scaled = x * beta
    return where(scaled > threshold, g, g * sigmoid(scaled))


@silent
def elu_backward(g: Array, x: Array, below: float, above: float, input_scale: float) -> Array:
    """Return ``g * above``, and where `x` is not positive ``g * below * exp(input_scale * x)``."""
    return g * where(x <= 0, np.exp(np.minimum(x, 0) * input_scale) * below, above)


# ---- gates and losses ------------------------------------------------------------------------


@silent
def gated(x: Array, gate: Array) -> Array:
    """Return `x` times the sigmoid of `gate`."""
    return x * sigmoid(gate)


@silent
def binary_nll(x: Array, target: Array) -> Array:
    """Return minus the log-probability of binary targets; logarithms stop at -100."""
    positive = np.maximum(np.log(x), -100)
    negative = np.maximum(np.log1p(-x), -100)
    return (target - 1) * negative - target * positive


@silent
def huber(x: Array, target: Array, delta: float, divisor: float) -> Array:
    """Return half the squared difference, and beyond `delta` the line that goes on from there."""
    size = np.absolute(x - target)
    bounded = clip(size, None, delta)
    return bounded * (size - bounded * 0.5) / divisor


@silent
def huber_backward(g: Array, x: Array, target: Array, delta: float, divisor: float) -> Array:
    """Return ``g`` times the slope of `huber`."""
    return g * (clip(x - target, -delta, delta) / divisor)
