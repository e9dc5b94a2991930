"""The lines of a program that made PyTorch's nodes, and that changed its tensors in place."""

from __future__ import annotations

import importlib
import os
import threading
from typing import Any

from pellucid.autograd.sites import library_files, user_frame
from pellucid.inspect.pytorch import explanations
from pellucid.inspect.pytorch.explanations import MemoryChange
from pellucid.inspect.pytorch.graphs import SITE

torch: Any = importlib.import_module("torch")
library_files.add_folder(os.path.dirname(torch.__file__))

#: changes of one memory that are remembered, and memories whose changes are
_CHANGES, _MEMORIES = 4, 10_000
_INPLACE = {
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_", "__ipow__": "pow_", "__imod__": "remainder_",
    "__setitem__": "x[...] = ...",
}  # fmt: skip


class Lines(torch.overrides.TorchFunctionMode):
    """The mode that notes the user's line on each node that PyTorch makes.

    Attributes:
        scopes: The modules that are running.
        changes: The latest changes of each memory, by its address; the memory changed last is last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scopes = Scopes()
        self.changes: dict[int, list[MemoryChange]] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        name = getattr(func, "__name__", "")
        try:
            result = func(*args, **given)
        except RuntimeError as error:
            explanations.explain_call(error, name)
            raise
        for each in result if isinstance(result, tuple | list) else (result,):
            if isinstance(each, torch.Tensor):
                self._note_node(each.grad_fn)
        op = _INPLACE.get(name) or (name if given.get("inplace") or _is_inplace(name) else "")
        if op and args and isinstance(args[0], torch.Tensor):
            self.note_change(args[0], op)
        return result

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
        version, address = tensor._version, tensor.untyped_storage().data_ptr()
        if version == 0:
            return
        known = [each for each in self.changes.pop(address, ()) if each.version < version]
        change = MemoryChange(op, version, *user_frame(), detail)
        change.numel = tensor.numel()
        self.changes[address] = [*known[1 - _CHANGES :], change]
        if len(self.changes) > _MEMORIES:
            del self.changes[next(iter(self.changes))]


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
        """Enter a module; return whether it is the outermost."""
        outermost = not self.names
        if outermost:
            self.below = {id(each): name for name, each in module.named_modules()}
            self.below[id(module)] = type(module).__name__
        self.names.append(self.below.get(id(module), self.current))
        return outermost

    def leave(self) -> bool:
        """Leave the innermost module; return whether it was the outermost."""
        if self.names:
            self.names.pop()
        return not self.names
