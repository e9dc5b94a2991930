"""What a tensor gives to other libraries and to older programs."""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any, NoReturn

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.history import edge_of
from pellucid.core.call.call import new_tensor
from pellucid.core.definition.public import public
from pellucid.core.memory.memory_formats import is_contiguous
from pellucid.core.memory.ownership import note_foreign
from pellucid.device import check_device
from pellucid.dtypes import (
    bfloat16,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    from_numpy_dtype,
)
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    GraphError,
    ShapeError,
    UnimplementedError,
)
from pellucid.kernels.meta import is_meta
from pellucid.ops.reduce import reductions
from pellucid.ops.shape import views
from pellucid.ops.shape.diagonal import flip
from pellucid.outbuildings import outbuildings
from pellucid.shapes import shape_from_args
from pellucid.tensors import conversions
from pellucid.tensors.storages import TypedStorage, UntypedStorage

# ---- other libraries --------------------------------------------------------------------------


@public(method="__dlpack__")
def to_dlpack_capsule(
    self: Any, *, stream: Any = None, max_version: tuple[int, int] | None = None,
    dl_device: Any = None, copy: bool | None = None,
) -> Any:  # fmt: skip
    """Return the values for another library, by the DLPack protocol; memory is shared.

    Raises BufferError for a tensor that requires grad.
    """
    if is_meta(self._array):
        raise BufferError("Cannot pack tensors on meta")
    if edge_of(self) is not None:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if stream is not None:
        if not isinstance(stream, int):
            raise ArgumentTypeError("stream must be ``int`` or ``none``")
        raise AssertionError("stream should be None on cpu.")
    array = self._array
    kind = _KINDS.get(from_numpy_dtype(array.dtype))
    as_integers = array if kind is None else array.view(f"u{array.itemsize}")
    capsule = as_integers.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
    if kind is not None:
        _kind_of_number(capsule).value = kind
    return capsule


# Note [bfloat16 by DLPack]
# NumPy neither gives nor takes bfloat16 and float8, which for it are dtypes of somebody else. The
# protocol has numbers for them. So memory is exchanged as integers of as many bits, and the byte
# that says which kind of number they are is written in the structure behind the capsule (dlpack.h):
# DLTensor begins with a pointer, a device of 8 bytes and the number of dimensions, and then comes
# that byte.
_UNSIGNED = 1
_KINDS = {
    bfloat16: 4, float8_e4m3fn: 10, float8_e4m3fnuz: 11, float8_e5m2: 12, float8_e5m2fnuz: 13,
    float8_e8m0fnu: 14,
}  # fmt: skip
_OF_KINDS = {kind: dtype for dtype, kind in _KINDS.items()}
_KIND_IN_TENSOR = ctypes.sizeof(ctypes.c_void_p) + 8 + 4
#: by name of a capsule, where its DLTensor begins: newer ones open with a version and three fields
_TENSOR_IN_CAPSULE = {
    b"dltensor": 0, b"dltensor_versioned": 8 + 2 * ctypes.sizeof(ctypes.c_void_p) + 8,
}  # fmt: skip
_name_of_capsule = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_pointer_of_capsule = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _kind_of_number(capsule: Any) -> ctypes.c_uint8:
    """Return the byte of a capsule that says which kind its numbers are of."""
    name = _name_of_capsule(capsule)
    if name not in _TENSOR_IN_CAPSULE:  # NumPy says what is wrong with it
        return ctypes.c_uint8(_UNSIGNED)
    start = _pointer_of_capsule(capsule, name)
    return ctypes.c_uint8.from_address(start + _TENSOR_IN_CAPSULE[name] + _KIND_IN_TENSOR)


#: kinds of devices, by DLPack's numbers
DLDeviceType = IntEnum(
    "DLDeviceType",
    {
        "kDLCPU": 1, "kDLCUDA": 2, "kDLCUDAHost": 3, "kDLOpenCL": 4, "kDLVulkan": 7, "kDLMetal": 8,
        "kDLVPI": 9, "kDLROCM": 10, "kDLROCMHost": 11, "kDLExtDev": 12, "kDLCUDAManaged": 13,
        "kDLOneAPI": 14, "kDLWebGPU": 15, "kDLHexagon": 16, "kDLMAIA": 17,
    },
)  # fmt: skip


@public(method="__dlpack_device__")
def dlpack_device(self: Any) -> tuple[DLDeviceType, int]:
    """Return where the values are, in DLPack's numbers: on the CPU."""
    kind, number = self._array.__dlpack_device__()
    return DLDeviceType(kind), number


class _Capsule:
    """A capsule that somebody else has asked for, as NumPy expects it."""

    def __init__(self, capsule: Any, device: tuple[int, int] = (1, 0)) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


class _Writable:
    """An array over a capsule of the old kind, which cannot say whether memory may be written.

    NumPy takes it for read-only, PyTorch for writable.
    """

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        facts = array.__array_interface__
        self.__array_interface__ = facts | {"data": (facts["data"][0], False)}


@public("from_dlpack")
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return a tensor over the memory of an array of another library, by the DLPack protocol.

    Raises RuntimeError for what does not speak it, and BufferError for values of other kinds.

    Args:
        ext_tensor: Object with ``__dlpack__``, or a DLPack capsule.
        device: Device of the result: the CPU or ``meta``.
        copy: Whether to copy: ``True``, ``False`` (never) or ``None`` (only if needed).

    >>> import numpy as np
    >>> torch.from_dlpack(np.ones(2))
    tensor([1., 1.], dtype=torch.float64)
    """
    if type(ext_tensor).__name__ == "PyCapsule":
        ext_tensor = _Capsule(ext_tensor)
    if not hasattr(ext_tensor, "__dlpack__"):
        raise GraphError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
            "only once, so you might have already constructed a tensor from it once. It was given "
            f"an object of type {type(ext_tensor).__name__}, which has no __dlpack__()."
        )
    if not isinstance(ext_tensor, _Capsule):
        ext_tensor = _Capsule(_ask_for_capsule(ext_tensor), ext_tensor.__dlpack_device__())
    capsule = ext_tensor.__dlpack__()
    is_old = _name_of_capsule(capsule) == b"dltensor"
    kind = _kind_of_number(capsule)
    dtype = _OF_KINDS.get(kind.value)
    if dtype is not None:
        kind.value = _UNSIGNED
    array = np.from_dlpack(ext_tensor)
    if is_old:
        array = np.asarray(_Writable(array))
    if dtype is not None:
        array = array.view(dtype.numpy)
    if copy or not array.flags.writeable:
        return new_tensor(array.copy())
    return new_tensor(note_foreign(array))


def _ask_for_capsule(producer: Any) -> Any:
    try:
        return producer.__dlpack__(max_version=(1, 0))
    except TypeError:  # it is older than this argument
        return producer.__dlpack__()


@public(method="__array_wrap__")
def array_wrap(self: Any, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    """Return what a function of NumPy has computed of tensors, as a tensor."""
    return new_tensor(np.asarray(array))


@public(method="__array_namespace__")
def array_namespace(self: Any, *, api_version: str | None = None) -> Any:
    """Return the functions of the array API standard for tensors, `pellucid.array_api`.

    Raises ValueError for a version of the standard that is not there.
    """
    namespace = outbuildings.array_api()
    versions = namespace.info.VERSIONS
    if api_version is not None and api_version not in versions:
        raise ArgumentError(
            f"the array API standard of {api_version!r} is not there, only {', '.join(versions)}"
        )
    return namespace


@public(method="to_device")
def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
    """Return the tensor on a device: itself where it is there.

    Raises RuntimeError for another device, and ValueError for a stream, which a CPU has not.

    Args:
        device: Device of the result.
        stream: Stream on which a copy runs; none on the CPU.

    >>> x = torch.ones(2)
    >>> x.to_device("cpu") is x
    True
    """
    if stream is not None:
        raise ArgumentError(f"stream should be None on cpu, got {stream!r}")
    return self.to(check_device(device))


# ---- older and rarer names ----------------------------------------------------------------------


@public(method="__reversed__")
def reversed_rows(self: Any) -> Any:
    """Return the tensor in reverse order along its first dimension; a 0-d tensor as it is."""
    return flip(self, (0,)) if self._array.ndim else self


@public(method="__long__")
def to_long(self: Any) -> int:
    """Return ``int(self)`` of a tensor of one element."""
    return conversions.to_int(self)


@public("is_distributed", method=True)
def is_distributed(input: Any) -> bool:
    """Return False: no tensor is spread over several processes.

    Args:
        input: Tensor of any shape.

    >>> torch.is_distributed(torch.ones(1))
    False
    """
    return False


@public("is_same_size", method=True)
def is_same_size(input: Any, other: Any) -> bool:
    """Return whether two tensors have the same shape.

    Args:
        input: Tensor of any shape.
        other: Tensor of any shape.

    Raises:
        TypeError: If an argument is not a tensor.

    >>> torch.is_same_size(torch.ones(2), torch.zeros(2))
    True
    """
    if not isinstance(other, TensorBase):
        raise ArgumentTypeError(
            "is_same_size(): argument 'other' (position 2) must be Tensor, not "
            f"{type(other).__name__}"
        )
    second: Any = other
    return input.shape == second.shape


@public(method="is_set_to")
def is_set_to(self: Any, tensor: Any) -> bool:
    """Return whether two tensors have the same memory, offset, shape and strides.

    Args:
        tensor: The other tensor.
    """
    first, second = self._array, tensor._array
    return (
        first.__array_interface__["data"][0] == second.__array_interface__["data"][0]
        and first.shape == second.shape
        and first.strides == second.strides
        and first.dtype == second.dtype
    )


@public("is_storage", checked=False)
def is_storage(obj: Any, /) -> bool:
    """Return whether an object is the memory behind a tensor.

    Args:
        obj: Any object.

    >>> torch.is_storage(torch.ones(1).untyped_storage())
    True
    """
    return isinstance(obj, UntypedStorage | TypedStorage)


@public(method="dim_order")
def dim_order(self: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Return the dimensions in the order of their steps in memory, the longest step first.

    With ``ambiguity_check``, raises RuntimeError if steps are equal, or, for a list of memory
    formats, if not exactly one of them applies.
    """
    array = self._array
    if ambiguity_check is True:
        ambiguous = len(set(array.strides)) < array.ndim
    else:
        ambiguous = bool(ambiguity_check) and (
            sum(is_contiguous(array, each) for each in ambiguity_check) != 1
        )
    if ambiguous:
        raise GraphError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given "
            f"memory formats: it has shape {list(array.shape)} and steps {list(self.stride())}."
        )
    # Expanded dimensions have no steps, and keep their place.
    stepping = [dim for dim in range(array.ndim) if array.strides[dim]]
    ordered = iter(sorted(stepping, key=lambda dim: -array.strides[dim]))
    return tuple(next(ordered) if array.strides[dim] else dim for dim in range(array.ndim))


@public(method="sum_to_size")
def sum_to_size(self: Any, *size: Any) -> Any:
    """Sum over dimensions until the shape is a smaller one, which could be expanded to this one.

    Raises RuntimeError if it could not.

    Args:
        size: The smaller shape, one by one or as a sequence.
    """
    wanted = shape_from_args(size, "sum_to_size")
    shape = tuple(self._array.shape)
    added = len(shape) - len(wanted)
    fits = added >= 0 and all(
        size in (1, own) for size, own in zip(wanted, shape[max(added, 0) :], strict=True)
    )
    if not fits:
        raise ShapeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(shape)}}}.")
    dims = [
        dim for dim, own in enumerate(shape) if dim < added or (wanted[dim - added] == 1 != own)
    ]
    summed = reductions.sum(self, dims, keepdim=True) if dims else self
    return views.reshape(summed, wanted)


@public(method="qscheme")
def qscheme(self: Any) -> NoReturn:
    """Raise NotImplementedError: no tensor is quantized."""
    raise UnimplementedError(
        "Could not run 'aten::qscheme' with arguments from the 'CPU' backend: tensors are not "
        "quantized here"
    )


@public("detach")
def detach(input: Any) -> Any:
    """Return a tensor with the same memory and no history.

    Args:
        input: Tensor of any shape.

    >>> torch.detach(torch.ones(1, requires_grad=True)).requires_grad
    False
    """
    return input.detach()


# ---- loading ------------------------------------------------------------------------------------


@public(method="module_load")
def module_load(self: Any, other: Any, assign: bool = False) -> Any:
    """Return what is to take this tensor's place in a module that loads ``other``.

    That is this tensor with the values of ``other`` written into it, or with ``assign`` the other,
    in either case without history.
    """
    return other.detach() if assign else self.copy_(other).detach()
