"""The stream of random numbers behind a ``Generator``: PyTorch's CPU stream, draw for draw.

The raw numbers are the twister's. What this module adds is how PyTorch 2.13 turns them into
samples: how many draws a sample takes, which of their bits, which formula, and what is kept for the
next call. PyTorch does not promise to keep this from release to release.

In half and single precision the samples are PyTorch's bit for bit. In double precision logarithms
come from whatever mathematical library NumPy was built with, and may differ in the last bits.

Two words are used throughout: a *draw* is one number of 32 bits; a *wide draw* is two of them, the
first in the upper half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pellucid.dtypes import is_complex_dtype
from pellucid.errors import ArgumentError
from pellucid.kernels.active import cpu
from pellucid.kernels.random import checks, single_precision
from pellucid.kernels.random.double_precision import fused_multiply_add
from pellucid.kernels.random.double_precision import grouped_normals as grouped_doubles
from pellucid.kernels.random.twister import Twister, native, unforeseen_seed

__all__ = ["MersenneStream", "default", "write_in_memory_order"]

Shape = int | Sequence[int]

# From this many values on, a remainder of 32 bits would visibly favour small numbers.
_WIDE_RANGE = 1 << 28
_WIDE_PERMUTATION = ((1 << 32) - 1) // 20
# Normal numbers are made in groups of 16, this many groups at a time: the scratch stays in cache.
_GROUPS_AT_ONCE = 1024


class MersenneStream(Twister):
    """The random numbers that PyTorch's CPU generator draws from the same seed.

    Every method returns a new array in C order. Given a ``dtype``, it is the dtype of the result;
    the stream advances exactly as PyTorch's does for that dtype and size.

    >>> stream = MersenneStream(0)
    >>> stream.normal(7, np.float32)[:3]
    array([ 1.5409961, -0.2934289, -2.1787894], dtype=float32)
    """

    __slots__ = ()

    # --------------------------------------------------------------------------------- uniform

    def uniform(
        self, shape: Shape, dtype: np.typing.DTypeLike, low: float = 0.0, high: float = 1.0
    ) -> np.ndarray:
        """Draw uniformly from [low, high).

        Raises ``NotImplementedError`` for a dtype that is not of floating point or complex, and
        ``RuntimeError`` if ``low > high`` or the interval is too long for the dtype.
        """
        dtype = np.dtype(dtype)
        checks.require_inexact(dtype, "check_uniform_bounds")
        checks.check_interval(low, high, dtype)
        if is_complex_dtype(dtype):
            parts = self.uniform(2 * _size(shape), _real_dtype(dtype), low, high)
            return parts.view(dtype).reshape(shape)
        count = _size(shape)
        if dtype == np.float64:
            values = fused_multiply_add(self._unit_doubles(count), high - low, low)
        else:
            width, start = float(np.float32(high) - np.float32(low)), float(np.float32(low))
            values = self._unit_floats(count)
            if (width, start) != (1.0, 0.0):
                values = single_precision.fused_multiply_add(values, width, start)
        values = values.astype(dtype, copy=False)
        # Rounding may reach the end that the interval leaves out.
        values[values == dtype.type(high)] = low
        return values.reshape(shape)

    # ---------------------------------------------------------------------------------- normal

    def normal(
        self,
        shape: Shape,
        dtype: np.typing.DTypeLike,
        mean: float = 0.0,
        std: float = 1.0,
        *,
        contiguous: bool = True,
    ) -> np.ndarray:
        """Draw from the normal distribution.

        Sixteen values and more are made in groups of sixteen; fewer, or those for a tensor that is
        not contiguous (say so, and see ``write_in_memory_order``), come in pairs, of which the
        second is kept for the next call. Both parts of a complex value have the mean, and half the
        variance.

        Raises ``NotImplementedError`` for a dtype that is not of floating point or complex, and
        ``RuntimeError`` if ``std`` is negative.
        Source: G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates",
        1958.
        """
        dtype = np.dtype(dtype)
        if not std >= 0.0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        checks.require_inexact(dtype, "normal_kernel_cpu")
        if is_complex_dtype(dtype):
            count, part_std = 2 * _size(shape), std / math.sqrt(2.0)
            parts = self.normal(count, _real_dtype(dtype), mean, part_std, contiguous=contiguous)
            return parts.view(dtype).reshape(shape)
        count = _size(shape)
        if count < 16 or not contiguous:
            values = fused_multiply_add(self._standard_normals(count), std, mean)
            return _cast(values, dtype).reshape(shape)
        if dtype == np.float64:
            values = _in_groups(grouped_doubles, self._group_uniforms(count, np.float64), mean, std)
        else:
            uniforms = self._group_uniforms(count, dtype)
            values = _in_groups(cpu.grouped_normals, uniforms, mean, std)
        return _cast(_without_overlap(values, count), dtype).reshape(shape)

    def _standard_normals(self, count: int) -> np.ndarray:
        """Draw doubles in pairs, beginning with the one left over and keeping the one too many."""
        spare = [] if self._spare_normal is None or count == 0 else [self._spare_normal]
        missing = count - len(spare)
        pairs = (missing + 1) // 2
        uniforms = self._unit_doubles(2 * pairs).reshape(pairs, 2)
        radius = np.sqrt(-2.0 * np.log1p(-uniforms[:, 1]))
        angle = 2.0 * math.pi * uniforms[:, 0]
        fresh = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
        if count:
            self._spare_normal = float(fresh[-1]) if missing % 2 else None
        return np.concatenate([spare, fresh[:missing]])

    def _group_uniforms(self, count: int, dtype: np.typing.DTypeLike) -> np.ndarray:
        """Draw the uniforms for ``count`` normals, in rows of sixteen.

        The last row, if there is a remainder, is for the last sixteen values. In single and double
        precision the remainder's own uniforms are drawn as well, and not used.
        """
        groups, remainder = divmod(count, 16)
        draw = self._unit_doubles if dtype == np.float64 else self._unit_floats
        if not remainder:
            return draw(count).reshape(groups, 16)
        unused = 0 if np.dtype(dtype).itemsize == 2 else remainder
        uniforms = draw(16 * groups + unused + 16)
        return np.concatenate([uniforms[: 16 * groups], uniforms[-16:]]).reshape(groups + 1, 16)

    def log_normal(
        self, shape: Shape, dtype: np.typing.DTypeLike, mean: float = 1.0, std: float = 2.0
    ) -> np.ndarray:
        """Draw the exponentials of normal numbers; raise ``RuntimeError`` unless ``std > 0``."""
        dtype = np.dtype(dtype)
        if not std > 0.0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
        checks.require_floating(dtype, "log_normal_cpu")
        normals = fused_multiply_add(self._standard_normals(_size(shape)), std, mean)
        with np.errstate(over="ignore"):
            return _cast(np.exp(normals), dtype).reshape(shape)

    # -------------------------------------------------------------------------------- integers

    def integers(
        self, low: int, high: int, shape: Shape, dtype: np.typing.DTypeLike = np.int64
    ) -> np.ndarray:
        """Draw integers from [low, high), in any dtype that is not complex.

        Raises ``RuntimeError`` if the interval is empty or the dtype cannot hold its ends.
        """
        dtype = np.dtype(dtype)
        if not low < high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        checks.refuse_float8(dtype, "random_update_from_to")
        checks.check_integer_bounds(low, high, dtype)
        count, span = _size(shape), high - low
        if span == 1 << 64:
            offsets = self._wide_draws(count).view(np.int64)
        elif span >= _WIDE_RANGE:
            offsets = (self._wide_draws(count) % np.uint64(span)).view(np.int64) + np.int64(low)
        elif native is not None:
            offsets = self.drawn(native.draw_remainders, count, span, low)
        else:
            offsets = (self._draws(count) % np.uint32(span)).astype(np.int64)
            offsets += low
        return offsets.astype(dtype, copy=False).reshape(shape)

    def random(self, shape: Shape, dtype: np.typing.DTypeLike) -> np.ndarray:
        """Draw non-negative integers, from all that the dtype holds exactly, or truth values."""
        dtype = np.dtype(dtype)
        count = _size(shape)
        checks.refuse_float8(dtype, "random_kernel_cpu")
        if is_complex_dtype(dtype) or dtype.name in ("uint16", "uint32", "uint64"):
            raise checks.not_implemented("random_kernel_cpu", dtype)
        if dtype == np.bool_:
            return (self._draws(count) & np.uint32(1)).astype(np.bool_).reshape(shape)
        span = checks.end_of_integers(dtype)
        draw = self._wide_draws if dtype.name in ("int64", "float64") else self._draws
        draws = draw(count)
        return (draws % draws.dtype.type(span)).astype(dtype).reshape(shape)

    def permutation(self, n: int, dtype: np.typing.DTypeLike = np.int64) -> np.ndarray:
        """Return 0, 1, ..., n - 1 in random order.

        Raises ``RuntimeError`` if n is negative or the dtype cannot count to it.
        Source: the shuffle of R. A. Fisher and F. Yates, 1938.
        """
        dtype = np.dtype(dtype)
        checks.check_permutation(n, dtype)
        if n < 2:
            return np.arange(n, dtype=dtype)
        if n < _WIDE_PERMUTATION and native is not None:
            return self.drawn(native.draw_permutation, n).astype(dtype, copy=False)
        positions = np.arange(n)
        if n < _WIDE_PERMUTATION:
            partners = positions.copy()
            partners[:-1] += self._draws(n - 1) % (n - positions[:-1]).astype(np.uint32)
        else:
            partners = self._wide_draws(n) % (positions + 1).astype(np.uint64)
        return _exchange_in_turn(partners.astype(np.int32)).astype(dtype)

    # ------------------------------------------------------------------------------- bernoulli

    def bernoulli(
        self,
        p: float | np.ndarray,
        shape: Shape | None = None,
        dtype: np.typing.DTypeLike | None = None,
    ) -> np.ndarray:
        """Draw ones with probability ``p``, zeros otherwise.

        A number takes a wide draw per sample, and so does an array of doubles; any other array
        takes a single draw. An array is broadcast to ``shape``, by default its own; ``dtype`` is by
        default the array's, or float32. Raises ``RuntimeError`` unless 0 <= p <= 1.
        """
        if isinstance(p, np.ndarray):
            return self._bernoulli_by_array(p, p.shape if shape is None else shape, dtype)
        if not 0.0 <= p <= 1.0:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        dtype = np.dtype(np.float32 if dtype is None else dtype)
        checks.refuse_float8(dtype, "bernoulli_scalar_cpu_")
        if is_complex_dtype(dtype):
            raise checks.not_implemented("bernoulli_scalar_cpu_", dtype)
        shape = () if shape is None else shape
        return (self._unit_doubles(_size(shape)) < p).astype(dtype).reshape(shape)

    def _bernoulli_by_array(
        self, p: np.ndarray, shape: Shape, dtype: np.typing.DTypeLike | None
    ) -> np.ndarray:
        dtype = np.dtype(p.dtype if dtype is None else dtype)
        checks.refuse_float8(dtype, "bernoulli_tensor_cpu_self_")
        checks.require_floating(p.dtype, "bernoulli_tensor_cpu_p_")
        if is_complex_dtype(dtype):
            raise checks.not_implemented("bernoulli_tensor_cpu_self_", dtype)
        if not bool(np.all((p >= 0) & (p <= 1))):
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false. "
                f"The probabilities reach from {p.min():g} to {p.max():g}."
            )
        draw = self._unit_doubles if p.dtype == np.float64 else self._unit_floats
        uniforms = draw(_size(shape)).reshape(shape)
        return (uniforms < np.broadcast_to(p, uniforms.shape)).astype(dtype)

    def dropout_mask(self, shape: Shape, p: float, dtype: np.typing.DTypeLike) -> np.ndarray:
        """Draw the factors of dropout: 0 with probability ``p``, otherwise 1 / (1 - p).

        Raises ``ArgumentError`` unless 0 <= p <= 1; with ``p = 1`` nothing is drawn.
        """
        if not 0.0 <= p <= 1.0:
            raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p:g}")
        dtype = np.dtype(dtype)
        if p == 1.0:
            return np.zeros(shape, dtype)
        if native is not None and dtype.char in "fd":
            return self.drawn(native.draw_dropout, _size(shape), 1.0 - p, dtype).reshape(shape)
        mask = self.bernoulli(1.0 - p, shape, dtype)
        mask /= dtype.type(1.0 - p)
        return mask

    # ---------------------------------------------------------------------- other distributions

    def exponential(
        self, shape: Shape, dtype: np.typing.DTypeLike, rate: float = 1.0
    ) -> np.ndarray:
        """Draw from the exponential distribution; raise ``RuntimeError`` unless ``rate > 0``."""
        dtype = np.dtype(dtype)
        if not rate > 0.0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        checks.require_continuous(dtype, "Exponential")
        waits = -1.0 / rate * np.log1p(-self._unit_doubles(_size(shape)))
        return _cast(waits, dtype).reshape(shape)

    def geometric(self, shape: Shape, dtype: np.typing.DTypeLike, p: float) -> np.ndarray:
        """Draw how many trials the first success takes; raise ``RuntimeError`` unless 0 < p < 1."""
        dtype = np.dtype(dtype)
        if not 0.0 < p < 1.0:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
        checks.refuse_float8(dtype, "geometric_cpu")
        if dtype.kind == "b" or is_complex_dtype(dtype):
            raise checks.not_implemented("geometric_cpu", dtype)
        uniforms = self._unit_doubles(_size(shape))
        with np.errstate(divide="ignore"):
            trials = np.ceil(np.log(uniforms) / math.log1p(-p))
        return _cast(trials, dtype).reshape(shape)

    def cauchy(
        self, shape: Shape, dtype: np.typing.DTypeLike, median: float = 0.0, sigma: float = 1.0
    ) -> np.ndarray:
        """Draw from the Cauchy distribution; raise ``RuntimeError`` unless ``sigma > 0``."""
        dtype = np.dtype(dtype)
        if not sigma > 0.0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
        checks.require_continuous(dtype, "Cauchy", in_c=True)
        tangents = np.tan(math.pi * (self._unit_doubles(_size(shape)) - 0.5))
        return _cast(fused_multiply_add(tangents, sigma, median), dtype).reshape(shape)

    # ----------------------------------------------------------------------------- multinomial

    def multinomial(
        self, probabilities: np.ndarray, n: int, replacement: bool = False
    ) -> np.ndarray:
        """Draw ``n`` indices per row, each with a probability proportional to its weight.

        ``probabilities`` has shape (categories,) or (rows, categories), floating point, and need
        not be normalised; the result has shape (n,) or (rows, n), int64. Raises ``RuntimeError``
        for weights that are negative, not finite or all zero, and for more samples than categories
        without replacement.

        Source of the draw without replacement: the n largest of p / q, where q is exponential
        (P. S. Efraimidis and P. G. Spirakis, "Weighted random sampling with a reservoir", 2006).
        """
        checks.check_multinomial(probabilities, n, replacement)
        if probabilities.shape[0] == 0 and probabilities.ndim == 2:
            return np.zeros((0, n), np.int64)
        # One sample is the same with and without, and the way without is the shorter one.
        if replacement and n > 1:
            checks.check_cumulative_weights(probabilities)
            return self._multinomial_with_replacement(probabilities, n)
        checks.check_weights(probabilities)
        return self._multinomial_without_replacement(probabilities, n)

    def _multinomial_without_replacement(self, weights: np.ndarray, n: int) -> np.ndarray:
        waits = self.exponential(weights.shape, weights.dtype)
        if weights.flags.f_contiguous and not weights.flags.c_contiguous:
            laid_out = np.empty_like(weights)
            write_in_memory_order(laid_out, waits)
            waits = laid_out
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            ranks = weights / waits
        if n == 1:
            return np.argmax(ranks, axis=-1, keepdims=True).astype(np.int64)
        found = NotImplemented if native is None else native.largest_places(ranks, n)
        if found is not NotImplemented:
            return found
        return np.argsort(-ranks, axis=-1, kind="stable")[..., :n].astype(np.int64)

    def _multinomial_with_replacement(self, weights: np.ndarray, n: int) -> np.ndarray:
        work_dtype = np.float32 if weights.dtype.itemsize == 2 else weights.dtype
        with np.errstate(over="ignore", invalid="ignore"):
            cumulative = np.cumsum(weights, axis=-1, dtype=work_dtype)
            cumulative /= cumulative[..., -1:].copy()
        cumulative[..., -1] = 1
        uniforms = self._unit_doubles(math.prod(weights.shape[:-1]) * n)
        return _first_not_below(cumulative, uniforms.reshape(*weights.shape[:-1], n))


default = MersenneStream(unforeseen_seed())
"""The stream used where no generator is named; like PyTorch's, it starts anew in every process."""


def write_in_memory_order(target: np.ndarray, values: np.ndarray) -> None:
    """Fill ``target`` with ``values``, of as many elements, in the order of its memory.

    That is the order in which PyTorch fills a tensor that is not contiguous.
    """
    order = sorted(range(target.ndim), key=lambda axis: -target.strides[axis])
    in_memory_order = target.transpose(order)
    in_memory_order[...] = values.reshape(in_memory_order.shape)


def _size(shape: Shape) -> int:
    return shape if isinstance(shape, int) else math.prod(shape)


def _real_dtype(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"f{dtype.itemsize // 2}")


def _cast(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Round to ``dtype``, by way of single precision if that is shorter, as PyTorch does.

    What is too large for the dtype becomes infinite without a warning.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.itemsize == 2:
            values = values.astype(np.float32, copy=False)
        return values.astype(dtype, copy=False)


def _in_groups(transform, uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Transform rows of sixteen uniforms into normals, a cache's worth of rows at a time."""
    normals = np.empty_like(uniforms)
    for start in range(0, len(uniforms), _GROUPS_AT_ONCE):
        rows = slice(start, start + _GROUPS_AT_ONCE)
        normals[rows] = transform(uniforms[rows], mean, std)
    return normals


def _without_overlap(groups: np.ndarray, count: int) -> np.ndarray:
    """Join groups of sixteen to ``count`` values; the last one ends at the end, over others."""
    values = groups.reshape(-1)
    if count % 16 == 0:
        return values
    return np.concatenate([values[: count - 16], values[-16:]])


def _exchange_in_turn(partners: np.ndarray) -> np.ndarray:
    """Exchange, in 0, 1, 2, ..., the places i and ``partners[i]``, one i after the other.

    Each exchange depends on those before it. LAPACK's ``laswp`` does just that to a matrix's rows.
    """
    from scipy.linalg.lapack import get_lapack_funcs

    rows = np.arange(len(partners), dtype=np.float64).reshape(-1, 1)
    [exchange_rows] = get_lapack_funcs(("laswp",), (rows,))
    return exchange_rows(rows, partners, overwrite_a=True)[:, 0]


def _first_not_below(ascending: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Find, in each row of ``ascending``, the first place whose value is not below the wanted one.

    The halving of the interval runs over all rows at once.
    """
    found = NotImplemented if native is None else native.first_not_below(ascending, wanted)
    if found is not NotImplemented:
        return found
    if ascending.ndim == 1:
        return np.searchsorted(ascending, wanted).astype(np.int64)
    left = np.zeros(wanted.shape, np.int64)
    right = np.full(wanted.shape, ascending.shape[-1])
    for _ in range(ascending.shape[-1].bit_length()):
        middle = (left + right) // 2
        # A finished search rests at left == right, perhaps past the end.
        value = np.take_along_axis(ascending, np.minimum(middle, ascending.shape[-1] - 1), axis=-1)
        below = (value < wanted) & (left < right)
        left = np.where(below, middle + 1, left)
        right = np.where(below, right, middle)
    return left
