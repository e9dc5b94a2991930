"""The functions and types that a file names to describe tensors, under PyTorch's names for them."""

from __future__ import annotations

import codecs
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from types import MemberDescriptorType
from typing import Any, NamedTuple

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import in_class, storage_of
from pellucid.core.call.call import new_tensor
from pellucid.core.memory import memory_formats
from pellucid.device import check_device, device
from pellucid.errors import UnimplementedError, UnsupportedDtypeError
from pellucid.interop.errors import FileError, UnpicklingError
from pellucid.interop.limits import shown
from pellucid.kernels import meta
from pellucid.nn.parameter import Parameter
from pellucid.outbuildings import outbuildings
from pellucid.shapes import Size
from pellucid.tensors import Tensor
from pellucid.tensors.storages import STORAGE_NAMES, TypedStorage, UntypedStorage

Array = np.ndarray[Any, Any]

_MOST_DIMENSIONS = 64


class StorageType:
    """One of PyTorch's classes of storages, such as ``torch.FloatStorage``."""

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, dtype: dtypes.dtype) -> None:
        self.name = name
        self.dtype = dtype

    def __reduce__(self) -> str:
        return self.name


class LoadedStorage(TypedStorage):
    """The memory that one or more tensors of a file look into.

    A ``map_location`` function is given it, and returns it or ``None``.
    """

    __slots__ = ("_computed", "_start", "_whole", "array")

    def __init__(self, array: Array, dtype: dtypes.dtype) -> None:
        super().__init__(wrap_storage=UntypedStorage.over(array), dtype=dtype)
        self.array = array
        self._whole = self
        self._start = 0
        self._computed: dict[tuple[dtypes.dtype, bool, bool], Array] = {}

    def part(self, start: int, count: int) -> LoadedStorage:
        """Return some of the elements as a storage; raise RuntimeError if there are not as many."""
        itemsize = self.dtype.itemsize
        if start + count > len(self):
            raise FileError(
                f"elements {start} to {start + count} are out of bounds for a storage of "
                f"{len(self)}. The file is damaged or forged."
            )
        made = LoadedStorage(self.array[start * itemsize : (start + count) * itemsize], self.dtype)
        made._whole = self._whole
        made._start = self._start + start * itemsize
        return made

    def marked(self, dtype: dtypes.dtype, conjugated: bool, negated: bool) -> Array:
        """Return the memory as elements of a dtype, or the conjugate or negative of them.

        PyTorch marks a tensor as conjugated or negated instead of computing it. The whole memory is
        computed here, once, because a tensor that is expanded can have more elements than it.
        """
        elements = self.array[: self.array.nbytes // dtype.itemsize * dtype.itemsize].view(
            dtype.numpy
        )
        if not (conjugated or negated):
            return elements
        if self._whole is not self:
            return self._whole.marked(dtype, conjugated, negated)[self._start // dtype.itemsize :]
        key = (dtype, conjugated, negated)
        if key not in self._computed:
            computed = np.conjugate(elements) if conjugated else elements
            self._computed[key] = np.negative(computed) if negated else computed
        return self._computed[key]

    def without_values(self) -> LoadedStorage:
        """Return a storage of the same size on the device ``meta``."""
        return LoadedStorage(meta.as_meta(self.array), self.dtype)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> LoadedStorage:
        """Raise: pellucid computes on the CPU."""
        check_device("cuda" if device is None else device)
        return self


def check_count(storage: LoadedStorage, key: str, count: int) -> None:
    """Raise RuntimeError if a storage has fewer elements than a description says."""
    if count * storage.dtype.itemsize > storage.array.nbytes:
        raise FileError(
            f"storage {shown(key)} has {storage.array.nbytes} bytes, fewer than the {count} "
            f"elements of {storage.dtype} that it is said to have. The file is damaged or forged."
        )


# ---- tensors --------------------------------------------------------------------------------


def rebuild_tensor(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any = False,
    backward_hooks: Any = None, metadata: Any = None,
) -> Any:  # fmt: skip
    """Make a tensor that looks into a storage; raise RuntimeError where it would leave it."""
    if not isinstance(storage, LoadedStorage):
        raise UnpicklingError(f"a tensor needs a storage, not {type(storage).__name__}")
    return _over(storage, storage.dtype, storage_offset, size, stride, requires_grad, metadata)


def rebuild_tensor_of_dtype(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any,
    backward_hooks: Any, dtype: Any, metadata: Any = None,
) -> Any:  # fmt: skip
    """Make a tensor of a dtype that has no class of storages."""
    if not isinstance(storage, LoadedStorage) or not isinstance(dtype, dtypes.dtype):
        raise UnpicklingError("a tensor needs a storage and a dtype")
    return _over(storage, dtype, storage_offset, size, stride, requires_grad, metadata)


def rebuild_meta_tensor(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Any:
    """Make a tensor without values, on the device ``meta``."""
    sizes, strides = _counts(size), _counts(stride)
    if not isinstance(dtype, dtypes.dtype) or len(sizes) != len(strides):
        raise UnpicklingError("a tensor on meta needs a dtype, and as many strides as sizes")
    steps = tuple(step * dtype.itemsize for step in strides)
    made: Any = new_tensor(meta.strided(sizes, dtype.numpy, steps))
    return made.requires_grad_() if _flag(requires_grad) else made


def _over(
    storage: LoadedStorage, dtype: dtypes.dtype, offset: Any, size: Any, stride: Any,
    requires_grad: Any, metadata: Any,
) -> Any:  # fmt: skip
    sizes, strides = _counts(size), _counts(stride)
    (offset,) = _counts((offset,))
    if len(sizes) != len(strides) or len(sizes) > _MOST_DIMENSIONS:
        raise FileError(f"a tensor of {len(sizes)} sizes has {len(strides)} strides")
    _check_bounds(storage, dtype, offset, sizes, strides)
    itemsize = dtype.itemsize
    if 0 in sizes:
        array = np.empty(sizes, dtype.numpy)
    else:
        elements = storage.marked(dtype, *_marks(metadata))
        array = np.ndarray(
            sizes, dtype.numpy, elements, offset * itemsize, [n * itemsize for n in strides]
        )
        array = meta.as_meta(array) if meta.is_meta(elements) else array
    made: Any = new_tensor(array)
    storage_of(made).version = 1  # PyTorch makes an empty tensor and gives it the memory
    return made.requires_grad_() if _flag(requires_grad) else made


def _marks(metadata: Any) -> tuple[bool, bool]:
    """Return whether a tensor is marked as conjugated, and as negated."""
    if not isinstance(metadata, dict):
        return False, False
    return _flag(metadata.get("conj", False)), _flag(metadata.get("neg", False))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | int):
        raise UnpicklingError(f"True or False expected, not {shown(value)}")
    return bool(value)


def _counts(values: Any) -> tuple[int, ...]:
    """Return sizes, strides or offsets, checked: integers, not negative."""
    if not isinstance(values, tuple | list) or not all(
        type(each) is int and each >= 0 for each in values
    ):
        raise UnpicklingError("sizes, strides and offsets have to be integers, none negative")
    return tuple(values)


def _check_bounds(
    storage: LoadedStorage, dtype: dtypes.dtype, offset: int, sizes: Sequence[int],
    strides: Sequence[int],
) -> None:  # fmt: skip
    if 0 in sizes:
        if math.prod(n for n in sizes if n) > np.iinfo(np.int64).max:
            raise FileError(f"sizes {list(sizes)} are too large")
        return
    last = offset + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
    needed = (last + 1) * dtype.itemsize
    if needed > storage.nbytes():
        raise FileError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {offset}, "
            f"and itemsize {dtype.itemsize} requiring a storage size of {needed} are out of bounds "
            f"for storage of size {storage.nbytes()}. The file is damaged or forged."
        )


def rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Any:
    """Make a parameter over the memory of a tensor."""
    if not isinstance(data, Tensor):
        raise UnpicklingError(f"a parameter needs a tensor, not {type(data).__name__}")
    return Parameter(data, _flag(requires_grad))


def rebuild_parameter_with_state(
    data: Any, requires_grad: Any, backward_hooks: Any, state: Any
) -> Any:
    """Make a parameter that has attributes."""
    return with_attributes(rebuild_parameter(data, requires_grad, backward_hooks), state)


def rebuild_from_type(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """Make a tensor of a class, or one with attributes."""
    is_known = func is rebuild_tensor or func is rebuild_tensor_of_dtype
    if not is_known or not isinstance(args, tuple):
        raise UnpicklingError("a tensor with attributes is made by one of PyTorch's functions")
    if not (isinstance(new_type, type) and issubclass(new_type, Tensor)):
        raise UnpicklingError(f"{shown(new_type)} is not a class of tensors")
    return with_attributes(in_class(func(*args), new_type), state)


def with_attributes(made: Any, state: Any) -> Any:
    """Give a tensor attributes; refuse those that would hide what its class defines."""
    in_slots: Any = None
    if isinstance(state, tuple) and len(state) == 2:
        state, in_slots = state
    if not isinstance(state, dict | None):
        raise UnpicklingError("the attributes of a tensor have to be a dictionary")
    check_attributes(type(made), state or {})
    made.__dict__.update(state or {})
    _fill_slots(made, in_slots)
    return made


def _fill_slots(made: Any, state: Any) -> None:
    """Give a tensor what its class keeps in slots."""
    if not isinstance(state, dict | None):
        raise UnpicklingError("what a tensor keeps in slots has to be a dictionary")
    for name, value in (state or {}).items():
        if not isinstance(getattr(type(made), str(name), None), MemberDescriptorType):
            raise UnpicklingError(f"{type(made).__name__} has no slot {shown(name)}")
        setattr(made, name, value)


def check_attributes(cls: type[Any], attributes: dict[Any, Any]) -> None:
    """Raise unless all names are new to the class."""
    for name in attributes:
        if not isinstance(name, str) or hasattr(cls, name):
            raise UnpicklingError(f"{cls.__name__} cannot be given an attribute {shown(name)}")


# ---- values, checked ------------------------------------------------------------------------


def _counter(counts: Any = None) -> Counter[Any]:
    if not isinstance(counts, dict | None):
        raise UnpicklingError("a Counter is made of a dictionary")
    return Counter(counts)


_ENCODINGS = ("latin1", "latin-1", "utf-8", "ascii")


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    if not isinstance(text, str) or not isinstance(encoding, str) or encoding not in _ENCODINGS:
        raise UnpicklingError("bytes are made of text in one of the usual encodings")
    return text.encode(encoding)


def _bytearray(source: Any = b"", encoding: Any = "latin-1") -> bytearray:
    # A number would ask for that much memory.
    return bytearray(
        _encode(source, encoding) if isinstance(source, str) else bytes(_bytes(source))
    )


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise UnpicklingError(f"bytes expected, not {type(value).__name__}")
    return value


def _complex(*parts: Any) -> complex:
    if not all(isinstance(part, int | float) for part in parts):
        raise UnpicklingError("a complex number is made of numbers")
    return complex(*parts)


def _size(values: Any = ()) -> Size:
    return Size(_counts(values))


def _device(*args: Any) -> device:
    if not all(isinstance(each, str | int | None) for each in args):
        raise UnpicklingError("a device is named by text and a number")
    return device(*args)


def _parameter(data: Any, requires_grad: Any = True) -> Any:
    return rebuild_parameter(data, requires_grad, None)


def get_layout(name: Any) -> Any:
    """Return the layout of this name; raise for those that are not here."""
    found = _LAYOUTS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnimplementedError(f"layout {shown(name)} is not supported: call to_dense() first")
    return found


_LAYOUTS = {
    str(each): each
    for each in (
        memory_formats.strided, memory_formats.sparse_coo, memory_formats.sparse_csr,
        memory_formats.sparse_csc, memory_formats.sparse_bsr, memory_formats.sparse_bsc,
    )
}  # fmt: skip


def rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """Make a sparse tensor of its indices, values and size, which are checked."""
    if not isinstance(layout, memory_formats.layout) or layout is memory_formats.strided:
        raise UnpicklingError("a sparse tensor has a sparse layout")
    count = 2 if layout is memory_formats.sparse_coo else 3
    if not isinstance(data, tuple) or not count < len(data) <= 4:
        raise UnpicklingError("a sparse tensor is made of its indices, values and size")
    tensors, (size, *coalesced) = data[:count], data[count:]
    if not all(isinstance(each, Tensor) and each.layout is memory_formats.strided
               for each in tensors):  # fmt: skip
        raise UnpicklingError("the parts of a sparse tensor are ordinary tensors")
    for index in tensors[:-1]:
        array = index._array
        if array.dtype.kind != "i" or (0 in array.strides and array.size > 1):
            raise FileError("the indices of a sparse tensor are integers, each in its own place")
    return outbuildings.sparse().creation.of_parts(
        layout, (*tensors, _counts(size), *map(_flag, coalesced))
    )


# ---- names ----------------------------------------------------------------------------------


class Known(NamedTuple):
    """A known name: its value, and what calling it means while nothing is trusted."""

    value: Any
    call: Callable[..., Any] | None = None


_ELSEWHERE_ONLY = (
    "float4_e2m1fn_x2", "qint8", "quint8", "qint32", "quint4x2", "quint2x4",
)  # fmt: skip

#: dtypes without a class of storages of their own have their bytes described as this one's
UNTYPED = StorageType("UntypedStorage", dtypes.uint8)

STORAGE_TYPES = {
    each: StorageType(STORAGE_NAMES[each.name], each)
    for each in dtypes.ALL
    if each.name in STORAGE_NAMES
}

KNOWN: dict[str, Known] = {
    "collections.OrderedDict": Known(OrderedDict),
    "collections.Counter": Known(Counter, _counter),
    "builtins.set": Known(set),
    "builtins.complex": Known(complex, _complex),
    "builtins.bytearray": Known(bytearray, _bytearray),
    "_codecs.encode": Known(codecs.encode, _encode),
    "torch.Tensor": Known(Tensor),
    "torch.Size": Known(Size, _size),
    "torch.device": Known(device, _device),
    "torch.nn.parameter.Parameter": Known(Parameter, _parameter),
    "torch.serialization._get_layout": Known(get_layout, get_layout),
    "torch.storage.UntypedStorage": Known(UNTYPED),
    "torch._utils._rebuild_tensor": Known(rebuild_tensor, rebuild_tensor),
    "torch._utils._rebuild_tensor_v2": Known(rebuild_tensor, rebuild_tensor),
    "torch._utils._rebuild_tensor_v3": Known(rebuild_tensor_of_dtype, rebuild_tensor_of_dtype),
    "torch._utils._rebuild_meta_tensor_no_storage": Known(rebuild_meta_tensor, rebuild_meta_tensor),
    "torch._utils._rebuild_parameter": Known(rebuild_parameter, rebuild_parameter),
    "torch._utils._rebuild_parameter_with_state": Known(
        rebuild_parameter_with_state, rebuild_parameter_with_state
    ),
    "torch._tensor._rebuild_from_type_v2": Known(rebuild_from_type, rebuild_from_type),
    "torch._utils._rebuild_sparse_tensor": Known(rebuild_sparse_tensor, rebuild_sparse_tensor),
}
KNOWN |= {f"torch.{each.name}": Known(each) for each in dtypes.ALL}
KNOWN |= {f"torch.{each.name}": Known(each) for each in STORAGE_TYPES.values()}
KNOWN |= {
    f"torch.{each.name}": Known(each)
    for each in (
        memory_formats.contiguous_format, memory_formats.preserve_format,
        memory_formats.channels_last,
        memory_formats.channels_last_3d,
    )
}  # fmt: skip

#: What PyTorch may write, and cannot be represented here; the text says what it is.
_REFUSED: dict[str, str] = {
    "torch._utils._rebuild_nested_tensor": "a nested tensor",
    "torch._utils._rebuild_qtensor": "a quantized tensor",
    "torch._utils._rebuild_wrapper_subclass": "a tensor that wraps others",
    "torch._utils._rebuild_device_tensor_from_numpy": "a tensor of another device",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor": "a tensor of another device",
}
_REFUSED_DTYPES = {f"torch.{name}": name for name in _ELSEWHERE_ONLY}
_REFUSED_DTYPES |= {
    "torch.QInt8Storage": "qint8", "torch.QUInt8Storage": "quint8",
    "torch.QInt32Storage": "qint32", "torch.QUInt4x2Storage": "quint4x2",
    "torch.QUInt2x4Storage": "quint2x4",
}  # fmt: skip


def refuse_what_is_not_here(name: str) -> None:
    """Raise NotImplementedError for a name that describes what pellucid has no tensors for."""
    if name in KNOWN:
        return
    if name in _REFUSED_DTYPES:
        dtype = _REFUSED_DTYPES[name]
        raise UnsupportedDtypeError(
            f"The file holds torch.{dtype}, a dtype that pellucid does not have. Convert it where "
            "PyTorch is installed, for example with {name: x.float() for name, x in "
            "state_dict.items()}, and save again."
        )
    if name in _REFUSED:
        raise UnimplementedError(
            f"The file holds {_REFUSED[name]}, which pellucid does not have. Convert it to an "
            "ordinary tensor on the CPU where PyTorch is installed, and save again."
        )
