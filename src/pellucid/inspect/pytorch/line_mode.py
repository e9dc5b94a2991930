"""The mode that sees each call of PyTorch's functions, and notes its line."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from pellucid.autograd.sites import library_files, user_frame
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.pytorch import cut_notes
from pellucid.inspect.pytorch.call_errors import explain_call
from pellucid.inspect.pytorch.calls import Calls
from pellucid.inspect.pytorch.changes import Changes
from pellucid.inspect.pytorch.guard import Guard
from pellucid.inspect.pytorch.notes import next_number, note_nodes
from pellucid.inspect.pytorch.scopes import Scopes

torch: Any = importlib.import_module("torch")
library_files.add_folder(os.path.dirname(torch.__file__))
library_files.add_start("<eval_with_key>")  # what torch.compile makes of the program's lines

_INPLACE = {
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_", "__ipow__": "pow_", "__imod__": "remainder_",
    "__setitem__": "x[...] = ...",
}  # fmt: skip
#: attributes that give tensors with a history; others are read without a look
_WITH_HISTORY = frozenset({"T", "mT", "H", "mH", "real", "imag"})
#: what is not a call of an op: an error that goes up through it is told by what it calls
_NO_OPS = frozenset({"backward", "grad", "__torch_function__", "register_hook"})

_Tensor = torch.Tensor
mode_stack: Any = torch.overrides._get_current_function_mode_stack
_records = torch.is_grad_enabled
_NoOverrides: Any = torch._C.DisableTorchFunction
_RECORDS = "what records calls"


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
        changes: The latest changes of each memory.
        pauses: Reasons for which no call is looked at, as the step of an optimizer.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self.hearing: list[Calls] = []
        self.recorders: list[Any] = []
        self.scopes = Scopes()
        self.changes = Changes()
        self.pauses = _Pauses()
        self._kinds: dict[Any, _Kind | None] = {}

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
        names, frame = self.scopes.names, None
        scope = names[-1] if names else None
        start = next_number()
        try:
            if recorder is None:
                result = func(*args, **given)
            else:
                frame = user_frame()
                result = recorder.call(kind.name, scope, frame, func, args, given)
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
                note_nodes(start, end, *(frame or user_frame()), scope, result)
            elif kind.cut or (type(result) is _Tensor and not result.requires_grad):
                self._note_cut(kind, args)
            if kind.inplace or "inplace" in given:
                self._note_change(kind, args, given)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
            self.guard.tell("a note of a line", error)
        if recorder is not None and recorder.computes:
            self.guard.attempt_apart(_RECORDS, recorder.called, result, start, end)
        elif recorder is not None:
            try:
                with _NoOverrides():
                    recorder.called(result, start, end)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
                self.guard.tell(_RECORDS, error)
        for each in self.hearing if kind.is_call else ():
            if each.hear is not None:
                call = Call(func, args, given, result, scope, _records())
                self.guard.attempt_apart("what listens to calls", each.hear, call)
        return result

    @contextmanager
    def in_this_thread(self) -> Iterator[None]:
        """Enter the mode for a block, unless this thread has it already."""
        if self in mode_stack() or self.pauses.count:
            yield
            return
        with self:
            yield

    def pause(self) -> None:
        """Look at no call of this thread until `go_on` is called.

        The mode is taken away, so that calls cost nothing, where none is above it.
        """
        pauses, modes = self.pauses, mode_stack()
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
        if pauses.below is not None and not pauses.count and mode_stack() == pauses.below:
            torch.overrides._push_mode(self)
            pauses.below = None

    def __exit__(self, *error: Any) -> None:
        if self in mode_stack():
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
            self.guard.attempt("a note of a line", self.changes.note, args[0], op)


class _Pauses(threading.local):
    """Why no call is looked at in a thread.

    Attributes:
        count: How many reasons there are, while the mode is there.
        below: The modes below this one when it was taken away; None while it is not.
    """

    count = 0
    below: list[Any] | None = None
