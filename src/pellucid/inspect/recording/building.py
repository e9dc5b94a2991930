"""Making a `Recording` of what a recorder has written down."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from pellucid.autograd.sites import Site
from pellucid.inspect.recording.events import (
    Allocation,
    Event,
    Hold,
    LineGradient,
    ParameterGradient,
    RecordedExchange,
    RecordedNode,
    RecordedValue,
    SourceLine,
    Step,
)
from pellucid.inspect.recording.measures import NOTHING, Measure
from pellucid.inspect.recording.recording import Recording
from pellucid.inspect.recording.traces import (
    Like,
    MemoryTrace,
    NodeTrace,
    PastMemory,
    PastNode,
    Span,
)
from pellucid.inspect.recording.written import Written


def fill(recording: Recording, recorder: Written) -> None:
    """Put into a recording what a recorder, stopped by now, has written down."""
    _Building(recorder).fill(recording)


class _Lines:
    """The lines of the program, each resolved once."""

    def __init__(self) -> None:
        self.lines: list[SourceLine] = []
        self._by_site: dict[tuple[int, int], int] = {}
        self._by_line: dict[tuple[str, int], int] = {}

    def number(self, code: Any, lasti: int) -> int | None:
        """Return the number of the line that a code object and an offset in it stand for."""
        if code is None:
            return None
        known = self._by_site.get((id(code), lasti))
        if known is None:
            site = Site(code, lasti)
            known = self._by_site[id(code), lasti] = self._number_of(site)
        return known

    def _number_of(self, site: Site) -> int:
        line = (site.filename, site.line)
        if line not in self._by_line:
            self._by_line[line] = number = len(self.lines)
            self.lines.append(SourceLine(number, *line, site.function, site.text))
        return self._by_line[line]


class _Building:
    """A recording in the making."""

    def __init__(self, recorder: Written) -> None:
        self.recorder = recorder
        self.began = recorder.began
        self.spans = [each for each in recorder.spans if each.start]
        self.spans.sort(key=lambda span: (span.start, -span.end))
        self.nodes = sorted(recorder.nodes.values(), key=lambda node: node.seq)
        for things in (self.spans, self.nodes, recorder.memory):
            for number, each in enumerate(things):
                each.number = number
        self.lines = _Lines()
        self.likes: dict[Like, str] = {}
        self.steps = _steps(self.spans, recorder)
        self.starts = [step.start for step in self.steps]

    def fill(self, recording: Recording) -> None:
        recorder = self.recorder
        recording.events = self._events()
        recording.nodes = tuple(map(self._node, self.nodes))
        holds = self._saved_holds()
        recording.allocations = tuple(self._allocation(m, holds) for m in recorder.memory)
        recording.steps = self.steps
        recording.line_gradients = self._line_gradients()
        recording.parameter_gradients = self._parameter_gradients()
        recording.threads = tuple(recorder.threads)
        recording.duration = recorder.ended - self.began
        recording.own_time = recorder.own_time
        recording.recorded_values = self._values()
        recording.process = os.getpid()
        recording.exchanges = self._exchanges()
        recording.clock = recorder.clock
        recording.lines = tuple(self.lines.lines)

    def _time(self, time: int) -> int:
        return time - self.began

    def _step(self, time: int) -> int:
        return max(0, bisect_right(self.starts, self._time(time)) - 1)

    def _like(self, like: Like) -> str:
        text = self.likes.get(like)
        if text is None:
            shape, dtype = like
            text = self.likes[like] = f"{getattr(dtype, 'name', dtype)}{list(shape)}".removeprefix(
                "torch."
            )
        return text

    # ---- events ----------------------------------------------------------------------------------

    def _events(self) -> tuple[Event, ...]:
        parts: dict[int, int] = defaultdict(int)
        for span in self.spans:
            if span.parent is not None:
                parts[span.parent.number] += span.end - span.start
        return tuple(self._event(span, parts[span.number]) for span in self.spans)

    def _event(self, span: Span, parts: int) -> Event:
        return Event(
            number=span.number, kind=span.kind, name=span.name, phase=span.phase,
            line=self.lines.number(span.code, span.lasti), module=span.scope or "",
            thread=span.thread, step=self._step(span.start),
            parent=None if span.parent is None else span.parent.number,
            start=self._time(span.start), end=self._time(span.end),
            self_time=max(0, span.end - span.start - parts - span.watching),
            node=None if span.node is None else span.node.number,
            inputs=tuple(map(self._like, span.inputs)),
            outputs=tuple(map(self._like, span.outputs)), made=span.made, freed=span.freed,
            stack=self._stack(span),
        )  # fmt: skip

    def _stack(self, span: Span) -> tuple[int, ...]:
        numbers = (self.lines.number(*site) for site in span.stack)
        return tuple(number for number in numbers if number is not None)

    def _exchanges(self) -> tuple[RecordedExchange, ...]:
        """Return the exchanges that were begun or waited for."""
        waits: dict[int, list[int]] = defaultdict(list)
        for span in self.spans:
            if span.kind == "exchange":
                waits[span.subject].append(span.number)
        return tuple(
            RecordedExchange(
                begun.call, begun.key, begun.members, self._time(begun.begun),
                self.lines.number(code, lasti), tuple(waits[id(begun)]),
            )
            for begun, code, lasti in self.recorder.exchanges
        )  # fmt: skip

    # ---- nodes and memory ------------------------------------------------------------------------

    def _node(self, node: NodeTrace | PastNode) -> RecordedNode:
        found = [None if seq is None else self.recorder.nodes.get(seq) for seq in node.operands]
        return RecordedNode(
            number=node.number, name=node.name,
            event=node.span.number, line=self.lines.number(node.code, node.lasti),
            module=node.scope or "",
            operands=tuple(None if each is None else each.number for each in found),
            saved=tuple(trace.number for trace, _ in node.saved), made=self._time(node.made),
            ran=None if node.ran is None else self._time(node.ran),
            freed=self._end_of(node),
        )  # fmt: skip

    def _end_of(self, node: NodeTrace | PastNode) -> int | None:
        """Return when a node let go of what it saved, if it did while the recorder listened."""
        if node.freed is None or node.freed > self.recorder.ended:
            return None
        return self._time(node.freed)

    def _saved_holds(self) -> dict[int, list[Hold]]:
        """Return for each memory the nodes that keep it."""
        holds: dict[int, list[Hold]] = defaultdict(list)
        for node in self.nodes:
            until = self._end_of(node)
            for trace, name in node.saved:
                text = f"{node.name} as {name}"
                holds[trace.number].append(
                    Hold("saved", text, node.number, self._time(node.made), until)
                )
        return holds

    def _allocation(
        self, trace: MemoryTrace | PastMemory, holds: dict[int, list[Hold]]
    ) -> Allocation:
        freed = None if trace.freed is None else self._time(trace.freed)
        names, born = self.recorder.names, self._time(trace.born)
        owned = [
            Hold(kind, _owner_text(kind, names.get(key, "a tensor"), name), None, born, freed)
            for kind, key, name in trace.owners
        ]
        site = trace.site if trace.span is None else (trace.span.code, trace.span.lasti)
        saved = holds.get(trace.number, ())
        return Allocation(
            number=trace.number, kind=trace.kind, like=self._like(trace.like), bytes=trace.bytes,
            event=None if trace.span is None else trace.span.number,
            line=self.lines.number(*site), born=born, freed=freed, holds=(*saved, *owned),
        )  # fmt: skip

    # ---- gradients -------------------------------------------------------------------------------

    def _line_gradients(self) -> tuple[LineGradient, ...]:
        together: dict[tuple[int, int], Measure] = defaultdict(lambda: NOTHING)
        for time, code, lasti, found in self.recorder.arrived:
            line = self.lines.number(code, lasti)
            if line is not None:
                key = (self._step(time), line)
                together[key] = together[key].plus(found)
        return tuple(
            LineGradient(step, line, found.norm, found.share_of_zeros, *found[2:])
            for (step, line), found in together.items()
        )

    def _values(self) -> tuple[RecordedValue, ...]:
        calls: dict[Any, int] = defaultdict(int)
        found: list[RecordedValue] = []
        for time, kind, name, span, summary, whole in self.recorder.values:
            step, line = self._step(time), self.lines.number(span.code, span.lasti)
            key = step, kind, name, span.code, span.lasti, span.scope
            number = calls[key]
            calls[key] += 1
            found.append(
                RecordedValue(
                    step, kind, name, line, span.scope or "", number, self._time(time), summary,
                    None if span.node is None else span.node.number, whole,
                )
            )  # fmt: skip
        return tuple(found)

    def _parameter_gradients(self) -> tuple[ParameterGradient, ...]:
        names = self.recorder.names
        return tuple(
            ParameterGradient(
                self._step(each.time), names.get(each.parameter, "a parameter"),
                each.gradient.norm, each.gradient.share_of_zeros, *each.gradient[2:],
                each.weight, each.update,
            )
            for each in self.recorder.parameters
        )  # fmt: skip


def _owner_text(kind: str, name: str, entry: str) -> str:
    """Name what holds memory beside nodes: a parameter, its gradient, an optimizer's state."""
    return {"gradient": f"{name}.grad", "state": f"{entry} of {name}"}.get(kind, name)


def _steps(spans: Iterable[Span], recorder: Written) -> tuple[Step, ...]:
    """Return the steps: as marked, or else each until an optimizer steps for the second time."""
    ends = list(recorder.marks)
    if not ends:
        done: set[int] = set()
        latest = 0
        for span in spans:
            if span.kind == "step" and span.parent_of_kind("step") is None:
                if span.subject in done:
                    ends.append(latest)
                    done = set()
                done.add(span.subject)
                latest = span.end
    inner = [end - recorder.began for end in ends if recorder.began < end < recorder.ended]
    borders = [0, *inner, recorder.ended - recorder.began]
    return tuple(Step(number, start, end) for number, (start, end) in enumerate(pairwise(borders)))
