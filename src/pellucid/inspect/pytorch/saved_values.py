"""What PyTorch's nodes have saved, and the memory behind it, read without unpacking anything."""

from __future__ import annotations

import ctypes
import importlib
import math
import re
from collections.abc import Iterable, Iterator
from sys import getrefcount
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from pellucid.autograd.node import BackwardRun, Node
from pellucid.inspect.pytorch.graphs import (
    RAW,
    HiddenValue,
    TorchFunctionNode,
    TorchLeaf,
    TorchNode,
    dtype_of,
    meta_of,
    saved_tensors,
    stored,
    stored_value,
)

torch: Any = importlib.import_module("torch")

_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")

# Note [Arrays that stand for PyTorch's memory]
# A node's saved values are (array, storage, version) for the tools. Here the array looks into the
# memory of PyTorch's tensor where the CPU has it, and else it is one of the same shape and dtype
# over a few bytes, so that sizes are right on every device. All arrays of one storage have the same
# owner, as views have in pellucid. Nothing is copied, no hook runs: `_raw_saved_x` gives what is
# stored. A storage that something beside the graph uses is told by one more reference to its owner,
# as the survey of a graph counts references; how many there are, PyTorch's own counts say.


class Storage:
    """The storage of a saved value, as `pellucid.autograd.storage` has them.

    Args:
        version: How often it was changed.
        user: The array that owns it, if something beside the graph uses it.
    """

    __slots__ = ("user", "version")
    changes = ()

    def __init__(self, version: int, user: Any = None) -> None:
        self.version = version
        self.user = user


_NOTHING = (None, Storage(0), 0)


class UnnotedRun(BackwardRun):
    """A pass that has freed a graph while no lines were noted."""

    __slots__ = ()

    def __init__(self) -> None:
        self.call, self.number, self.seq, self.roots = "a pass", 0, 0, ()
        self.code, self.lasti = None, 0


_UNNOTED = UnnotedRun()


class _Holder:
    """A tensor of PyTorch's that a graph keeps, and how often.

    Attributes:
        tensor: The tensor.
        times: How many saved values it is; as a base, how many views the graph keeps of it.
        listed: How many references to it the reading of the graph has beside this one.
    """

    __slots__ = ("listed", "tensor", "times")

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.times = self.listed = 0

    def references(self) -> int:
        """Return how many objects refer to it that are not the reading's."""
        return getrefcount(self.tensor) - self.listed


class Memories:
    """The memory behind the saved values and the leaves of a graph.

    Args:
        nodes: What stands for its nodes; `fill` gives them their values.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = list(nodes)
        #: by storage: the array that owns it
        self._owners: dict[Any, Any] = {}
        #: by storage, the tensors that the graph keeps of it, by identity
        self._holders: dict[Any, dict[int, _Holder]] = {}

    def fill(self) -> None:
        """Read all values, then give those nodes."""
        stored = [self._stored_by(node) for node in self._nodes]
        in_use = {key for key in self._holders if self._is_in_use(key)}
        for node in self._nodes:
            if isinstance(node, TorchLeaf):
                array = self.array(node.function.variable)
                node.value = np.empty(0) if array is None else array
        for node, values in zip(self._nodes, stored, strict=True):
            if isinstance(node, TorchNode):
                self._give(node, values, in_use)
        self._holders.clear()

    def _stored_by(self, node: Node) -> list[tuple[str, Any, Any]]:
        """Return attribute, stored value and hook of all that a node has saved."""
        if not isinstance(node, TorchNode):
            return []
        found: list[tuple[str, Any, Any]] = []
        for _, name, raw in stored(node.function):
            value, hook = stored_value(node.function, name, raw)
            found.append((name, value, hook))
            if hook is None and isinstance(value, torch.Tensor):
                self._note_holder(value)
        return found

    def _note_holder(self, tensor: Any) -> None:
        key = storage_key(tensor)
        if key is None:
            return
        of_storage = self._holders.setdefault(key, {})
        holder = of_storage.setdefault(id(tensor), _Holder(tensor))
        holder.times += 1
        holder.listed += 1
        if holder.times == 1 and tensor._is_view() and tensor._base is not None:
            of_storage.setdefault(id(tensor._base), _Holder(tensor._base)).times += 1

    def _is_in_use(self, key: Any) -> bool:
        """Return whether something beside the graph uses a storage: a variable, another graph."""
        holders = list(self._holders[key].values())
        if any(each.references() > _SOLE for each in holders):
            return True
        if any(_uses_of(each.tensor) > each.times + 1 for each in holders):
            return True
        return _tensors_of(holders[0].tensor) > len(holders)

    def _give(self, node: TorchNode, stored: list[tuple[str, Any, Any]], in_use: set[Any]) -> None:
        entries: list[Any] = []
        for (attribute, value, hook), name in zip(stored, node.saved_names, strict=False):
            if hook is not None:
                entries.append(HiddenValue(name, self._arrays_within(value, hook)))
            elif value is None:
                if node.freed_by is None and _is_freed(node.function, attribute):
                    node.saved = _UNNOTED
                entries.append(_NOTHING)
            else:
                entries.append(self._entry(node, name, attribute, value, in_use))
        if node.freed_by is None:
            node.saved = tuple(entries) or None
        if isinstance(node, TorchFunctionNode):
            for name, value in vars(node.function).items():
                arrays = list(self._arrays_within(value, None))
                if arrays:
                    setattr(node.ctx, name, arrays)

    def _entry(
        self, node: TorchNode, name: str, attribute: str, tensor: Any, in_use: set[Any]
    ) -> Any:
        array = self.array(tensor)
        if array is None:
            like = f"{str(tensor.layout).removeprefix('torch.')} {dtype_of(tensor.dtype)}"
            shape = list(meta_of(tensor).shape)
            return HiddenValue(name, self._arrays_within(tensor, None), f"{like}{shape}")
        key = storage_key(tensor)
        version = 0 if tensor.is_inference() else tensor._version
        storage = Storage(version, self._owners.get(key) if key in in_use else None)
        return (array, storage, _version_then(node.function, attribute, version))

    def _arrays_within(self, value: Any, hook: Any) -> Iterator[Any]:
        """Yield arrays for the tensors that a packed value keeps, and what unpacks it."""
        for tensor in _tensors_within((value, *_closed_over(hook)), 0):
            array = self.array(tensor)
            if array is not None:
                yield array

    def array(self, tensor: Any) -> Any:
        """Return an array for a tensor in memory; None for one of another kind."""
        key = storage_key(tensor)
        if key is None:
            return None
        owner = self._owners.get(key)
        if owner is None:
            owner = self._owners[key] = _owner_for(tensor)
        return _view_of(owner, tensor)


def storage_key(tensor: Any) -> Any:
    """Return what is equal for tensors with the same memory; None for one without memory.

    Sparse and nested tensors, those of `torch.func` and subclasses that compute otherwise have none
    that can be told.
    """
    try:
        if tensor.layout is not torch.strided or tensor.is_nested:
            return None
        storage = tensor.untyped_storage()
        return (tensor.device, storage.data_ptr() or -storage._cdata)
    except RuntimeError:  # NotImplementedError is one
        return None


def _owner_for(tensor: Any) -> Any:
    """Return the array that owns the memory of a tensor; see the note above."""
    dtype, storage = dtype_of(tensor.dtype), tensor.untyped_storage()
    size = storage.nbytes()
    shapes = [tuple(each.shape) for each in (tensor._base, tensor) if each is not None]
    flat = (size // dtype.itemsize,)
    shape = next((s for s in shapes if math.prod(s) * dtype.itemsize == size), flat)
    if _can_be_read(tensor):
        memory = (ctypes.c_char * size).from_address(storage.data_ptr())
        memory.storage = storage  # which is there as long as the array
        return np.ndarray(shape, dtype, buffer=memory)
    return np.ndarray(shape, dtype, buffer=bytearray(dtype.itemsize), strides=(0,) * len(shape))


def _can_be_read(tensor: Any) -> bool:
    """Return whether the CPU has a tensor's values, in a dtype of NumPy's."""
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter)
    here = tensor.device.type == "cpu" and tensor.untyped_storage().data_ptr()
    return bool(plain and here and not tensor.is_conj() and not tensor.is_neg())


def _view_of(owner: Any, tensor: Any) -> Any:
    shape, dtype = tuple(tensor.shape), dtype_of(tensor.dtype)
    if shape == owner.shape and dtype == owner.dtype and tensor.is_contiguous():
        return owner
    if isinstance(owner.base, bytearray) or not _can_be_read(tensor):
        part = owner.ravel()[:1] if owner.flags.c_contiguous else owner[(slice(1),) * owner.ndim]
        part = part.reshape(-1)[:1].reshape(()) if owner.size else owner
        return np.broadcast_to(part, shape) if part.shape == () else part
    strides = tuple(step * dtype.itemsize for step in tensor.stride())
    if not tensor.numel():
        return np.ndarray(shape, dtype, buffer=owner)
    offset = tensor.storage_offset() * dtype.itemsize
    return np.ndarray(shape, dtype, buffer=owner, offset=offset, strides=strides)


def _is_freed(function: Any, attribute: str) -> bool:
    """Return whether a saved value of which nothing is stored was freed: no hook can run."""
    try:
        getattr(function, "_saved_" + attribute if attribute != "tensors" else "saved_tensors")
    except RuntimeError as error:
        return "a second time" in str(error) or "have already been freed" in str(error)
    return False


def _version_then(function: Any, attribute: str, now: int) -> int:
    """Return the version that a value, not packed by a hook, had when it was saved."""
    if now == 0:
        return 0
    try:
        getattr(function, "_saved_" + attribute if attribute != "tensors" else "saved_tensors")
    except RuntimeError as error:
        found = _VERSIONS.search(str(error))
        if found is not None:
            return int(found[2]) if int(found[1]) == now else now
    return now


_DEEPEST = 5
_SAVED_TENSOR = torch._C._autograd.SavedTensor


def _tensors_within(value: Any, depth: int) -> Iterator[Any]:
    """Yield the tensors in what a hook has packed, or a context keeps; nothing is unpacked."""
    if isinstance(value, torch.Tensor):
        if type(value.grad_fn).__name__ == "_NoopSaveInputsBackward":  # what a checkpoint runs on
            yield from (tensor for _, tensor in saved_tensors(value.grad_fn))
        if storage_key(value) is not None:
            yield value
        elif value.layout in _PARTS:
            yield from (getattr(value, part)() for part in _PARTS[value.layout])
        return
    if isinstance(value, _SAVED_TENSOR):  # as a checkpoint keeps its inputs
        if getattr(value, "unpack_hook", value) is None:
            yield from _tensors_within(value.data, depth)
        return
    if depth >= _DEEPEST or isinstance(value, type | FunctionType | str | bytes | int | float):
        return
    parts: Iterable[Any] = getattr(value, "__dict__", {}).values()
    if isinstance(value, list | tuple | set | frozenset):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    for each in list(parts):
        yield from _tensors_within(each, depth + 1)


_PARTS = {
    torch.sparse_coo: ("_indices", "_values"),
    torch.sparse_csr: ("crow_indices", "col_indices", "values"),
    torch.sparse_csc: ("ccol_indices", "row_indices", "values"),
    torch.sparse_bsr: ("crow_indices", "col_indices", "values"),
    torch.sparse_bsc: ("ccol_indices", "row_indices", "values"),
}


def _closed_over(hook: Any) -> list[Any]:
    """Return what a function that unpacks values keeps for that."""
    if isinstance(hook, MethodType):
        return [hook.__self__]
    cells = getattr(hook, "__closure__", None) or ()
    return [cell.cell_contents for cell in cells]


def _uses_of(tensor: Any) -> int:
    """Return how much of PyTorch refers to a tensor: Python's object, and each node that has it."""
    count = getattr(tensor, "_use_count", None)
    return 0 if count is None else count()


def _tensors_of(tensor: Any) -> int:
    """Return how many tensors have a storage."""
    storage = tensor.untyped_storage()
    count = getattr(torch._C, "_storage_Use_Count", None)
    return 0 if count is None else count(storage._cdata) - 1


def _sole_count() -> int:
    """Return the references to a tensor that only a node has, as `_Holder` sees them."""
    with torch.enable_grad(), torch._C.DisableTorchFunction():
        node = (torch.ones((), device="cpu", requires_grad=True) * 2).exp().grad_fn
    raw = getattr(node, f"{RAW}result")
    return _Holder(raw.data).references() if hasattr(raw, "data") else getrefcount(raw) + 1


_SOLE = _sole_count()
