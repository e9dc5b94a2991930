"""The source of a replay: one function for each frame, in the user's file and lines.

Errors that a replay raises, and the nodes that it makes, so name the line that the program has.
"""

from __future__ import annotations

import ast
import builtins
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from pellucid.compat.compiling.at_once import RecordedStretch
from pellucid.compat.compiling.running import Miss, leave, leave_by, run_forward
from pellucid.compat.compiling.stretches import Stretch, stretches_of
from pellucid.compat.compiling.trace import (
    Decision,
    Exit,
    Free,
    Inlined,
    Place,
    Step,
    Trace,
    TraceFrame,
    registers_in,
)
from pellucid.parsing import parse

_NAMES = {
    "Exit": Exit, "Miss": Miss, "leave": leave, "leave_by": leave_by, "run_forward": run_forward,
    "__builtins__": builtins,
}  # fmt: skip


class Written:
    """The source of a trace.

    Attributes:
        names: The globals of the generated functions.
        texts: The source of each frame, by the frame's number.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.names: dict[str, Any] = {**_NAMES, **trace.constants}
        self.texts: list[str] = []

    def function(self) -> FunctionType:
        """Return the function that runs the trace."""
        trace = self.trace
        name, _ = self.frame(trace.root)
        return self.names[name]

    def does_as(self, other: Written) -> bool:
        """Return whether the source of another recording does the same, by texts and constants.

        No code of the program runs.
        """
        return (
            self.trace.arguments == other.trace.arguments
            and self.trace.keywords == other.trace.keywords
            and self.texts == other.texts
            and self.names.keys() == other.names.keys()
            and all(map(_are_same, self.names.values(), other.names.values()))
        )

    def frame(self, frame: TraceFrame) -> tuple[str, list[str]]:
        """Define the function of a frame; return its name, and the registers that it needs."""
        body = _Body(self)
        if frame is self.trace.root:
            body.items_with_stretches(frame)
            return self.root(body, frame), []
        body.items(frame.items)
        needed = body.needed(frame.result)
        given = ", ".join((["self"] if frame.module is not None else []) + needed)
        return self.define(body, given, frame), needed

    def root(self, body: _Body, frame: TraceFrame) -> str:
        """Define the function that is called: it takes the arguments, and has the prologue."""
        body.prologue(self.trace)
        name = self.define(body, ", ".join(self.trace.arguments), frame)
        code = self.names[name].__code__
        for each in self.trace.stretches:
            step = each.stretch.step
            each.site = (code, 0 if step is None else _offset(code, step.place))
        return name

    def define(self, body: _Body, given: str, frame: TraceFrame) -> str:
        name = f"f{len(self.texts)}"
        self.texts.append(body.source(given, frame.result))
        self.names[name] = _defined(body, given, frame, self.names)
        return name


def _are_same(first: Any, second: Any) -> bool:
    """Return whether two values that sources name are one, or made by `Written` in the same way."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if type(first) is tuple:
        return len(first) == len(second) and all(map(_are_same, first, second))
    if isinstance(first, FunctionType):  # of a frame, whose source is among the texts
        return first.__globals__.get("Miss") is Miss and first.__code__ == second.__code__
    return isinstance(first, RecordedStretch) or (type(first) in (str, int) and first == second)


class _Branch(NamedTuple):
    """A stretch: what is tried first, what follows where that gives something, and what if not.

    Where it gives something, the optimizer's step, or all behind the backward, may be left over.
    """

    tried: str
    then: str
    step: list[_Line]
    behind: list[_Line]
    otherwise: list[_Line]
    #: the steps alone, for people
    steps: list[_Line]


#: a statement and the user's expression
_Line = tuple[str | _Branch, Place]


class _Body:
    """The statements of one frame's function."""

    def __init__(self, written: Written) -> None:
        self.written = written
        self.before: list[tuple[str, Place]] = []
        self.lines: list[_Line] = []
        self.defined: set[str] = set()
        self.used: dict[str, None] = {}
        self.leaves = False

    def items_with_stretches(self, frame: TraceFrame) -> None:
        """Write the items of the frame that is called, stretches of which may run at once."""
        done = 0
        for stretch in stretches_of(frame):
            self.items(frame.items[done : stretch.first])
            done = stretch.last + 1
            self.stretch(stretch, frame.items[stretch.first : done])
        self.items(frame.items[done:])

    def stretch(self, stretch: Stretch, items: list[Any]) -> None:
        made = RecordedStretch(stretch)
        self.written.trace.stretches.append(made)
        recorded = self.written_constant(made)
        given = ", ".join(stretch.inputs)
        outputs, kept = (
            "".join(f"{each}, " for each in registers)
            for registers in (stretch.outputs, stretch.kept)
        )
        tried, is_ready = self.read_first(stretch)
        for register in stretch.inputs:
            self.use(register)
        before, self.lines = self.lines, []
        ends = (i for i, each in enumerate(items) if each is stretch.backward)
        count = next(ends, len(items))
        self.items(items[:count])
        computing = len(self.lines)
        self.items(items[count : len(items) - len(stretch.behind)])
        ended = len(self.lines)
        self.items(stretch.behind)
        steps, place = self.lines, stretch.place
        rest = "left_over, " if stretch.behind else ""
        branch = _Branch(
            f"{tried}done = {recorded}.run({given}){is_ready and ' if is_ready else None'}",
            "\n    ".join((
                *([f"[{outputs}{kept}{rest}] = done"] if outputs or kept or rest else []),
                *(f"{each} = None" for each in stretch.cleared), "done = None",
            )),
            [] if stretch.step is None else [(stretch.step.text, stretch.step.place)],
            steps[ended:],
            [
                (f"{is_ready}{recorded}.begins({given})", place),
                *steps[:computing],
                (f"{recorded}.computed({stretch.root}, ({outputs}), ({kept}))", place),
                *steps[computing:ended], (f"{recorded}.ended()", place), *steps[ended:],
                (f"{recorded}.failed()", place),
            ],
            steps,
        )  # fmt: skip
        self.lines = [*before, (branch, place)]
        if stretch.forgotten:
            self.lines.append((f"{' = '.join(stretch.forgotten)} = None", place))

    def read_first(self, stretch: Stretch) -> tuple[str, str]:
        """Return what is read before a stretch, and what asks whether all of it was as it was."""
        if not stretch.moved:
            return "", ""
        lines: list[str] = []
        for each in stretch.moved:
            if isinstance(each, Decision):
                self.use(each.condition)
                sign = "not " if each.expected else ""
                lines.append(f"if {sign}({each.condition}): raise LookupError")
                continue
            self.use(each.text)
            self.defined.update(each.outs)
            kinds = [
                f"type({register}) is {self.written_constant(kind)}"
                for register, kind in each.reads or ()
            ]
            lines += [f"if not ({' and '.join(kinds)}): raise LookupError"] if kinds else []
            lines.append(each.text)
        body = "\n    ".join(lines)
        return (
            f"try:\n    {body}\n    is_ready = True\nexcept Exception:\n    is_ready = False\n",
            "if is_ready: ",
        )

    def items(self, items: list[Any]) -> None:
        for each in items:
            if isinstance(each, Step):
                self.step(each)
            elif isinstance(each, Decision):
                self.decision(each)
            elif isinstance(each, Inlined):
                self.call(each)
            elif isinstance(each, Free):
                if each.register in self.defined:
                    self.lines.append((f"del {each.register}", _last(self.lines)))

    def step(self, step: Step) -> None:
        self.use(step.text)
        self.defined.update(step.outs)
        text = step.text
        if step.exit is not None:
            self.leaves = True
            text = (
                f"try:\n    {text}\nexcept BaseException as error:\n"
                f"    leave_by({step.exit}, error)"
            )
        self.lines.append((text, step.place))

    def decision(self, decision: Decision) -> None:
        self.use(decision.condition)
        self.use(decision.now)
        self.leaves = True
        sign = "not " if decision.expected else ""
        text = f"if {sign}({decision.condition}): leave({decision.exit}, {decision.now})"
        self.lines.append((text, decision.place))

    def call(self, each: Inlined) -> None:
        name, needed = self.written.frame(each.frame)
        frame = each.frame
        if each.out is None and not frame.items:
            return  # all of it is in the prologue
        for register in needed:
            self.used.setdefault(register)
        if frame.module is not None:
            module = frame.module.register if hasattr(frame.module, "register") else None
            text = self.written_constant(frame.module) if module is None else module
            self.used.setdefault(text)
            call = f"run_forward({', '.join([text, name, *needed])})"
        else:
            call = f"{name}({', '.join(needed)})"
        self.leaves = True
        if each.out is not None:
            self.defined.add(each.out)
            call = f"{each.out} = {call}"
        self.lines.append((call, each.place))

    def written_constant(self, value: Any) -> str:
        for name, found in self.written.names.items():
            if found is value:
                return name
        name = f"k{len(self.written.names)}_"
        self.written.names[name] = value
        return name

    def use(self, text: str) -> None:
        for node in registers_in(text):
            self.used.setdefault(node.id)

    def needed(self, result: str) -> list[str]:
        self.use(result)
        return [
            name for name in self.used
            if name not in self.defined and name not in self.written.names
        ]  # fmt: skip

    def prologue(self, trace: Trace) -> None:
        """Put what is read and decided first before the body."""
        if not trace.prologue:
            return
        inner: list[str] = []
        for number, each in enumerate(trace.prologue):
            if isinstance(each, Step):
                inner.append(each.text)
            else:
                sign = "not " if each.expected else ""
                inner.append(f"if {sign}({each.condition}): return Miss({number}, {each.now})")
        lines = "\n    ".join(inner)
        text = f"try:\n    {lines}\nexcept Exception as error:\n    return Miss(-1, error)"
        self.before.append((text, (1, 1, 0, 0)))

    def statements(self, result: str) -> list[ast.stmt]:
        found = _statements([*self.lines, (f"return {result}", _last(self.lines))])
        if self.leaves:
            handler = _placed(
                "try:\n    pass\nexcept Exit as left:\n    left.known.update(locals())\n    raise",
                (1, 1, 0, 0),
            )
            block: Any = handler[0]
            block.body = found
            found = handler
        first: list[ast.stmt] = []
        for text, place in self.before:
            first += _placed(text, place)
        return [*first, *found]

    def source(self, given: str, result: str) -> str:
        """Return what people read of the function."""
        lines = [*(text for text, _ in self.before), *_texts(self.lines)]
        body = "\n".join([*lines, f"return {result}"]).replace("\n", "\n    ")
        return f"def replay({given}):\n    {body}\n"


def _statements(lines: list[_Line]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for text, place in lines:
        if isinstance(text, str):
            found += _placed(text, place)
            continue
        found += _placed(text.tried, place)
        made: Any = _placed(
            "if done is None:\n    try: pass\n    except BaseException:\n        pass\n"
            f"        raise\nelse:\n    {text.then}",
            place,
        )
        made[0].orelse += _left_over(text, place)
        *body, failed = text.otherwise
        block = made[0].body[0]
        block.body = _statements(body)
        block.handlers[0].body[0] = _statements([failed])[0]
        found += made
    return found


def _left_over(branch: _Branch, place: Place) -> list[ast.stmt]:
    """Return what runs as it is written after a stretch has run at once.

    It is the optimizer's step where that was left over (1), or all behind the backward (2).
    """
    if not branch.behind:
        return []
    made: Any = _placed(
        "if left_over:\n    if left_over == 1:\n        pass\n    else:\n        pass", place
    )
    choice = made[0].body[0]
    choice.body = _statements(branch.step) or choice.body
    choice.orelse = _statements(branch.behind)
    return made


def _texts(lines: list[_Line]) -> list[str]:
    """Return the statements as people read them: a stretch as it is written."""
    found = []
    for text, _ in lines:
        found += [text] if isinstance(text, str) else _texts(text.steps)
    return found


def _last(lines: list[_Line]) -> Place:
    return lines[-1][1] if lines else (1, 1, 0, 0)


def _placed(text: str, place: Place) -> list[ast.stmt]:
    body = parse(text).body
    for statement in body:
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):
                each: Any = node
                each.lineno, each.end_lineno, each.col_offset, each.end_col_offset = place
    return body


def _offset(code: CodeType, place: Place) -> int:
    """Return where an instruction lies that stands for an expression of the user's."""
    return next((2 * i for i, each in enumerate(code.co_positions()) if each == place), 0)


def _defined(body: _Body, given: str, frame: TraceFrame, names: dict[str, Any]) -> FunctionType:
    """Return the function of a frame, under the names and in the file of the user's."""
    made: Any = parse(f"def replay({given}): pass")
    code = frame.code
    made.body[0].body = body.statements(frame.result)
    made.body[0].lineno = made.body[0].end_lineno = code.co_firstlineno
    module = compile(ast.fix_missing_locations(made), code.co_filename, "exec", dont_inherit=True)
    inner = next(each for each in module.co_consts if isinstance(each, CodeType))
    inner = inner.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    return FunctionType(inner, names, code.co_name)


def generate_flat(trace: Trace, items: list[Any], result: str) -> Written:
    """Make the function that runs a trace whose runs of steps a backend has compiled."""
    written = Written(trace)
    body = _Body(written)
    for number, each in enumerate(items):
        if hasattr(each, "function"):
            name = f"g{number}"
            written.names[name] = each.function
            outs = "".join(f"{out}, " for out in each.outputs)
            call = f"{name}({', '.join(each.inputs)})"
            place = each.steps[0].place
            body.lines.append((f"[{outs}] = {call}" if outs else call, place))
            body.defined.update(each.outputs)
            gone = sorted(each.freed & (body.defined - set(each.outputs)))
            body.lines += [(f"del {name}", place) for name in gone]
        elif isinstance(each, Free):
            if each.register in body.defined:
                body.lines.append((f"del {each.register}", _last(body.lines)))
        elif isinstance(each, Step):
            body.step(each)
        else:
            body.decision(each)
    frame = trace.root
    frame.result = result
    written.root(body, frame)
    trace.run = written.names["f0"]
    return written


def generate(trace: Trace) -> Written:
    """Make the function that runs a trace; return its source."""
    written = Written(trace)
    trace.run = written.function()
    return written
