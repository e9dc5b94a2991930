"""Indexing with ``x[...]``, and writing to ``x[...]``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pellucid._native import in_front
from pellucid.autograd.modes import modes
from pellucid.autograd.short_tracebacks import shortening
from pellucid.autograd.sites import user_frame, user_stacklevel
from pellucid.autograd.storage import Storage
from pellucid.autograd.variable import TensorBase, storage_of
from pellucid.core import families
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import show_result_as
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import compiled_instead
from pellucid.core.call.overriding import relevant, take_over
from pellucid.core.construct import array_from
from pellucid.core.definition import float8_rules
from pellucid.core.definition.faces import Face, unsigned
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import linear, multilinear
from pellucid.core.memory.memory_formats import copied
from pellucid.core.memory.writing import check_overlap, shares_storage
from pellucid.dtypes import LEGACY_TYPE_NAMES, check_fits, from_numpy_dtype
from pellucid.errors import ArgumentError, ArgumentTypeError, IndexingError, ShapeError
from pellucid.kernels.meta import any_meta, is_meta
from pellucid.kernels.numpy.elementwise import truth_values
from pellucid.observe import slow_path
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.shape.broadcasting import check_expandable, expand
from pellucid.ops.shape.copying import copy
from pellucid.ops.shape.splitting import select
from pellucid.ops.shape.views import basic_index, last_step, slices_backward, unsqueeze
from pellucid.shapes import Like, items_of

# Note [Indexing in two steps]
# An index may mix what only looks (integers, slices, None, ...) with what gathers (tensors, lists,
# masks). PyTorch looks first and gathers then; so an integer is not a gathering index that decides
# where the gathered dimensions go, as it would be in NumPy. `parsed_index` splits an index so.

_BYTE_WARNING = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
)
_SEQUENCE_WARNING = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
)
_FULL = slice(None)
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_LARGEST_SINGLE = float(np.finfo(np.float32).max)


@families.view(
    node_name="select",
    compiled_body=True,
    faces=Face(
        "self_sym_sizes",
        dim=lambda node: last_step(node.params)[1],
        index=lambda node: unsigned(last_step(node.params)[2]),
    ),
)
def indexed_position(be, input, /, index):
    """Return a view of what an index that ends in an integer selects.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.

    >>> torch.arange(6).view(2, 3)[:, 0]
    tensor([0, 3])
    """
    return input[index]


@indexed_position.vjp("input")
def indexed_position_input(g, input: Like, index):
    return slices_backward([g], [index], tuple(input.shape))


def _indices_shown(node: Any) -> tuple[Any, ...]:
    node.check_kept()
    index = node.params[0] if isinstance(node.params[0], tuple) else node.params
    return tuple([new_tensor(each) if isinstance(each, np.ndarray) else None for each in index])


@linear(
    gradient_changes=1,
    half="bitwise",
    float8=True,
    node_name="index",
    is_freed=True,
    compiled_kernel=("gathered", 1),
    faces=Face("self_sym_sizes", indices=_indices_shown),
)
def gather_index(be, input, /, index):
    """Gather the elements at arrays of indices, which may come with full slices.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.

    >>> torch.arange(6).view(2, 3)[[0, 1], [1, 2]]
    tensor([1, 5])
    """
    try:
        return input[index]
    except IndexError:
        raise _gathering_error(index, input.shape) from None


@gather_index.vjp("input")
def gather_index_input(g, input: Like, index):
    return index_backward(g, tuple(input.shape), index)


@linear(node_name="index_put", is_freed=True)
def index_backward(be, g, /, shape, index):
    """Add elements to zeros at arrays of indices: the transpose of gathering."""
    return be.index_put_add(shape, g.dtype, index, g)


@index_backward.vjp("g")
def index_backward_g(g, index):
    return gather_index(g, index)


@multilinear(
    float8=float8_rules.among(float8_rules.SIGNED, "index_put"),
    additive=True, apart=True, node_name="index_put", compiled_kernel=("rows_added", 2),
    is_freed=True, faces=Face("accumulate", indices=_indices_shown),
)  # fmt: skip
def put_index(be, input, values, /, index, accumulate=False):
    """Return a copy with other values at arrays of indices, or with values added there.

    Args:
        input: Tensor of any shape.
        values: Tensor with the values to write.
        index: Indices (int64) along ``dim``.
        accumulate: Whether values are added to what is there rather than written over it.

    >>> torch.zeros(3).index_put((torch.tensor([0, 0]),), torch.ones(2), accumulate=True)
    tensor([2., 0., 0.])
    """
    out = copied(input)
    put_index_into(be, out, input, values, index, accumulate)
    return out


@put_index.out_variant
def put_index_into(be, out, input, values, index, accumulate):
    _check_put(out, index, values)
    if values.dtype != out.dtype:
        values = be.cast(values, out.dtype)
    if accumulate:
        be.index_put_added(out, index, values, be.index_put_add)
    else:
        out[index] = values


@put_index.vjp("input")
def put_index_input(g, index, accumulate):
    return g if accumulate else clear_index(g, index)


@put_index.vjp("values")
def put_index_values(g, index):
    return gather_index(g, index)


@linear(node_name="index_put", is_freed=True)
def clear_index(be, input, /, index):
    """Return a copy with zeros at arrays of indices."""
    out = copied(input)
    out[index] = 0
    return out


@clear_index.vjp("input")
def clear_index_input(g, index):
    return clear_index(g, index)


def _check_put(array: Any, index: tuple[Any, ...], values: Any) -> None:
    """Raise where the values do not broadcast to what the index selects, if that is known."""
    if any_meta(index):
        return
    try:
        found = _selected_shape(array, index)
    except IndexError:
        raise _gathering_error(index, array.shape) from None
    trimmed = values.shape
    while len(trimmed) > len(found) and trimmed[0] == 1:
        trimmed = trimmed[1:]
    added = len(found) - len(trimmed)
    if added < 0 or any(
        size not in (1, have) for size, have in zip(trimmed, found[added:], strict=True)
    ):
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(found)}"
        )


def _selected_shape(array: Any, index: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape of ``array[index]``, gathering nothing but one byte per element."""
    if is_meta(array):
        return array[index].shape
    stand_in = np.broadcast_to(np.zeros((), np.bool_), array.shape)
    return stand_in[index].shape


def _gathering_error(index: tuple[Any, ...], shape: tuple[int, ...]) -> IndexingError:
    """Return the error for arrays of indices that do not fit a shape, in PyTorch's words."""
    dim, shapes = 0, []
    for part in index:
        if isinstance(part, slice):
            dim += 1
            continue
        covered = shape[dim : dim + part.ndim]
        if part.dtype == np.bool_:
            if part.shape != covered:
                return _mask_error(part, dim, shape)
            shapes.append((int(np.count_nonzero(part)),))
            dim += part.ndim
            continue
        wrong = part[(part < -shape[dim]) | (part >= shape[dim])]
        if wrong.size:
            return out_of_bounds(int(wrong.flat[0]), dim, shape[dim])
        shapes.append(part.shape)
        dim += 1
    return IndexingError(
        "shape mismatch: indexing tensors could not be broadcast together with shapes "
        + ", ".join(str(list(each)) for each in shapes)
    )


def _mask_error(mask: Any, dim: int, shape: tuple[int, ...]) -> IndexingError:
    return IndexingError(
        f"The shape of the mask {list(mask.shape)} at index {dim} does not match the shape of the "
        f"indexed tensor {list(shape)} at index {dim}"
    )


def out_of_bounds(index: int, dim: int, size: int) -> IndexingError:
    """Return the error for an index that is not there."""
    return IndexingError(
        f"index {index} is out of bounds for dimension {dim} with size {size}\n"
        f"  Indices run from {-size} to {size - 1}."
        if size
        else f"index {index} is out of bounds for dimension {dim} with size 0"
    )


# ---- reading an index -----------------------------------------------------------------------


def _check_index_of_number(index: Any) -> None:
    """Refuse an index that needs a dimension, for a tensor that has none."""
    if index.__class__ is int:
        raise IndexingError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
            "in C++ to convert a 0-dim tensor to a number"
        )
    if isinstance(index, slice):
        raise IndexingError("slice() cannot be applied to a 0-dim tensor.")
    if isinstance(index, float | complex | str):
        raise IndexingError("too many indices for tensor of dimension 0")


def parsed_index(
    shape: tuple[int, ...], index: Any
) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
    """Split an index in what looks and what gathers; see Note [Indexing in two steps]."""
    ndim = len(shape)
    if not ndim:
        _check_index_of_number(index)
    parts = items_of(index) if isinstance(index, tuple) or _means_tuple(index) else (index,)
    parts = [_part(part) for part in parts]
    consumed = sum(_consumes(part) for part in parts)
    if consumed > ndim:
        raise IndexingError(f"too many indices for tensor of dimension {ndim}")
    looking: list[Any] = []
    gathering: list[Any] = []
    dim, seen_ellipsis = 0, False
    for part in parts:
        if part is Ellipsis:
            rest = 0 if seen_ellipsis else ndim - consumed
            seen_ellipsis = True
            looking += [_FULL] * rest
            gathering += [_FULL] * rest
            dim += rest
        elif part is None:
            looking.append(None)
            gathering.append(_FULL)
        elif isinstance(part, slice):
            looking.append(part)
            gathering.append(_FULL)
            dim += 1
        elif isinstance(part, int):
            if not -shape[dim] <= part < shape[dim]:
                raise out_of_bounds(part, dim, shape[dim])
            looking.append(part)
            dim += 1
        elif part.ndim == 0 and part.dtype == np.bool_:
            looking.append(None)
            gathering.append(part.reshape(1))
        else:
            width = part.ndim if part.dtype == np.bool_ else 1
            # NumPy sees to the others where it reads or writes
            if part.dtype == np.bool_ and not part.size and part.shape != shape[dim : dim + width]:
                raise _mask_error(part, dim, shape)
            looking += [_FULL] * width
            gathering.append(part)
            dim += width
    if all(isinstance(each, slice) for each in gathering):
        return (*looking, ...), None
    return (*looking, ...), tuple(gathering)


def _means_tuple(index: Any) -> bool:
    """Return whether a list means a tuple: a short one of more than numbers, as in old NumPy."""
    nested = (
        isinstance(index, list)
        and len(index) < 32
        and any(
            part is None or part is Ellipsis or isinstance(part, TensorBase | list | tuple | slice)
            for part in items_of(index)
        )
    )
    if nested:
        warnings.warn(_SEQUENCE_WARNING, UserWarning, stacklevel=user_stacklevel())
    return nested


def _consumes(part: Any) -> int:
    """Return how many dimensions of the tensor a part of an index speaks of."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, slice | int):
        return 1
    return part.ndim if part.dtype == np.bool_ else 1


def _part(part: Any) -> Any:
    """Return a part of an index as an int, a slice, ``None``, ``...``, or an array that gathers."""
    kind = part.__class__
    if kind is int or part is None or part is Ellipsis:
        return part
    if kind is slice:
        return _checked_slice(part)
    if isinstance(part, bool | np.bool_):
        return np.asarray(part, np.bool_)
    if isinstance(part, TensorBase | np.ndarray):
        return _array_part(part)
    if isinstance(part, int | np.integer):
        return int(part)
    if isinstance(part, str) or not hasattr(part, "__len__"):
        raise _not_an_index(part)
    array = array_from(part)
    return _array_part(array if array.size else array.astype(np.int64))


def _not_an_index(part: Any) -> Exception:
    if isinstance(part, str):
        return ArgumentTypeError("new(): invalid data type 'str': a name is not an index")
    return IndexingError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(part).__name__})"
    )


def _checked_slice(part: slice) -> slice:
    bounds = [_bound(bound) for bound in (part.start, part.stop, part.step)]
    if bounds[2] is not None and bounds[2] <= 0:
        raise ArgumentError(
            "step must be greater than zero; use x.flip(dim) to reverse a dimension"
        )
    return slice(*bounds)


def _bound(bound: Any) -> int | None:
    if bound is None or bound.__class__ is int:
        return bound
    try:
        return bound.__index__()
    except AttributeError:
        raise ArgumentTypeError(
            "slice indices must be integers or None or have an __index__ method, not "
            f"{type(bound).__name__}"
        ) from None


def _array_part(part: Any) -> Any:
    array = part._array if isinstance(part, TensorBase) else part
    kind = array.dtype.kind
    if kind == "b":
        return truth_values(array)
    if array.dtype == np.uint8:
        if array.ndim:
            warnings.warn(_BYTE_WARNING, UserWarning, stacklevel=user_stacklevel())
        return array.astype(np.bool_)
    if array.dtype not in (np.int64, np.int32) and (array.ndim or array.dtype.kind not in "iu"):
        raise IndexingError(
            "tensors used as indices must be long, int, byte or bool tensors; this one is "
            f"{from_numpy_dtype(array.dtype)}"
        )
    return array if array.ndim or not isinstance(array, np.ndarray) else int(array)


def _is_whole(index: tuple[Any, ...]) -> bool:
    """Return whether a looking index leaves everything as it is."""
    return all(part is Ellipsis or (isinstance(part, slice) and part == _FULL) for part in index)


def _looked_at(input: Any, index: tuple[Any, ...]) -> Any:
    """Look at a part; the node is named after the last thing that the index does."""
    if _is_whole(index):
        return basic_index(input, (...,))
    last = next(part for part in reversed(index) if part is not Ellipsis and part != _FULL)
    return (indexed_position if isinstance(last, int) else basic_index)(input, index)


@public(method="__getitem__")
@in_front("indexing", select, basic_index, indexed_position, gather_index)
@shortening
def getitem(self: Any, index: Any) -> Any:
    """Return ``self[index]``: a view for integers and slices, a copy where tensors gather.

    Raises IndexError for places that are not there, ValueError for slices that run backwards.
    """
    taking = relevant((self, index)) if slow_path.overriding_classes else ()
    if taking:
        return take_over(getitem, taking, (self, index), {})
    array = self._array
    if index.__class__ is int and array.ndim:
        size = array.shape[0]
        if -size <= index < size:
            return select(self, 0, index)
        raise out_of_bounds(index, 0, size)
    if index is None:
        return unsqueeze(self, 0)
    if index.__class__ is slice and index == _FULL and array.ndim:
        return basic_index(self, (_FULL,))  # which PyTorch takes for a slice, and no other full one
    plain = _plain_look(array.shape, index)
    if plain is not None:
        return plain[0](self, plain[1])
    looking, gathering = parsed_index(array.shape, index)
    if gathering is None:
        return _looked_at(self, looking)
    if not _is_whole(looking):
        self = _looked_at(self, looking)
    return gather_index(self, kept_index(self, gathering))


def _plain_look(shape: tuple[int, ...], index: Any) -> tuple[Any, tuple[Any, ...]] | None:
    """Return the op and the index for plain integers and slices; ``None`` if it takes more care."""
    if index.__class__ is slice:
        index = (index,)
    if index.__class__ is not tuple or len(index) > len(shape):
        return None
    last: Any = None
    for part, size in zip(index, shape, strict=False):
        if part.__class__ is int:
            if not -size <= part < size:
                return None
            last = indexed_position
        elif (
            part.__class__ is not slice
            or part.step is not None
            or not (part.start is None or part.start.__class__ is int)
            or not (part.stop is None or part.stop.__class__ is int)
        ):
            return None
        elif part != _FULL:
            last = basic_index
    return None if last is None else (last, (*index, ...))


def kept_index(tensor: Any, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copy the index where it is needed for backward: the user may change it meanwhile."""
    if modes.grad_enabled and edge_of(tensor) is not None:
        return tuple(part if isinstance(part, slice) else part.copy() for part in index)
    return index


@public(method="__setitem__")
@shortening
def setitem(self: Any, index: Any, value: Any) -> None:
    """Write ``self[index] = value``; the value is broadcast to what the index names.

    Raises IndexError for places that are not there, RuntimeError for a value that does not fit.
    """
    if index.__class__ is int and write_plainly(self, index, value):
        return
    if is_plain_number(value) and is_plain_target(self) and _plain_look(self._array.shape, index):
        self._array[index] = value
        storage_of(self).note_change("copy_", *user_frame(1))
        return
    taking = relevant((index, value)) if slow_path.overriding_classes else ()
    if taking:
        take_over(setitem, taking, (self, index, value), {})
        return
    if isinstance(value, int | float) and self._array.dtype.kind in "iu":
        check_fits(value, self._array.dtype)
    value = _value(self, value)
    looking, gathering = parsed_index(self._array.shape, index)
    if isinstance(value, complex):
        check_fits(value, self._array.dtype)
    if gathering is not None:
        target = self if _is_whole(looking) else _looked_at(self, looking)
        if isinstance(value, TensorBase):
            value = _without_leading_ones(value, _selected_shape_of(target, gathering))
            if not (_is_mask(gathering) and value._array.size == 1):
                check_same_dtype(target, value, _PUT_DTYPES)
            elif shares_storage(target, value):
                value = value.clone()  # a fill, which may read its target
            elif isinstance(value._array, np.ndarray) and not is_meta(value._array):
                check_fits(value._array.item(), target._array.dtype)
        check_overlap(target, _tensors_in(index), apart=True)
        _put(target, gathering, value, False)
        return
    target = self if _is_whole(looking) else _looked_at(self, looking)
    if isinstance(value, TensorBase) and value._array.shape != target._array.shape:
        value = _without_leading_ones(value, target._array.shape)
        check_expandable(value, target._array.shape)
        if shares_storage(target, value):  # as PyTorch: only what is expanded may overlap
            value = expand(value, target._array.shape)
    call_inplace(copy.op, (target, value), (False,))
    if target._array.ndim and not (isinstance(value, TensorBase) and value._array.ndim):
        show_result_as(copy, target, "FillBackward3")


@public(method="__delitem__")
def delitem(self: Any, index: Any) -> None:
    """Raise TypeError: a tensor keeps all its elements."""
    raise ArgumentTypeError("Tensor does not support deleting items")


def _write(self: Any, index: int, value: Any) -> bool:
    """Write a number or a row where that is a matter of the array alone; return whether it was."""
    if not _is_plain_write(self, index, value):
        return False
    self._array[index] = value._array if isinstance(value, TensorBase) else value
    storage_of(self).note_change("copy_", *user_frame(1))
    return True


def _fill(self: Any, value: Any) -> bool:
    """Write a number over all elements in the same way; return whether that was possible."""
    if not (is_plain_number(value) and is_plain_target(self)):
        return False
    self._array.fill(value)
    storage_of(self).note_change("copy_", *user_frame(1))
    return True


write_plainly = compiled_instead(_write, "write")
fill_plainly = compiled_instead(_fill, "fill")


def is_plain_target(self: Any) -> bool:
    """Return whether writing numbers is a matter of the array alone, as in most loops.

    Nothing is recorded then, no memory overlaps, and the dtype is a usual floating one.
    """
    array, storage = self._array, self._storage
    return (
        (array.dtype is _SINGLE or array.dtype is _DOUBLE)
        and array.__class__ is np.ndarray
        and not slow_path.active
        and (storage is None or storage.__class__ is Storage)
        and not (modes.grad_enabled and (self._edge is not None or self._view is not None))
        and array.flags.forc
        and array.flags.writeable
    )


def is_plain_number(value: Any) -> bool:
    """Return whether a value is a Python number that every usual floating dtype holds."""
    return (value.__class__ is float or value.__class__ is int) and abs(value) < _LARGEST_SINGLE


def _is_plain_write(self: Any, index: int, value: Any) -> bool:
    """Return whether a number or a row of the same dtype is all that has to be written."""
    array = self._array
    if not (array.ndim and -array.shape[0] <= index < array.shape[0] and is_plain_target(self)):
        return False
    if not isinstance(value, TensorBase):
        return is_plain_number(value)
    storage = self._storage
    row = getattr(value, "_array", None)  # a sparse tensor has none
    return (
        row is not None
        and row.dtype is array.dtype
        and row.shape == array.shape[1:]
        and (row.base is None or not np.may_share_memory(row, array))
        and (value._storage is None or value._storage is not storage)
        and not (modes.grad_enabled and (value._edge is not None or value._view is not None))
    )


def _is_mask(gathering: tuple[Any, ...]) -> bool:
    return any(not isinstance(part, slice) and part.dtype == np.bool_ for part in gathering)


def _selected_shape_of(target: Any, gathering: tuple[Any, ...]) -> tuple[int, ...]:
    try:
        return _selected_shape(target._array, gathering)
    except IndexError:
        raise _gathering_error(gathering, target._array.shape) from None


def _value(self: Any, value: Any) -> Any:
    """Return what is to be written as a tensor or a number."""
    if isinstance(value, TensorBase | bool | int | float | complex | np.number | np.bool_):
        return value
    if isinstance(value, np.ndarray):
        return new_tensor(value.astype(self._array.dtype, copy=False))
    name = LEGACY_TYPE_NAMES[from_numpy_dtype(self._array.dtype).name]
    raise ArgumentTypeError(
        f"can't assign a {type(value).__name__} to a torch.{name}; give a number or a tensor"
    )


def _without_leading_ones(value: Any, shape: tuple[int, ...]) -> Any:
    """Leave out leading dimensions of size 1 that the target does not have."""
    sizes = value._array.shape
    extra = 0
    while len(sizes) - extra > len(shape) and sizes[extra] == 1:
        extra += 1
    return value.reshape(sizes[extra:]) if extra else value


_PUT_DTYPES = (
    "Index put requires the source and destination dtypes match, got {} for the destination and {} "
    "for the source."
)


def _tensors_in(index: Any) -> tuple[Any, ...]:
    """Return the tensors of an index."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(each for each in parts if isinstance(each, TensorBase))


def _put(target: Any, gathering: tuple[Any, ...], value: Any, accumulate: bool) -> Any:
    recorded = modes.grad_enabled and (
        edge_of(target) is not None
        or (isinstance(value, TensorBase) and edge_of(value) is not None)
    )
    if recorded:
        gathering = tuple(part if isinstance(part, slice) else part.copy() for part in gathering)
    return call_inplace(put_index.op, (target, value), (gathering, accumulate))


def _put_arguments(self: Any, indices: Any, values: Any) -> tuple[Any, ...]:
    if not isinstance(indices, tuple | list):
        raise ArgumentTypeError(
            "index_put(): argument 'indices' must be tuple of Tensors, not "
            f"{type(indices).__name__}"
        )
    indices = items_of(indices)
    for position, each in enumerate(indices):
        if each is not None and not isinstance(each, TensorBase):
            raise ArgumentTypeError(
                f"expected Tensor as element {position} in argument 1, but got "
                f"{type(each).__name__}"
            )
    if not isinstance(values, TensorBase):
        raise ArgumentTypeError(
            "index_put(): argument 'values' (position 3) must be Tensor, not "
            f"{type(values).__name__}"
        )
    check_same_dtype(self, values, _PUT_DTYPES)
    first = indices[0]._array if len(indices) == 1 and indices[0] is not None else None
    if first is not None and first.ndim and first.dtype == np.int64 and self._array.ndim:
        return (first,)
    parts = tuple(_FULL if each is None else each for each in indices)
    looking, gathering = parsed_index(self._array.shape, parts)
    if gathering is None or not _is_whole(looking):
        raise IndexingError("index_put(): give at least one tensor of indices, and only tensors")
    return gathering


@public("index_put", method=True)
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return a copy with ``values`` at the indices; with ``accumulate`` they are added.

    Args:
        input: Tensor of any shape.
        indices: One tensor of indices or booleans for each indexed dimension.
        values, accumulate: As for `put_index`.

    >>> torch.index_put(torch.zeros(3), (torch.tensor([1]),), torch.ones(1))
    tensor([0., 1., 0.])
    """
    return put_index(input, values, _put_arguments(input, indices, values), accumulate)


@public("index_put_", method=True)
def index_put_(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Write ``values`` at the indices; with ``accumulate`` they are added, repeated ones too."""
    gathering = _put_arguments(self, indices, values)
    check_overlap(self, _tensors_in(tuple(items_of(indices))), apart=True)
    return _put(self, gathering, values, accumulate)
