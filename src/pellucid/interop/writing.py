"""Describing objects for a file: tensors as views of storages, classes by PyTorch's names."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from pellucid.core.memory.memory_formats import layout, strided
from pellucid.core.memory.ownership import owner_of
from pellucid.device import cpu_device, device
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import DtypeError
from pellucid.interop.layers import module_reduced
from pellucid.interop.locations import CPU, has_packages, location_tag
from pellucid.interop.names import name_in_files
from pellucid.interop.rebuilding import (
    STORAGE_TYPES,
    UNTYPED,
    StorageType,
    get_layout,
    rebuild_from_type,
    rebuild_meta_tensor,
    rebuild_parameter,
    rebuild_parameter_with_state,
    rebuild_sparse_tensor,
    rebuild_tensor,
    rebuild_tensor_of_dtype,
)
from pellucid.kernels.meta import is_meta
from pellucid.nn.modules.module import Module
from pellucid.nn.modules.state import StateDict
from pellucid.nn.parameter import Parameter
from pellucid.ops.random.sampling import Generator
from pellucid.outbuildings import outbuildings
from pellucid.tensors import Tensor
from pellucid.tensors.copies import values_in_slots
from pellucid.tensors.storages import TypedStorage, UntypedStorage

Array = np.ndarray[Any, Any]
Reduced = tuple[Any, ...]

#: what most objects in a file are: no storages, and nothing that is described in a way of its own
_PLAIN = (str, int, float, bool, tuple, dict, list, type(None))
_TENSOR_REDUCTIONS = tuple(cls.__reduce_ex__ for cls in (Tensor, Parameter))


class Storage:
    """The memory of tensors in the form in which it is written to a file."""

    __slots__ = ("count", "key", "type")

    def __init__(self, key: str, type: StorageType, count: int) -> None:
        self.key = key
        self.type = type
        self.count = count


class Description(pickle._Pickler):
    """Pickle objects as PyTorch does, collecting the memory of their tensors.

    Python's own pickler in C cannot be given other names for classes, hence the one in Python; what
    is large, the tensors, does not pass through it.
    """

    dispatch: dict[type, Any] = dict(pickle._Pickler.dispatch)

    def __init__(self, file: io.BytesIO, protocol: int, legacy: bool) -> None:
        super().__init__(file, protocol)
        if 0 <= protocol < 4:  # no frames, whose writer only passes on what it is given
            self.write = file.write
        self._protocol = protocol
        self._legacy = legacy
        #: the elements of each storage, in the order of their numbers
        self.memories: list[Array] = []
        #: by the address of their first element
        self._storages: dict[int | None, Storage] = {}

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        """Write an object; one that is plain, or was written, without asking what else it is."""
        kept = self.memo.get(id(obj))  # pyright: ignore[reportAttributeAccessIssue]
        if kept is not None:
            self.write(self.get(kept[0]))  # pyright: ignore[reportAttributeAccessIssue]
        elif write := _PLAIN_WRITERS.get(type(obj)):
            write(self, obj)
        else:
            super().save(obj, save_persistent_id)  # pyright: ignore[reportAttributeAccessIssue]

    def persistent_id(self, obj: Any) -> Any:
        """Describe a storage by its kind, number, place and length."""
        if isinstance(obj, UntypedStorage | TypedStorage):
            obj = self._user_storage(obj)
        if type(obj) is not Storage:
            return None
        described = ("storage", obj.type, obj.key, self._location(obj), obj.count)
        return (*described, None) if self._legacy else described

    def _location(self, storage: Storage) -> str:
        if not has_packages():
            return CPU
        return location_tag(UntypedStorage.over(self.memories[int(storage.key)]))

    def reducer_override(self, obj: Any) -> Any:
        """Describe what is PyTorch's own the way PyTorch does."""
        if isinstance(obj, Tensor) and type(obj).__reduce_ex__ in _TENSOR_REDUCTIONS:
            return self._tensor(obj)
        if isinstance(obj, Tensor) and obj.layout is not strided:
            parts = outbuildings.sparse().creation.parts_of(obj)
            return (rebuild_sparse_tensor, (obj.layout, parts))
        if isinstance(obj, Module):
            return module_reduced(obj, self._protocol)
        if type(obj) is StateDict:
            return (OrderedDict, (), dict(obj.__dict__) or None, None, iter(obj.items()))
        if type(obj) is device:
            return (device, (obj.type,) if obj.index is None else (obj.type, obj.index))
        if type(obj) is Generator:
            return (Generator, (cpu_device,), (obj.initial_seed(), None, obj.get_state()))
        if type(obj) is layout:
            return (get_layout, (str(obj),))
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write the name of a class or function; those of pellucid under PyTorch's."""
        found = name_in_files(obj, name)
        if found is None:
            super().save_global(obj, name)  # pyright: ignore[reportAttributeAccessIssue]
            return
        self.write(pickle.GLOBAL + f"{found[0]}\n{found[1]}\n".encode())
        self.memoize(obj)  # pyright: ignore[reportAttributeAccessIssue]

    dispatch[FunctionType] = save_global

    # ---- tensors ----------------------------------------------------------------------------

    def _tensor(self, tensor: Tensor) -> Reduced:
        attributes = dict(tensor.__dict__)
        if hasattr(tensor, "materialize"):  # its shape is not known yet
            return (type(tensor), (tensor.requires_grad,))
        if isinstance(tensor, Parameter):
            hooks: Any = OrderedDict()
            plain = (tensor.detach(), tensor.requires_grad, hooks)
            if attributes:
                return (rebuild_parameter_with_state, (*plain, attributes))
            return (rebuild_parameter, plain)
        function, args = self._view(tensor._array, tensor.requires_grad)
        cls: type[Any] = type(tensor)
        if cls is Tensor and not attributes:
            return (function, args)
        in_slots = values_in_slots(tensor)
        state = (attributes, in_slots) if in_slots else attributes
        return (rebuild_from_type, (function, cls, args, state))

    def _view(self, array: Array, requires_grad: bool) -> tuple[Callable[..., Any], Reduced]:
        if is_meta(array):
            dtype, strides = from_numpy_dtype(array.dtype), _strides(array)
            return rebuild_meta_tensor, (dtype, array.shape, strides, requires_grad)
        memory = _memory_behind(array)
        if memory is None:
            array = np.array(array, order="C")
            memory = array
        kind = STORAGE_TYPES.get(from_numpy_dtype(array.dtype), UNTYPED)
        storage = self._storage(memory, kind)
        is_whole = array is memory or not array.size
        offset = 0 if is_whole else (_address(array) - _address(memory)) // array.itemsize
        place = (storage, offset, array.shape, _strides(array), requires_grad, OrderedDict())
        if storage.type is UNTYPED:
            return rebuild_tensor_of_dtype, (*place, from_numpy_dtype(array.dtype))
        return rebuild_tensor, place

    def _user_storage(self, storage: UntypedStorage | TypedStorage) -> Storage:
        if isinstance(storage, UntypedStorage):
            return self._storage(storage.elements(np.dtype(np.uint8)), UNTYPED)
        return self._storage(storage.elements(), STORAGE_TYPES[storage.dtype])

    def _storage(self, memory: Array, kind: StorageType) -> Storage:
        address = _address(memory) if memory.size else None
        storage = self._storages.get(address)
        if storage is None:
            storage = Storage(str(len(self.memories)), kind, memory.nbytes // kind.dtype.itemsize)
            if address is not None:
                self._storages[address] = storage
            flat = memory.reshape(-1, order="A").view(np.uint8)
            whole = storage.count * kind.dtype.itemsize
            self.memories.append(flat[:whole].view(kind.dtype.numpy))
        elif storage.type is not kind:
            raise DtypeError(
                "Cannot save multiple tensors or storages that view the same data as different "
                f"types: {storage.type.dtype} and {kind.dtype}. Save a copy of one of "
                "them, x.clone()."
            )
        return storage


_PLAIN_WRITERS: dict[type, Any] = {cls: Description.dispatch[cls] for cls in _PLAIN}


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _memory_behind(array: Array) -> Array | None:
    """Return the whole memory behind an array, or None if no strided view of it is the array."""
    owner = owner_of(array)
    if not isinstance(owner, np.ndarray) or not (
        owner.flags.c_contiguous or owner.flags.f_contiguous
    ):
        return None
    if owner is array:
        return owner
    steps = [step for step, size in zip(array.strides, array.shape, strict=True) if size > 1]
    distance = _address(array) - _address(owner)
    if any(step < 0 or step % array.itemsize for step in steps) or distance % array.itemsize:
        return None
    return owner


def _strides(array: Array) -> tuple[int, ...]:
    """Return the steps in elements; those of an array without gaps where they do not matter."""
    steps: list[int] = []
    gapless, itemsize, has_no_gaps = 1, array.itemsize, array.flags.c_contiguous
    for size, step in zip(reversed(array.shape), reversed(array.strides), strict=True):
        steps.append(gapless if has_no_gaps or size < 2 else step // itemsize)
        gapless *= max(size, 1)
    return tuple(reversed(steps))


def pickled(obj: Any, protocol: int, legacy: bool = False) -> tuple[bytes, list[Array]]:
    """Return the description of an object, and the elements of each storage that it numbers."""
    file = io.BytesIO()
    description = Description(file, protocol, legacy)
    description.dump(obj)
    return file.getvalue(), description.memories
