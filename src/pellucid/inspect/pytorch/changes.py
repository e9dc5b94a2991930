"""The latest changes of each memory: by calls, and by the steps of optimizers."""

from __future__ import annotations

import importlib
import threading
import weakref
from types import CodeType
from typing import Any

from pellucid.autograd.explanations.text import describe
from pellucid.autograd.sites import user_frame
from pellucid.inspect.pytorch.explanations import MemoryChange
from pellucid.inspect.pytorch.graphs import meta_of

torch: Any = importlib.import_module("torch")

#: changes of one memory that are remembered, and memories whose changes are
_CHANGES, _MEMORIES = 4, 10_000


class Changes:
    """What has changed memory in place, in all threads."""

    def __init__(self) -> None:
        #: the changes of each memory; the memory changed last is last
        self._by_address: dict[int, list[MemoryChange]] = {}
        #: by identity: optimizers that have stepped, weakly, and the line of the latest step
        self._steps: dict[int, tuple[weakref.ref[Any], CodeType, int]] = {}
        self._lock = threading.Lock()

    def note_step(self, optimizer: Any) -> None:
        """Remember the line of a step; what it has changed is asked for when an error tells of it.

        Args:
            optimizer: The optimizer.
        """
        key, steps = id(optimizer), self._steps
        known = steps.get(key)
        if known is None or known[0]() is not optimizer:
            steps[key] = (weakref.ref(optimizer, lambda _: steps.pop(key, None)), *user_frame())
        else:
            steps[key] = (known[0], *user_frame())

    def all(self) -> dict[int, list[MemoryChange]]:
        """Return the latest changes of each memory, those by optimizers among them."""
        for reference, *frame in tuple(self._steps.values()):
            optimizer = reference()
            if optimizer is not None:
                self._note_parameters(optimizer, frame)
        return self._by_address

    def _note_parameters(self, optimizer: Any, frame: list[Any]) -> None:
        for number, group in enumerate(optimizer.param_groups):
            for position, param in enumerate(group["params"]):
                if param.grad is not None:
                    like = describe(meta_of(param))
                    detail = f"parameter {position} of group {number}, {like}"
                    self.note(param, f"{type(optimizer).__name__}.step", detail, frame)

    def note(self, tensor: Any, op: str, detail: str | None = None, frame: Any = None) -> None:
        """Remember that the memory of a tensor was changed, if its version says so.

        Args:
            tensor: The tensor, after the change.
            op: What has changed it.
            detail: More of it.
            frame: Code and instruction of the line; the one that is running if None.
        """
        known = _version_and_address(tensor)
        if known is None:
            return
        version, address = known
        code, lasti = frame or user_frame()
        change = MemoryChange(op, version, code, lasti, detail)
        change.numel = tensor.numel()
        with self._lock:
            before = self._by_address.get(address, ())
            if frame and before and before[-1].version >= version:
                return  # changed again since the step
            earlier = [each for each in self._by_address.pop(address, ()) if each.version < version]
            self._by_address[address] = [*earlier[1 - _CHANGES :], change]
            if len(self._by_address) > _MEMORIES:
                del self._by_address[next(iter(self._by_address))]


def _version_and_address(tensor: Any) -> tuple[int, int] | None:
    """Return the version and the memory of a tensor; None if it was not changed, or has none.

    Tensors of `torch.func`, sparse and nested ones, fake ones and those of inference mode have no
    memory or no version that could be read.
    """
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_inference():
        return None
    try:
        version, address = tensor._version, tensor.untyped_storage().data_ptr()
    except RuntimeError:  # NotImplementedError is one
        return None
    return (version, address) if version and address else None
