"""Making tensors: from data, filled with one value, and ranges of numbers."""

from __future__ import annotations

import functools
import warnings
from typing import Any, NoReturn, Union

import numpy as np

from pellucid import dtypes
from pellucid.autograd.cuts import note_cut
from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.autograd.warned import warn_once
from pellucid.core.call.overriding import ask_modes
from pellucid.core.construct import (
    allocated,
    array_from,
    fresh,
    made_at_once,
    numpy_dtype_of,
    placed,
    placed_like,
    placed_tensor,
    sizes_from,
)
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import CASTING, public
from pellucid.core.memory import memory_formats
from pellucid.core.memory.ownership import note_foreign
from pellucid.core.memory.unset import filled_if_asked
from pellucid.device import cpu_device, placing
from pellucid.device import device as device_class
from pellucid.dtypes import dtype as dtype_class
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    DtypeError,
    GraphError,
    ShapeError,
)
from pellucid.kernels.meta import as_meta, in_memory, is_meta
from pellucid.kernels.meta import strided as meta_strided
from pellucid.observe import slow_path
from pellucid.shapes import as_tuple
from pellucid.tensors import Tensor
from pellucid.tensors.dlpack import from_dlpack
from pellucid.tensors.layouts import (
    empty_in_layout,
    empty_like_sparse,
    is_sparse,
    refuse_other_layout,
)
from pellucid.tensors.storages import TypedStorage, UntypedStorage

_COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


@public("tensor", checked=False)
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor with a copy of the data: a number, nested sequences, or an array.

    Without ``dtype``, Python floats give the default dtype, integers int64, booleans bool; arrays
    keep theirs. Raises ValueError for ragged sequences and TypeError or RuntimeError for what is no
    number.

    Args:
        data: Number, nested sequence, array or tensor.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if slow_path.active and modes.function_modes:
        return ask_modes(
            tensor, data, dtype=dtype, device=device, requires_grad=requires_grad,
            pin_memory=pin_memory,
        )  # fmt: skip
    if isinstance(data, TensorBase):
        warnings.warn(_COPY_WARNING, UserWarning, stacklevel=user_stacklevel())
        if data._edge is not None:
            note_cut("torch.tensor()", data._edge[0])
    return placed_tensor(array_from(data, dtype), device, pin_memory, requires_grad)


@public("as_tensor", checked=False)
def as_tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the data as a tensor, sharing memory with a tensor or array of that dtype.

    Args:
        data, dtype, device: As for `tensor`.

    >>> x = torch.ones(2)
    >>> torch.as_tensor(x) is x
    True
    """
    if slow_path.active and modes.function_modes:
        return ask_modes(as_tensor, data, dtype=dtype, device=device)
    if isinstance(data, Tensor):
        if device is None:
            device = data.device if placing.device is cpu_device else placing.device
        return data.to(device, dtype)
    made = None
    if isinstance(data, np.ndarray) and (
        dtype is None or data.dtype == dtypes.to_numpy_dtype(dtype)
    ):
        made = from_numpy(data)
    elif isinstance(data, UntypedStorage | TypedStorage):
        made = fresh(data.values_in(None if dtype is None else dtypes.to_numpy_dtype(dtype)))
    if made is not None:
        return made.to("meta") if placed(device) else made
    return placed_tensor(array_from(data, dtype), device, False, False)


@public("asarray")
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:  # fmt: skip
    """Return the object as a tensor; share its memory unless ``copy=True``.

    What has the buffer protocol alone (``bytearray``, ``memoryview``, ``array.array``) is read as
    the bytes of elements of ``dtype``, by default of the default dtype. Raises ValueError for
    ``copy=False`` where sharing is impossible.

    Args:
        obj: Any object.
        dtype, device: As for `tensor`.
        copy: Whether to copy: ``True``, ``False`` (never) or ``None`` (only if needed).
        requires_grad: Whether operations on the result are recorded; None, with a warning, as
            those on ``obj``.

    >>> torch.asarray([1, 2], dtype=torch.float32)
    tensor([1., 2.])
    """
    if dtype is not None and isinstance(obj, Tensor) and obj.requires_grad:
        if not dtypes.is_differentiable(dtypes.to_numpy_dtype(dtype)):
            raise DtypeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
    if type(obj).__name__ == "PyCapsule":
        obj = from_dlpack(obj)
    elif _is_buffer(obj):
        obj = frombuffer(obj, dtype=dtype or dtypes.get_default_dtype())
    sharable = isinstance(obj, Tensor | np.ndarray | UntypedStorage | TypedStorage)
    if copy:
        result = placed_tensor(array_from(obj, dtype), device, False, False)
    else:
        result = as_tensor(obj, dtype=dtype, device=device)
        shared = sharable and np.may_share_memory(_memory_of(obj), result._array)
        if copy is False and not shared and result.numel():
            raise _unsharable(obj, sharable, result)
    if requires_grad is None:
        if isinstance(obj, Tensor) and obj.requires_grad:
            warn_once(
                "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad "
                "instead of False. Pass requires_grad=False explicitly to get the old behavior "
                "and silence this warning."
            )
        return result
    if not requires_grad and not result.requires_grad:
        return result
    return result.detach()._switch_recording(requires_grad)


def _unsharable(obj: Any, sharable: bool, result: Tensor) -> Exception:
    """Return the error for an object whose memory a tensor cannot share as it is asked to."""
    if isinstance(obj, np.generic):
        return GraphError(
            "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
        )
    if not sharable:
        return ArgumentError(
            "can't alias arbitrary sequence into a tensor. Leave copy=False out, to have it copied."
        )
    given, wanted = (dtypes.scalar_name(each.dtype) for each in (_memory_of(obj), result._array))
    if given == wanted:
        return ArgumentError(
            f"can't alias tensor from device 'cpu' to '{result.device}'. Leave copy=False out."
        )
    return ArgumentError(
        f"can't alias tensor with dtype '{given}' into dtype '{wanted}'. Leave copy=False out, to "
        "have it copied."
    )


def _is_buffer(obj: Any) -> bool:
    """Return whether an object is nothing but memory, which is read as it is."""
    if isinstance(obj, Tensor | np.ndarray | np.generic) or hasattr(obj, "__array__"):
        return False
    try:
        memoryview(obj).release()
    except TypeError:
        return False
    return True


def _memory_of(obj: Any) -> np.ndarray[Any, Any]:
    if isinstance(obj, UntypedStorage | TypedStorage):
        return obj.values_in(None)
    return obj._array if isinstance(obj, Tensor) else obj


@public("from_numpy", checked=False)
def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor that shares memory with a NumPy array.

    Raises TypeError for anything else and for dtypes that tensors do not have, ValueError for
    negative strides.

    Args:
        ndarray: NumPy array; the result shares its memory.

    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> torch.from_numpy(a).fill_(1.0)
    tensor([1., 1.], dtype=torch.float64)
    >>> a
    array([1., 1.])
    """
    if not isinstance(ndarray, np.ndarray):
        raise ArgumentTypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.check_convertible(ndarray.dtype)
    if any(stride < 0 for stride in ndarray.strides):
        raise ArgumentError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) "
        )
    if any(stride % ndarray.itemsize for stride in ndarray.strides):
        raise ArgumentError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy "
            "array to reallocate the memory."
        )
    if not ndarray.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable "
            "tensors. This means writing to this tensor will result in undefined behavior. You may "
            "want to copy the array to protect its data or make it writable before converting it "
            "to a tensor. Here, writing to it raises.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    return fresh(note_foreign(ndarray))


@public("zeros", out=CASTING)
@made_at_once()
def zeros(
    *sizes: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of zeros; the sizes come one by one or as a sequence.

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device, requires_grad, pin_memory: As for `tensor`.

    >>> torch.zeros(2, 1)
    tensor([[0.],
            [0.]])
    """
    shape = sizes_from("zeros", sizes, size)
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    if layout is not None and is_sparse(layout):
        return empty_in_layout(shape, numpy_dtype, layout, requires_grad)
    array = allocated(np.zeros, shape, numpy_dtype, on_meta=placed(device, pin_memory))
    return fresh(array, requires_grad)


@public("ones", out=CASTING)
@made_at_once()
def ones(
    *sizes: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of ones; the sizes come one by one or as a sequence.

    Args: As for `zeros`.

    >>> torch.ones(3, dtype=torch.int64)
    tensor([1, 1, 1])
    """
    array = allocated(
        np.ones, sizes_from("ones", sizes, size), numpy_dtype_of(dtype, dtypes.default()),
        on_meta=placed(device),
    )  # fmt: skip
    return placed_tensor(array, device, pin_memory, requires_grad)


@public("empty", out=CASTING)
def empty(
    *sizes: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Make a tensor without setting its values.

    Args:
        *sizes, size, dtype, layout, device, requires_grad, pin_memory: As for `zeros`.
        memory_format: Order of the elements in memory.

    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    shape = sizes_from("empty", sizes, size)
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    if is_sparse(layout):
        return empty_in_layout(shape, numpy_dtype, layout, requires_grad)
    on_meta = placed(device) and memory_format is None
    format_given = () if on_meta else (memory_format,)
    array = allocated(memory_formats.empty, shape, numpy_dtype, *format_given, on_meta=on_meta)
    return placed_tensor(filled_if_asked(array), device, pin_memory, requires_grad)


@public("full", out=CASTING)
@made_at_once()
def full(
    size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of one value; its kind gives the dtype unless ``dtype`` does.

    Args:
        size, dtype, layout, device, requires_grad, pin_memory: As for `zeros`.
        fill_value: Value of every element.

    Raises:
        TypeError: If ``size`` is not a tuple of ints.

    >>> torch.full((2,), 7)
    tensor([7, 7])
    """
    value = array_from(fill_value, dtype)
    if not isinstance(size, tuple | list):
        raise ArgumentTypeError(
            f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}"
        )
    sizes = sizes_from("full", (size,))
    if not isinstance(fill_value, TensorBase):
        dtypes.check_fits(fill_value, value.dtype)
    on_meta = placed(device)
    array = allocated(np.full, sizes, value.dtype if on_meta else value, on_meta=on_meta)
    return placed_tensor(array, device, pin_memory, requires_grad)


@public("empty_strided")
def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of the given strides without setting its values.

    Args:
        size, dtype, layout, device, requires_grad, pin_memory: As for `zeros`.
        stride: Steps in memory along each dimension.

    Raises:
        RuntimeError: If there are not as many strides as sizes.

    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    sizes = sizes_from("empty_strided", (as_tuple(size, "empty_strided", "size"),))
    strides = as_tuple(stride, "empty_strided", "stride")
    if len(sizes) != len(strides):
        raise ShapeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides "
            f"({len(strides)})"
        )
    numpy_dtype = numpy_dtype_of(dtype, dtypes.default())
    if placed(device, pin_memory):
        steps = tuple(step * numpy_dtype.itemsize for step in strides)
        return fresh(meta_strided(sizes, numpy_dtype, steps), requires_grad)
    last = sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
    buffer = filled_if_asked(np.empty(0 if 0 in sizes else last + 1, numpy_dtype))
    steps = tuple(step * numpy_dtype.itemsize for step in strides)
    return placed_tensor(
        np.ndarray(sizes, numpy_dtype, buffer, 0, steps), device, pin_memory, requires_grad
    )


@public("empty_permuted")
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor whose dimensions lie in memory in a given order, without setting its values.

    Args:
        size, dtype, layout, device, requires_grad, pin_memory: As for `zeros`.
        physical_layout: The dimensions from the outermost in memory to the innermost.

    Raises:
        RuntimeError: If these are not the dimensions, each of them once.

    >>> torch.empty_permuted((2, 3, 5), (1, 0, 2)).stride()
    (5, 10, 1)
    """
    sizes, order = (
        sizes_from("empty_permuted", (as_tuple(size, "empty_permuted", "size"),)),
        as_tuple(physical_layout, "empty_permuted", "physical_layout"),
    )
    if len(order) != len(sizes):
        raise ShapeError(
            f"Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(sizes)} is not equal to len(physical_layout) = {len(order)}"
        )
    strides, step = [0] * len(sizes), 1
    for dim in reversed(order):
        if not 0 <= dim < len(sizes):
            raise ShapeError(
                f"Dimension out of range (expected to be between 0 and {len(sizes) - 1}, but got "
                f"{dim} in physical_layout). NB: negative dims not currently supported"
            )
        if order.count(dim) > 1:
            raise ShapeError("Duplicate dim not allowed in physical_layout")
        strides[dim] = step
        step *= sizes[dim]
    return empty_strided(
        sizes, strides, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad,
        pin_memory=pin_memory,
    )  # fmt: skip


def layout_like(
    input: Any, dtype: Any, memory_format: Any, device: Any, pin_memory: bool = False
) -> Any:
    """Return an array with the tensor's shape, and its order in memory unless a format is given."""
    if not isinstance(input, TensorBase):
        raise ArgumentTypeError(f"argument 'input' must be Tensor, not {type(input).__name__}")
    numpy_dtype = numpy_dtype_of(dtype, input._array.dtype)
    made = memory_formats.empty_in_format(input._array, numpy_dtype, memory_format)
    on_meta = placed_like(input, device, pin_memory)
    if on_meta is is_meta(made):
        return made
    return as_meta(made) if on_meta else in_memory(made)


@public("zeros_like")
@made_at_once(like=True)
def zeros_like(
    input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of zeros with the shape and dtype of another.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        dtype, layout, device, requires_grad, memory_format, pin_memory: As for `empty`.

    >>> torch.zeros_like(torch.ones(2))
    tensor([0., 0.])
    """
    if is_sparse(layout, input):
        return empty_like_sparse(input, dtype, layout, requires_grad)
    array = layout_like(input, dtype, memory_format, device, pin_memory)
    array.fill(0)
    return fresh(array, requires_grad)


@public("ones_like")
@made_at_once(like=True)
def ones_like(
    input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of ones with the shape and dtype of another.

    Args: As for `zeros_like`.

    >>> torch.ones_like(torch.zeros(2))
    tensor([1., 1.])
    """
    array = layout_like(input, dtype, memory_format, device, pin_memory)
    array.fill(1)
    return fresh(array, requires_grad)


@public("empty_like")
def empty_like(
    input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor with the shape and dtype of another, without setting its values.

    Args: As for `zeros_like`.

    >>> torch.empty_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    if is_sparse(layout, input):
        refuse_other_layout(input, layout)
        return empty_like_sparse(input, dtype, layout, requires_grad)
    array = layout_like(input, dtype, memory_format, device, pin_memory)
    return fresh(filled_if_asked(array), requires_grad)


@public("full_like")
@made_at_once(like=True)
def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor of one value with the shape and dtype of another.

    Args:
        input, dtype, layout, device, requires_grad, memory_format, pin_memory: As for `zeros_like`.
        fill_value: Value of every element.

    >>> torch.full_like(torch.zeros(2), 3)
    tensor([3., 3.])
    """
    array = layout_like(input, dtype, memory_format, device, pin_memory)
    value = checked_number("full_like", "fill_value", fill_value)
    dtypes.check_fits(value, array.dtype)
    array[...] = array_from(value, dtypes.from_numpy_dtype(array.dtype))
    return fresh(array, requires_grad)


def plain_number(value: Any) -> Any:
    """Return a Python number for a number or a tensor of one element."""
    if isinstance(value, TensorBase):
        value = value._array
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def checked_number(function: str, argument: str, value: Any) -> Any:
    """Return a number, or a tensor without dimensions; raise TypeError for anything else."""
    if isinstance(value, TensorBase) and value._array.ndim == 0:
        return value
    if not is_number(value):
        found = "Tensor" if isinstance(value, TensorBase) else type(value).__name__
        raise ArgumentTypeError(f"{function}(): argument '{argument}' must be Number, not {found}")
    return value


@public("eye", out=CASTING)
@made_at_once()
def eye(
    n: int, m: int | None = None, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a matrix with ones on the diagonal and zeros elsewhere.

    Args:
        n: Number of rows.
        m: Number of columns; by default ``n``.
        dtype, layout, device, requires_grad, pin_memory: As for `zeros`.

    Raises:
        RuntimeError: If a size is negative.

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    for name, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise ShapeError(f"{name} must be greater or equal to 0, got {size}")
    array = np.eye(n, m, dtype=numpy_dtype_of(dtype, dtypes.default()))
    return placed_tensor(array, device, pin_memory, requires_grad)


@public("scalar_tensor")
def scalar_tensor(
    s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a tensor without dimensions from a number, of the default dtype.

    Args:
        s: Number that the tensor holds.
        dtype, layout, device, requires_grad, pin_memory: As for `zeros`.

    >>> torch.scalar_tensor(2)
    tensor(2.)
    """
    s = checked_number("scalar_tensor", "s", s)
    array = array_from(s, dtypes.from_numpy_dtype(numpy_dtype_of(dtype, dtypes.default())))
    return placed_tensor(array, device, pin_memory, requires_grad)


@public("frombuffer")
def frombuffer(
    buffer: Any,
    *,
    dtype: dtype_class,
    count: int = -1,
    offset: int = 0,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor without dimensions beyond one that shares memory with a Python buffer.

    Args:
        buffer: Object with the buffer protocol; the result shares its memory.
        dtype: Dtype of the result; by default that of the values.
        count: Number of elements to read; -1 for all.
        offset: Number of bytes to skip.
        requires_grad: Whether operations on the result are recorded.

    Raises:
        ValueError: If the object has no buffer, or nothing is to be read.

    >>> torch.frombuffer(bytearray([1, 2]), dtype=torch.uint8)
    tensor([1, 2], dtype=torch.uint8)
    """
    numpy_dtype = dtype.numpy
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ArgumentError("object does not implement Python buffer protocol.") from None
    if not view.nbytes or not count:
        raise ArgumentError(f"both buffer length ({view.nbytes}) and count ({count}) must not be 0")
    if not 0 <= offset < view.nbytes:
        raise ArgumentError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({view.nbytes} bytes) minus 1"
        )
    rest = view.nbytes - offset
    if count < 0 and rest % numpy_dtype.itemsize:
        raise ArgumentError(
            f"buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple "
            f"of element size ({numpy_dtype.itemsize})"
        )
    if count * numpy_dtype.itemsize > rest:
        raise ArgumentError(
            f"requested buffer length ({count} * {numpy_dtype.itemsize} bytes) after offset "
            f"({offset} bytes) must not be greater than actual buffer length ({view.nbytes} bytes)"
        )
    array = np.frombuffer(buffer, numpy_dtype, max(count, -1), offset)
    if not array.flags.writeable:
        warnings.warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. "
            "Here, writing to the tensor raises.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    return fresh(note_foreign(array), requires_grad)


class LegacyType:
    """A class such as ``torch.FloatTensor``: it makes tensors of a dtype, and recognizes them."""

    __slots__ = ("__name__", "dtype")

    def __init__(self, dtype: dtype_class) -> None:
        self.__name__ = dtypes.LEGACY_TYPE_NAMES[dtype.name]
        self.dtype = dtype

    def __call__(self, *args: Any, device: Any = None) -> Tensor:
        if device is not None and (kind := device_class(device).type) != "cpu":
            raise GraphError(
                f"legacy constructor expects device type: cpu but device type: {kind} was passed"
            )
        return fresh(Tensor.array_from_arguments(args, self.dtype))

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, TensorBase) and instance._array.dtype == self.dtype.numpy

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        raise ArgumentTypeError(f"type 'torch.{self.__name__}' is not an acceptable base type")

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007 - this is what the operator is made of

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<class 'torch.{self.__name__}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _legacy_type, (self.dtype,)


@functools.cache
def _legacy_type(dtype: dtype_class) -> LegacyType:
    """Return the one object that is known as the class of a dtype."""
    return LegacyType(dtype)


for _dtype in (
    dtypes.bfloat16, dtypes.bool_, dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int8,
    dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
):  # fmt: skip
    public(dtypes.LEGACY_TYPE_NAMES[_dtype.name])(_legacy_type(_dtype))


@public("is_tensor", checked=False)
def is_tensor(obj: Any) -> bool:
    """Return whether an object is a tensor.

    Args:
        obj: Any object.

    >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, TensorBase)
