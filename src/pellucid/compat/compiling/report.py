"""What `inspect.compiled` tells of a compiled function."""

from __future__ import annotations

import json
import linecache
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.autograd.sites import place_text
from pellucid.compat.compiling.measuring import Measured, measured
from pellucid.compat.compiling.trace import Break, Called, Decision, Step, Trace, TraceFrame
from pellucid.compat.compiling.wording import expressions, in_words
from pellucid.inspect.snapshot import Graph
from pellucid.inspect.tables import columns, count_text, size_text, time_text

if TYPE_CHECKING:
    from pellucid.compat.compiling.compiled import Compiled, Recompilation


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
        like: Dtype and shape of the tensor that it gave at the recording; empty if it gave none.
        bytes: The memory that was made for it; 0 where it shares that of what it is made of.
        shares: The expression or line whose memory it shares, if it does.
        at_once: The number of the stretch that it runs in, from 1; None if it runs by itself.
    """

    file: str
    line: int
    function: str
    name: str
    kind: str
    source: str
    like: str = ""
    bytes: int = 0
    shares: str = ""
    at_once: int | None = None


@dataclass(frozen=True)
class Condition:
    """Something that a recording checks.

    Attributes:
        text: What is checked, and what it was.
        is_first: Whether it is checked before anything is done; if it fails, another recording is
            looked for. Otherwise the call goes on in Python from there.
        file: The file of the line that asks for it.
        line: The line.
    """

    text: str
    is_first: bool
    file: str = ""
    line: int = 0


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
        nanoseconds: How long the call took that was recorded.
    """

    operations: list[Operation]
    conditions: list[Condition]
    runs: int
    left: int
    source: list[str]
    stretches: list[AtOnce]
    nanoseconds: int = 0
    trace: Trace | None = field(default=None, repr=False, compare=False)

    def graph(self) -> Graph:
        """Return the operations as a graph: each leads to those that it is computed from.

        >>> f = torch.compile(lambda x: torch.relu(x) + 1)
        >>> y = f(torch.ones(2))
        >>> [node.op for node in torch.inspect.compiled(f).recordings[0].graph().nodes]
        ['add', 'relu']
        """
        from pellucid.compat.compiling.page import graph_of

        return graph_of(self)


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
        measured: What a call takes, beside a plain one; None until `measure` is called.
    """

    name: str
    recordings: list[Recorded]
    breaks: list[Break]
    recompilations: list[Recompilation]
    plain_because: str
    plain_runs: int
    measured: Measured | None = None
    run: Any = field(default=None, repr=False, compare=False)
    kept: Compiled | None = field(default=None, repr=False, compare=False)

    def measure(self, *args: Any, **kwargs: Any) -> CompiledReport:
        """Return the report with time and memory of a call, beside those of a plain one.

        The function is called some times compiled and plain, in turns: what it does is done as
        often.

        Args:
            args: What to call it with.
            kwargs: What to call it with, by name.

        >>> f = torch.compile(lambda x: torch.relu(x) + 1)
        >>> y = f(torch.ones(2))
        >>> torch.inspect.compiled(f).measure(torch.ones(2)).measured.nanoseconds > 0
        True
        """
        kept: Any = self.kept
        plain_runs = kept.plain_runs
        found = measured(self.run, args, kwargs)
        kept.plain_runs = plain_runs
        return replace(kept.report(self.run), measured=found)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dictionaries, lists, numbers and text, ready for JSON.

        >>> f = torch.compile(lambda x: torch.relu(x) + 1)
        >>> y = f(torch.ones(2))
        >>> (recorded,) = torch.inspect.compiled(f).to_dict()["recordings"]
        >>> [each["name"] for each in recorded["operations"]]
        ['relu', 'add']
        """
        return {
            "name": self.name,
            "plain_because": self.plain_because,
            "plain_runs": self.plain_runs,
            "recordings": [_recorded_data(each) for each in self.recordings],
            "breaks": [each._asdict() for each in self.breaks],
            "recompilations": [
                {"number": each.number, "failed": list(each.failed)} for each in self.recompilations
            ],
            "measured": None if self.measured is None else asdict(self.measured),
        }  # fmt: skip

    def json(self, path: str | os.PathLike[str]) -> None:
        """Write what `to_dict` returns to a file.

        Args:
            path: The file.
        """
        Path(path).write_text(json.dumps(self.to_dict()), encoding="utf-8")

    def html(self, path: str | os.PathLike[str]) -> None:
        """Write a page with the graph of each recording, which opens without a network.

        Args:
            path: The file to write.

        >>> import pathlib, tempfile
        >>> f = torch.compile(lambda x: torch.relu(x) + 1)
        >>> y = f(torch.ones(2))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "f.html")
        ...     torch.inspect.compiled(f).html(file)
        ...     "1 recording" in file.read_text("utf-8")
        True
        """
        from pellucid.compat.compiling.page import report_page

        Path(path).write_text(report_page(self), encoding="utf-8")

    def __str__(self) -> str:
        lines = [f"{self.name}: {count_text(len(self.recordings), 'recording')}"]
        if self.plain_because:
            lines.append(f"  It runs as it is: {self.plain_because}")
        if self.plain_runs:
            lines.append(f"  It ran as it is in {count_text(self.plain_runs, 'call')}")
        if self.measured is not None:
            lines.append(f"  {self.measured}")
        for number, each in enumerate(self.recordings, 1):
            lines += _told(number, each)
        for title, items in (("breaks", self.breaks), ("recorded anew", self.recompilations)):
            if items:
                lines.append(f"  {title}")
                lines += [f"    {line}" for each in items for line in str(each).splitlines()]
        return "\n".join(lines)

    __repr__ = __str__


def _told(number: int, recorded: Recorded) -> list[str]:
    left = f", left {count_text(recorded.left, 'time')} on its way" if recorded.left else ""
    lines = [
        f"  recording {number}: {count_text(len(recorded.operations), 'operation')}, "
        f"{count_text(len(recorded.conditions), 'condition')}, "
        f"run {count_text(recorded.runs, 'time')}{left}; "
        f"recorded in {time_text(recorded.nanoseconds)}"
    ]
    lines += [f"    {i}: {each.text}" for i, each in enumerate(recorded.stretches, 1)]
    rows: list[list[str]] = []
    for each in recorded.operations:
        where = place_text(each.file, each.line)
        source = each.source if not rows or rows[-1][0] != where else ""
        memory = f"of {each.shares}" if each.shares else size_text(each.bytes) if each.like else ""
        rows.append([where, source, each.name, str(each.at_once or ""), each.like, memory])
    heading = ["line", "source", "operation", "at once", "gives", "memory"]
    lines += [f"    {line}".rstrip() for line in columns(heading, rows)]
    lines += _told_conditions(recorded.conditions)
    return lines


def _told_conditions(conditions: Sequence[Condition]) -> list[str]:
    """Return what is checked before a recording runs and on its way, what is the same once."""
    lines: list[str] = []
    for title, is_first in (("checked first", True), ("checked on the way", False)):
        found = dict.fromkeys(each.text for each in conditions if each.is_first is is_first)
        if found:
            lines += [f"    {title}", *(f"      {each}" for each in found)]
    return lines


def report(kept: Compiled, run: Any) -> CompiledReport:
    """Return what is to be told of a compiled function; ``run`` calls it."""
    traces = [trace for traces in kept.traces.values() for trace in traces]
    return CompiledReport(
        kept.name, [_recorded(each) for each in traces], list(kept.breaks),
        list(kept.recompilations), kept.plain_because, kept.plain_runs, run=run, kept=kept,
    )  # fmt: skip


def _recorded(trace: Trace) -> Recorded:
    names = expressions(trace)
    source = [] if trace.written is None else list(trace.written.texts)
    return Recorded(
        _operations(trace, names), [_condition(each, names) for each in trace.decisions()],
        trace.runs, trace.left, source, list(map(_at_once, trace.stretches)), trace.nanoseconds,
        trace,
    )  # fmt: skip


def _recorded_data(recorded: Recorded) -> dict[str, Any]:
    plain = replace(recorded, trace=None)
    return {key: value for key, value in asdict(plain).items() if key != "trace"}


def _condition(decision: Decision, names: dict[str, str]) -> Condition:
    text = f"{in_words(decision.told.what, names)}: {decision.told.was}"
    file = "" if decision.frame is None else decision.frame.code.co_filename
    return Condition(text, decision.exit < 0, file, decision.place[0])


def _at_once(made: Any) -> AtOnce:
    calls, nodes, _ = made.size
    return AtOnce(made.lines, made.is_ready, calls, nodes, made.why_not, str(made))


def _operations(trace: Trace, names: dict[str, str]) -> list[Operation]:
    stretches: dict[int, int] = {}
    for number, each in enumerate(trace.stretches, 1):
        for step in each.steps:
            stretches.setdefault(id(step), number)
    return [
        _operation(trace, names, frame, step, step.called, stretches.get(id(step)))
        for frame, step in trace.steps()
        if step.called is not None and step.called.is_operation
    ]


def _operation(
    trace: Trace, names: dict[str, str], frame: TraceFrame, step: Step, called: Called,
    at_once: int | None,
) -> Operation:  # fmt: skip
    file, line = frame.code.co_filename, step.place[0]
    name = called.target if isinstance(called.target, str) else _name(called)
    source = linecache.getline(file, line).strip()
    made = trace.made.get(step.outs[0]) if step.outs else None
    like, size, shares = made or ("", 0, None)
    return Operation(
        file, line, frame.code.co_qualname, name, called.kind, source, like, size,
        "" if shares is None else names.get(shares, "a value"), at_once,
    )  # fmt: skip


def _name(called: Called) -> str:
    target: Any = called.target
    if called.kind == "layer":
        return (target if isinstance(target, type) else type(target)).__name__
    if target is getattr:
        return str(called.args[1])
    return getattr(target, "__name__", type(target).__name__)
