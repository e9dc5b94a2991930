"""What a node keeps of a value that it saves, and the hooks that may keep it elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from pellucid.autograd import forward_ad
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.storage import CONSTANT, InferenceStorage, Storage
from pellucid.autograd.variable import Edge, TensorBase, storage_of
from pellucid.blocks import Block
from pellucid.errors import ArgumentTypeError, GraphError
from pellucid.observe import slow_path

Hook = Callable[[Any], Any]


class PackedValue:
    """A saved value that a pack hook has replaced."""

    __slots__ = ("_unpack", "packed")

    def __init__(self, packed: Any, unpack: Hook) -> None:
        self.packed = packed
        self._unpack = unpack

    @property
    def unpacked_by(self) -> Hook:
        """The hook that unpacks it."""
        return self._unpack

    def unpack(self) -> Any:
        """Return the tensor that the unpack hook makes; a new call each time."""
        tensor = self._unpack(self.packed)
        if not isinstance(tensor, TensorBase):
            raise ArgumentTypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        return tensor

    @property
    def watched(self) -> tuple[Any, Storage, int]:
        """What must not change before it is unpacked: an array, its storage, the version then.

        Nothing that autograd knows of: what a hook has packed is the hook's.
        """
        return (None, CONSTANT, CONSTANT.version)

    def decorate(self, tensor: Any) -> None:
        """Give the value, taken out again, what it had beside its history: here, nothing."""


class DualValue(PackedValue):
    """A saved value with a tangent."""

    __slots__ = ("_storage", "_tangent", "_version")

    def __init__(self, tensor: Any, storage: Storage, version: int, tangent: Any) -> None:
        super().__init__(tensor, _same)
        self._storage = storage
        self._version = version
        self._tangent = tangent

    @property
    def watched(self) -> tuple[Any, Storage, int]:
        return (self.packed._array, self._storage, self._version)

    def unpack(self) -> Any:
        return self.packed

    def decorate(self, tensor: Any) -> None:
        if modes.forward_levels and tensor._array.shape == self._tangent._array.shape:
            gradient_ops.tangents.set_tangent(tensor, self._tangent)


def _same(value: Any) -> Any:
    return value


def saved_entry(
    tensor: Any, array: Any, detached: Callable[[Any], Any], made_by: Edge | None = None
) -> Any:
    """Return what a node keeps of a tensor whose values it computes with as ``array``.

    ``detached`` makes a tensor of an array. ``made_by`` is the edge to the node itself, for one of
    its outputs.
    """
    storage = storage_of(tensor)
    version = storage.version  # raises for a tensor made in inference mode
    if modes.saved_tensor_hooks:
        shown = tensor
        if made_by is not None or array is not tensor._array:
            shown = detached(array)
            shown._storage = storage if array is tensor._array else Storage()
            shown._edge = made_by
        return pack(shown, modes.saved_tensor_hooks[-1])
    tangent = forward_ad.tangent_of(tensor)
    if array is not tensor._array:  # promoted: a copy that nobody else can change
        storage, version = CONSTANT, 0
    if tangent is not None:
        return DualValue(detached(array), storage, version, tangent)
    return (array, storage, version)


def pack(tensor: Any, hooks: tuple[Hook, Hook]) -> PackedValue:
    """Give a tensor to the pack hook; refuse a hook that changes it in place."""
    pack_hook, unpack_hook = hooks
    before = storage_of(tensor).version
    recording, modes.grad_enabled = modes.grad_enabled, False
    try:
        packed = pack_hook(tensor)
    finally:
        modes.grad_enabled = recording
    if storage_of(tensor).version != before:
        raise GraphError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
            "to "
            "pack hook cannot be modified by in-place operations as this can lead to unexpected "
            "side-effects. Please open an issue if you need to perform in-place operations on the "
            "input to a pack hook."
        )
    return PackedValue(packed, unpack_hook)


class SavedTensor:
    """One saved value of a node, as ``grad_fn._raw_saved_<name>`` gives it.

    Args:
        node: The node that has saved it.
        position: Which of its values it is.

    Raises:
        RuntimeError: If it is made without a node, as programs would.

    >>> x = torch.ones(2, requires_grad=True)
    >>> saved = x.exp().grad_fn._raw_saved_result
    >>> saved.register_hooks(lambda tensor: tensor * 2, lambda tensor: tensor / 2)
    >>> saved.data.shape
    torch.Size([2])
    """

    __slots__ = ("_node", "_position")

    def __init__(self, node: Any = None, position: int = 0) -> None:
        if node is None:
            raise GraphError("Trying to create a SavedTensor object from Python is forbidden.")
        self._node = node
        self._position = position

    def register_hooks(
        self, pack_hook: Hook | None = None, unpack_hook: Hook | None = None
    ) -> None:
        """Pack this value with ``pack_hook`` from now on, and unpack it with ``unpack_hook``.

        Raises RuntimeError for a value that has hooks, was freed, or is None.
        """
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise ArgumentTypeError(
                "register_hooks(): incompatible function arguments. It takes two functions: a pack "
                "and an unpack hook"
            )
        node: Node = self._node
        if isinstance(node.saved, BackwardRun):
            raise GraphError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved "
                "intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the "
                "graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        entries = list(node.saved) if isinstance(node.saved, tuple) else []
        there = self._position < len(entries)
        entry = entries[self._position] if there else (None, None, 0)
        if isinstance(entry, PackedValue) and not isinstance(entry, DualValue):
            raise GraphError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
                "only one pair of hooks is allowed at a time."
            )
        if isinstance(entry, tuple) and not hasattr(entry[0], "strides"):
            raise GraphError(
                "Calling register_hooks on a saved tensor with value None is forbidden"
            )
        value = self._node.saved_tensor(self._position).detach()
        entries[self._position] = pack(value, (pack_hook, unpack_hook))
        node.saved = tuple(entries)

    @property
    def data(self) -> Any:
        """The value without history."""
        return self._node.saved_tensor(self._position).detach()

    def unpack(self) -> Any:
        """Return the value with the history that it had."""
        return self._node.saved_tensor(self._position)


class saved_tensors_hooks(Block):  # noqa: N801 - PyTorch's name
    """A context manager in which saved values are packed when saved, and unpacked when used.

    Args:
        pack_hook: A function of a saved tensor; it returns any object, which is kept instead.
        unpack_hook: A function of this object that returns the tensor.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pack_hook: Hook, unpack_hook: Hook) -> None:
        self._hooks = (pack_hook, unpack_hook)

    def _begin(self) -> None:
        if modes.saved_tensor_hooks_disabled is not None:
            raise GraphError(modes.saved_tensor_hooks_disabled)
        slow_path.need_in(self)
        self._push(modes, "saved_tensor_hooks", self._hooks)


class disable_saved_tensors_hooks(Block):  # noqa: N801 - PyTorch's name
    """A context manager in which using saved-tensor hooks raises RuntimeError.

    Args:
        error_message: The message of the error.

    >>> with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
    ...     try:
    ...         torch.autograd.graph.saved_tensors_hooks(str, eval).__enter__()
    ...     except RuntimeError as error:
    ...         print(error)
    no hooks here
    """

    def __init__(self, error_message: str) -> None:
        self._message = error_message

    def _begin(self) -> None:
        if modes.saved_tensor_hooks:
            raise GraphError(self._message)
        self._set(modes, "saved_tensor_hooks_disabled", self._message)


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 - PyTorch's name
    """A context manager in which each saved value is copied to main memory.

    Args:
        pin_memory: Accepted for compatibility; memory is not pinned.
        device_type: Accepted for compatibility.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.clone(), _same)


class _Kept:
    """What was saved of a tensor: the value, whose memory may yet be changed, or a copy of it."""

    __slots__ = ("__weakref__", "value")

    def __init__(self, value: Any) -> None:
        self.value = value


class allow_mutation_on_saved_tensors(Block):  # noqa: N801 - PyTorch's name
    """Copy a saved value just before it is changed in place, so that backward finds the old one.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x * 2
    ...     z = (y * y).sum()
    ...     y = y.mul_(10)
    ...     z.backward()
    >>> x.grad
    tensor([8., 8.])
    """

    _open = False

    def _begin(self) -> allow_mutation_on_saved_tensors:
        if modes.before_change is not None:
            raise GraphError("allow_mutation_on_saved_tensors contexts cannot be nested")
        if modes.saved_tensor_hooks_disabled is not None:
            raise GraphError(modes.saved_tensor_hooks_disabled)
        #: what has been saved of each storage since its last change
        self._saved: dict[Storage, WeakSet[_Kept]] = {}
        #: the same by place, layout and version, so that a value is kept once
        self.tid_to_weakhandle: WeakValueDictionary[Any, _Kept] = WeakValueDictionary()
        #: what had to be copied, with the copies, as long as backward may need them
        self.cloned: WeakKeyDictionary[_Kept, Any] = WeakKeyDictionary()
        for kept in (self._saved, self.tid_to_weakhandle, self.cloned):
            self._at_end(kept.clear)
        self._set(self, "_open", True)
        slow_path.need_in(self)
        self._push(modes, "saved_tensor_hooks", (self._pack, self._unpack))
        self._set(modes, "before_change", self._before_change)
        return self

    def _pack(self, tensor: Any) -> _Kept:
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor._version)
        kept = self.tid_to_weakhandle.get(place)
        if kept is None:
            kept = self.tid_to_weakhandle[place] = _Kept(tensor.detach())
            self._saved.setdefault(storage_of(tensor), WeakSet()).add(kept)
        return kept

    def _unpack(self, kept: _Kept) -> Any:
        if not self._open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return kept.value

    def _before_change(self, tensor: Any) -> None:
        """Copy what was saved of the memory that is about to be changed."""
        storage_version(tensor._storage)  # raises for a tensor that counts none
        for kept in self._saved.pop(storage_of(tensor), ()):
            recording, modes.grad_enabled = modes.grad_enabled, False
            try:
                kept.value = self.cloned[kept] = kept.value.clone()
            finally:
                modes.grad_enabled = recording


def storage_version(storage: Storage | None) -> int:
    """Return the version of a storage that may not exist yet."""
    if isinstance(storage, InferenceStorage):
        raise GraphError("Inference tensors do not track version counter.")
    return 0 if storage is None else storage.version
