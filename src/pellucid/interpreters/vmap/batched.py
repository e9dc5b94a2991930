"""The tensor inside `vmap`: it shows the shape of one sample and carries all of them.

A batched tensor wraps a *value* that has one dimension more, the first; nested `vmap` calls wrap
wrappers, the innermost call outermost. Autograd sees the values alone: a batched tensor has no
history of its own, and its operations are recorded as operations on its value.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, cast

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.overriding import disabled_torch_function_impl
from pellucid.errors import GraphError, UnimplementedError
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.index.indexing import getitem, parsed_index, put_index, setitem
from pellucid.tensors import Tensor

_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
    ".item() on a Tensor, please try to rewrite what you're doing with other operations. If error "
    "is occurring somewhere inside PyTorch internals, please file a bug report."
    "\n  Inside vmap a tensor stands for all samples at once, and has no single value."
)
_BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We "
    "don't support that yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
    "\n  The samples may go different ways: choose between results with torch.where instead."
)
_POINTER = (
    "Cannot access data pointer of Tensor that doesn't have storage"
    "\n  The tensor is batched by vmap: its values can be read only after vmap has returned."
)
_BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use "
    "functorch.grad or functorch.vjp instead or call backward() outside of functorch transforms."
)

_numbers = itertools.count(1)


class Level:
    """One running `vmap`: how many samples it has, and what random operations do in it."""

    __slots__ = ("depth", "number", "randomness", "size")

    def __init__(self, size: int, randomness: str) -> None:
        #: higher for the inner of two nested calls
        self.number = next(_numbers)
        #: how many transforms are running, this one included
        self.depth = len(modes.batch_levels) + modes.transforms + 1
        self.size = size
        self.randomness = randomness


class BatchedArray:
    """The array of a batched tensor: shape and dtype of one sample, and no values to read."""

    __slots__ = ("dtype", "given_dim", "level", "shape", "value")

    def __init__(self, value: Any, level: Level) -> None:
        #: the tensor that holds all samples, along its first dimension
        self.value = value
        self.level = level
        #: where the samples lay in the tensor that was given to `vmap`
        self.given_dim = 0
        self.shape = value._array.shape[1:]
        self.dtype = value._array.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides of one sample; those of a contiguous one where dimensions are expanded."""
        strides = self.value._array.strides[1:]
        if 0 not in strides:
            return strides
        return tuple(
            self.itemsize * math.prod(self.shape[dim + 1 :]) for dim in range(len(self.shape))
        )

    @property
    def flags(self) -> Any:
        """The flags of one sample."""
        return self._sample().flags

    def _sample(self) -> Any:
        """Return the array of one sample, below all levels; of all where there is none."""
        array = self.value._array
        array = array._sample() if isinstance(array, BatchedArray) else array
        return array[0] if len(array) else array

    def __len__(self) -> int:
        return self.shape[0]

    def __batched_tensor__(self) -> BatchedTensor:
        """Return a tensor around this."""
        return batched(self.value, self.level)

    def copy(self) -> BatchedArray:
        """Return this with values of its own."""
        return BatchedArray(self.value.clone(), self.level)

    def reshape(self, *shape: Any, copy: bool | None = None) -> BatchedArray:
        """Return this with samples of another shape; raise ValueError where that needs a copy."""
        sizes = shape[0] if isinstance(shape[0], tuple | list) else shape
        array = self.value._array.reshape((self.level.size, *sizes), copy=copy)
        return BatchedArray(_around(array), self.level)

    def fill(self, number: Any) -> None:
        """Set all values, of memory that is new."""
        self.value._array.fill(number)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.value._array[(slice(None), index) if index is not Ellipsis else ...] = value

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.empty_like:
            dtype = args[1] if len(args) > 1 else self.dtype
            like = self.value._array
            made = np.empty_like(like, dtype)
            return BatchedArray(_around(made), self.level)
        raise GraphError(_POINTER)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise GraphError(_POINTER)

    def tolist(self) -> Any:
        """Raise: there is no one value."""
        raise GraphError(_POINTER)

    def item(self) -> Any:
        """Raise: there is no one value."""
        raise GraphError(_ITEM)

    __int__ = __float__ = __complex__ = __index__ = item

    def __bool__(self) -> bool:
        raise GraphError(_BRANCH)

    def _compared(self, other: Any) -> Any:
        raise GraphError(_BRANCH)

    __lt__ = __le__ = __gt__ = __ge__ = _compared
    __eq__ = __ne__ = _compared
    __hash__ = object.__hash__

    def min(self, *args: Any, **options: Any) -> Any:
        """Raise: what follows would depend on the values."""
        raise GraphError(_BRANCH)

    max = any = all = sum = min


def _around(array: Any) -> Any:
    if isinstance(array, BatchedArray):
        return array.__batched_tensor__()
    result = cast("Tensor", object.__new__(Tensor))
    _hold(result, array)
    return result


def _hold(tensor: TensorBase, array: Any) -> None:
    tensor._array = array
    tensor._edge = tensor._storage = tensor._view = tensor._grad = tensor._extra = None


class BatchedTensor(Tensor):
    """A tensor inside `vmap`: one sample to look at, all samples to compute with."""

    __slots__ = ()
    __torch_function__ = disabled_torch_function_impl
    is_batched = True

    @property
    def value(self) -> Any:
        """The tensor of all samples, along its first dimension."""
        return self._array.value

    @property
    def level(self) -> Level:
        """The `vmap` call that the samples belong to."""
        return self._array.level

    @property
    def requires_grad(self) -> bool:
        return self.value.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    @property
    def grad_fn(self) -> Any:
        return self.value.grad_fn

    @property
    def is_leaf(self) -> bool:
        return self.value.is_leaf

    def backward(self, *args: Any, **options: Any) -> None:
        """Raise: inside `vmap`, gradients are taken by `func.grad` and `func.vjp`."""
        raise GraphError(_BACKWARD)

    def detach(self) -> Tensor:
        return batched(self.value.detach(), self.level)

    @property
    def data(self) -> Tensor:
        return batched(self.value.data, self.level)

    def numpy(self, *, force: bool = False) -> Any:
        raise GraphError(_POINTER)

    def data_ptr(self) -> int:
        """Raise: there is no memory of one sample."""
        raise GraphError(_POINTER)

    def untyped_storage(self) -> Any:
        """Raise: there is no memory of one sample."""
        raise UnimplementedError("Cannot access storage of BatchedTensorImpl")

    storage = untyped_storage

    def resize_(self, *sizes: Any, **options: Any) -> Any:
        """Give each sample other sizes."""
        shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
        self._array = BatchedArray(self.value.resize_(self.level.size, *shape), self.level)
        return self

    def item(self) -> Any:
        raise GraphError(_ITEM)

    def __bool__(self) -> bool:
        raise GraphError(_BRANCH)

    def __setitem__(self, index: Any, value: Any) -> None:
        parts = index if isinstance(index, tuple) else (index,)
        if not any(level_of(part) is not None for part in parts):
            setitem(self, index, value)
            return
        looking, gathering = parsed_index(tuple(self.shape), index)
        target = getitem(self, looking)
        values = value if isinstance(value, TensorBase) else self.new_full((), value)
        call_inplace(put_index.op, (target, values), (gathering, False))

    def _new(self, method: str, size: tuple[Any, ...], options: dict[str, Any]) -> Tensor:
        shape = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
        made = getattr(self.value, method)((self.level.size, *shape), **options)
        return batched(made, self.level)

    def new_zeros(self, *size: Any, **options: Any) -> Any:
        """Return zeros for each sample."""
        return self._new("new_zeros", size, options)

    def new_ones(self, *size: Any, **options: Any) -> Any:
        """Return ones for each sample."""
        return self._new("new_ones", size, options)

    def new_empty(self, *size: Any, **options: Any) -> Any:
        """Return memory for each sample."""
        return self._new("new_empty", size, options)

    def new_full(self, size: Any, fill_value: Any, **options: Any) -> Any:
        """Return one value for each sample."""
        made = self.value.new_full((self.level.size, *size), fill_value, **options)
        return batched(made, self.level)

    def __repr__(self) -> str:
        inner = "\n".join(f"    {line}" for line in repr(self.value).splitlines())
        return f"BatchedTensor(lvl={self.level.depth}, bdim=0, value=\n{inner}\n)"


def batched(value: Any, level: Level) -> BatchedTensor:
    """Return the tensor whose samples lie along the first dimension of a value."""
    tensor = cast("BatchedTensor", object.__new__(BatchedTensor))
    _hold(tensor, BatchedArray(value, level))
    return tensor


def batched_along(tensor: Any, level: Level, dim: int | None) -> Any:
    """Return a tensor whose samples lie along a dimension as batched; for None, the tensor."""
    if dim is None:
        return tensor
    result = batched(tensor.movedim(dim, 0) if dim else tensor, level)
    result._array.given_dim = dim
    return result


def level_of(tensor: Any) -> Level | None:
    """Return the innermost level at which a tensor is batched."""
    array = getattr(tensor, "_array", None)
    return array.level if isinstance(array, BatchedArray) else None


def at_level(tensor: Any, level: Level) -> bool:
    """Return whether a tensor, or anything else, is batched at this level, not at an inner one."""
    return level_of(tensor) is level


# ---- between samples and the values that autograd sees ---------------------------------------


def _taken_apart(tensor: Any) -> tuple[Any, list[Level]]:
    """Return the value below all wrappers, and the levels of its first dimensions, outer first."""
    levels: list[Level] = []
    while (level := level_of(tensor)) is not None:
        levels.insert(0, level)
        tensor = tensor.value
    return tensor, levels


def _put_together(value: Any, levels: list[Level]) -> Any:
    """Undo `_taken_apart`."""
    for level in levels:
        value = batched(value, level)
    return value


def batch_dims_first(tensor: Any, levels: tuple[Level, ...]) -> Any:
    """Return a tensor with its samples of these levels along its first dimensions, outer first.

    A tensor that is not batched at one of them is expanded; other levels stay wrapped around.
    """
    if not levels:
        return tensor
    value, found = _taken_apart(tensor)
    others = [level for level in found if level not in levels]
    present = [level for level in levels if level in found]
    order = [found.index(level) for level in (*others, *present)]
    if order != list(range(len(order))):
        value = value.permute(*order, *range(len(order), value.ndim))
    missing = len(present) < len(levels)
    if missing:
        shape, dim = list(value.shape), len(others)
        for level in levels:
            if level not in present:
                value = value.unsqueeze(dim)
                shape.insert(dim, level.size)
            dim += 1
        value = value.expand(tuple(shape))
    return _put_together(value, others)


def wrap(tensor: Any, levels: tuple[Level, ...]) -> Any:
    """Undo `batch_dims_first`: make samples of a tensor's first dimensions."""
    if not levels:
        return tensor
    value, others = _taken_apart(tensor)
    found = [*others, *levels]
    sorted_levels = sorted(found, key=lambda level: level.number)
    order = [found.index(level) for level in sorted_levels]
    if order != list(range(len(order))):
        value = value.permute(*order, *range(len(order), value.ndim))
    return _put_together(value, sorted_levels)


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """Return the tensor of all samples behind a tensor inside `vmap`, for debugging.

    Args:
        tensor: A tensor, batched or not.
        recurse: Whether to unwrap all levels of nested transforms, not only the innermost.

    Returns:
        The tensor behind it, which has the batch dims; ``tensor`` itself if it is not batched.

    >>> _ = torch.vmap(lambda x: print(torch.func.debug_unwrap(x)) or x)(torch.ones(2))
    tensor([1., 1.])
    """
    while level_of(tensor) is not None:
        tensor = tensor.value
        if not recurse:
            break
    return tensor
