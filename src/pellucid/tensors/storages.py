"""The memory behind tensors, as bytes and as elements of one dtype."""

from __future__ import annotations

import copyreg
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from pellucid import dtypes
from pellucid.autograd.sites import user_stacklevel
from pellucid.core.construct import allocated, placed
from pellucid.core.definition.public import public
from pellucid.core.memory.ownership import copied_with_memory, is_resizable, owner_of
from pellucid.device import cpu_device, device, meta_device
from pellucid.docstrings import arguments_in
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    DtypeError,
    GraphError,
    IndexingError,
    ShapeError,
    UnimplementedError,
)
from pellucid.kernels.meta import is_meta
from pellucid.sharing.memory import map_of

#: what PyTorch calls storages of each dtype: as the old types of tensors; there are no others
STORAGE_NAMES = {
    dtype: name.replace("Tensor", "Storage")
    for dtype, name in dtypes.LEGACY_TYPE_NAMES.items()
    if not name.startswith(("UInt", "ComplexHalf", "Float8"))
}


@public("UntypedStorage")
class UntypedStorage:
    """The memory of a tensor as bytes.

    Args:
        source: A number of bytes, or a sequence of their values.
        device: The CPU, or ``"meta"``, where there is no memory.

    >>> torch.ones(2).untyped_storage().nbytes()
    8
    """

    __slots__ = ("__dict__", "__weakref__", "_is_own", "_owner")
    is_cuda = False

    def __init__(self, source: Any = 0, *, device: Any = None) -> None:
        self._is_own = False
        if isinstance(source, np.ndarray):
            self._owner = owner_of(source)
            return
        self._is_own = True
        if placed(device):
            self._owner = _on_meta(source if isinstance(source, int) else len(source), np.uint8)
        elif isinstance(source, int):
            self._owner = np.empty(source, np.uint8)
        else:
            self._owner = np.array(source, np.uint8)

    @classmethod
    def over(cls, array: np.ndarray[Any, Any]) -> UntypedStorage:
        """Return a storage of the memory of an array alone, not of all that it looks into."""
        storage = cls()
        storage._owner = array
        return storage

    @classmethod
    def owning(cls, array: np.ndarray[Any, Any]) -> UntypedStorage:
        """Return a storage of the memory of an array that nothing else refers to."""
        storage = cls(array)
        storage._is_own = True
        return storage

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Return the first bytes of a file, mapped into memory; all of them if ``nbytes`` is 0.

        What is written goes into the file if ``shared``, which is then made, or made longer, as
        needed; else it stays in memory. Raises RuntimeError for a file that is too short.

        Args:
            filename: Path of the file.
            shared: Whether changes are written to the file.
            nbytes: Number of bytes.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "bytes")
        ...     count = path.write_bytes(bytes([1, 2, 3]))
        ...     UntypedStorage.from_file(path, nbytes=2).tolist()
        [1, 2]
        """
        have = os.path.getsize(filename) if os.path.exists(filename) else 0
        if shared and have < nbytes:
            with open(filename, "ab") as file:
                file.truncate(nbytes)
            have = nbytes
        count = nbytes or have
        if have < count:
            raise ShapeError(
                f"unable to mmap {count} bytes from file <{filename}>: it has {have} bytes"
            )
        storage = cls()
        if count:
            mode = "r+" if shared else "c"
            storage._owner = np.asarray(np.memmap(filename, np.uint8, mode, shape=(count,)))
        return storage

    @classmethod
    def from_buffer(
        cls, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0,
        dtype: dtypes.dtype | None = None,
    ) -> UntypedStorage:  # fmt: skip
        """Return a copy of the bytes of an object with the buffer protocol.

        Args:
            buffer: The object.
            byte_order: How its elements are written: ``"native"``, ``"little"`` or ``"big"``; not
                needed for elements of one byte.
            count: Number of elements; -1 for all.
            offset: Number of bytes to skip.
            dtype: Dtype of the elements.

        Raises:
            RuntimeError: If the dtype, or an order that is needed, is missing.
            ValueError: If the buffer holds no such elements.

        >>> import pellucid as torch
        >>> torch.UntypedStorage.from_buffer(b"abcd", "big", dtype=torch.int16).tolist()
        [98, 97, 100, 99]
        """
        if dtype is None:
            raise DtypeError("argument 'dtype' cannot be None")
        size = dtype.itemsize
        if byte_order is None and size > 1:
            raise ShapeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "native", "little", "big"):
            raise ArgumentError(
                f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')"
            )
        whole = np.frombuffer(buffer, np.uint8)
        if not 0 <= offset <= whole.size:
            raise ArgumentError(
                f"offset must be non-negative and no greater than buffer length ({whole.size}), "
                f"but got {offset}"
            )
        found = whole[offset:]
        if count < 0 and found.size % size:
            raise ArgumentError(
                f"buffer size ({whole.size}) must be a multiple of element size ({size})"
            )
        if count * size > found.size:
            raise ArgumentError(
                f"buffer has only {found.size} elements after offset {offset}, but specified a "
                f"size of {count}"
            )
        taken = found if count < 0 else found[: count * size]
        if dtype.name == "bool":
            return cls(taken != 0)
        numbers = taken.copy().view(dtype.numpy)
        if byte_order not in (None, "native", sys.byteorder):
            numbers = numbers.byteswap()
        return cls(numbers)

    @property
    def filename(self) -> str | None:
        """The path of the file that changes are written into; None where there is none."""
        mapped = self._owner if isinstance(self._owner, np.memmap) else self._owner.base
        if not isinstance(mapped, np.memmap) or mapped.mode != "r+":
            return None
        return str(mapped.filename)

    @property
    def _cdata(self) -> int:
        return id(self._owner)

    def array(self) -> Any:
        """Return the memory as an array of bytes."""
        return self._owner.reshape(-1).view(np.uint8)

    def data_ptr(self) -> int:
        """Return the address of the first byte; 0 where there is no memory."""
        if is_meta(self._owner):
            return 0
        return self._owner.__array_interface__["data"][0]

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def nbytes(self) -> int:
        """Return the size in bytes."""
        return self._owner.nbytes

    def __len__(self) -> int:
        return self._owner.nbytes

    size = nbytes

    def element_size(self) -> int:
        """Return 1: what is counted are bytes."""
        return 1

    def elements(self, numpy_dtype: np.dtype[Any]) -> Any:
        """Return all of the memory as a vector of a dtype."""
        owner = self._owner
        flat = owner.reshape(-1) if owner.flags.c_contiguous else owner.reshape(-1, order="A")
        return flat.view(numpy_dtype)

    def values_in(self, numpy_dtype: np.dtype[Any] | None) -> Any:
        """Return the memory read as whole elements of a dtype, for a tensor made from it."""
        held = self._bytes()
        if numpy_dtype is None:
            numpy_dtype = np.dtype(np.int64) if held.size else dtypes.default()
        return held[: held.size // numpy_dtype.itemsize * numpy_dtype.itemsize].view(numpy_dtype)

    def _bytes(self) -> Any:
        if is_meta(self._owner):
            raise UnimplementedError("Not available for 'meta' device type")
        return self.elements(np.dtype(np.uint8))

    def __getitem__(self, index: int | slice) -> Any:
        found = self._bytes()[index]
        return UntypedStorage(found.copy()) if isinstance(index, slice) else int(found)

    def __setitem__(self, index: int | slice, value: int) -> None:
        self._bytes()[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def tolist(self) -> list[int]:
        """Return the bytes as integers."""
        return self._bytes().tolist()

    def fill_(self, value: int) -> UntypedStorage:
        """Write one value into every byte."""
        self._bytes()[:] = value
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Write the bytes of another storage of the same size."""
        source.check_has_memory()
        self._bytes()[:] = source._bytes()
        return self

    def check_has_memory(self) -> None:
        """Raise NotImplementedError where there is no memory to copy from."""
        if is_meta(self._owner):
            raise UnimplementedError("Cannot copy out of meta tensor; no data!")

    def clone(self) -> UntypedStorage:
        """Return a storage with a copy of the bytes."""
        return UntypedStorage(self._bytes().copy())

    def cpu(self) -> UntypedStorage:
        """Return the storage itself: it is on the CPU. NotImplementedError on ``meta``."""
        self.check_has_memory()
        return self

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        return UntypedStorage.over(copied_with_memory(self._owner, memo))

    def resize_(self, size: int) -> UntypedStorage:
        """Give the storage another number of bytes.

        Raises NotImplementedError for the memory of a tensor: `Tensor.resize_` makes that larger.

        Args:
            size: Number of bytes.
        """
        if is_meta(self._owner):
            self._owner = _on_meta(size, np.uint8)
            return self
        if not self._is_own:
            raise UnimplementedError(
                "resize_() of the storage of a tensor: the tensor would not see it. Use "
                "Tensor.resize_() instead."
            )
        held = self._bytes()
        larger = np.empty(size, np.uint8)
        larger[: held.size] = held[:size]
        self._owner = larger
        return self

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Reverse the bytes of each element.

        Args:
            dtype: Dtype of the elements; the two parts of complex numbers are reversed each.
        """
        numbers = self.elements(dtype.numpy)
        numbers.byteswap(inplace=True)

    def is_shared(self) -> bool:
        """Return whether the bytes are in memory that other processes see."""
        return not is_meta(self._owner) and map_of(self._owner) is not None

    def _share(self) -> Any:
        """Refuse to hand the memory to another process: there is none on ``meta``."""
        if is_meta(self._owner):
            raise GraphError(f"share_memory_: only available on CPU, got {self.device}")
        raise UnimplementedError("share the tensor itself: Tensor.share_memory_()")

    share_memory_ = _share_fd_cpu_ = _share_filename_cpu_ = _share

    def untyped(self) -> UntypedStorage:
        """Return the storage itself: it is one of bytes."""
        return self

    def resizable(self) -> bool:
        """Return whether the memory is a tensor's own, which may be made larger."""
        return is_resizable(self._owner)

    @property
    def device(self) -> device:
        """Where the memory is: on the CPU, or on ``meta``, where there is none."""
        return meta_device if is_meta(self._owner) else cpu_device

    def __repr__(self) -> str:
        lines = "...\n" if is_meta(self._owner) else _lines(self)
        return f"{lines}[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


def _on_meta(count: int, numpy_dtype: Any) -> Any:
    return allocated(np.empty, (count,), numpy_dtype, on_meta=True)


def _lines(storage: Any) -> str:
    return "".join(f" {value}\n" for value in storage.tolist())


class _TypedMeta(type):
    """The metaclass that makes storages instances of the class named after their dtype."""

    dtype_of_class: dtypes.dtype | None

    def __instancecheck__(cls, instance: object) -> bool:
        if cls.dtype_of_class is None:
            return super().__instancecheck__(instance)
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype_of_class


def _pickled(storage_class: Any) -> tuple[Any, ...]:
    """Return how to find a storage class again: its module is PyTorch's, not an importable one."""
    return _storage_class, (storage_class.__name__,)


def _storage_class(name: str) -> Any:
    return LEGACY_STORAGES.get(name, TypedStorage)


copyreg.pickle(_TypedMeta, _pickled)


@public("TypedStorage")
class TypedStorage(metaclass=_TypedMeta):
    """The memory of a tensor as elements of its dtype.

    Args:
        args: A number of elements, or a sequence of their values.
        wrap_storage: A storage of bytes to be read as elements of ``dtype``.
        dtype: The dtype of the elements.
        device: The CPU, or ``"meta"``, where there is no memory.

    Raises:
        TypeError: If there is more than one argument.

    >>> torch.FloatStorage([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """

    __slots__ = ("__dict__", "__weakref__", "_untyped_storage", "dtype")
    dtype_of_class: ClassVar[dtypes.dtype | None] = None
    is_cuda = False

    def __init__(
        self, *args: Any, wrap_storage: UntypedStorage | None = None,
        dtype: dtypes.dtype | None = None, device: Any = None, _internal: bool = False,
    ) -> None:  # fmt: skip
        on_meta = placed(device)
        self.dtype = dtype or type(self).dtype_of_class or dtypes.get_default_dtype()
        if wrap_storage is not None:
            self._untyped_storage = wrap_storage
        elif len(args) > 1:
            raise ArgumentTypeError(f"{type(self).__name__}(): expected 0 or 1 arguments")
        elif args and not isinstance(args[0], int) and not on_meta:
            self._untyped_storage = UntypedStorage.owning(
                np.array(args[0]).astype(self.dtype.numpy)
            )
        else:
            count = args[0] if args else 0
            size = (count if isinstance(count, int) else len(count)) * self.dtype.itemsize
            self._untyped_storage = UntypedStorage(size, device=device)

    @classmethod
    def from_buffer(cls, *args: Any, dtype: dtypes.dtype | None = None, **options: Any) -> Any:
        """Return a copy of an object's bytes as elements, as `UntypedStorage.from_buffer` does.

        Args:
            args: The object, and whatever else `UntypedStorage.from_buffer` takes.
            dtype: Dtype of the elements, where the class has none of its own.
            options: The same by name.

        Raises:
            RuntimeError: If the class has a dtype, and another is given.

        >>> import pellucid as torch
        >>> torch.ByteStorage.from_buffer(b"ab").tolist()
        [97, 98]
        """
        own = cls.dtype_of_class
        if own is not None and dtype is not None:
            raise DtypeError(
                "from_buffer: 'dtype' can only be specified in UntypedStorage.from_buffer and "
                "TypedStorage.from_buffer"
            )
        wanted = own or dtype or dtypes.get_default_dtype()
        untyped = UntypedStorage.from_buffer(*args, dtype=wanted, **options)
        return TypedStorage(wrap_storage=untyped, dtype=wanted)

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        """Return the first elements of a file, as `UntypedStorage.from_file` does its bytes.

        Args:
            filename: Path of the file.
            shared: Whether changes are written to the file.
            size: Number of elements.
        """
        own = cls.dtype_of_class or dtypes.get_default_dtype()
        untyped = UntypedStorage.from_file(filename, shared, size * own.itemsize)
        return TypedStorage(wrap_storage=untyped, dtype=own)

    def elements(self, numpy_dtype: np.dtype[Any] | None = None) -> Any:
        """Return all of the memory as a vector. Raises NotImplementedError on ``meta``."""
        if self.device is meta_device:
            raise UnimplementedError("Not available for 'meta' device type")
        return self._untyped_storage.elements(numpy_dtype or self.dtype.numpy)

    def values_in(self, numpy_dtype: np.dtype[Any] | None) -> Any:
        """Return the elements for a tensor made from them, which has to be of their dtype."""
        own = self.dtype.numpy
        if numpy_dtype is not None and numpy_dtype != own:
            raise DtypeError(
                f"Expected a Storage of type {dtypes.scalar_name(numpy_dtype)} or an "
                f"UntypedStorage, but got {dtypes.scalar_name(own)}"
            )
        return self.elements()

    def untyped(self) -> UntypedStorage:
        """Return the same memory as bytes."""
        return self._untyped_storage

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._untyped_storage.data_ptr()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def nbytes(self) -> int:
        """Return the size in bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Return how many bytes an element has."""
        return self.dtype.itemsize

    def __len__(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    size = _size = __len__

    def _check_index(self, index: Any) -> None:
        if self.device is meta_device:
            raise UnimplementedError("Not available for 'meta' device type")
        if isinstance(index, slice):
            raise ShapeError("slices are only supported in UntypedStorage.__getitem__")
        if not -len(self) <= index < len(self):
            raise IndexingError(f"index {index} out of range for storage of size {len(self)}")

    def __getitem__(self, index: int) -> Any:
        self._check_index(index)
        return self.elements()[index].item()

    def __setitem__(self, index: int | slice, value: Any) -> None:
        if not isinstance(index, slice):
            self._check_index(index)
        self.elements()[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """Return the elements as Python numbers."""
        return self.elements().tolist()

    def fill_(self, value: Any) -> TypedStorage:
        """Write one value into every element."""
        self.elements()[:] = value
        return self

    def copy_(self, source: TypedStorage, non_blocking: bool = False) -> TypedStorage:
        """Write the elements of another storage of the same number."""
        source._untyped_storage.check_has_memory()
        self.elements()[:] = source.elements()
        return self

    def clone(self) -> TypedStorage:
        """Return a storage with a copy of the elements."""
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def cpu(self) -> TypedStorage:
        """Return the storage itself: it is on the CPU. NotImplementedError on ``meta``."""
        self._untyped_storage.check_has_memory()
        return self

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        untyped = self._untyped_storage.__deepcopy__(memo)
        return TypedStorage(wrap_storage=untyped, dtype=self.dtype)

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    @property
    def filename(self) -> str | None:
        """The path of the file that changes are written into; None where there is none."""
        return self._untyped_storage.filename

    def type(self, dtype: dtypes.dtype | str | None = None, non_blocking: bool = False) -> Any:
        """Return the name of the class of storages of this dtype, or a storage of another.

        Args:
            dtype: The other dtype.
            non_blocking: Accepted: there is nothing to wait for.
        """
        if dtype is None:
            return f"torch.{self.pickle_storage_type()}"
        return self.to(dtype)

    def to(self, dtype: Any) -> TypedStorage:
        """Return a storage of the elements in another dtype."""
        values = self.elements().astype(dtype.numpy)
        return TypedStorage(wrap_storage=UntypedStorage.owning(values), dtype=dtype)

    def resizable(self) -> bool:
        """Return whether the memory may be made larger."""
        return self._untyped_storage.resizable()

    def resize_(self, size: int) -> TypedStorage:
        """Give the storage another number of elements, as `UntypedStorage.resize_` does.

        Args:
            size: Number of elements.
        """
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def is_shared(self) -> bool:
        """Return whether the elements are in memory that other processes see."""
        return self._untyped_storage.is_shared()

    def _share(self) -> Any:
        return self._untyped_storage._share()

    share_memory_ = _share_fd_cpu_ = _share_filename_cpu_ = _share

    def _write_file(self, *args: Any) -> None:
        self._untyped_storage.check_has_memory()
        raise UnimplementedError("_write_file() is private to PyTorch; use torch.save()")

    def pickle_storage_type(self) -> str:
        """Return the name of the class of storages of this dtype."""
        return STORAGE_NAMES[self.dtype.name]

    @property
    def device(self) -> device:
        """Where the memory is: on the CPU, or on ``meta``, where there is none."""
        return self._untyped_storage.device

    def __repr__(self) -> str:
        lines = "...\n" if self.device is meta_device else _lines(self)
        return (
            f"{lines}[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of "
            f"size {len(self)}]"
        )


def _conversion(dtype: dtypes.dtype) -> Any:
    def convert(self: TypedStorage) -> TypedStorage:
        return self.to(dtype)

    convert.__doc__ = f"Return a storage of the elements as {dtype!r}."
    return convert


for _method, _dtype in {
    "double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16, "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16,
    "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
    "complex_double": dtypes.complex128, "complex_float": dtypes.complex64,
}.items():  # fmt: skip
    setattr(TypedStorage, _method, _conversion(_dtype))


def _named(dtype: dtypes.dtype) -> Any:
    name = STORAGE_NAMES[dtype.name]
    text = f"A storage of {dtype!r}.\n{arguments_in(TypedStorage.__doc__)}"
    members = {"__slots__": (), "__doc__": text, "dtype_of_class": dtype, "__module__": "torch"}
    return _TypedMeta(name, (TypedStorage,), members)


#: the classes of storages by their names
LEGACY_STORAGES = {
    STORAGE_NAMES[each.name]: _named(each) for each in dtypes.ALL if each.name in STORAGE_NAMES
}
for _name, _class in LEGACY_STORAGES.items():
    public(_name)(_class)


@public(method="untyped_storage")
def untyped_storage(self: Any) -> UntypedStorage:
    """Return the memory behind the tensor."""
    return UntypedStorage(self._array)


@public(method="storage")
def storage(self: Any) -> TypedStorage:
    """Return the memory behind the tensor as elements of its dtype; it warns as PyTorch does."""
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be "
        "the only storage class. This should only matter to you if you are using storages "
        "directly.  To access UntypedStorage directly, use tensor.untyped_storage() instead of "
        "tensor.storage()",
        UserWarning,
        stacklevel=user_stacklevel(),
    )
    return TypedStorage(
        wrap_storage=UntypedStorage(self._array), dtype=dtypes.from_numpy_dtype(self._array.dtype)
    )


@public(method="storage_type")
def storage_type(self: Any) -> Any:
    """Return the class of storages of the tensor's dtype."""
    return LEGACY_STORAGES[STORAGE_NAMES[dtypes.from_numpy_dtype(self._array.dtype).name]]
