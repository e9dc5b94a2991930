"""Operands that nobody hands over by mistake, made from ordinary ones of the same value.

Objects whose methods change the operands of the call they are in, arrays of every layout that
NumPy has, tensors with slots deleted, numbers at the borders of the machine's.
"""

from __future__ import annotations

import contextlib
import fractions
import gc
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pellucid as torch

_INTEGERS = (
    0, -1, 1, 2, 7, 2**31 - 1, 2**31, -(2**31) - 1, 2**32, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64,
    2**70,
)  # fmt: skip
_NUMBERS = (0.0, -0.0, 1e-320, 1e308, float("inf"), float("-inf"), float("nan"), 1j, 2.0**63)
#: what a tensor has in slots, beside its elements
_SLOTS = ("_grad", "_edge", "_view", "_storage", "_extra", "_array")


class Mischief(Exception):
    """What a hostile method raises."""


class World:
    """What hostile methods can reach: the operands of the program that runs."""

    def __init__(self, rng: random.Random, tensors: dict[str, Any], tame: bool) -> None:
        self.rng = rng
        self.tensors = tensors
        self.tame = tame
        self.lists: list[list[Any]] = []
        self.arrays: list[Any] = []
        self._deep = 0

    def disturb(self) -> None:
        """Do something to the operands; at times raise."""
        if self._deep > 1:
            return
        self._deep += 1
        try:
            for _ in range(self.rng.randrange(1, 3)):
                self._one_thing()
        finally:
            self._deep -= 1

    def _one_thing(self) -> None:
        rng = self.rng
        things: list[Callable[[], Any]] = [
            self._clear_a_list, self._clear_a_list, self._fill_a_list, self._change_a_tensor,
            self._change_a_tensor, self._change_an_array, gc.collect, self._compute, self._raise,
        ]  # fmt: skip
        with contextlib.suppress(RuntimeError, TypeError, ValueError, AttributeError, IndexError):
            rng.choice(things)()

    def _raise(self) -> None:
        raise Mischief

    def _clear_a_list(self) -> None:
        if self.lists:
            self.rng.choice(self.lists).clear()

    def _fill_a_list(self) -> None:
        if self.lists:
            chosen = self.rng.choice(self.lists)
            chosen[:] = [None] * self.rng.randrange(40)

    def _tensor(self) -> Any:
        return self.rng.choice(list(self.tensors.values()))

    def _change_a_tensor(self) -> None:
        if not self.tensors:
            return
        tensor, rng = self._tensor(), self.rng
        changes: list[Callable[[], Any]] = [
            lambda: setattr(tensor, "grad", None),
            lambda: setattr(tensor, "grad", torch.ones(tensor.shape, dtype=tensor.dtype)),
            lambda: setattr(tensor, "data", torch.ones(rng.randrange(4))),
            lambda: setattr(tensor, "data", torch.ones(2, 3, dtype=torch.int64)),
            lambda: tensor.detach().resize_(0),
            lambda: tensor.detach().resize_(50),
            lambda: tensor.detach().set_(torch.ones(2)),
            lambda: tensor.detach().t_(),
            lambda: tensor.detach_(),
            lambda: tensor.requires_grad_(not tensor.requires_grad),
            lambda: tensor.detach().zero_(),
            lambda: delattr(tensor, rng.choice(_SLOTS)),
            lambda: self.tensors.pop(rng.choice(list(self.tensors))),
        ]
        rng.choice(changes)()

    def _change_an_array(self) -> None:
        if not self.arrays:
            return
        array, rng = rng_choice(self.rng, self.arrays), self.rng
        changes: list[Callable[[], Any]] = [
            lambda: array.resize(rng.randrange(3)),
            lambda: array.setflags(write=False),
            lambda: setattr(array, "shape", (array.size,)),
            lambda: setattr(array, "dtype", np.uint8),
            lambda: array.fill(0),
        ]
        rng.choice(changes)()

    def _compute(self) -> None:
        tensor = self._tensor()
        result = (tensor * 2).sum()
        if result.requires_grad:
            result.backward()


def rng_choice(rng: random.Random, values: list[Any]) -> Any:
    """Return one of the values."""
    return values[rng.randrange(len(values))]


class Hostile:
    """An object with a value, each of whose methods first disturbs the world."""

    def __init__(self, world: World, value: Any) -> None:
        self.world = world
        self.value = value

    def _meddled(self) -> Any:
        self.world.disturb()
        return self.value

    def __index__(self) -> int:
        return int(self._meddled())

    def __int__(self) -> int:
        return int(self._meddled())

    def __float__(self) -> float:
        return float(self._meddled())

    def __complex__(self) -> complex:
        return complex(self._meddled())

    def __bool__(self) -> bool:
        return bool(self._meddled())

    def __len__(self) -> int:
        return len(self._meddled())

    def __iter__(self) -> Iterator[Any]:
        for each in list(self._meddled()):
            self.world.disturb()
            yield each

    def __getitem__(self, place: Any) -> Any:
        return self._meddled()[place]

    def __eq__(self, other: object) -> bool:
        return bool(self._meddled() == other)

    def __hash__(self) -> int:
        self.world.disturb()
        return 1

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("world", "value"):
            raise AttributeError(name)
        return getattr(self._meddled(), name)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.world.disturb()


class HostileArray(Hostile):
    """An object that NumPy takes for an array."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.world.disturb()
        array = np.asarray(self.value)
        wrong = [array, array, array, array.tolist(), None, "x", self, array.astype(object)]
        return self.world.rng.choice(wrong)


class WithInterface(Hostile):
    """An object with NumPy's description of memory, which may be malformed but not dangling."""

    @property
    def __array_interface__(self) -> Any:
        self.world.disturb()
        given = dict(np.asarray(self.value).__array_interface__)
        wrong = [
            {}, {"shape": (-1,)}, {"typestr": "<q8"}, {"data": None}, {"version": 9},
            {"strides": (1,)}, {"shape": "x"}, {"descr": 5}, {"shape": (2**62, 2**62)},
        ]  # fmt: skip
        return given | self.world.rng.choice(wrong)


class WithCapsule(Hostile):
    """An object that hands over memory by DLPack, in ways that it should not."""

    def __dlpack__(self, **_: Any) -> Any:
        self.world.disturb()
        array = np.ascontiguousarray(self.value)
        used = array.__dlpack__()
        np.from_dlpack(_Holder(used))
        return self.world.rng.choice([array.__dlpack__(), used, None, "x", 5])

    def __dlpack_device__(self) -> Any:
        return self.world.rng.choice([(1, 0), (2, 0), (1,), None, "cpu"])


class _Holder:
    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class HostileTensor(torch.Tensor):
    """A tensor whose class takes part in calls."""

    world: World

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for each in args:
            if isinstance(each, cls) and hasattr(each, "world"):
                each.world.disturb()
        return super().__torch_function__(func, types, args, kwargs or {})


class OddList(list[Any]):
    """A list whose length and elements take part in calls."""

    def __len__(self) -> int:
        return super().__len__() + 1

    def __iter__(self) -> Iterator[Any]:
        self.clear()
        return super().__iter__()


class OddInt(int):
    """An integer of a class of its own."""


class OddStr(str):
    """A text of a class of its own."""

    __slots__ = ()


# ---- arrays of every layout -------------------------------------------------------------------


def arranged(rng: random.Random, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the values of an array in a layout that is rare."""
    match rng.randrange(11):
        case 0:
            return unaligned(array)
        case 1:
            return array.astype(array.dtype.newbyteorder())
        case 2:
            made = array.copy()
            made.setflags(write=False)
            return made
        case 3:
            every = (slice(None, None, -1),) * array.ndim
            return array[every].copy()[every]
        case 4:
            return np.broadcast_to(array[(0,) * array.ndim] if array.size else 0.5, array.shape)
        case 5:
            wide = np.repeat(array, 2, -1) if array.ndim else array
            return wide[..., ::2] if array.ndim else wide
        case 6:
            return overlapping(array)
        case 7:
            return array.astype(rng.choice(["O", "S3", "U4", "V4", "M8[s]", "g", "G", "e", "b"]))
        case 8:
            return np.asfortranarray(array)
        case 9:
            return np.zeros(rng.choice([(0, 2**40), (2**31, 0), (1,) * 32, (0,) * 5]))
        case _:
            return np.array(array[..., None])


def unaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a copy that begins at an odd address."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    made = memory[1:].view(array.dtype)[: array.size].reshape(array.shape)
    made[...] = array
    return made


def overlapping(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array of the same size, each row of which begins within the one before."""
    steps = tuple(array.itemsize for _ in array.shape)
    memory = np.resize(array.reshape(-1), sum(array.shape) + 1)
    return np.lib.stride_tricks.as_strided(memory, array.shape, steps)


# ---- odd versions of what a call is given -----------------------------------------------------


def odd(world: World, value: Any) -> Any:
    """Return an odd version of an operand or parameter, often of the same value."""
    with contextlib.suppress(Exception):
        made = _odd(world, value)
        if isinstance(made, list):
            world.lists.append(made)
        elif isinstance(made, np.ndarray):
            world.arrays.append(made)
        return made
    return value


def _odd(world: World, value: Any) -> Any:
    rng = world.rng
    if not world.tame and rng.random() < 0.25:
        return Hostile(world, value)
    if isinstance(value, torch.Tensor):
        return _odd_tensor(world, value)
    if isinstance(value, bool):
        return rng.choice([OddInt(value), np.bool_(value), None, int(value), "x", 2**64])
    if isinstance(value, int):
        return _odd_integer(world, value)
    if isinstance(value, float):
        choices = [*_NUMBERS, np.float16(value), fractions.Fraction(1, 3), "x", 10**400]
        return rng.choice(choices)
    if isinstance(value, tuple | list):
        return _odd_sequence(world, value)
    if isinstance(value, str):
        return rng.choice([OddStr(value), "", "\0", value * 50, value.encode(), None, "\ud800"])
    return rng.choice([None, 5, "x", (), [], {}, object(), ..., NotImplemented, torch.Tensor, len])


def _odd_integer(world: World, value: int) -> Any:
    rng = world.rng
    choices = [OddInt(value), np.int64(value), np.uint8(abs(value) % 256), float(value), True, None]
    return rng.choice([*choices, rng.choice(_INTEGERS), rng.choice(_INTEGERS), np.array(value)])


def _odd_sequence(world: World, value: Any) -> Any:
    rng = world.rng
    values = list(value)
    hostile = values if world.tame else [Hostile(world, each) for each in values]
    circle: list[Any] = []
    circle.append(circle)
    return rng.choice([
        values, hostile, tuple(hostile), OddList(values), circle, values * 100, (), iter(values),
        np.array(values, object), {each: each for each in range(len(values))},
        [rng.choice(_INTEGERS) for _ in values], tuple(rng.choice(_INTEGERS) for _ in values),
        [odd(world, each) for each in values], tuple(odd(world, each) for each in values),
        range(2**62), (2**31,) * 65,
    ])  # fmt: skip


def _odd_tensor(world: World, value: Any) -> Any:
    rng = world.rng
    array = value.detach().numpy()
    kind = rng.randrange(12)
    if kind < 4:
        made = torch.from_numpy(arranged(rng, array))
        return made.requires_grad_() if value.requires_grad and rng.random() < 0.5 else made
    if kind == 4:
        return arranged(rng, array)
    if kind == 5 and not world.tame:
        made = value.detach().clone()
        for slot in rng.sample(_SLOTS, 2):
            with contextlib.suppress(AttributeError):
                delattr(made, slot)
        return made
    if kind == 6 and not world.tame:
        return torch.Tensor.__new__(rng.choice([torch.Tensor, torch.nn.Parameter]))
    if kind == 7 and not world.tame:
        made = value.detach().as_subclass(HostileTensor)
        made.world = world
        return made
    if kind == 8:
        return value[None].expand(3, *value.shape)[0].to(rng.choice([torch.float16, torch.int8]))
    if kind == 9 and not world.tame:
        return rng.choice([HostileArray, WithInterface, WithCapsule])(world, array)
    if kind == 10:
        return value.new_empty(rng.choice([(0,), (1,), (0, 3), (2, 0, 3), (1, 1, 1, 1, 1, 1)]))
    return rng.choice(
        [array.tolist(), array.item() if array.size == 1 else None, "x", 1.5, value.t]
    )
