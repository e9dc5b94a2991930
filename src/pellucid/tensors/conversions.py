"""Tensors as Python values and NumPy arrays, in other dtypes and on other devices."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.history import edge_of
from pellucid.core.call.compiled import regular
from pellucid.core.call.overriding import overridable, relevant, take_over
from pellucid.core.construct import TENSOR_TO_NUMBER_WARNING
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import public
from pellucid.device import cpu_device
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    DeviceError,
    GraphError,
    ShapeError,
    UnimplementedError,
)
from pellucid.kernels.meta import is_meta
from pellucid.ops.shape import splitting
from pellucid.ops.shape.copying import NO_DATA, cast, to

# ---- as a Python value ----------------------------------------------------------------------


@public(method="tolist")
def tolist(self: Any) -> Any:
    """Return the values as nested lists of Python numbers; one number for a 0-d tensor."""
    if is_meta(self._array):
        raise UnimplementedError(NO_DATA)
    return self._array.tolist()


def _only_element(self: Any) -> Any:
    if self._array.size != 1:
        raise ArgumentError(
            "only one element tensors can be converted to Python scalars; this one has "
            f"{self._array.size}"
        )
    if edge_of(self) is not None:
        warnings.warn(TENSOR_TO_NUMBER_WARNING, UserWarning, stacklevel=user_stacklevel())
    return only_value(self)


def only_value(self: Any) -> Any:
    """Return the one element as a number; raise RuntimeError where it has no value."""
    if is_meta(self._array):
        raise GraphError("Tensor.item() cannot be called on meta tensors")
    return self._array.item()


@public(method="__int__")
def to_int(self: Any) -> int:
    """Return ``int(self)`` of a tensor of one element."""
    return int(_real(_only_element(self), "int64_t"))


@public(method="__float__")
def to_float(self: Any) -> float:
    """Return ``float(self)`` of a tensor of one element."""
    return float(_real(_only_element(self), "double"))


@public(method="__complex__")
def to_complex(self: Any) -> complex:
    """Return ``complex(self)`` of a tensor of one element."""
    return complex(_only_element(self))


def _real(value: Any, wanted: str) -> Any:
    if not isinstance(value, complex):
        return value
    if value.imag:
        raise GraphError(
            f"value cannot be converted to type {wanted} without overflow: {value} has an "
            "imaginary "
            "part"
        )
    return value.real


@public(method="__index__")
def to_index(self: Any) -> int:
    """Return the value as a list index; raise TypeError unless it is one integer."""
    if self._array.size != 1 or self._array.dtype.kind not in "iub":
        raise ArgumentTypeError(
            "only integer tensors of a single element can be converted to an index"
        )
    return int(only_value(self))


@public(method="__format__")
def formatted(self: Any, spec: str) -> str:
    """Return ``format(self, spec)``: of a 0-d tensor, the number's."""
    from pellucid.tensors import formatting

    if not self._array.ndim and not is_meta(self._array):
        return formatting.format_item(self._array, spec)
    if spec:
        raise ArgumentTypeError("unsupported format string passed to Tensor.__format__")
    return repr(self)


@public(method="__contains__")
def contains(self: Any, element: Any) -> bool:
    """Return whether some element equals the given one."""
    if is_meta(self._array):
        raise GraphError("Tensor.item() cannot be called on meta tensors")
    if isinstance(element, TensorBase):
        return bool((self._array == element._array).any())
    if is_number(element):
        return bool((self._array == element).any())
    raise GraphError(
        f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
    )


@public(method="__iter__")
def iterate(self: Any) -> Iterator[Any]:
    """Go through the parts along the first dimension."""
    if not self._array.ndim:
        raise ArgumentTypeError("iteration over a 0-d tensor")
    return iter(splitting.unbind(self, 0))


# ---- as a NumPy array -----------------------------------------------------------------------


@public(method="__array__")
def to_array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """Return the array for NumPy, which shares memory unless told otherwise.

    Raises RuntimeError for a tensor that requires grad.
    """
    array = self.numpy()
    if copy:
        return np.array(array, dtype)
    if dtype is None or array.dtype == dtype:
        return array
    if copy is False:
        raise ArgumentError(f"a tensor of {array.dtype} cannot be read as {dtype} without a copy")
    return array.astype(dtype)


@public(method="pin_memory")
def pin_memory(self: Any, device: Any = None) -> Any:
    """Raise RuntimeError: memory is pinned for an accelerator, and there is none.

    Args:
        device: Accepted, and without effect.
    """
    raise ShapeError("Cannot access accelerator device when none is available.")


@public(method="cuda")
def cuda(
    self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> Any:
    """Raise: pellucid computes on the CPU.

    Args:
        device: Device that is asked for.
        non_blocking: Accepted, and without effect.
        memory_format: Accepted, and without effect.
    """
    raise DeviceError(
        "Torch not compiled with CUDA enabled: pellucid computes on the CPU. Choose a device with "
        "'cuda' if torch.cuda.is_available() else 'cpu', which gives 'cpu' here."
    )


@public(method="cpu")
def cpu(self: Any, *, memory_format: Any = None) -> Any:
    """Return the tensor itself if it is on the CPU; raise NotImplementedError without values.

    Args:
        memory_format: Order of the elements in memory; as it is by default.
    """
    return to(self, cpu_device, memory_format=memory_format)


# ---- other dtypes ---------------------------------------------------------------------------


def _converter(dtype: dtypes.dtype, name: str) -> Any:
    @regular
    def convert(self: Any, *, memory_format: Any = None) -> Any:
        if self._takes_over and (taking := relevant((self,))):  # called as that of ``Tensor``
            given = {} if memory_format is None else {"memory_format": memory_format}
            return take_over(convert, taking, (self,), given)
        if memory_format is not None:
            return to(self, dtype, memory_format=memory_format)
        return self if self._array.dtype == dtype.numpy else cast(self, dtype)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = (
        f"Return the tensor as ``{dtype}``; itself if it is.\n\n"
        "Args:\n    memory_format: Order of the elements in memory; as it is by default.\n"
    )
    return convert


as_float = _converter(dtypes.float32, "float")
as_double = _converter(dtypes.float64, "double")
as_half = _converter(dtypes.float16, "half")
as_bfloat16 = _converter(dtypes.bfloat16, "bfloat16")
as_int = _converter(dtypes.int32, "int")
as_long = _converter(dtypes.int64, "long")
as_short = _converter(dtypes.int16, "short")
as_char = _converter(dtypes.int8, "char")
as_byte = _converter(dtypes.uint8, "byte")
as_bool = _converter(dtypes.bool_, "bool")
as_chalf = _converter(dtypes.complex32, "chalf")
as_cfloat = _converter(dtypes.complex64, "cfloat")
as_cdouble = _converter(dtypes.complex128, "cdouble")


@public(method="type_as")
@regular
def type_as(self: Any, other: Any) -> Any:
    """Return the tensor in the dtype of another.

    Args:
        other: Tensor with the wanted dtype.
    """
    return to(self, dtypes.from_numpy_dtype(other._array.dtype))


def _dtype_named(name: str) -> dtypes.dtype:
    short = name.removeprefix("torch.")
    for each in dtypes.ALL:
        if dtypes.LEGACY_TYPE_NAMES[each.name] == short:
            return each
    raise ArgumentError(f"invalid type: '{name}'")


class Conversions(TensorBase):
    """Have the methods that are named after Python's types, which `Tensor` uses in annotations."""

    __slots__ = ()

    float = as_float
    double = as_double
    half = as_half
    bfloat16 = as_bfloat16
    int = as_int
    long = as_long
    short = as_short
    char = as_char
    byte = as_byte
    bool = as_bool
    chalf = as_chalf
    cfloat = as_cfloat
    cdouble = as_cdouble

    @overridable
    def type(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the type, ``torch.FloatTensor``; or convert to a dtype or such a type.

        Args:
            dtype: Dtype, or name of a type such as ``"torch.FloatTensor"``.
            non_blocking: Accepted, and without effect.
        """
        if dtype is None:
            where = "torch.meta" if is_meta(self._array) else "torch"
            own = dtypes.from_numpy_dtype(self._array.dtype)
            return f"{where}.{dtypes.LEGACY_TYPE_NAMES[own.name]}"
        if isinstance(dtype, str):
            dtype = _dtype_named(dtype)
        elif isinstance(getattr(dtype, "dtype", None), dtypes.dtype) and not isinstance(
            dtype, TensorBase
        ):
            dtype = dtype.dtype  # torch.FloatTensor and its like
        elif not isinstance(dtype, dtypes.dtype):
            raise ArgumentTypeError("dtype must be a type, str, or dtype object")
        return to(self, dtype)


def __getattr__(name: str) -> Any:
    """Return a conversion by the name of its method, as pickles ask for it."""
    found = Conversions.__dict__.get(name)
    if not callable(found):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
