"""The raw numbers of a stream: the Mersenne Twister, its seeds, its state and its draws.

The numbers are those of MT19937 (Matsumoto and Nishimura, 1998), which NumPy provides; the state is
laid out as PyTorch lays it out.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final, Self

import numpy as np

from pellucid._native import compiled
from pellucid.errors import ArgumentError, ArgumentTypeError

__all__ = ["DEFAULT_SEED", "Twister", "native", "unforeseen_seed"]

DEFAULT_SEED = 67280421310721
"""The seed of a generator that was given none."""

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

# The twister's own numbers come with less ado, but take twice the memory.
_FEW_DRAWS = 4096


# Note [Random numbers and fork]
# A child of fork has the locks as they were, and none of the threads that would release them. So
# whoever forks takes the locks of all streams first: no other thread is drawing then, and the child
# finds each stream in one piece. Python's locks of modules that are being imported are waited for.
_streams: dict[int, weakref.ref[Twister]] = {}
_held: list[Any] = []
_NEEDED = "pellucid.", "numpy.", "scipy."
#: Python's locks of the modules that are being imported, by name
_import_locks: dict[str, Any] = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
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
    _finish_imports()


def _finish_imports() -> None:
    """Wait while other threads import what drawing needs: a child would wait for ever."""
    own = threading.get_ident()
    while True:
        locks = ((name, reference()) for name, reference in list(_import_locks.items()))
        waiting = [
            name for name, lock in locks
            if name.startswith(_NEEDED) and getattr(lock, "owner", None) not in (None, own)
        ]  # fmt: skip
        if not waiting:
            return
        for name in waiting:
            with contextlib.suppress(ImportError):  # that thread hears of it
                importlib.import_module(name)


def _release_streams() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_streams, after_in_parent=_release_streams, after_in_child=_release_streams
    )


class Twister:
    """Numbers of 32 bits, of 64 bits, and from [0, 1), as PyTorch draws them from the same seed."""

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
        _learn_twister()
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
        self.manual_seed(unforeseen_seed())
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

        Raises ``TypeError`` if ``state`` is not of bytes, ``RuntimeError`` if they are not a state.
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

    def position(self) -> tuple[Any, ...]:
        """Return where the stream is, for `return_to`: quicker than the whole state in bytes."""
        kept = self._untouched, self._spare_normal, self._spare_float_normal
        words = NotImplemented
        if native is not None:
            with self.lock:
                words = native.twister_words(self._capsule)
        engine = self._engine.get_state(legacy=False) if words is NotImplemented else words
        return engine, self._seed, kept

    def return_to(self, position: tuple[Any, ...]) -> None:
        """Go on from where the stream was when `position` returned this."""
        engine, self._seed, kept = position
        if isinstance(engine, bytes):
            with self.lock:
                native.set_twister_words(self._capsule, engine)
        else:
            self._engine.set_state(engine)
        self._untouched, self._spare_normal, self._spare_float_normal = kept

    def clone(self) -> Self:
        """Return an independent stream that continues as this one does."""
        copied = type(self)(self._seed)
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


@functools.cache
def _learn_twister() -> None:
    """Show the compiled module a twister, by which it learns whether to read them in memory."""
    if native is None:
        return
    twister = np.random.MT19937(0)
    twister.random_raw(3)
    state = twister.state["state"]
    words = state["key"].astype(np.uint32).tobytes() + np.int32(state["pos"]).tobytes()
    native.learn_twister(twister, words)


def unforeseen_seed() -> int:
    """Return a seed that nobody can foresee."""
    return int.from_bytes(os.urandom(8))
