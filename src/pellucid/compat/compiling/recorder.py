"""The recorder: runs each elementary step, and writes it down as the statement that did it.

A step is a template over its operands, ``"{0}.weight"``. The same text is run now and written into
the replay, so both do the same.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from pellucid.autograd.explanations.text import describe
from pellucid.autograd.sites import GENERATED
from pellucid.compat.compiling.kinds import is_tensor
from pellucid.compat.compiling.trace import (
    Break,
    Called,
    Decision,
    Free,
    Made,
    Place,
    Register,
    Step,
    Told,
    Trace,
    TraceFrame,
)
from pellucid.errors import GraphError
from pellucid.parsing import parse
from pellucid.tensors import Tensor

#: constants that stand in the source of a replay as they are
_LITERALS = (bool, type(None))

#: how steps begin whose result can be of one class only
_SURE = ("tuple(", "{0}.values()", "{0}.__closure__", "{0}.shape", "{0} is ", "{0} is not ")

#: more steps than this are not a step of a training program, but all of it
LONGEST = 20_000


class Value:
    """What a name of the rewritten function holds: a value, and the register that has it."""

    __slots__ = ("hoisted", "is_sure", "owner", "plain", "register")

    def __init__(
        self, plain: Any, register: Register | None = None, owner: Owner | None = None,
        hoisted: bool = False,
    ) -> None:  # fmt: skip
        self.plain = plain
        self.register = register
        #: the frame's recording that is told when nobody needs the value any more
        self.owner = owner
        #: whether the prologue has it
        self.hoisted = hoisted
        #: whether its class follows from how it was made
        self.is_sure = False

    def __del__(self) -> None:
        owner = getattr(self, "owner", None)  # it has none where an interrupt came first
        if owner is not None and self.register is not None:
            owner.free(self.register)

    def __bool__(self) -> bool:
        raise AssertionError("the truth of a recorded value is asked for by the tracer alone")


class Owner:
    """What frees the registers of one frame, in its order of steps."""

    __slots__ = ("frame", "recorder")

    def __init__(self, recorder: Recorder, frame: TraceFrame) -> None:
        self.recorder = recorder
        self.frame = frame

    def free(self, register: Register) -> None:
        if self.recorder.recording and self.recorder.current is self.frame:
            self.frame.items.append(Free(register))


def plain(value: Any) -> Any:
    """Return a value without its register."""
    return value.plain if type(value) is Value else value


@functools.cache
def runner(template: str, count: int) -> Callable[..., Any]:
    """Return a function that does what a template says, of its operands."""
    names = [f"a{i}" for i in range(count)]
    source = f"lambda {', '.join(names)}: {template.format(*names)}"
    return eval(compile(source, f"{GENERATED}step>", "eval"))


@functools.lru_cache(maxsize=4096)
def _code_at(
    template: str, count: int, file: str, name: str, first: int, place: Place, is_statement: bool
) -> CodeType:
    """Return the code of a runner that stands at a place of the user's."""
    names = [f"a{i}" for i in range(count)]
    text = template.format(*names)
    body = text if is_statement else f"return {text}"
    tree = parse(f"def step({', '.join(names)}):\n    {body}")
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            each: Any = node
            each.lineno, each.end_lineno, each.col_offset, each.end_col_offset = place
    function: Any = tree.body[0]
    function.lineno = function.end_lineno = first
    made = compile(tree, file, "exec", dont_inherit=True).co_consts
    (code,) = (each for each in made if isinstance(each, CodeType))
    return code.replace(co_name=name, co_qualname=name)


def runner_at(
    template: str, count: int, function: FunctionType, place: Place, is_statement: bool
) -> FunctionType:
    """Return what `runner` does, for calls, which looks to those who ask like the user's line."""
    code = function.__code__
    made = _code_at(
        template, count, code.co_filename, code.co_name, code.co_firstlineno, place, is_statement
    )
    return FunctionType(made, function.__globals__)


def without_runner(error: BaseException) -> None:
    """Take the frame of a runner out of an error's traceback: the user's own is there already."""
    first = error.__traceback__
    if first is not None and first.tb_next is not None:
        first.tb_next = first.tb_next.tb_next


@functools.cache
def unpacker(count: int, star: int | None) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that unpacks an iterable as an assignment to this many names does."""
    names = [f"{'*' if i == star else ''}a{i}" for i in range(count)]
    into, back = "".join(f"{n}, " for n in names), "".join(f"a{i}, " for i in range(count))
    source = f"def unpack(value):\n    [{into}] = value\n    return ({back})"
    names_: dict[str, Any] = {}
    exec(compile(source, f"{GENERATED}unpack>", "exec"), names_)
    return names_["unpack"]


def _made(value: Tensor, operands: Sequence[Any]) -> Made:
    """Return what is told of a tensor that a step gave."""
    for each in operands:
        if type(each) is Value and _has_memory_of(each.plain, value):
            return Made(describe(value._array), 0, each.register)
    return Made(describe(value._array), value._array.nbytes, None)


def _has_memory_of(given: Any, value: Tensor) -> bool:
    if type(given) in (list, tuple):
        return any(each is value for each in given)
    return is_tensor(given) and np.may_share_memory(given._array, value._array)


def _may_write(step: Step) -> bool:
    """Return whether a step may change a container, as one that computes or reads does not."""
    computes = step.called is not None and step.called.kind in (
        "build", "function", "layer", "method", "unpack",
    )  # fmt: skip
    return step.reads is None and not computes


class Recorder:
    """Records one call; after `stop`, it only runs.

    Args:
        whole: Whether a break is an error, as under ``fullgraph=True``.
        specialized: Whether shapes are constants, as where a backend is given example inputs.
        keeps_examples: Whether the values of registers are kept, for a backend.
    """

    def __init__(
        self, whole: bool = False, specialized: bool = False, keeps_examples: bool = False
    ) -> None:
        self.trace = Trace()
        self.keeps_examples = keeps_examples
        self.specialized = specialized
        #: whether what is computed has shapes that depend on values
        self.shapes_vary = False
        self.recording = True
        self.whole = whole
        #: why there is no recording
        self.stopped = ""
        self.current: TraceFrame | None = None
        self.count = 0
        self.written = 0
        #: whether code of the user's may have run that changes what Python sees
        self.acted = False
        #: how many steps may have changed a container
        self.writes = 0
        #: names of attributes and globals that were written to
        self.assigned: set[str] = set()
        #: whether tensors were written to
        self.wrote = False
        #: whether a mode was changed
        self.changed_modes = False
        #: what is known already, by what was asked
        self.known: dict[Any, Any] = {}
        self.names: dict[int, str] = {}
        #: what registers have, while a backend may ask for examples
        self.examples: dict[str, Any] = {}
        #: containers that were made here, which nothing from outside refers to
        self.own: dict[int, Any] = {}

    # ---- what a replay names ----------------------------------------------------------------

    def register(self) -> Register:
        self.count += 1
        return Register(f"r{self.count}")

    def constant(self, value: Any) -> str:
        """Return how a constant is written in the replay."""
        if type(value) in _LITERALS or (type(value) in (int, str) and len(repr(value)) < 40):
            return repr(value) if type(value) is not int or value >= 0 else f"({value!r})"
        if type(value) is float and math.isfinite(value):
            return f"({value!r})"
        name = self.names.get(id(value))
        if name is None:
            name = self.names[id(value)] = f"k{len(self.names)}"
            self.trace.constants[name] = value
        return name

    def text(self, operand: Any) -> str:
        if type(operand) is Value:
            assert operand.register is not None
            return operand.register
        return self.constant(operand)

    # ---- steps --------------------------------------------------------------------------------

    def step(
        self, frame: TraceFrame, place: Place, template: str, operands: Sequence[Any],
        pure: bool = False, called: Called | None = None, caught: bool = False, event: int = 0,
    ) -> Value:  # fmt: skip
        """Do what a template says, write it down, and return what it gave."""
        if called is not None and template.startswith("{0}"):
            value = self.run_at(frame, place, template, operands)
        else:
            value = runner(template, len(operands))(*map(plain, operands))
        return self.noted(frame, place, template, operands, value, pure, called, caught, event)

    def run_at(
        self, frame: TraceFrame, place: Place, template: str, operands: Sequence[Any],
        is_statement: bool = False,
    ) -> Any:  # fmt: skip
        """Return what a call or statement gives, for which it stands in the user's line."""
        run = runner_at(template, len(operands), frame.function, place, is_statement)
        try:
            return run(*map(plain, operands))
        except BaseException as error:
            without_runner(error)
            raise

    def do(
        self, frame: TraceFrame, place: Place, template: str, operands: Sequence[Any],
        caught: bool, event: int,
    ) -> None:  # fmt: skip
        """Do a statement, and write it down."""
        self.run_at(frame, place, template, operands, is_statement=True)
        if self.recording:
            number = self.exit(frame, event) if caught else None
            text = template.format(*map(self.text, operands))
            self.write(frame, Step(text, place, None, (), number), False)

    def noted(
        self, frame: TraceFrame, place: Place, template: str, operands: Sequence[Any], value: Any,
        pure: bool = False, called: Called | None = None, caught: bool = False, event: int = 0,
    ) -> Value:  # fmt: skip
        """Write down a step that has been done."""
        if not self.recording:
            return Value(value)
        hoisted = pure and self.can_hoist(operands)
        if hoisted:
            self.same_classes(frame, place, operands)
        register = self.register()
        text = f"{register} = {template.format(*map(self.text, operands))}"
        number = self.exit(frame, event) if caught and not hoisted else None
        reads = None
        if pure and not hoisted:
            given = (each for each in operands if type(each) is Value)
            reads = tuple((self.text(each), type(each.plain)) for each in given)
        made = Step(text, place, called, (register,), number, reads)
        self.write(frame, made, hoisted)
        if self.keeps_examples and not hasattr(type(value), "__next__"):  # what may end on the way
            self.examples[register] = value
        self.note_made(register, value, operands)
        made = Value(value, register, None if hoisted else Owner(self, frame), hoisted)
        made.is_sure = template.startswith(_SURE)
        return made

    def note_made(self, register: Register, value: Any, operands: Sequence[Any]) -> None:
        """Note what a tensor is like that a register has."""
        if is_tensor(value):
            self.trace.made[register] = _made(value, operands)

    def same_classes(self, frame: TraceFrame, place: Place, operands: Sequence[Any]) -> None:
        """Have replays go on only with values of the same classes: what is pure follows by them."""
        for each in operands:
            if type(each) is Value and not each.is_sure:
                kind = type(each.plain)
                told = Told(f"the class of {each.register}", kind.__name__)
                self.decide(frame, place, 0, "type({0}) is {1}", (each, kind), told, "type({0})")

    def write(self, frame: TraceFrame, item: Any, hoisted: bool) -> None:
        (self.trace.prologue if hoisted else frame.items).append(item)
        self.written += 1
        self.writes += not hoisted and isinstance(item, Step) and _may_write(item)
        if self.written > LONGEST:
            self.stop(f"more than {LONGEST:,} steps: compile one step of the program, not all")

    def can_hoist(self, operands: Sequence[Any]) -> bool:
        """Return whether what a pure step reads is as it was when the call began."""
        return not self.acted and all(type(o) is not Value or o.hoisted for o in operands)

    def decide(
        self, frame: TraceFrame, place: Place, event: int, template: str, operands: Sequence[Any],
        told: Told, now: str = "None", pure: bool = True, outcome: bool | None = None,
    ) -> bool:  # fmt: skip
        """Return whether a condition is true, and have replays go on only if it is the same."""
        if outcome is None:
            outcome = bool(runner(template, len(operands))(*map(plain, operands)))
        if not self.recording:
            return outcome
        names = [self.text(each) for each in operands]
        condition = template.format(*names)
        hoisted = pure and self.can_hoist(operands)
        key = ("decided", condition)
        if hoisted and key in self.known:
            return outcome
        if hoisted:
            self.known[key] = outcome
        number = -1 if hoisted else self.exit(frame, event)
        made = Decision(condition, outcome, told, number, now.format(*names), place, pure, frame)
        self.write(frame, made, hoisted)
        return outcome

    def exit(self, frame: TraceFrame, event: int) -> int:
        self.trace.exits.append((frame, event))
        return len(self.trace.exits) - 1

    def forget(self) -> None:
        """Record no more, and keep nothing of the program alive."""
        self.recording = False
        self.known.clear()
        self.own.clear()
        self.examples.clear()

    # ---- what is not a step -------------------------------------------------------------------

    def stop(self, why: str) -> None:
        """Record no more: what follows is only run."""
        if self.recording:
            self.recording = False
            self.stopped = why

    def broken(self, found: Break) -> None:
        """Note a place where Python runs; raise under ``fullgraph=True``."""
        if not self.recording:
            return
        if self.whole:
            self.recording = False
            raise FullGraphError(
                f"torch.compile(fullgraph=True) cannot record all of the call\n  {found}"
            )
        self.trace.breaks.append(found)

    def has_made(self, value: object) -> bool:
        """Return whether a container was made in this call."""
        return self.own.get(id(value)) is value

    def keep(self, value: object) -> None:
        """Note that a container was made in this call."""
        self.own[id(value)] = value


class FullGraphError(GraphError):
    """Raised where ``fullgraph=True`` meets what cannot be recorded."""
