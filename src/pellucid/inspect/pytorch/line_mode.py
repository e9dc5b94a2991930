"""The mode that sees each call of PyTorch's functions: lines, changes in place, cuts, errors."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from pellucid.autograd.sites import library_files, user_frame
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.pytorch import cut_notes
from pellucid.inspect.pytorch.call_errors import explain_call
from pellucid.inspect.pytorch.calls import Calls
from pellucid.inspect.pytorch.explanations import MemoryChange
from pellucid.inspect.pytorch.guard import Guard
from pellucid.inspect.pytorch.notes import next_number, note_nodes

torch: Any = importlib.import_module("torch")
library_files.add_folder(os.path.dirname(torch.__file__))
library_files.add_start("<eval_with_key>")  # what torch.compile makes of the program's lines

#: changes of one memory that are remembered, and memories whose changes are
_CHANGES, _MEMORIES = 4, 10_000
_INPLACE = {
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_", "__ipow__": "pow_", "__imod__": "remainder_",
    "__setitem__": "x[...] = ...",
}  # fmt: skip
#: attributes that give tensors with a history; others are read without a look
_WITH_HISTORY = frozenset({"T", "mT", "H", "mH", "real", "imag"})
#: what is no call of an op: an error that goes up through it is told by what it calls
_NO_OPS = frozenset({"backward", "grad", "__torch_function__", "register_hook"})

_Tensor = torch.Tensor
_modes: Any = torch.overrides._get_current_function_mode_stack
_records = torch.is_grad_enabled
#: what runs once for each module that is being called
_CALL = torch.nn.Module._call_impl.__code__


class _Kind(NamedTuple):
    """What is known of a function.

    Attributes:
        name: Its name.
        inplace: How a change is told, if it always changes its first operand.
        cut: How a program writes it, if it always cuts off a history.
        is_call: Whether it is a call, and no attribute.
        is_op: Whether its errors are its own, and it is recorded as a call.
    """

    name: str
    inplace: str
    cut: str
    is_call: bool
    is_op: bool


def _kind_of(function: Any) -> _Kind | None:
    """Return what is known of a function; None for attributes that need no look."""
    name = getattr(function, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        attribute = getattr(getattr(function, "__self__", None), "__name__", "")
        if name == "__get__" and attribute == "data":
            return _Kind(attribute, "", ".data", False, True)
        return _Kind(attribute, "", "", False, True) if attribute in _WITH_HISTORY else None
    if name.startswith("_record_function"):
        return None  # of PyTorch's profiler
    inplace = _INPLACE.get(name, "")
    if not inplace and name.endswith("_") and not name.startswith("__"):
        inplace = name
    return _Kind(name, inplace, cut_notes.NUMBERS.get(name, ""), True, name not in _NO_OPS)


class Lines(torch.overrides.TorchFunctionMode):
    """The mode that notes the user's line of each node that PyTorch makes.

    Args:
        guard: What its notes are made under.

    Attributes:
        hearing: Who is told of the calls.
        recorders: What calls the functions; the last one alone.
        scopes: The modules that are running.
        changes: The latest changes of each memory, by its address; the memory changed last is last.
        pauses: Reasons for which no call is looked at, as the step of an optimizer.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self.hearing: list[Calls] = []
        self.recorders: list[Any] = []
        self.scopes = Scopes()
        self.changes: dict[int, list[MemoryChange]] = {}
        self.pauses = _Pauses()
        #: by identity: optimizers that have stepped, weakly, and the line of the latest step
        self.steps: dict[int, tuple[weakref.ref[Any], CodeType, int]] = {}
        self._kinds: dict[Any, _Kind | None] = {}
        self._lock = threading.Lock()

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = {} if kwargs is None else kwargs
        if self.pauses.count or not self.guard.is_looking:
            return func(*args, **given)
        try:
            kind = self._kinds[func]
        except KeyError:
            kind = self._kinds[func] = _kind_of(func)
        if kind is None:
            return func(*args, **given)
        recorder = self.recorders[-1] if self.recorders and kind.is_op else None
        start = next_number()
        try:
            if recorder is None:
                result = func(*args, **given)
            else:
                result = recorder.call(kind.name, self.scopes.current, func, args, given)
        except Exception as error:
            if kind.is_op:
                self.guard.attempt(
                    "the story of an error", explain_call, error, func, kind.name, args, given,
                    self.scopes,
                )  # fmt: skip
            raise
        end = next_number()
        try:
            if end != start:
                names = self.scopes.names
                note_nodes(start, end, *user_frame(), names[-1] if names else None, result)
            elif kind.cut or (type(result) is _Tensor and not result.requires_grad):
                self._note_cut(kind, args)
            if kind.inplace or "inplace" in given:
                self._note_change(kind, args, given)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
            self.guard.tell("a note of a line", error)
        if recorder is not None:
            self.guard.attempt_apart("what records calls", recorder.called, result, start, end)
        for each in self.hearing if kind.is_call else ():
            if each.hear is not None:
                call = Call(func, args, given, result, self.scopes.current, _records())
                self.guard.attempt_apart("what listens to calls", each.hear, call)
        return result

    @contextmanager
    def in_this_thread(self) -> Iterator[None]:
        """Enter the mode for a block, unless this thread has it already."""
        if self in _modes() or self.pauses.count:
            yield
            return
        with self:
            yield

    def pause(self) -> None:
        """Look at no call of this thread until `go_on` is called.

        The mode is taken away, so that calls cost nothing, where none is above it.
        """
        pauses, modes = self.pauses, _modes()
        pauses.count += 1
        if pauses.below is None and modes and modes[-1] is self:
            torch.overrides._pop_mode()
            pauses.below = modes[:-1]

    def go_on(self) -> None:
        """Look at calls again.

        Where an error has ended what the pause was for, other modes may be there by now, in whose
        order this one must not come: then it stays away.
        """
        pauses = self.pauses
        pauses.count -= 1
        if pauses.below is not None and not pauses.count and _modes() == pauses.below:
            torch.overrides._push_mode(self)
            pauses.below = None

    def __exit__(self, *error: Any) -> None:
        if self in _modes():
            super().__exit__(*error)

    def _note_cut(self, kind: _Kind, args: Any) -> None:
        """Note a call that gave a value without the history of its operands."""
        if not _records():
            return
        left = [each for each in args if type(each) is _Tensor and each.requires_grad]
        if left or any(isinstance(each, torch.nn.Parameter) for each in args):
            self.guard.attempt("a note of a cut", self._note_leaves, kind, args)

    def _note_leaves(self, kind: _Kind, args: Any) -> None:
        left = [each for each in args if isinstance(each, _Tensor) and each.requires_grad]
        if left:
            how = kind.cut or cut_notes.how_written(kind.name)
            cut_notes.note_cut(how, left, self.scopes.current)

    def _note_change(self, kind: _Kind, args: Any, given: dict[str, Any]) -> None:
        op = kind.inplace or (kind.name if given["inplace"] else "")
        if op and args and isinstance(args[0], _Tensor):
            self.guard.attempt("a note of a line", self.note_change, args[0], op)

    def note_step(self, optimizer: Any) -> None:
        """Remember the line of a step; what it has changed is asked for when an error tells of it.

        Args:
            optimizer: The optimizer.
        """
        key, steps = id(optimizer), self.steps
        known = steps.get(key)
        if known is None or known[0]() is not optimizer:
            steps[key] = (weakref.ref(optimizer, lambda _: steps.pop(key, None)), *user_frame())
        else:
            steps[key] = (known[0], *user_frame())

    def all_changes(self) -> dict[int, list[MemoryChange]]:
        """Return the latest changes of each memory, those by optimizers among them."""
        for reference, *frame in tuple(self.steps.values()):
            optimizer = reference()
            if optimizer is not None:
                self._note_step_changes(optimizer, frame)
        return self.changes

    def _note_step_changes(self, optimizer: Any, frame: list[Any]) -> None:
        for number, group in enumerate(optimizer.param_groups):
            for position, param in enumerate(group["params"]):
                if param.grad is not None:
                    detail = f"parameter {position} of group {number}"
                    self.note_change(param, f"{type(optimizer).__name__}.step", detail, frame)

    def note_change(
        self, tensor: Any, op: str, detail: str | None = None, frame: Any = None
    ) -> None:
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
            before = self.changes.get(address, ())
            if frame and before and before[-1].version >= version:
                return  # changed again since the step
            earlier = [each for each in self.changes.pop(address, ()) if each.version < version]
            self.changes[address] = [*earlier[1 - _CHANGES :], change]
            if len(self.changes) > _MEMORIES:
                del self.changes[next(iter(self.changes))]


class _Pauses(threading.local):
    """Why no call is looked at in a thread.

    Attributes:
        count: How many reasons there are, while the mode is there.
        below: The modes below this one when it was taken away; None while it is not.
    """

    count = 0
    below: list[Any] | None = None


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


class Scopes(threading.local):
    """The modules that are running in a thread, the innermost last.

    Attributes:
        names: Their names, below the outermost one.
        modules: The modules, weakly.
    """

    def __init__(self) -> None:
        self.names: list[str | None] = []
        self.modules: list[weakref.ref[Any]] = []
        self._below: NamesBelow | None = None

    @property
    def current(self) -> str | None:
        """The name of the innermost one."""
        return self.names[-1] if self.names else None

    def enter(self, module: Any) -> bool:
        """Enter a module, from its hook; return whether it is the outermost."""
        if self.names and not _is_called_by_a_module(sys._getframe(1)):
            self.clear()  # what ran was left by an exception that no hook is told of
        outermost = not self.names
        below = self._below
        if below is None or (outermost and not below.is_of(module)):
            below = self._below = NamesBelow(module)
        name = below.of(module)
        self.names.append(self.current if name is None else name)
        self.modules.append(weakref.ref(module))
        return outermost

    def leave(self) -> bool:
        """Leave the innermost module; return whether it was the outermost."""
        if self.names:
            self.names.pop()
            self.modules.pop()
        return not self.names

    def clear(self) -> None:
        """Leave all modules."""
        self.names.clear()
        self.modules.clear()


class NamesBelow:
    """The names of the modules below one, and that of its class for itself.

    They hold until any module is assigned to an attribute, or one is called that they do not have.

    Args:
        outermost: The module.
    """

    #: how many modules were assigned while any program was watched
    assigned = 0

    def __init__(self, outermost: Any) -> None:
        self._outermost = weakref.ref(outermost)
        self._read(outermost)

    def _read(self, outermost: Any) -> None:
        self._assigned = NamesBelow.assigned
        self._names = {
            id(each): (weakref.ref(each), name) for name, each in outermost.named_modules()
        }
        self._names[id(outermost)] = (self._outermost, type(outermost).__name__)

    def is_of(self, module: Any) -> bool:
        """Return whether these are the names below a module."""
        return self._outermost() is module and self._assigned == NamesBelow.assigned

    def of(self, module: Any) -> str | None:
        """Return the name of a module; None if it is not below the outermost one."""
        known = self._names.get(id(module))
        if known is None or known[0]() is not module:
            outermost = self._outermost()
            if outermost is None:
                return None
            self._read(outermost)
            known = self._names.setdefault(id(module), (weakref.ref(module), None))
        return known[1]


def _is_called_by_a_module(frame: FrameType | None) -> bool:
    """Return whether the module whose hook runs in a frame was called while another one ran."""
    calls = 0
    while frame is not None and calls < 2:
        calls += frame.f_code is _CALL
        frame = frame.f_back
    return calls == 2
