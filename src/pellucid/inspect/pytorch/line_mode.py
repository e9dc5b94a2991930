"""The lines of a program that made PyTorch's nodes, and that changed its tensors in place."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from types import FrameType
from typing import Any

from pellucid.autograd.sites import library_files, user_frame
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.pytorch import explanations
from pellucid.inspect.pytorch.calls import Calls
from pellucid.inspect.pytorch.explanations import MemoryChange
from pellucid.inspect.pytorch.graphs import SITE
from pellucid.inspect.pytorch.guard import Guard

torch: Any = importlib.import_module("torch")
library_files.add_folder(os.path.dirname(torch.__file__))

#: changes of one memory that are remembered, and memories whose changes are
_CHANGES, _MEMORIES = 4, 10_000
_INPLACE = {
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_", "__ipow__": "pow_", "__imod__": "remainder_",
    "__setitem__": "x[...] = ...",
}  # fmt: skip


#: what runs once for each module that is being called
_CALL = torch.nn.Module._call_impl.__code__


class Lines(torch.overrides.TorchFunctionMode):
    """The mode that notes the user's line on each node that PyTorch makes.

    Args:
        guard: What its notes are made under.
        calls: Who is told of the calls.

    Attributes:
        scopes: The modules that are running.
        changes: The latest changes of each memory, by its address; the memory changed last is last.
    """

    def __init__(self, guard: Guard, calls: Calls) -> None:
        super().__init__()
        self.guard = guard
        self.calls = calls
        self.scopes = Scopes()
        self.changes: dict[int, list[MemoryChange]] = {}
        self._lock = threading.Lock()

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if not self.guard.is_looking:
            return func(*args, **given)
        name = getattr(func, "__name__", "")
        try:
            result = func(*args, **given)
        except RuntimeError as error:
            self.guard.attempt("the story of an error", explanations.explain_call, error, name)
            raise
        self.guard.attempt("a note of a line", self._note, name, args, given, result)
        if self.calls.hear is not None and name != "__get__":
            call = Call(func, args, given, result, self.scopes.current, torch.is_grad_enabled())
            self.guard.attempt_apart("what listens to calls", self.calls.hear, call)
        return result

    def _note(self, name: str, args: Any, given: dict[str, Any], result: Any) -> None:
        """Note the line on the nodes of a result, and on the memory that the call has changed."""
        for each in result if isinstance(result, tuple | list) else (result,):
            if isinstance(each, torch.Tensor):
                self._note_node(each.grad_fn)
        op = _INPLACE.get(name) or (name if given.get("inplace") or _is_inplace(name) else "")
        if op and args and isinstance(args[0], torch.Tensor):
            self.note_change(args[0], op)

    def _note_node(self, function: Any) -> None:
        """Note the line on a node, and on those that the same call has made below it."""
        site = None
        stack = [function]
        while stack:
            function = stack.pop()
            if function is None or SITE in function.metadata or hasattr(function, "variable"):
                continue
            site = site or (*user_frame(), self.scopes.current)
            function.metadata[SITE] = site
            stack += [below for below, _ in function.next_functions]

    def note_change(self, tensor: Any, op: str, detail: str | None = None) -> None:
        """Remember that the memory of a tensor was changed, if its version says so.

        A change that is noted again, as that of an optimizer, is told by what is noted last.
        """
        known = _version_and_address(tensor)
        if known is None:
            return
        version, address = known
        change = MemoryChange(op, version, *user_frame(), detail)
        change.numel = tensor.numel()
        with self._lock:
            earlier = [each for each in self.changes.pop(address, ()) if each.version < version]
            self.changes[address] = [*earlier[1 - _CHANGES :], change]
            if len(self.changes) > _MEMORIES:
                del self.changes[next(iter(self.changes))]


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


def _is_inplace(name: str) -> bool:
    return name.endswith("_") and not name.startswith("__")


class Scopes(threading.local):
    """The names of the modules that are running in a thread, the innermost last."""

    def __init__(self) -> None:
        self.names: list[str | None] = []
        self.below: dict[int, str] = {}

    @property
    def current(self) -> str | None:
        """The name of the innermost one."""
        return self.names[-1] if self.names else None

    def enter(self, module: Any) -> bool:
        """Enter a module, from its hook; return whether it is the outermost."""
        if self.names and not _is_called_by_a_module(sys._getframe(1)):
            self.names.clear()  # what ran was left by an exception that no hook is told of
        outermost = not self.names
        self.names.append(None)
        if outermost:
            self.below = {id(each): name for name, each in module.named_modules()}
            self.below[id(module)] = type(module).__name__
        above = self.names[-2] if len(self.names) > 1 else None
        self.names[-1] = self.below.get(id(module), above)
        return outermost

    def leave(self) -> bool:
        """Leave the innermost module; return whether it was the outermost."""
        if self.names:
            self.names.pop()
        return not self.names


def _is_called_by_a_module(frame: FrameType | None) -> bool:
    """Return whether the module whose hook runs in a frame was called while another one ran."""
    calls = 0
    while frame is not None and calls < 2:
        calls += frame.f_code is _CALL
        frame = frame.f_back
    return calls == 2
