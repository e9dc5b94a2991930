"""New tensors from data: reading nested sequences, numbers, arrays and tensors."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from pellucid import dtypes
from pellucid._native import compiled, in_front
from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase, make_inference
from pellucid.autograd.warned import warn_once
from pellucid.core.call.call import new_tensor
from pellucid.core.errors.arguments import require
from pellucid.core.errors.op_errors import out_of_memory
from pellucid.core.memory.memory_formats import contiguous_copy
from pellucid.device import check_device, meta_device, placing
from pellucid.errors import (
    AllocationError,
    ArgumentError,
    ArgumentTypeError,
    DeviceError,
    GraphError,
    ShapeError,
)
from pellucid.kernels.active import cpu
from pellucid.kernels.meta import MetaArray, as_meta, is_meta
from pellucid.kernels.meta import empty as empty_of_meta
from pellucid.kernels.numpy.precision import silence
from pellucid.shapes import items_of

Made = TypeVar("Made", bound=Callable[..., Any])

#: NumPy's limit
_MOST_DIMENSIONS = 64
#: from here on not every integer is a double
_EXACT = 2.0**53
_PLAIN_NUMBERS = frozenset({bool, float, int, complex})
_NO_INT64 = "Overflow when unpacking long long: an integer does not fit int64"
#: what the compiled module reads
_NUMBERS = frozenset({bool, float, int, list, tuple})

TENSOR_TO_NUMBER_WARNING = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def fresh(array: Any, requires_grad: bool = False) -> Any:
    """Return a new tensor around an array that belongs to it alone.

    Raises RuntimeError where it is to require grad and its dtype cannot.
    """
    if requires_grad and not dtypes.is_differentiable(array.dtype):
        raise GraphError("Only Tensors of floating point and complex dtype can require gradients")
    result: Any = new_tensor(array)
    if modes.inference:
        make_inference(result)
    return result._switch_recording(True) if requires_grad else result


def placed(device: Any, pin_memory: bool = False) -> bool:
    """Return whether a new tensor is to have no values; raise where it is to be elsewhere."""
    place = placing.device if device is None else check_device(device)
    if pin_memory:
        raise DeviceError(
            "Cannot access accelerator device when none is available. Pinned memory only serves "
            "copies to an accelerator: leave pin_memory out."
        )
    return place is meta_device


def placed_tensor(
    array: Any, device: Any, pin_memory: bool = False, requires_grad: bool = False
) -> Any:
    """Return a new tensor around an array, or without its values where they have no place."""
    return fresh(as_meta(array) if placed(device, pin_memory) else array, requires_grad)


def made_at_once(generator: Any = None, *, like: bool = False) -> Callable[[Made], Made]:
    """Return a decorator for what makes tensors of sizes and numbers, from a generator's draws.

    A recording makes the tensor anew by the same call. ``like`` says that the first argument is a
    tensor which the new one is to look like.
    """
    front = in_front(
        "making", placing, meta_device, dtypes.default, generator, functools.partial, like
    )

    def declare(function: Made) -> Made:
        vars(function)["draws" if generator is not None else "makes"] = True
        return front(function)

    return declare


def makes_tensors(function: Any) -> bool:
    """Return whether a function is one that is `made_at_once`."""
    return hasattr(function, "draws") or hasattr(function, "makes")


def placed_like(tensor: Any, device: Any, pin_memory: bool = False) -> bool:
    """Return whether a tensor made for another one is to have no values, as by default that one."""
    if device is None and not pin_memory:
        return tensor._array.__class__ is MetaArray
    return placed(tensor.device if device is None else device, pin_memory)


def numpy_dtype_of(dtype: Any, default: Any) -> np.dtype[Any]:
    """Return the NumPy dtype that is asked for, else the default; warn, once, of complex32."""
    if dtype is dtypes.complex32:
        warn_once("ComplexHalf support is experimental and many operators don't support it yet.")
    return default if dtype is None else dtypes.to_numpy_dtype(dtype)


#: sizes from here on do not fit int64
_MOST = 1 << 63


def sizes_from(name: str, args: tuple[Any, ...], size: Any = None) -> tuple[int, ...]:
    """Return a shape given as one sequence, as separate integers, or by the keyword ``size``.

    Raises TypeError for what is not an integer, RuntimeError for a negative size.
    """
    if size is not None:
        args = (size,)
    elif not args:
        raise ArgumentTypeError(f'{name}() missing 1 required positional arguments: "size"')
    if args[0].__class__ is not int and len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(items_of(args[0]))
    for size in args:
        if size.__class__ is not int or not 0 <= size < _MOST:
            break
    else:
        return args
    for position, size in enumerate(args):
        if not hasattr(size, "__index__") or isinstance(size, bool):
            raise ArgumentTypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {position + 1} "
                f'with error "type must be tuple of ints,but got {type(size).__name__}"'
            )
    sizes = tuple(size.__index__() for size in args)
    require(name, "sizes", size=sizes)
    if any(size < 0 for size in sizes):
        raise ShapeError(
            f"Trying to create tensor with negative dimension {min(sizes)}: {list(sizes)}"
            if name != "zeros"
            else f"zeros: Dimension size must be non-negative. The sizes are {list(sizes)}."
        )
    return sizes


def allocated(
    make: Callable[..., np.ndarray[Any, Any]], sizes: tuple[int, ...], *args: Any,
    on_meta: bool = False,
) -> np.ndarray[Any, Any]:  # fmt: skip
    """Return ``make(sizes, *args)``; raise RuntimeError where there is not as much memory."""
    try:
        return empty_of_meta(sizes, *args) if on_meta else make(sizes, *args)
    except MemoryError as error:
        raise AllocationError(out_of_memory(error)) from None
    except ValueError:
        if len(sizes) > _MOST_DIMENSIONS:
            raise ShapeError(
                f"only tensors with up to {_MOST_DIMENSIONS} dims are supported, which is as many "
                f"as a NumPy array can have; got {len(sizes)}"
            ) from None
        if 0 in sizes:
            raise ShapeError(
                f"Stride calculation overflowed: the sizes are {list(sizes)}"
            ) from None
        raise ShapeError(f"Storage size calculation overflowed with sizes={list(sizes)}") from None


def array_from(data: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """Return a new array of the values, in the dtype asked for or the one that they suggest.

    Python floats take the default dtype; integers int64; what has a dtype keeps it.
    """
    target = numpy_dtype_of(dtype, None)
    if isinstance(data, TensorBase):
        return _converted(data._array, target)
    if isinstance(data, np.ndarray | np.generic):
        dtypes.check_convertible(data.dtype)
        return _converted(data, target)
    if compiled is not None and data.__class__ in _NUMBERS:
        found = compiled.read_numbers(data, target, dtypes.default())
        if found is not None:
            return found
    if hasattr(data, "values_in"):  # a storage
        return data.values_in(target).copy()
    array, typed = _read(data, target)
    if target is not None:
        _check_range(array, target)
        return _converted(array, target)
    if typed or array.dtype.kind not in "fc":
        return array
    default = dtypes.default()
    return _converted(
        array, default if array.dtype.kind == "f" else dtypes.complex_counterpart(default)
    )


def _converted(array: Any, target: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    if target is None or array.dtype == target:
        return array.copy() if is_meta(array) else np.array(array, order="C")
    return contiguous_copy(cpu.cast(np.asanyarray(array), target))


def _read(data: Any, target: np.dtype[Any] | None) -> tuple[np.ndarray[Any, Any], bool]:
    """Return the values as an array, and whether any of them had a dtype of its own."""
    if isinstance(data, str | bytes):
        raise ArgumentTypeError(f"new(): invalid data type '{type(data).__name__}'")
    data = _indexable(data)
    if isinstance(data, list | tuple) and data and isinstance(data[0], np.ndarray):
        warn_once(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider "
            "converting the list to a single numpy.ndarray with numpy.array() before converting "
            "to a tensor."
        )
    leaf = _first_leaf(data)
    wanted = None
    try:
        typed = _is_typed(data)
    except RecursionError:
        raise ArgumentTypeError("new(): self-referential lists are incompatible") from None
    if isinstance(leaf, TensorBase) or (typed and target is None and isinstance(data, Sequence)):
        wanted = functools.reduce(dtypes.promote_arrays, _dtypes_in(data))
    if isinstance(leaf, TensorBase):
        data = _plain(data)
    try:
        array = np.array(data, wanted)
    except OverflowError:
        raise ArgumentError(_NO_INT64) from None
    except (ValueError, TypeError):
        raise _unreadable(data) from None
    except GraphError:
        try:
            array = np.array(_plain(data))
        except ValueError:
            raise _unreadable(data) from None
    if not typed and _may_round(array, target):
        array = _from_large_integers(np.array(data, object), target)
    kinds = "biufcVW" if isinstance(leaf, TensorBase) else "biufc"
    if array.dtype.kind not in kinds:
        raise _unsuitable(array, leaf)
    return array, typed


def _is_typed(data: Any) -> bool:
    """Return whether some value in nested sequences has a dtype of its own."""
    if isinstance(data, range):  # however long
        return False
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        parts = items_of(data)
        return not set(map(type, parts)) <= _PLAIN_NUMBERS and any(map(_is_typed, parts))
    return isinstance(data, np.generic | np.ndarray | TensorBase)


def _may_round(array: np.ndarray[Any, Any], target: np.dtype[Any] | None) -> bool:
    """Return whether NumPy may have rounded an integer, or found it too large for int64."""
    if array.dtype.kind != "f":
        return array.dtype.kind == "O" or array.dtype == np.uint64
    floats = target is not None and dtypes.is_differentiable(target)
    return not floats and bool(np.fmax.reduce(np.abs(array), axis=None, initial=0) >= _EXACT)


def _from_large_integers(array: np.ndarray[Any, Any], target: np.dtype[Any] | None) -> Any:
    """Return Python numbers in an array of a dtype that loses none of what the target asks for.

    What is not a number is left as it is.
    """
    if not all(isinstance(each, int | float | complex) for each in array.flat):
        return array
    rank = max(map(dtypes.number_rank, array.flat), default=1)
    try:
        if target is not None and target.kind == "b":
            return array.astype(bool)
        if target is not None and target.kind in "iu" and rank < 3:
            return np.vectorize(lambda each: _integer(each, target), [target])(array)
        if target is not None or rank > 1:
            return array.astype(np.complex128 if rank == 3 else np.float64)
    except OverflowError:
        raise ArgumentError("int too large to convert to float") from None
    raise ArgumentError(_NO_INT64)


def _integer(value: int | float, target: np.dtype[Any]) -> int:
    """Return a number as an integer of a dtype; raise where there is none."""
    if isinstance(value, int) and target.kind == "i" and not -_MOST <= value < _MOST:
        raise ArgumentError(_NO_INT64)
    return dtypes.fitted_number(value, target)


def _indexable(data: Any) -> Any:
    """Return a list in place of a sequence type that NumPy takes for a single object."""
    if isinstance(data, Sequence | Mapping) or hasattr(data, "__array__"):
        return data
    if not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        return data
    try:
        return list(data)
    except TypeError:
        raise ArgumentError(
            f"could not determine the shape of object type '{type(data).__name__}'"
        ) from None


def _first_leaf(data: Any) -> Any:
    for _ in range(_MOST_DIMENSIONS + 1):
        if not isinstance(data, Sequence) or isinstance(data, str | bytes) or not len(data):
            return data
        data = data[0]
    raise ArgumentError(
        f"too many dimensions '{type(data).__name__}': the values are nested more than "
        f"{_MOST_DIMENSIONS} deep, which is as many dimensions as a NumPy array can have"
    )


def _dtypes_in(data: Any) -> Iterator[np.dtype[Any]]:
    """Go through the dtypes of the tensors and numbers in nested sequences."""
    if isinstance(data, TensorBase | np.generic):
        yield (data._array if isinstance(data, TensorBase) else data).dtype
    elif isinstance(data, np.ndarray):
        dtypes.check_convertible(data.dtype)
        yield data.dtype
    elif isinstance(data, range):  # however long
        yield np.dtype(np.int64)
    elif isinstance(data, Sequence) and not isinstance(data, str | bytes):
        for each in data:
            yield from _dtypes_in(each)
    elif isinstance(data, float):
        yield dtypes.default()
    elif isinstance(data, complex):
        yield dtypes.complex_counterpart(dtypes.default())
    else:
        yield np.dtype(bool if isinstance(data, bool) else np.int64)


def _plain(data: Any) -> Any:
    """Return nested lists of numbers in place of tensors of one element each."""
    if isinstance(data, TensorBase):
        if data.edge is not None:
            warnings.warn(TENSOR_TO_NUMBER_WARNING, UserWarning, stacklevel=user_stacklevel())
        if data._array.size != 1:
            raise ArgumentError("only one element tensors can be converted to Python scalars")
        return data._array.reshape(())[()]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return [_plain(each) for each in data]
    return data


def _unreadable(data: Any) -> Exception:
    """Return the error for a nested sequence that is ragged, naming the place."""
    level, expected = [data], None
    for dim in range(np.iinfo(np.int8).max):
        nested = [hasattr(each, "__len__") and not isinstance(each, str) for each in level]
        if not all(nested):
            return ArgumentTypeError(
                f"not a sequence: numbers and sequences are mixed at dim {dim}"
            )
        lengths = [len(each) for each in level]
        expected = lengths[0]
        wrong = next((length for length in lengths if length != expected), None)
        if wrong is not None:
            return ArgumentError(
                f"expected sequence of length {expected} at dim {dim} (got {wrong})"
            )
        level = [each for part in level for each in part]
        if not level:
            break
    return ArgumentError("the nested sequence has no shape")


def _unsuitable(array: np.ndarray[Any, Any], leaf: Any) -> Exception:
    if array.dtype.kind in "US":
        if not isinstance(leaf, str | bytes):
            return ArgumentTypeError("new(): invalid data type 'str'")
        return ArgumentError(f"too many dimensions 'str': {leaf!r} is not a number")
    culprit = next(
        (each for each in array.flat if not isinstance(each, int | float | complex)), leaf
    )
    return GraphError(f"Could not infer dtype of {type(culprit).__name__}")


def _check_range(array: np.ndarray[Any, Any], target: np.dtype[Any]) -> None:
    """Raise where a Python number is given for a dtype that cannot hold it."""
    if dtypes.is_complex_dtype(array.dtype) and target.kind not in "cbW":
        raise ArgumentTypeError(
            f"must be real number, not complex: {dtypes.from_numpy_dtype(target)} holds no "
            "imaginary part"
        )
    if target.kind not in "iu" or not array.size:
        return
    least, most = array.min(), array.max()
    negative = target == np.uint64 and least < 0
    if negative or any(dtypes.overflows(each.item(), target) for each in (least, most)):
        raise GraphError(
            f"value cannot be converted to type {dtypes.from_numpy_dtype(target).name} without "
            f"overflow: the values go from {least} to {most}"
        )


def evenly_spaced(start: Any, end: Any, steps: int, numpy_dtype: np.dtype[Any]) -> Any:
    """Count up from the start in the first half and down from the end in the second."""
    if steps < 0:
        raise ShapeError("number of steps must be non-negative")
    # as PyTorch: the ends are rounded towards zero first
    start, end = (dtypes.fitted_number(each, numpy_dtype) for each in (start, end))
    if steps == 1:
        return np.full(1, start).astype(numpy_dtype)
    with silence():
        return _evenly_spaced(start, end, steps, numpy_dtype)


def _evenly_spaced(start: Any, end: Any, steps: int, numpy_dtype: np.dtype[Any]) -> Any:
    work = numpy_dtype if numpy_dtype.kind in "fc" else np.dtype(np.float64)
    start, end = work.type(start), work.type(end)
    step = (end - start) / work.type(max(steps - 1, 1))
    positions = np.arange(steps)
    up = start + step * positions.astype(work)
    down = end - step * (steps - 1 - positions).astype(work)
    return np.where(positions < steps // 2, up, down).astype(numpy_dtype)
