"""Tensors in memory that other processes see, and how multiprocessing passes them on."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.variable import TensorBase, rebind_leaf
from pellucid.core.backward.history import edge_of
from pellucid.core.construct import fresh
from pellucid.core.definition.public import public
from pellucid.core.memory.memory_formats import in_memory_order, strided
from pellucid.core.memory.ownership import at_the_same_place, owner_of
from pellucid.device import check_device
from pellucid.errors import GraphError
from pellucid.kernels.meta import is_meta
from pellucid.sharing.memory import found, handle_of, map_of, shared_copy
from pellucid.tensors.copies import restored, values_in_slots
from pellucid.tensors.storages import UntypedStorage

#: whether multiprocessing passes tensors on as memory
_shares = False


@public(method="share_memory_")
def share_memory_(self: Any) -> Any:
    """Move the values into memory that other processes see; return the tensor.

    A process that is forked afterwards, or that is given the tensor by multiprocessing, works on
    the same values. All tensors that look into the same memory move with it.

    >>> torch.ones(2).share_memory_().is_shared()
    True
    """
    if is_meta(self._array):
        raise GraphError("_share_fd_: only available on CPU")
    if map_of(self._array) is None:
        _move(self)
    let_multiprocessing_share()
    return self


def _move(tensor: Any) -> None:
    """Move memory to where other processes see it, with all tensors and storages that use it."""
    owner = owner_of(tensor._array)
    if type(owner) is not np.ndarray or not in_memory_order(owner).flags.forc:
        _give(tensor, shared_copy(tensor._array))
        return
    others = _others_over(owner, tensor)
    memory = owner_of(shared_copy(in_memory_order(owner).view(np.uint8)))
    for each in [tensor, *others]:
        if isinstance(each, UntypedStorage):
            each._owner = memory
        else:
            _give(each, at_the_same_place(each._array, owner, memory))


def _give(tensor: Any, array: Any) -> None:
    tensor._array = array
    rebind_leaf(tensor)


def _others_over(owner: Any, tensor: Any) -> list[Any]:
    """Return the other tensors and storages over some memory, if somebody else refers to it."""
    leaf = tensor._extra is not None and tensor._extra.accumulate is not None
    # the tensor or its array, its node, the argument and its two names
    if sys.getrefcount(owner) <= 4 + leaf:
        return []
    return [
        each for each in gc.get_objects()
        if (issubclass(type(each), TensorBase) and _is_over(each, owner, tensor))
        or (type(each) is UntypedStorage and each._owner is owner)
    ]  # fmt: skip


def _is_over(other: Any, owner: Any, tensor: Any) -> bool:
    array = getattr(other, "_array", None)
    return other is not tensor and isinstance(array, np.ndarray) and owner_of(array) is owner


@public("from_file")
def from_file(
    filename: str, shared: bool | None = None, size: int = 0, *, dtype: Any = None,
    layout: Any = strided, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Return a vector over the memory of a file, whose parts are read as they are needed.

    Args:
        filename: Path of the file.
        shared: Whether what is written to the tensor is written to the file, which is then made,
            or made longer, as needed.
        size: Number of elements.
        dtype: Dtype of the elements; the default dtype if None.
        layout: Accepted and not used.
        device: Device of the result: the CPU or ``meta``.
        pin_memory: Accepted and not used.
        requires_grad: Whether the tensor wants a gradient.

    Raises:
        ShapeError: If the file is too short and not shared (a ``RuntimeError``).

    >>> import pathlib, tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "numbers")
    ...     np.array([1.0, 2.0, 3.0], np.float32).tofile(path)
    ...     torch.from_file(str(path), size=2)
    tensor([1., 2.])
    """
    check_device(device)
    numpy_dtype = dtypes.default() if dtype is None else dtypes.to_numpy_dtype(dtype)
    storage = UntypedStorage.from_file(filename, bool(shared), size * numpy_dtype.itemsize)
    return fresh(storage.array().view(numpy_dtype), requires_grad)


@public(method="is_shared")
def is_shared(self: Any) -> bool:
    """Return whether the values are in memory that other processes see."""
    return not is_meta(self._array) and map_of(self._array) is not None


def let_multiprocessing_share() -> None:
    """Register with multiprocessing how tensors are passed on, class by class."""
    global _shares
    if _shares:
        return
    _descriptors().leave_at_the_end()
    _shares = True
    kinds: list[type[Any]] = [TensorBase]
    while kinds:
        kind = kinds.pop()
        let_multiprocessing_share_class(kind)
        kinds += kind.__subclasses__()
    _pickler().register(UntypedStorage, _reduced_storage)


def let_multiprocessing_share_class(kind: type[Any]) -> None:
    """Register a class of tensors too, if multiprocessing passes tensors on."""
    if _shares:
        _pickler().register(kind, _reduced_for_a_process)


def _pickler() -> Any:
    from multiprocessing import reduction

    return reduction.ForkingPickler


def _reduced_storage(storage: UntypedStorage) -> Any:
    array = storage.array()
    if os.name != "posix" or is_meta(array) or not array.size:
        return storage.__reduce_ex__(2)
    tensor = share_memory_(fresh(array))
    storage._owner = owner_of(tensor._array)
    return _attached_storage, (_description(tensor),)


def _attached_storage(description: Any) -> UntypedStorage:
    return UntypedStorage(found(*description))


def _reduced_for_a_process(tensor: Any) -> Any:
    if not tensor.is_leaf:
        raise GraphError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd "
            "does not support crossing process boundaries.  If you just want to transfer the data, "
            "call detach() on the tensor before serializing (e.g., putting it on the queue)."
        )
    if not _can_be_moved(tensor):
        return tensor.__reduce_ex__(2)
    description = _description(share_memory_(tensor))
    requires_grad = edge_of(tensor) is not None
    return _attached, (
        type(tensor),
        description,
        requires_grad,
        tensor.__dict__ | values_in_slots(tensor),
    )


def _description(tensor: Any) -> Any:
    return handle_of(tensor._array, _descriptors().for_another_process)


def _descriptors() -> Any:
    # multiprocessing is loaded by those who use it
    return import_module("pellucid.sharing.descriptors")


def _can_be_moved(tensor: Any) -> bool:
    """Return whether a tensor is sent as memory, and not as its class says."""
    if os.name != "posix":
        return False
    has_memory = tensor.layout is strided and not is_meta(tensor._array) and tensor._array.size > 0
    return has_memory and type(tensor).__reduce_ex__.__module__.startswith("pellucid.")


def _attached(kind: type[Any], description: Any, requires_grad: bool, attributes: Any) -> Any:
    let_multiprocessing_share()
    return restored(kind, found(*description), requires_grad, attributes)


@public(method="is_pinned")
def is_pinned(self: Any, device: Any = None) -> bool:
    """Return False: no memory is pinned, as there is no accelerator.

    Args:
        device: Accepted, and without effect.
    """
    check_device(device)
    return False
