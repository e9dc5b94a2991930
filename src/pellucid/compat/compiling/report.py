"""What `inspect.compiled` tells of a compiled function."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pellucid.compat.compiling.trace import Break, Called, Decision, Step, Trace, TraceFrame

if TYPE_CHECKING:
    from pellucid.compat.compiling.compiled import Compiled, Recompilation

_SHOWN = ("function", "method", "layer", "builtin", "other")


@dataclass(frozen=True)
class Operation:
    """One call that a recording makes.

    Attributes:
        file: The file of the line that it stands in.
        line: The line.
        function: The function that it stands in.
        name: What is called.
        kind: ``function``, ``method``, ``layer``, ``builtin``, or ``other`` for what is called as
            it is.
        source: The text of the line.
    """

    file: str
    line: int
    function: str
    name: str
    kind: str
    source: str


@dataclass(frozen=True)
class Condition:
    """Something that a recording checks.

    Attributes:
        text: What is checked, and what it was.
        is_first: Whether it is checked before anything is done; if it fails, another recording is
            looked for. Otherwise the call goes on in Python from there.
    """

    text: str
    is_first: bool


@dataclass(frozen=True)
class AtOnce:
    """A part of a recording that can run at once in the compiled module.

    Attributes:
        lines: Its first and its last line.
        runs: Whether it runs so by now.
        operations: How many calls of ops it makes then, those of recorded gradients among them.
        nodes: How many nodes its backward runs, without making them; 0 where nodes are made.
        why_not: Why it does not run so; empty where it does, or may after the next calls.
        text: The same in words.
    """

    lines: tuple[int, int]
    runs: bool
    operations: int
    nodes: int
    why_not: str
    text: str


@dataclass(frozen=True)
class Recorded:
    """One recording.

    Attributes:
        operations: What it calls, in order.
        conditions: What it checks.
        runs: How often it ran to its end.
        left: How often it was left on the way, and the call went on in Python.
        source: The functions that run it, as text; the first is called.
        stretches: The parts of it that can run at once in the compiled module.
    """

    operations: list[Operation]
    conditions: list[Condition]
    runs: int
    left: int
    source: list[str]
    stretches: list[AtOnce]


@dataclass(frozen=True)
class CompiledReport:
    """What was recorded of a compiled function; printed, it is a table by lines.

    Attributes:
        name: The function's name.
        recordings: The recordings, the last used one first.
        breaks: Where Python has to run, why, and what can be done.
        recompilations: The calls for which no recording held, and what had changed.
        plain_because: Why the function runs as it is; empty if it does not.
        plain_runs: How often it ran as it is.
    """

    name: str
    recordings: list[Recorded]
    breaks: list[Break]
    recompilations: list[Recompilation]
    plain_because: str
    plain_runs: int

    def __str__(self) -> str:
        lines = [f"{self.name}: {_count(len(self.recordings), 'recording')}"]
        if self.plain_because:
            lines.append(f"  It runs as it is: {self.plain_because}")
        if self.plain_runs:
            lines.append(f"  {_count(self.plain_runs, 'call')} ran as they are")
        for number, each in enumerate(self.recordings, 1):
            lines += _told(number, each)
        for title, items in (("breaks", self.breaks), ("recorded anew", self.recompilations)):
            if items:
                lines.append(f"  {title}")
                lines += [f"    {line}" for each in items for line in str(each).splitlines()]
        return "\n".join(lines)

    __repr__ = __str__


def _told(number: int, recorded: Recorded) -> list[str]:
    left = f", left {recorded.left} times on its way" if recorded.left else ""
    lines = [
        f"  recording {number}: {_count(len(recorded.operations), 'operation')}, "
        f"{_count(len(recorded.conditions), 'condition')}, run {recorded.runs} times{left}"
    ]
    lines += [f"    {each.text}" for each in recorded.stretches]
    rows: list[tuple[str, str, list[str]]] = []
    for each in recorded.operations:
        where = f"{each.file.rpartition('/')[2]}:{each.line}"
        if rows and rows[-1][0] == where:
            rows[-1][2].append(each.name)
        else:
            rows.append((where, each.source, [each.name]))
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    lines += [
        f"    {where:{widths[0]}}  {source:{widths[1]}}  {', '.join(names)}"
        for where, source, names in rows
    ]
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def report(kept: Compiled) -> CompiledReport:
    """Return what is to be told of a compiled function."""
    traces = [trace for traces in kept.traces.values() for trace in traces]
    return CompiledReport(
        kept.name, [_recorded(each) for each in traces], list(kept.breaks),
        list(kept.recompilations), kept.plain_because, kept.plain_runs,
    )  # fmt: skip


def _recorded(trace: Trace) -> Recorded:
    names = expressions(trace)
    conditions = [
        Condition(f"{in_words(each.told.what, names)}: {each.told.was}", each.exit < 0)
        for each in trace.decisions()
    ]
    source = [] if trace.written is None else list(trace.written.texts)
    stretches = list(map(_at_once, trace.stretches))
    return Recorded(_operations(trace), conditions, trace.runs, trace.left, source, stretches)


def _at_once(made: Any) -> AtOnce:
    calls, nodes = made.size
    return AtOnce(made.stretch.lines, made.is_ready, calls, nodes, made.why_not, str(made))


def _operations(trace: Trace) -> list[Operation]:
    found: list[Operation] = []
    for frame, step in trace.steps():
        called = step.called
        if called is not None and called.kind in _SHOWN:
            found.append(_operation(frame, step, called))
    return found


def _operation(frame: TraceFrame, step: Step, called: Called) -> Operation:
    file, line = frame.code.co_filename, step.place[0]
    name = called.target if isinstance(called.target, str) else _name(called)
    source = linecache.getline(file, line).strip()
    return Operation(file, line, frame.code.co_qualname, name, called.kind, source)


def _name(called: Called) -> str:
    target: Any = called.target
    if called.kind == "layer":
        return (target if isinstance(target, type) else type(target)).__name__
    if target is getattr:
        return str(called.args[1])
    return getattr(target, "__name__", type(target).__name__)


def expressions(trace: Trace) -> dict[str, str]:
    """Return the expressions of the program that registers stand for, where there are such."""
    found: dict[str, str] = {}
    code = trace.root.code
    names = (*code.co_varnames[: len(trace.arguments) - len(trace.keywords)], *trace.keywords)
    found.update(zip(trace.arguments, names, strict=False))
    for each in _all_steps(trace):
        if len(each.outs) == 1:
            text = _expression(each.text.partition(" = ")[2], found)
            if text is not None:
                found[each.outs[0]] = text
    return found


def _all_steps(trace: Trace) -> Iterable[Step]:
    yield from (each for each in trace.prologue if isinstance(each, Step))
    yield from (step for _, step in trace.steps())


def _expression(text: str, known: dict[str, str]) -> str | None:
    if match := re.fullmatch(r'k\d+\["(\w+)"\]', text):
        return match[1]
    if match := re.fullmatch(r"(r\d+)((?:\.\w+)|(?:\[[^\]]*\]))", text):
        return f"{known[match[1]]}{match[2]}" if match[1] in known else None
    if match := re.fullmatch(r'getattr\((r\d+)(\.\w+), "__func__", None\)', text):
        return f"{known[match[1]]}{match[2]}" if match[1] in known else None
    if match := re.fullmatch(r"(len|bool|type)\((r\d+)\)", text):
        return f"{match[1]}({known[match[2]]})" if match[2] in known else None
    if match := re.fullmatch(r"(r\d+|\S+) (\S+) (r\d+|\S+)", text):
        sides = [known.get(match[i], None if match[i][0] == "r" else match[i]) for i in (1, 3)]
        return None if None in sides else f"{sides[0]} {match[2]} {sides[1]}"
    return None


def in_words(text: str, names: dict[str, str]) -> str:
    """Return a text with expressions of the program in the places of registers."""
    return re.sub(r"\br\d+\b", lambda found: names.get(found[0], "a value"), text)


def missed(trace: Trace, number: int, now: Any) -> str:
    """Return in words which condition of a recording does not hold."""
    if number < 0:
        return f"what it reads is not there: {now!r}"
    decision = trace.prologue[number]
    assert isinstance(decision, Decision)
    what = in_words(decision.told.what, expressions(trace))
    if what.startswith("what ") and what.endswith(" is like") and isinstance(now, tuple):
        return _other_tensor(what[len("what ") : -len(" is like")], now, decision.told.was)
    found = "" if now is None else f"{_short(now)}, "
    return f"{what} is {found}was {decision.told.was}"


def _other_tensor(name: str, now: tuple[Any, ...], was: str) -> str:
    return f"{name} has shape {now[0]} and is {now}, was {was}; dynamic=True takes all sizes"


def _short(value: Any) -> str:
    if isinstance(value, type):
        return value.__name__
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."
