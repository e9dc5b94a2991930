"""The stream of random numbers behind a ``Generator``: PyTorch's CPU stream, draw for draw.

The raw numbers are those of the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), which
NumPy provides. What this module adds is how PyTorch 2.13 turns them into samples: how many draws a
sample takes, which of their bits, which formula, and what is kept for the next call. PyTorch does
not promise to keep this from release to release.

In half and single precision the samples are PyTorch's bit for bit. In double precision logarithms
come from whatever mathematical library NumPy was built with, and may differ in the last bits.

Two words are used throughout: a *draw* is one number of 32 bits; a *wide draw* is two of them, the
first in the upper half.
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from pellucid._native import compiled
from pellucid.dtypes import largest
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.kernels.active import cpu
from pellucid.kernels.random import single_precision

__all__ = ["DEFAULT_SEED", "TYPE_NAMES", "MersenneStream", "default", "write_in_memory_order"]

DEFAULT_SEED = 67280421310721
"""The seed of a generator that was given none."""

Shape = int | Sequence[int]

#: the compiled kernels, None where there are none
native: Final[Any] = None if compiled is None else compiled.kernels

_STATE_SIZE = 624
_STATE_DTYPE = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("key", "<u8", (_STATE_SIZE,)),
        ("unused_x", "<f8"),
        ("spare_normal", "<f8"),
        ("unused_rho", "<f8"),
        ("has_spare_normal", "<i4"),
        ("padding", "V4"),
        ("spare_float_normal", "<f4"),
        ("has_spare_float_normal", "?"),
        ("end_padding", "V3"),
    ]
)

_MANTISSA_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_C_NAMES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
}
#: what PyTorch's messages call the dtypes
TYPE_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}
# From this many values on, a remainder of 32 bits would visibly favour small numbers.
_WIDE_RANGE = 1 << 28
_WIDE_PERMUTATION = ((1 << 32) - 1) // 20
# Normal numbers are made in groups of 16, this many groups at a time: the scratch stays in cache.
_GROUPS_AT_ONCE = 1024
_MOST_CATEGORIES = 1 << 24
# The twister's own numbers come with less ado, but take twice the memory.
_FEW_DRAWS = 4096


# Note [Random numbers and fork]
# A child of fork has the locks as they were, and none of the threads that would release them. So
# whoever forks takes the locks of all streams first: no other thread is drawing then, and the child
# finds each stream in one piece.
_streams: dict[int, weakref.ref[MersenneStream]] = {}
_held: list[Any] = []
_starting = threading.RLock()


def _hold_streams() -> None:
    _starting.acquire()
    _held.append(_starting)
    for reference in list(_streams.values()):
        stream = reference()
        if stream is not None:
            lock = stream.lock
            lock.acquire()
            _held.append(lock)


def _release_streams() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_streams, after_in_parent=_release_streams, after_in_child=_release_streams
    )


class MersenneStream:
    """The random numbers that PyTorch's CPU generator draws from the same seed.

    Every method returns a new array in C order. Given a ``dtype``, it is the dtype of the result;
    the stream advances exactly as PyTorch's does for that dtype and size.

    >>> stream = MersenneStream(0)
    >>> stream.normal(7, np.float32)[:3]
    array([ 1.5409961, -0.2934289, -2.1787894], dtype=float32)
    """

    __slots__ = (
        "__weakref__", "_capsule", "_engine", "_raw", "_seed", "_spare_float_normal",
        "_spare_normal", "_untouched", "lock",
    )  # fmt: skip

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self._set_seed(seed)
        key = id(self)
        _streams[key] = weakref.ref(self, lambda _: _streams.pop(key, None))

    def __getattr__(self, name: str) -> Any:
        # A stream starts when something is first asked of it: NumPy's generators load slowly.
        if name not in ("_capsule", "_engine", "_raw", "lock"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with _starting:
            try:
                return object.__getattribute__(self, name)
            except AttributeError:  # no other thread has just done it
                self._start()
        return object.__getattribute__(self, name)

    # ----------------------------------------------------------------------------------- state

    def manual_seed(self, seed: int) -> None:
        """Start the stream that belongs to ``seed``, from -2**63 to 2**64 - 1.

        Seeds are kept modulo 2**64; the lower 32 bits choose the stream. Raises ``ArgumentError``
        for any other integer.
        """
        self._set_seed(seed)
        self._engine.seed(seed & 0xFFFFFFFF)

    def _set_seed(self, seed: int) -> None:
        if not -(1 << 63) <= seed < 1 << 64:
            raise ArgumentError(
                f"Overflow when unpacking long long. The seed is {seed}; "
                "give an integer from -2**63 to 2**64 - 1."
            )
        self._seed = seed % (1 << 64)
        self._spare_normal: float | None = None
        self._spare_float_normal: float | None = None
        self._untouched = True

    def _start(self) -> None:
        twister = np.random.MT19937(0)
        engine = np.random.RandomState(twister)
        engine.seed(self._seed & 0xFFFFFFFF)
        self._engine, self._raw = engine, twister.random_raw
        #: where compiled code finds the twister
        self._capsule = twister.capsule
        #: NumPy's, held while numbers are drawn
        self.lock = twister.lock

    def seed(self) -> int:
        """Start a stream that nobody can foresee, and return its seed."""
        self.manual_seed(_unforeseen_seed())
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed that the stream was started with."""
        return self._seed

    def get_state(self) -> np.ndarray:
        """Return the whole state as 5056 bytes, laid out as PyTorch lays them out."""
        engine = self._engine.get_state(legacy=False)["state"]
        position = int(engine["pos"])
        state = np.zeros((), _STATE_DTYPE)
        state["seed"] = self._seed
        state["left"] = _STATE_SIZE + 1 - position
        state["seeded"] = 1
        state["next"] = 0 if self._untouched else position
        state["key"] = engine["key"]
        state["has_spare_normal"] = self._spare_normal is not None
        state["spare_normal"] = self._spare_normal or 0.0
        state["has_spare_float_normal"] = self._spare_float_normal is not None
        state["spare_float_normal"] = self._spare_float_normal or 0.0
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> None:
        """Continue from a state that ``get_state`` returned, here or in PyTorch.

        Raises ``TypeError`` if ``state`` is not of bytes, ``RuntimeError`` if they are no state.
        """
        if state.dtype != np.uint8:
            raise ArgumentTypeError(
                f"RNG state must be a torch.ByteTensor, and this one has dtype {state.dtype}."
            )
        if state.size != _STATE_DTYPE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE_DTYPE.itemsize} "
                f"but found the input RNG state size to be {state.size}"
            )
        record = np.frombuffer(state.tobytes(), _STATE_DTYPE)[0]
        left, following = int(record["left"]), int(record["next"])
        untouched = left == 1 and following == 0
        in_step = 1 <= left <= _STATE_SIZE and following == _STATE_SIZE + 1 - left
        if record["seeded"] != 1 or not (untouched or in_step):
            raise RuntimeError(
                f"Invalid mt19937 state. It says that {left} numbers are left from place "
                f"{following} on, which cannot be; pass what get_state() returned."
            )
        position = _STATE_SIZE if untouched else following
        engine = self._engine.get_state(legacy=False)
        engine["state"] = {"key": record["key"].astype(np.uint32), "pos": position}
        self._engine.set_state(engine)
        self._seed = int(record["seed"])
        self._untouched = untouched
        self._spare_normal = float(record["spare_normal"]) if record["has_spare_normal"] else None
        self._spare_float_normal = (
            float(record["spare_float_normal"]) if record["has_spare_float_normal"] else None
        )

    def clone(self) -> MersenneStream:
        """Return an independent stream that continues as this one does."""
        copied = MersenneStream(self._seed)
        copied.set_state(self.get_state())
        return copied

    # ----------------------------------------------------------------------------------- draws

    def drawn(self, draw: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a compiled function draws; NotImplemented where it does not take that.

        The function is given the twister and the arguments, and returns also how much it has drawn.
        """
        with self.lock:
            found = draw(self._capsule, *arguments)
        if found is NotImplemented:
            return found
        result, used = found
        self._untouched = self._untouched and not used
        return result

    def _draws(self, count: int) -> np.ndarray:
        """Take ``count`` draws, as uint32."""
        self._untouched = self._untouched and count == 0
        if count < _FEW_DRAWS:
            return self._raw(count).astype(np.uint32)
        return self._engine.randint(0, 1 << 32, size=count, dtype=np.uint32)

    def _wide_draws(self, count: int) -> np.ndarray:
        """Take ``count`` wide draws, as uint64."""
        pairs = self._draws(2 * count).reshape(count, 2)
        wide = pairs[:, 0].astype(np.uint64)
        wide <<= np.uint64(32)
        wide |= pairs[:, 1]
        return wide

    def _unit_floats(self, count: int) -> np.ndarray:
        """Draw from [0, 1) in steps of 2**-24."""
        if native is not None:
            return self.drawn(native.draw_floats, count)
        mantissas = self._draws(count) & np.uint32((1 << 24) - 1)
        return mantissas.astype(np.float32) * np.float32(2.0**-24)

    def _unit_doubles(self, count: int) -> np.ndarray:
        """Draw from [0, 1) in steps of 2**-53."""
        if native is not None:
            return self.drawn(native.draw_doubles, count)
        mantissas = self._wide_draws(count)
        mantissas &= np.uint64((1 << 53) - 1)
        return mantissas.astype(np.float64) * 2.0**-53

    # --------------------------------------------------------------------------------- uniform

    def uniform(
        self, shape: Shape, dtype: np.typing.DTypeLike, low: float = 0.0, high: float = 1.0
    ) -> np.ndarray:
        """Draw uniformly from [low, high).

        Raises ``NotImplementedError`` for a dtype that is not of floating point or complex, and
        ``RuntimeError`` if ``low > high`` or the interval is too long for the dtype.
        """
        dtype = np.dtype(dtype)
        _require_inexact(dtype, "check_uniform_bounds")
        _check_interval(low, high, dtype)
        if dtype.kind == "c":
            parts = self.uniform(2 * _size(shape), _real_dtype(dtype), low, high)
            return parts.view(dtype).reshape(shape)
        count = _size(shape)
        if dtype == np.float64:
            values = _double_fused_multiply_add(self._unit_doubles(count), high - low, low)
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
        _require_inexact(dtype, "normal_kernel_cpu")
        if dtype.kind == "c":
            count, part_std = 2 * _size(shape), std / math.sqrt(2.0)
            parts = self.normal(count, _real_dtype(dtype), mean, part_std, contiguous=contiguous)
            return parts.view(dtype).reshape(shape)
        count = _size(shape)
        if count < 16 or not contiguous:
            values = _double_fused_multiply_add(self._standard_normals(count), std, mean)
            return _cast(values, dtype).reshape(shape)
        if dtype == np.float64:
            values = _in_groups(
                _grouped_doubles, self._group_uniforms(count, np.float64), mean, std
            )
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
        _require_floating(dtype, "log_normal_cpu")
        normals = _double_fused_multiply_add(self._standard_normals(_size(shape)), std, mean)
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
        _check_integer_bounds(low, high, dtype)
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
        if dtype.kind == "c" or dtype.name in ("uint16", "uint32", "uint64"):
            raise _not_implemented("random_kernel_cpu", dtype)
        if dtype == np.bool_:
            return (self._draws(count) & np.uint32(1)).astype(np.bool_).reshape(shape)
        if dtype.kind in "fV":
            span = (1 << _MANTISSA_BITS[dtype.name]) + 1
        else:
            span = int(np.iinfo(dtype).max) + 1
        draw = self._wide_draws if dtype.name in ("int64", "float64") else self._draws
        draws = draw(count)
        return (draws % draws.dtype.type(span)).astype(dtype).reshape(shape)

    def permutation(self, n: int, dtype: np.typing.DTypeLike = np.int64) -> np.ndarray:
        """Return 0, 1, ..., n - 1 in random order.

        Raises ``RuntimeError`` if n is negative or the dtype cannot count to it.
        Source: the shuffle of R. A. Fisher and F. Yates, 1938.
        """
        dtype = np.dtype(dtype)
        _check_permutation(n, dtype)
        if n < 2:
            return np.arange(n, dtype=dtype)
        places = np.arange(n)
        if n < _WIDE_PERMUTATION:
            partners = places.copy()
            partners[:-1] += self._draws(n - 1) % (n - places[:-1]).astype(np.uint32)
        else:
            partners = self._wide_draws(n) % (places + 1).astype(np.uint64)
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
        if dtype.kind == "c":
            raise _not_implemented("bernoulli_scalar_cpu_", dtype)
        shape = () if shape is None else shape
        return (self._unit_doubles(_size(shape)) < p).astype(dtype).reshape(shape)

    def _bernoulli_by_array(
        self, p: np.ndarray, shape: Shape, dtype: np.typing.DTypeLike | None
    ) -> np.ndarray:
        dtype = np.dtype(p.dtype if dtype is None else dtype)
        _require_floating(p.dtype, "bernoulli_tensor_cpu_p_")
        if dtype.kind == "c":
            raise _not_implemented("bernoulli_tensor_cpu_self_", dtype)
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
        _require_continuous(dtype, "Exponential", TYPE_NAMES)
        if native is not None:
            waits = self.drawn(native.draw_exponentials, _size(shape), float(rate))
        else:
            waits = -1.0 / rate * np.log1p(-self._unit_doubles(_size(shape)))
        return _cast(waits, dtype).reshape(shape)

    def geometric(self, shape: Shape, dtype: np.typing.DTypeLike, p: float) -> np.ndarray:
        """Draw how many trials the first success takes; raise ``RuntimeError`` unless 0 < p < 1."""
        dtype = np.dtype(dtype)
        if not 0.0 < p < 1.0:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
        if dtype.kind in "bc":
            raise _not_implemented("geometric_cpu", dtype)
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
        _require_continuous(dtype, "Cauchy", _C_NAMES)
        tangents = np.tan(math.pi * (self._unit_doubles(_size(shape)) - 0.5))
        return _cast(_double_fused_multiply_add(tangents, sigma, median), dtype).reshape(shape)

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
        _check_multinomial(probabilities, n, replacement)
        if probabilities.shape[0] == 0 and probabilities.ndim == 2:
            return np.zeros((0, n), np.int64)
        # One sample is the same with and without, and the way without is the shorter one.
        if replacement and n > 1:
            _check_cumulative_weights(probabilities)
            return self._multinomial_with_replacement(probabilities, n)
        _check_weights(probabilities)
        return self._multinomial_without_replacement(probabilities, n)

    def _multinomial_without_replacement(self, weights: np.ndarray, n: int) -> np.ndarray:
        waits = self.exponential(weights.shape, weights.dtype)
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
        cumulative = np.cumsum(weights, axis=-1, dtype=work_dtype)
        cumulative /= cumulative[..., -1:].copy()
        cumulative[..., -1] = 1
        uniforms = self._unit_doubles(math.prod(weights.shape[:-1]) * n)
        return _first_not_below(cumulative, uniforms.reshape(*weights.shape[:-1], n))


def _unforeseen_seed() -> int:
    return int.from_bytes(os.urandom(8))


default = MersenneStream(_unforeseen_seed())
"""The stream used where no generator is named; like PyTorch's, it starts anew in every process."""


def write_in_memory_order(target: np.ndarray, values: np.ndarray) -> None:
    """Fill ``target`` with ``values``, of as many elements, in the order of its memory.

    That is the order in which PyTorch fills a tensor that is not contiguous.
    """
    order = sorted(range(target.ndim), key=lambda axis: -target.strides[axis])
    in_memory_order = target.transpose(order)
    in_memory_order[...] = values.reshape(in_memory_order.shape)


# -------------------------------------------------------------------------------- computation


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


def _double_fused_multiply_add(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """Compute ``a * b + c`` in double precision, rounding (all but always) only once.

    The rounding errors of the product and of the sum are computed exactly and added at the end.
    Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971.
    """
    if b == 1.0 and c == 0.0:
        return a
    with np.errstate(over="ignore", invalid="ignore"):
        product = a * b
        total = product + c
        if b == 1.0 or c == 0.0:
            return total
        a_high, b_high = _upper_half(a), _upper_half(np.float64(b))
        a_low, b_low = a - a_high, b - b_high
        error = a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low
        shift = total - product
        error += (product - (total - shift)) + (c - shift)
        # Splitting fails only where numbers are so large that their halves overflow.
        return np.where(np.isfinite(error), total + error, total)


def _upper_half(x: np.ndarray | np.float64) -> np.ndarray | np.float64:
    """Return the leading 26 bits of the mantissa."""
    scaled = x * 134217729.0  # 2**27 + 1
    return scaled - (scaled - x)


def _in_groups(transform, uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Transform rows of sixteen uniforms into normals, a cache's worth of rows at a time."""
    normals = np.empty_like(uniforms)
    for start in range(0, len(uniforms), _GROUPS_AT_ONCE):
        rows = slice(start, start + _GROUPS_AT_ONCE)
        normals[rows] = transform(uniforms[rows], mean, std)
    return normals


def _grouped_doubles(uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Pair column j with column j + 8 by the method of Box and Muller, in double precision."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniforms[:, :8]))
    angle = 2.0 * math.pi * uniforms[:, 8:]
    normals = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return _double_fused_multiply_add(normals, std, mean)


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


# -------------------------------------------------------------------------------------- checks


def _not_implemented(kernel: str, dtype: np.dtype) -> NotImplementedError:
    name = TYPE_NAMES.get(dtype.name, dtype.name)
    return NotImplementedError(f"\"{kernel}\" not implemented for '{name}'")


def _require_floating(dtype: np.dtype, kernel: str) -> None:
    if dtype.kind not in "fV":
        raise _not_implemented(kernel, dtype)


def _require_inexact(dtype: np.dtype, kernel: str) -> None:
    if dtype.kind not in "fcV":
        raise _not_implemented(kernel, dtype)


def _require_continuous(dtype: np.dtype, distribution: str, names: dict[str, str]) -> None:
    if dtype.kind not in "fV":
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be "
            f"a floating point but you specified {names.get(dtype.name, dtype.name)}"
        )


def _check_interval(low: float, high: float, dtype: np.dtype) -> None:
    limit = largest(dtype)
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(
                f"{name} is out of bounds for {TYPE_NAMES[dtype.name]}: {bound:g} is not between "
                f"{-limit:g} and {limit:g}."
            )
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if high - low > limit:
        raise RuntimeError(
            "uniform_ expects to-from <= std::numeric_limits<"
            f"{TYPE_NAMES[dtype.name]}>::max(), but found to={high:g} and from={low:g} "
            "which result in to-from to exceed the limit"
        )


def _check_integer_bounds(low: int, high: int, dtype: np.dtype) -> None:
    if dtype.kind == "c":
        raise RuntimeError(
            "check_random_bounds handles only integral, floating-point and boolean types, "
            f"and the dtype is {dtype.name}."
        )
    if dtype == np.bool_:
        least, most = 0, 1
    elif dtype.kind in "fV":
        most = int(largest(dtype))
        least = -most
    else:
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    name = _C_NAMES.get(dtype.name, dtype.name)
    if not least <= low <= most:
        raise RuntimeError(f"from is out of bounds for {name}: {low} is not in [{least}, {most}].")
    if not least <= high - 1 <= most:
        raise RuntimeError(
            f"to - 1 is out of bounds for {name}: {high - 1} is not in [{least}, {most}]."
        )


def _check_permutation(n: int, dtype: np.dtype) -> None:
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype.kind not in "iufV":
        raise _not_implemented("randperm", dtype)
    if dtype.kind in "fV":
        most = (1 << _MANTISSA_BITS[dtype.name]) + 1
    else:
        most = int(np.iinfo(dtype).max)
    if n > most:
        raise RuntimeError(f"n cannot be greater than {most} for {TYPE_NAMES[dtype.name]} type.")


def _check_multinomial(probabilities: np.ndarray, n: int, replacement: bool) -> None:
    if probabilities.ndim not in (1, 2):
        raise RuntimeError(
            f"prob_dist must be 1 or 2 dim, and the shape is {list(probabilities.shape)}."
        )
    if probabilities.dtype.kind not in "fV":
        name = TYPE_NAMES.get(probabilities.dtype.name, probabilities.dtype.name)
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {name}"
        )
    if n <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples: n_sample is {n}.")
    categories = probabilities.shape[-1]
    if not replacement and n > categories:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{n} samples of {categories} categories. Draw fewer, or pass replacement=True."
        )
    if categories > _MOST_CATEGORIES:
        raise RuntimeError(f"number of categories cannot exceed 2^24, and there are {categories}.")


def _check_weights(probabilities: np.ndarray) -> None:
    if not bool(np.all((probabilities >= 0) & (probabilities < np.inf))):
        raise RuntimeError(
            "probability tensor contains either `inf`, `nan` or element < 0: its values reach "
            f"from {probabilities.min():g} to {probabilities.max():g}."
        )
    _check_sums(probabilities)


def _check_cumulative_weights(probabilities: np.ndarray) -> None:
    if not bool(np.all(probabilities >= 0)):
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry < 0): "
            f"the least is {probabilities.min():g}."
        )
    if not bool(np.all(np.isfinite(probabilities))):
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
        )
    _check_sums(probabilities)


def _check_sums(probabilities: np.ndarray) -> None:
    if not bool(np.all(np.any(probabilities > 0, axis=-1))):
        raise RuntimeError(
            "invalid multinomial distribution (sum of probabilities <= 0): "
            "a row needs at least one positive weight."
        )
