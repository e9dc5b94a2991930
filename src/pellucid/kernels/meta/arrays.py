"""Arrays of the meta device: shape, dtype and strides of an array, and no values.

Note [Arrays without values]
A `MetaArray` is a NumPy array over addresses that are reserved and never used, so that the system
gives no memory for them: views, strides and offsets are NumPy's own. What would read or write the
elements asks the class instead, by NumPy's protocols (``__array_ufunc__``, ``__array_function__``)
and by the methods that are overridden here, and gets an array without values of the right shape.
Where dtype and order in memory are NumPy's to say, NumPy is asked with the arrays' *corners*, which
have the same strides and at most two elements along each dimension.

The compiled module takes exact arrays only, and Python's short path asks `is_meta` once there has
been such an array: without one, no call of an op does more than before.
"""

from __future__ import annotations

import functools
import mmap
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import prod
from typing import Any, ClassVar

import numpy as np

from pellucid.dtypes import is_complex_dtype
from pellucid.errors import UnimplementedError
from pellucid.observe import slow_path

Shape = tuple[int, ...]

#: addresses to reserve; half as many where the system refuses, and so on
_MOST_ADDRESSES = 1 << 46
_FEWEST_ADDRESSES = 1 << 28
_ALIGNMENT = 64
#: not to count what is reserved as used, where the system knows the difference
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


class NoValues(UnimplementedError):
    """What is asked for depends on values, and there are none."""

    def __init__(self, text: str = "Tensor.item() cannot be called on meta tensors") -> None:
        super().__init__(text)


class _Addresses:
    """Addresses that look like memory and never become any; those given out differ."""

    def __init__(self) -> None:
        self.next = 0

    @functools.cached_property
    def reserved(self) -> mmap.mmap:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
        size = _MOST_ADDRESSES
        while True:
            try:
                return mmap.mmap(-1, size, flags=flags)
            except (OSError, ValueError):
                size >>= 1
                if size < _FEWEST_ADDRESSES:
                    raise

    @functools.cached_property
    def bounds(self) -> tuple[int, int]:
        """The first address, and the one after the last."""
        start = np.frombuffer(self.reserved, np.uint8, 1).ctypes.data
        return start, start + len(self.reserved)

    def take(self, count: int) -> int:
        """Return the offset of this many bytes; those of arrays long gone come again."""
        if count > len(self.reserved):
            raise MemoryError(f"an array of {count} bytes exceeds the addresses of a process")
        offset = self.next if self.next + count <= len(self.reserved) else 0
        self.next = offset + count + -count % _ALIGNMENT
        return offset

    def hold(self, array: Any) -> bool:
        """Return whether an array lies here."""
        start, end = self.bounds
        return start <= array.ctypes.data < end


_addresses = _Addresses()


#: without its type hints, which the overriding methods below cannot follow
_Array: Any = np.ndarray


class MetaArray(_Array):
    """An array that has no values; see Note [Arrays without values]."""

    #: what a call of an op on such arrays means; `pellucid.interpreters.meta` sets it
    interpreter: ClassVar[Any] = None
    #: the answer to kernels that ask whether something is wrong with the values (nothing is), or
    #: whether all are right
    is_taken_for: bool = False

    # ---- NumPy's protocols ------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        outs = options.pop("out", ())
        if method == "at":
            return None
        with np.errstate(all="ignore"):
            given = {name: corner(value) for name, value in options.items()}
            found = getattr(ufunc, method)(*map(corner, inputs), **given)
        shapes = _ufunc_shapes(ufunc, method, inputs, options)
        if not isinstance(found, tuple):
            result = outs[0] if outs else grown(found, shapes[0])
            if ufunc is np.logical_and and method == "reduce":
                result.is_taken_for = True
            return result
        outs = outs or (None,) * len(found)
        results = zip(outs, found, shapes, strict=True)
        return tuple(grown(each, shape) if out is None else out for out, each, shape in results)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from pellucid.kernels.meta.numpy_rules import RULES

        rule = RULES.get(func)
        if rule is not None:
            return rule(*args, **kwargs)
        return as_meta(super().__array_function__(func, types, args, kwargs))

    # ---- looking, and gathering -------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, np.ndarray | list) for part in parts):
            return empty(gathered_shape(self.shape, parts), self.dtype)
        return super().__getitem__(parts if Ellipsis in parts else (*parts, ...))

    def __setitem__(self, index: Any, value: Any) -> None:
        parts = index if isinstance(index, tuple) else (index,)
        if not any(isinstance(part, np.ndarray | list) for part in parts):
            np.broadcast_shapes(np.shape(value), super().__getitem__(index).shape)

    def reshape(self, *shape: Any, order: Any = "C", copy: bool | None = None) -> Any:
        try:
            return super().reshape(*shape, order=order, copy=False)
        except ValueError:
            if copy is False:
                raise
        stand_in = np.broadcast_to(np.zeros((), np.bool_), self.shape)
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return empty(_reshaped(stand_in.size, tuple(shape)), self.dtype)

    # ---- what copies ------------------------------------------------------------------------

    def copy(self, order: Any = "C") -> MetaArray:
        return grown(corner(self).copy(order), self.shape)

    def astype(
        self, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> MetaArray:  # fmt: skip
        if not copy and self.dtype == dtype:
            return self
        return grown(corner(self).astype(dtype, order, casting), self.shape)

    def flatten(self, order: Any = "C") -> MetaArray:
        return empty((self.size,), self.dtype)

    def ravel(self, order: Any = "C") -> Any:
        return self.reshape(-1)

    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
        taken = np.shape(indices)
        if axis is None:
            return empty(taken, self.dtype)
        axis %= self.ndim
        return empty((*self.shape[:axis], *taken, *self.shape[axis + 1 :]), self.dtype)

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        flat = self.reshape(-1) if axis is None else self
        axis = 0 if axis is None else axis % self.ndim
        if is_meta(repeats):
            raise NoValues
        counts = np.broadcast_to(repeats, (flat.shape[axis],))
        count = flat.shape[axis] * int(repeats) if np.ndim(repeats) == 0 else int(counts.sum())
        return empty((*flat.shape[:axis], count, *flat.shape[axis + 1 :]), self.dtype)

    def argsort(self, axis: Any = -1, *options: Any, **named: Any) -> Any:
        return empty(self.shape if axis is not None else (self.size,), np.intp)

    argpartition = argsort

    def argmax(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        return empty(_reduced(self.shape, axis, keepdims), np.intp)

    argmin = argmax

    def searchsorted(self, v: Any, *options: Any, **named: Any) -> Any:
        return empty(np.shape(v), np.intp)

    def dot(self, b: Any, out: Any = None) -> Any:
        return np.matmul(self, b)

    def sort(self, *options: Any, **named: Any) -> None:
        """Do nothing: there are no values to put in order."""

    fill = partition = put = itemset = sort

    @property
    def real(self) -> Any:
        return super().real if is_complex_dtype(self.dtype) else self

    @property
    def imag(self) -> Any:
        return super().imag if is_complex_dtype(self.dtype) else np.zeros_like(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        pass

    @real.setter
    def real(self, value: Any) -> None:
        pass

    # ---- what tells values ------------------------------------------------------------------

    def item(self, *args: Any) -> Any:
        raise NoValues

    def nonzero(self) -> Any:
        raise NoValues

    tolist = tobytes = __int__ = __float__ = __complex__ = __index__ = item

    def __bool__(self) -> bool:
        return self.is_taken_for

    def __contains__(self, value: Any) -> bool:
        raise NoValues

    def __repr__(self) -> str:
        return f"MetaArray(shape={self.shape}, dtype={self.dtype})"

    __str__ = __repr__

    # ---- copies and pickles -----------------------------------------------------------------

    def __deepcopy__(self, memo: Any) -> MetaArray:
        return strided(self.shape, self.dtype, self.strides)

    def __copy__(self) -> Any:
        return self.copy("K")

    def __reduce_ex__(self, protocol: Any) -> Any:
        return strided, (self.shape, self.dtype, self.strides)


def is_meta(value: Any) -> bool:
    """Return whether a value is an array without values."""
    return value.__class__ is MetaArray


def truth_of(value: Any) -> bool:
    """Return an array's one element as a bool; raise NotImplementedError where it has none."""
    if is_meta(value):
        raise NoValues
    return bool(value)


def any_meta(values: Iterable[Any]) -> bool:
    """Return whether one of them is an array without values, or a list that holds one."""
    if not slow_path.has_meta:
        return False
    return any(
        value.__class__ is MetaArray or (value.__class__ is list and any_meta(value))
        for value in values
    )


# ---- making them ------------------------------------------------------------------------------


def empty(shape: Any, dtype: Any = np.float64) -> MetaArray:
    """Return a contiguous array without values; raise MemoryError where it is beyond all bounds."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = np.dtype(dtype)
    slow_path.note_meta()
    offset = _addresses.take(prod(shape) * dtype.itemsize)
    return np.ndarray.__new__(MetaArray, shape, dtype, _addresses.reserved, offset)


def strided(shape: Shape, dtype: Any, strides: Shape) -> MetaArray:
    """Return an array without values that has these strides, in bytes."""
    steps = zip(shape, strides, strict=True)
    span = sum((size - 1) * abs(step) for size, step in steps) if 0 not in shape else 0
    memory = empty((span + np.dtype(dtype).itemsize,), np.uint8)
    start = sum(-step * (n - 1) for n, step in zip(shape, strides, strict=True) if step < 0)
    base = memory[max(start, 0) :] if span else memory
    return np.ndarray.__new__(MetaArray, shape, dtype, base, 0, strides)


def as_meta(value: Any) -> Any:
    """Return arrays, and those in lists and tuples, without their values; else the value itself."""
    if isinstance(value, np.ndarray):
        if is_meta(value):
            return value
        if slow_path.has_meta and _addresses.hold(value):
            return value.view(MetaArray)
        return strided(value.shape, value.dtype, value.strides)
    if isinstance(value, np.generic):
        return empty((), value.dtype)
    if value.__class__ is list or value.__class__ is tuple:
        return value.__class__(map(as_meta, value))
    return value


def corner(value: Any) -> Any:
    """Return at most two elements along each dimension, as an array that NumPy computes with."""
    if not isinstance(value, np.ndarray):
        return value
    return value.view(np.ndarray)[(*[slice(2)] * value.ndim, ...)]


def grown(found: Any, shape: Shape) -> MetaArray:
    """Return what NumPy gave for corners in the size that it has for whole arrays."""
    dtype, strides = found.dtype, np.shape(found) and found.strides
    return _in_order(empty, shape, dtype, strides)


def in_memory(array: MetaArray) -> np.ndarray[Any, Any]:
    """Return an array in memory of the same shape, dtype and order, whose values are not set."""
    return _in_order(np.empty, array.shape, array.dtype, array.strides)


def _in_order(make: Callable[..., Any], shape: Shape, dtype: Any, strides: Shape) -> Any:
    """Make an array whose dimensions lie in memory in the order of these strides."""
    if all(left >= right for left, right in pairwise(strides)):
        return make(shape, dtype)
    order = sorted(range(len(shape)), key=lambda dim: -strides[dim])
    made = make([shape[dim] for dim in order], dtype)
    return made.transpose([order.index(dim) for dim in range(len(shape))])


def elementwise(kernel: Callable[..., Any]) -> Callable[..., MetaArray]:
    """Return a kernel for arrays without values of one that computes element by element."""

    @functools.wraps(kernel)
    def rule(*operands: Any, **options: Any) -> MetaArray:
        shapes = [each.shape for each in operands if isinstance(each, np.ndarray)]
        with np.errstate(all="ignore"):
            found = kernel(*map(corner, operands), **options)
        return grown(np.asarray(found), np.broadcast_shapes(*shapes))

    return rule


# ---- shapes -----------------------------------------------------------------------------------


def _ufunc_shapes(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> list[Shape]:
    """Return the shapes of what a ufunc's method gives."""
    shapes = [np.shape(each) for each in inputs]
    if method == "reduce":
        return [_reduced(shapes[0], options.get("axis", 0), options.get("keepdims", False))]
    if method == "accumulate":
        return [shapes[0]]
    if method == "outer":
        return [shapes[0] + shapes[1]]
    if method == "reduceat":
        axis = options.get("axis", 0) % len(shapes[0])
        return [(*shapes[0][:axis], len(inputs[1]), *shapes[0][axis + 1 :])]
    if ufunc.signature is not None:
        return _generalized_shapes(ufunc.signature, shapes)
    return [np.broadcast_shapes(*shapes)] * ufunc.nout


def _reduced(shape: Shape, axis: Any, keepdims: Any) -> Shape:
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    summed = {each % len(shape) for each in axes} if shape else set()
    if keepdims is True:
        return tuple(1 if dim in summed else size for dim, size in enumerate(shape))
    return tuple(size for dim, size in enumerate(shape) if dim not in summed)


def _generalized_shapes(signature: str, shapes: list[Shape]) -> list[Shape]:
    """Return the shapes that follow from a signature such as ``(n?,k),(k,m?)->(n?,m?)``."""
    given, returned = (
        [[name for name in part.split(",") if name] for part in side.strip("()").split("),(")]
        for side in signature.split("->")
    )
    sizes: dict[str, int] = {}
    loops: list[Shape] = []
    for names, shape in zip(given, shapes, strict=True):
        missing = max(len(names) - len(shape), 0)
        own = [name for name in names if not missing or not name.endswith("?")]
        core = shape[len(shape) - len(own) :]
        loops.append(shape[: len(shape) - len(own)])
        for name, size in zip(own, core, strict=True):
            if sizes.setdefault(name, size) != size:
                raise ValueError(f"sizes {sizes[name]} and {size} do not match in {signature}")
        for name in set(names) - set(own):
            sizes[name] = -1
    loop = np.broadcast_shapes(*loops)
    return [(*loop, *(sizes[n] for n in names if sizes.get(n, 0) >= 0)) for names in returned]


def _reshaped(count: int, shape: Shape) -> Shape:
    """Return a shape with the size that -1 stands for."""
    known = prod(size for size in shape if size != -1)
    if -1 in shape:
        shape = tuple(count // max(known, 1) if size == -1 else size for size in shape)
    if prod(shape) != count:
        raise ValueError(f"cannot reshape array of size {count} into shape {shape}")
    return shape


def gathered_shape(shape: Shape, parts: tuple[Any, ...]) -> Shape:
    """Return the shape that an index with arrays among its parts selects."""
    parts = _without_ellipsis(shape, parts)
    gathering: list[Shape] = []
    positions: list[int] = []
    looked: list[int] = []
    dim = 0
    for position, part in enumerate(parts):
        if part is None:
            looked.append(1)
        elif isinstance(part, slice):
            looked.append(len(range(*part.indices(shape[dim]))))
            dim += 1
        else:
            index = part if isinstance(part, np.ndarray) else np.asarray(part)
            is_mask = index.dtype == np.bool_
            gathering.append((_count_of(index),) if is_mask else index.shape)
            positions.append(position)
            dim += index.ndim if is_mask else 1
    looked += shape[dim:]
    together = np.broadcast_shapes(*gathering)
    apart = any(after - before > 1 for before, after in pairwise(positions))
    first = 0 if apart else sum(not _gathers(part) for part in parts[: positions[0]])
    return (*looked[:first], *together, *looked[first:])


def _gathers(part: Any) -> bool:
    return part is not None and not isinstance(part, slice)


def _count_of(mask: Any) -> int:
    if is_meta(mask):
        raise NoValues
    return int(np.count_nonzero(mask))


def _without_ellipsis(shape: Shape, parts: tuple[Any, ...]) -> tuple[Any, ...]:
    position = next((i for i, part in enumerate(parts) if part is Ellipsis), None)
    if position is None:
        return parts
    widths = [
        part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1
        for part in parts
        if part is not None and part is not Ellipsis
    ]
    rest = (slice(None),) * (len(shape) - sum(widths))
    return (*parts[:position], *rest, *parts[position + 1 :])
