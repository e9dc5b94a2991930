"""Saved-tensor hooks: what a node keeps in place of a value, and gets the value back from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.storage import Storage
from pellucid.autograd.variable import TensorBase
from pellucid.errors import GraphError
from pellucid.observe import attention

Hook = Callable[[Any], Any]


class PackedValue:
    """Stand in ``node.saved`` for a value that a pack hook has taken over."""

    __slots__ = ("_unpack", "packed")

    def __init__(self, packed: Any, unpack: Hook) -> None:
        self.packed = packed
        self._unpack = unpack

    def unpack(self) -> Any:
        """Return the tensor that the unpack hook makes; a new call each time."""
        tensor = self._unpack(self.packed)
        if not isinstance(tensor, TensorBase):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        return tensor


def pack(tensor: Any, hooks: tuple[Hook, Hook]) -> PackedValue:
    """Give a detached tensor to the pack hook; refuse a hook that changes it in place."""
    pack_hook, unpack_hook = hooks
    before = tensor._storage.version
    recording, modes.grad_enabled = modes.grad_enabled, False
    try:
        packed = pack_hook(tensor)
    finally:
        modes.grad_enabled = recording
    if tensor._storage.version != before:
        raise GraphError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
            "pack hook can not be modified by in-place operations as this can lead to unexpected "
            "side-effects. Please open an issue if you need to perform in-place operations on the "
            "input to a pack hook."
        )
    return PackedValue(packed, unpack_hook)


class saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Give each value that a node saves inside the block to ``pack``, and get it from ``unpack``.

    >>> import pellucid as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pack_hook: Hook, unpack_hook: Hook) -> None:
        self._hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if modes.saved_tensor_hooks_disabled is not None:
            raise GraphError(modes.saved_tensor_hooks_disabled)
        modes.saved_tensor_hooks = (*modes.saved_tensor_hooks, self._hooks)
        attention.raise_()

    def __exit__(self, *exc: object) -> None:
        modes.saved_tensor_hooks = modes.saved_tensor_hooks[:-1]
        attention.lower()


class disable_saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Make the use of saved-tensor hooks inside the block an error with the given message."""

    def __init__(self, error_message: str) -> None:
        self._message = error_message

    def __enter__(self) -> None:
        if modes.saved_tensor_hooks:
            raise GraphError(self._message)
        self._before = modes.saved_tensor_hooks_disabled
        modes.saved_tensor_hooks_disabled = self._message

    def __exit__(self, *exc: object) -> None:
        modes.saved_tensor_hooks_disabled = self._before


def storage_version(storage: Storage | None) -> int:
    """Return the version of a storage that may not exist yet."""
    return 0 if storage is None else storage.version
