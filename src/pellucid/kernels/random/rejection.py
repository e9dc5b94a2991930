"""Samples that take an unforeseeable number of draws: gamma, Poisson and binomial.

Note [One element after the other]
    PyTorch draws an element's numbers when the element before has all of its own, and how many
    those are is only known once they have been looked at. The place of every draw in the stream
    thus depends on all elements before it: the same seed gives the same samples only if the
    elements are gone through in turn, unless all are drawn from one distribution and each attempt
    takes as many numbers. The loops here are therefore over elements, but what they draw is taken
    from the stream in long chunks, and what depends on the element alone is computed for all
    elements beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.kernels.random.twister import native

if TYPE_CHECKING:
    from pellucid.kernels.random.stream import MersenneStream

__all__ = ["binomial", "dirichlet", "poisson", "standard_gamma"]

_CHUNK = 4096
# The constants of PyTorch's source are floats of single precision, also among doubles.
_THIRD = np.float32(1) / np.float32(3)
_SQUEEZE = float(np.float32(0.0331))


class _Doubles:
    """The uniform doubles of a stream one by one; unused ones are given back."""

    def __init__(self, stream: MersenneStream) -> None:
        self.stream = stream
        self.used = 0
        self.spare = stream._spare_normal

    def __enter__(self) -> _Doubles:
        self.take = self._values().__next__
        return self

    def __exit__(self, *_: object) -> None:
        if self.used:
            self.stream.set_state(self.before)
            self.stream.uniform(self.used, np.float64)
        self.stream._spare_normal = self.spare

    def _values(self) -> Iterator[float]:
        while True:
            self.before = self.stream.get_state()
            self.used = 0
            for value in self.stream.uniform(_CHUNK, np.float64).tolist():
                self.used += 1
                yield value

    def normal(self) -> float:
        """Return a standard normal number: the one left over, or the first of a fresh pair."""
        spare = self.spare
        if spare is not None:
            self.spare = None
            return spare
        turn = 2.0 * math.pi * self.take()
        radius = math.sqrt(-2.0 * math.log1p(-self.take()))
        self.spare = radius * math.sin(turn)
        return radius * math.cos(turn)


# -------------------------------------------------------------------------------------- gamma


def standard_gamma(stream: MersenneStream, concentration: np.ndarray) -> np.ndarray:
    """Draw from gamma distributions of rate 1; the result has the shape and dtype of the argument.

    Source: G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000.
    """
    samples = _gammas(stream, concentration)
    return np.maximum(samples.astype(concentration.dtype), np.finfo(concentration.dtype).tiny)


def dirichlet(stream: MersenneStream, concentration: np.ndarray) -> np.ndarray:
    """Draw from Dirichlet distributions, whose parameters lie along the last axis."""
    dtype = concentration.dtype
    gammas = _gammas(stream, concentration.astype(np.float64))
    gammas = np.maximum(gammas, np.finfo(np.float64).tiny)  # small ones may all be too small
    shares = (gammas / gammas.sum(axis=-1, keepdims=True)).astype(dtype)
    return np.clip(shares, np.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0)))


def _gammas(stream: MersenneStream, concentration: np.ndarray) -> np.ndarray:
    """Draw gammas as doubles; what depends on the parameters alone has their precision."""
    small = concentration < 1
    with np.errstate(divide="ignore", over="ignore"):
        exponents = np.where(small, np.float32(1) / concentration, 0)
    raised = np.where(small, concentration + concentration.dtype.type(1), concentration)
    offsets = (raised - _THIRD).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        slopes = 1.0 / np.sqrt(9.0 * offsets)
    found = _compiled_gammas(stream, exponents, offsets, slopes)
    if found is not NotImplemented:
        return found.reshape(concentration.shape)
    columns = (np.ravel(each).tolist() for each in (exponents, offsets, slopes))
    with _Doubles(stream) as doubles:
        samples = [
            0.0 if exponent == math.inf else _gamma(doubles, exponent, offset, slope)
            for exponent, offset, slope in zip(*columns, strict=True)
        ]
    return np.array(samples, np.float64).reshape(concentration.shape)


def _compiled_gammas(stream: MersenneStream, *parameters: np.ndarray) -> Any:
    if native is None:
        return NotImplemented
    given = [np.ravel(each).astype(np.float64) for each in parameters]
    found = stream.drawn(native.draw_gammas, *given, stream._spare_normal)
    if found is NotImplemented:
        return found
    samples, stream._spare_normal = found
    return samples


def _gamma(doubles: _Doubles, exponent: float, offset: float, slope: float) -> float:
    if not offset > 0.0:
        return math.nan
    take, normal = doubles.take, doubles.normal
    scale = (1.0 - take()) ** exponent if exponent else 1.0
    while True:
        x = normal()
        y = 1.0 + slope * x
        while y <= 0.0:
            x = normal()
            y = 1.0 + slope * x
        v = y * y * y
        u = 1.0 - take()
        square = x * x
        if u < 1.0 - _SQUEEZE * square * square:
            return scale * offset * v
        if math.log(u) < 0.5 * square + offset * (1.0 - v + math.log(v)):
            return scale * offset * v


# ------------------------------------------------------------------------------------ Poisson


def poisson(stream: MersenneStream, rate: np.ndarray) -> np.ndarray:
    """Draw counts from Poisson distributions; the result has the shape and dtype of the rates.

    Raises RuntimeError for a rate that is not >= 0, or infinite: no dtype has such counts.
    """
    return (
        _poisson(stream, np.ravel(rate).astype(np.float64)).astype(rate.dtype).reshape(rate.shape)
    )


def _poisson(stream: MersenneStream, rates: np.ndarray) -> np.ndarray:
    if not bool(np.all(rates >= 0)):
        raise RuntimeError(
            "invalid Poisson rate, expected rate to be non-negative, "
            f"but one is {rates[~(rates >= 0)][0]:g}"
        )
    if not bool(np.all(np.isfinite(rates))):
        raise RuntimeError("invalid Poisson rate, expected rate to be finite, but one is inf")
    if rates.size > 1 and rates[0] >= 10.0 and bool(np.all(rates == rates[0])):
        return _equal_poisson(stream, rates.size, float(rates[0]))
    found = NotImplemented if native is None else stream.drawn(native.draw_poissons, rates)
    if found is not NotImplemented:
        return found
    with _Doubles(stream) as doubles:
        counts = [
            _large_poisson(doubles, each) if each >= 10.0 else _small_poisson(doubles, each)
            for each in rates.tolist()
        ]
    return np.array(counts, np.float64)


def _equal_poisson(stream: MersenneStream, size: int, rate: float) -> np.ndarray:
    """Draw counts of one rate as `_large_poisson` does, many pairs of numbers at a time.

    An attempt takes two numbers, and whether it succeeds does not depend on the element it is for:
    here the elements need not be gone through in turn.
    """
    spare = stream._spare_normal
    found: list[np.ndarray] = []
    missing = size
    while missing:
        before = stream.get_state()
        attempts = missing + missing // 4 + 16
        pairs = stream.uniform(2 * attempts, np.float64).reshape(-1, 2)
        counts, accepted = _attempts(pairs[:, 0] - 0.5, pairs[:, 1], rate)
        positions = np.flatnonzero(accepted)[:missing]
        found.append(counts[positions])
        missing -= len(positions)
    stream.set_state(before)
    stream.uniform(2 * (int(positions[-1]) + 1), np.float64)
    stream._spare_normal = spare
    return np.concatenate(found)


def _attempts(u: np.ndarray, v: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts that attempts propose, and which of them are accepted."""
    from scipy.special import gammaln

    a, b, most = _mountain(rate)
    us = 0.5 - np.abs(u)
    with np.errstate(all="ignore"):
        k = np.where(us == 0, -1.0, np.floor((2 * a / us + b) * u + rate + 0.43))
        accepted = (us >= 0.07) & (v <= most)
        open_ones = np.flatnonzero(~accepted & (k >= 0) & ((us >= 0.013) | (v <= us)))
        k_open, us_open = k[open_ones], us[open_ones]
        height = np.log(v[open_ones]) + _log_inverse_alpha(b) - np.log(a / (us_open * us_open) + b)
    accepted[open_ones] = height <= -rate + k_open * math.log(rate) - gammaln(k_open + 1.0)
    return k, accepted


def _mountain(rate: float) -> tuple[float, float, float]:
    """Return the constants of the table mountain: its sides, and up to where it is flat."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    return a, b, 0.9277 - 3.6224 / (b - 2)


def _log_inverse_alpha(b: float) -> float:
    return math.log(1.1239 + 1.1328 / (b - 3.4))


def _small_poisson(doubles: _Doubles, rate: float) -> int:
    """Count arrivals until the waiting times add up to one.

    Source: D. E. Knuth, "The Art of Computer Programming", volume 2, section 3.4.1.
    """
    if rate == 0.0:
        return 0
    take = doubles.take
    limit, product, count = math.exp(-rate), take(), 0
    while product > limit:
        product *= take()
        count += 1
    return count


def _large_poisson(doubles: _Doubles, rate: float) -> int:
    """Draw by rejection, under a hat shaped like a table mountain.

    Source: W. Hörmann, "The transformed rejection method for generating Poisson random variables",
    1993 (algorithm PTRS).
    """
    take = doubles.take
    a, b, most = _mountain(rate)
    while True:
        u = take() - 0.5
        v = take()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= most:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        height = _log(v) + _log_inverse_alpha(b) - math.log(a / (us * us) + b)
        if height <= -rate + k * math.log(rate) - math.lgamma(k + 1.0):
            return k


# ----------------------------------------------------------------------------------- binomial


def binomial(stream: MersenneStream, count: np.ndarray, prob: np.ndarray) -> np.ndarray:
    """Draw how many of ``count`` trials succeed; both arrays have one shape and dtype.

    Sources: L. Devroye, "Non-uniform random variate generation", 1986, chapter 10.4 (few
    successes); W. Hörmann, "The generation of binomial random variates", 1993 (algorithm BTRS).
    """
    dtype = count.dtype
    # The complement is taken in the precision of the parameters.
    fewer = np.where(prob > 0.5, dtype.type(1) - prob, prob)
    if native is not None:
        given = [np.ravel(each).astype(np.float64) for each in (count, prob, fewer)]
        found = stream.drawn(native.draw_binomials, *given)
        if found is not NotImplemented:
            return found.astype(dtype).reshape(count.shape)
    columns = (np.ravel(each).tolist() for each in (count, prob, fewer))
    with _Doubles(stream) as doubles:
        samples = [_binomial(doubles, *each) for each in zip(*columns, strict=True)]
    return np.array(samples, np.float64).astype(dtype).reshape(count.shape)


def _binomial(doubles: _Doubles, count: float, prob: float, fewer: float) -> float:
    if count <= 0.0 or prob <= 0.0:
        return 0.0
    if prob >= 1.0:
        return count
    if not (math.isfinite(count) and math.isfinite(prob)):
        return math.nan
    draw = _many_successes if count * fewer >= 10.0 else _few_successes
    hits = draw(doubles, count, fewer)
    return count - hits if prob > 0.5 else hits


def _few_successes(doubles: _Doubles, count: float, prob: float) -> float:
    """Add up the geometric distances between successes."""
    take = doubles.take
    log_miss = math.log1p(-prob)
    hits, trials = 0, 0.0
    while True:
        u = take()
        trials += math.ceil(math.log(u) / log_miss) if u else math.inf
        if trials > count:
            return hits
        hits += 1


def _many_successes(doubles: _Doubles, count: float, prob: float) -> float:
    take = doubles.take
    deviation = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    most = 0.92 - 4.2 / b
    odds = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((count + 1) * prob)
    while True:
        u = take() - 0.5
        v = take()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c) if us else -1
        if us >= 0.07 and v <= most:
            return k
        if k < 0 or k > count:
            continue
        height = _log(v * alpha / (a / (us * us) + b))
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + (count + 1) * math.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        if height <= bound:
            return k


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def _stirling_tail(k: float) -> float:
    """Return what Stirling's formula lacks of ``log(k!)``."""
    if k <= 9:
        return _STIRLING_TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


# log(k!) - ((k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2), to the digits that PyTorch has
_STIRLING_TAILS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)
