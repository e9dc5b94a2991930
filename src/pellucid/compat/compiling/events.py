"""Events: the steps of Python that a rewritten function hands to its frame.

Each may write several steps and decisions. When a replay was left on its way, the call is run
again, and the events before that place give what they gave, without doing it again.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.recorder import Owner, Recorder, Value, plain, runner
from pellucid.compat.compiling.trace import (
    Break,
    Called,
    Exit,
    Place,
    Register,
    Told,
    TraceFrame,
)

_LIVE: Any = object()


def event(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that notes what it gave, and gives it again when the call is run again."""

    @functools.wraps(method)
    def noting(self: Events, *args: Any) -> Any:
        if self.old is not None:
            served = self._served(method, args)
            if served is not _LIVE:
                return served
        if not self.recorder.recording:
            return method(self, *args)
        events = self.trace.events
        self.event = number = len(events)
        events.append(None)
        result = method(self, *args)
        if self.recorder.recording:
            events[number] = token_of(result)
        return result

    return noting


class Token:
    """Where a replay has what an event gave."""

    __slots__ = ("register",)

    def __init__(self, register: Register) -> None:
        self.register = register


def token_of(result: Any) -> Any:
    """Return what stands for an event's result without keeping it alive."""
    kind = type(result)
    if kind is Value:
        return None if result.register is None else Token(result.register)
    if kind is list or kind is tuple:
        return kind(map(token_of, result))
    if kind is dict:
        return {key: token_of(value) for key, value in result.items()}
    return result


def values_of(token: Any, known: dict[str, Any]) -> Any:
    kind = type(token)
    if kind is Token:
        return Value(known.get(token.register))
    if kind is list or kind is tuple:
        return kind(values_of(each, known) for each in token)
    if kind is dict:
        return {key: values_of(value, known) for key, value in token.items()}
    return token


def named(value: Any) -> str:
    """Return what a condition calls a value: its register, until it is shown to people."""
    return str(value.register) if type(value) is Value else type(value).__name__


@functools.lru_cache(maxsize=1024)
def _positions(code: CodeType) -> list[Place]:
    first = code.co_firstlineno
    return [
        (line or first, end or line or first, start or 0, stop or 0)
        for line, end, start, stop in code.co_positions()
    ]


class Events:
    """One running call of a rewritten function, and what its steps have in common.

    Args:
        recorder: What records.
        trace: What is recorded of the call.
        function: The function, as a value; the replay reads its defaults and cells.
        old: What was recorded of the call, where it is run again up to an exit.
        left: The exit.
        catches: Whether an error may be caught in this call, or by a caller that is recorded.
    """

    def __init__(
        self, recorder: Recorder, trace: TraceFrame, function: Any,
        old: TraceFrame | None = None, left: Exit | None = None, catches: bool = False,
    ) -> None:  # fmt: skip
        self.recorder = recorder
        self.trace = trace
        self.function = function
        self.code = trace.code
        self.old = old
        self.left = left
        self.catches = catches
        self.event = 0
        self.position = 0
        self.outer_error = sys.exc_info()[1]

    # ---- running again ------------------------------------------------------------------------

    def _served(self, method: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Return what an event gave before the exit; at the exit, go over to running."""
        old, left = self.old, self.left
        assert old is not None and left is not None
        number = self.position
        self.position += 1
        if number == left.path.get(id(old)):
            self.old = None
            child = old.children.get(number)
            if child is not None and id(child) in left.path:
                return self._again(child, left)
            left.known.clear()  # the program alone decides from here how long its objects live
            if left.error is not None:
                raise left.error
            if method.__name__ in ("truth", "_next"):
                return left.outcome
            return _LIVE
        return values_of(old.events[number], left.known)

    # ---- what steps are made of ---------------------------------------------------------------

    def _place(self) -> Place:
        frame: Any = sys._getframe(2)
        wanted = self.code.co_filename
        for _ in range(12):
            if frame is None:
                break
            if frame.f_code.co_filename == wanted and "__T" in frame.f_code.co_freevars:
                return _positions(frame.f_code)[frame.f_lasti // 2]
            frame = frame.f_back
        line = self.code.co_firstlineno
        return (line, line, 0, 0)

    def _step(
        self, template: str, *operands: Any, pure: bool = False, called: Called | None = None
    ) -> Value:
        return self.recorder.step(
            self.trace, self._place(), template, operands, pure, called, self.catches, self.event
        )

    def _decide(
        self, template: str, *operands: Any, what: str, was: object, now: str = "None",
        pure: bool = True,
    ) -> bool:  # fmt: skip
        return self.recorder.decide(
            self.trace, self._place(), self.event, template, operands, Told(what, str(was)), now,
            pure,
        )  # fmt: skip

    def _acted(self) -> None:
        """Note that code of the user's may have run: later reads are made where they stand."""
        self.recorder.acted = True

    def settled(self, value: Any) -> Any:
        """Return a number or text as a constant where shapes are constants, too."""
        if not (self.recorder.specialized and type(value) is Value and value.hoisted):
            return value
        found = value.plain
        if type(found) not in (bool, int, float, str, type(None)):
            return value
        self._decide(
            "{2}({0}) == {1}", value, repr(found), repr, what=f"{value.register}", was=repr(found),
            now="{0}",
        )  # fmt: skip
        return found

    def _do(self, template: str, *operands: Any) -> None:
        """Do a statement that gives nothing."""
        self.recorder.do(self.trace, self._place(), template, operands, self.catches, self.event)

    def _same_class(self, value: Any) -> None:
        """Have replays go on only with a value of the same class."""
        if type(value) is Value and not value.is_sure:
            kind = type(value.plain)
            self._decide(
                "type({0}) is {1}", value, kind, what=f"the class of {value.register}",
                was=kind.__name__, now="type({0})",
            )  # fmt: skip

    def _break(self, reason: str, remedy: str = "") -> None:
        line = self._place()[0]
        found = Break(self.code.co_filename, line, self.code.co_qualname, reason, remedy)
        self.recorder.broken(found)

    def _read(self, key: Any, template: str, *operands: Any) -> Value:
        """Return what a pure step reads; the same question is asked once."""
        known = self.recorder.known
        if self.recorder.recording and self.recorder.can_hoist(operands):
            names = tuple(self.recorder.text(each) for each in operands)
            found = known.get((key, names))
            if found is None:
                found = known[key, names] = self._step(template, *operands, pure=True)
            return found
        return self._step(template, *operands, pure=True)

    def _plain_operands(self, operands: Any) -> None:
        """See that operands have no code of the user's in them, now and in replays."""
        for each in operands:
            value = plain(each)
            if type(each) is not Value:
                if not kinds.is_plain(value):
                    self._acted()
            elif not kinds.is_plain(value):
                if not (kinds.is_builtin_container(value) and self.recorder.has_made(value)):
                    self._acted()
            elif each.hoisted:
                if type(value) in (list, dict):
                    self._acted()
                    continue
                self._decide(
                    "type({0}) is {1}", each, type(value), what=f"the class of {each.register}",
                    was=type(value).__name__, now="type({0})",
                )  # fmt: skip
                if self.recorder.specialized and kinds.is_tensor(value):
                    self._same_facts(each)

    def _guard_tensors(self, parts: Any) -> None:
        for each in parts:
            if type(each) is Value and each.hoisted and kinds.is_tensor(each.plain):
                self._plain_operands((each,))

    def _same_facts(self, tensor: Value) -> None:
        """Have replays go on only with a tensor of the same shape, dtype and strides."""
        facts = kinds.facts(tensor.plain)
        self._decide(
            "{2}({0}) == {1}", tensor, facts, kinds.facts, what=f"what {tensor.register} is like",
            was=facts, now="{2}({0})",
        )  # fmt: skip

    def _fact(self, template: str, operands: tuple[Any, ...], called: Called) -> Any:
        """Return what is asked of a tensor beside its values.

        Where a backend is given example inputs, it is a constant: the inputs have to be the same,
        and what is computed of them then is.
        """
        recorder = self.recorder
        tensor = operands[0]
        fixed = recorder.specialized and recorder.recording and not recorder.shapes_vary
        if (
            fixed
            and ".grad" not in template
            and all(type(each) is not Value for each in operands[1:])
        ):
            if type(tensor) is Value and tensor.hoisted:
                self._plain_operands((tensor,))
            value = runner(template, len(operands))(*map(plain, operands))
            if kinds.is_plain(value) and not kinds.is_tensor(value):
                return value
        pure = (
            not recorder.wrote
            and not template.endswith(".grad")
            and all(map(kinds.is_simple, map(plain, operands[1:])))
        )
        return self._step(template, *operands, pure=pure, called=called)

    def _computed(self, kind: str, target: Any, template: str, operands: Any) -> Value:
        """Return the result of a step that computes tensors."""
        self._plain_operands(operands)
        args = tuple(token_of(each) for each in operands)
        return self._step(template, *operands, called=Called(kind, target, args, {}))

    def _owner(self) -> Owner:
        return Owner(self.recorder, self.trace)

    def _again(self, child: TraceFrame, left: Exit) -> Any:
        """Run a call again that was left; see `calls`."""
        raise NotImplementedError

    def _attribute(self, owner: Any, name: str) -> Any:
        """Read an attribute; see `tracer`."""
        raise NotImplementedError

    def _truth(self, value: Any) -> bool:
        """Ask whether a value is true; see `tracer`."""
        raise NotImplementedError
