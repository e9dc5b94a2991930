"""What PyTorch's profiler has noted, read into what a recorder writes down."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from pellucid.inspect.pytorch.accelerator import forward_threads, kernel_times
from pellucid.inspect.pytorch.notes import ranges
from pellucid.inspect.recording.traces import PastMemory, PastNode, Span

torch: Any = importlib.import_module("torch")

#: what the names of the recorder's ranges begin with; a number follows
PREFIX = "pellucid:"
#: the name of a range in which the recorder itself has computed something
OWN = "pellucid's own"
_NODE = "autograd::engine::evaluate_function: "
_LEAF = "torch::autograd::AccumulateGrad"
_OP = "aten::"
#: spans of which the operations inside are parts
_WHOLE = ("op",)


class Tree:
    """The events of a profile, in the making of spans, nodes and memory.

    Args:
        recorder: What has noted the ranges, and is filled.
        result: What the profiler has noted.
    """

    def __init__(self, recorder: Any, result: Any) -> None:
        self._recorder = recorder
        self._roots = result.experimental_event_tree()
        self._kernels = kernel_times(result) if recorder.device else {}
        self._makers = forward_threads(result) if recorder.device else {}
        #: the thread of the block
        self._own_thread = 0
        #: whether only the memory of accelerators counts: the program computes there
        self._of_device = any(device.type != "cpu" for device, _ in recorder.before)
        self._offset = 0
        self._threads: dict[int, int] = {}
        self._passes: list[Span] = []
        #: what is done when all times are known: time, order at one time, what
        self._later: list[tuple[int, int, Callable[[], None]]] = []
        #: memory that is there, by device and address
        self._alive: dict[Any, PastMemory] = {}
        self._marks: dict[int, Any] = {}
        #: nodes that a range has made
        self._made: dict[int, Span] = {}

    def read(self) -> None:
        """Fill the recorder."""
        recorder = self._recorder
        self._find_clock()
        for place, memory in recorder.before.items():
            if self._of_device and place[0].type == "cpu":
                continue
            self._alive[place] = memory
            memory.born = recorder.began
            recorder.memory.append(memory)
        for root in self._roots:
            self._walk(root, None)
        for mark in recorder.marks_by_number:
            if mark.span.end:
                self._later.append((mark.span.end, 2, lambda mark=mark: self._end_of(mark)))
        for _, _, act in sorted(self._later, key=lambda each: each[:2]):
            act()
        self._note_taken_unseen()
        for memory in recorder.memory:
            span = memory.span
            if span is not None and (memory.freed is None or memory.freed > span.end):
                span.made += memory.bytes
        for span in recorder.spans:
            if span.kind == "node":
                self._note_run(span)
        self._leave_out_measuring()

    def _leave_out_measuring(self) -> None:
        """Take the time of measuring gradients off that of the nodes at which they arrived."""
        runs: dict[int, list[Span]] = {}
        for span in self._recorder.spans:
            if span.kind == "node":
                runs.setdefault(span.subject, []).append(span)
        for seq, began, ended in self._recorder.measuring:
            self._recorder.own_time += ended - began
            for span in runs.get(seq, ()):
                if span.start <= began <= span.end:
                    span.watching += ended - began

    def _find_clock(self) -> None:
        """Find by how much the profiler's clock is ahead of the recorder's."""
        first = self._recorder.marks_by_number[0].span
        for event in self._roots:
            if event.name == f"{PREFIX}0":
                self._own_thread = event.start_tid
                self._offset = event.start_time_ns - first.start
                return

    def _time(self, event: Any) -> int:
        return event.start_time_ns - self._offset

    def _duration(self, event: Any) -> int:
        """Return how long an event took; none for one whose end the profiler has not seen."""
        recorder, taken = self._recorder, event.duration_time_ns
        return int(taken) if 0 <= taken <= recorder.ended - recorder.began else 0

    # ---- events ----------------------------------------------------------------------------------

    def _walk(self, event: Any, parent: Span | None) -> None:
        """Read an event and those inside of it; ``parent`` is the span that it is a part of."""
        kind = event.tag.name
        if kind == "Allocation":
            self._note_allocation(event, parent)
        if kind != "TorchOp":
            for each in event.children:  # memory that is given while a kernel is launched
                self._walk(each, parent)
            return
        name = event.name
        if name == OWN:
            self._leave_out(event, parent)
            return
        if name.startswith(PREFIX):
            parent = self._range(event, parent)
        elif name.startswith(_NODE):
            parent = self._node(event, parent)
        elif parent is None or parent.kind not in _WHOLE:
            parent = self._operation(event, parent)
        children = event.children
        for each in children:
            self._walk(each, parent)
        if parent is not None and parent.kind == "function" and name.startswith(PREFIX):
            _merge(parent, self._recorder.spans)

    def _leave_out(self, event: Any, parent: Span | None) -> None:
        """Take what the recorder itself has computed off the program's time."""
        taken = self._duration(event)
        self._recorder.own_time += taken
        if parent is not None:
            parent.watching += taken
        waiting = [event]
        for each in waiting:  # which grows
            waiting += each.children
            if each.tag.name == "Allocation":
                self._note_allocation(each, None)

    def _range(self, event: Any, parent: Span | None) -> Span | None:
        """Return the span of one of the recorder's own ranges."""
        mark = self._recorder.marks_by_number[int(event.name.removeprefix(PREFIX))]
        span: Span = mark.span
        if span.kind == "clock":
            return parent
        self._place(span, event, parent)
        if parent is not None and parent.phase == "backward":
            span.phase = "backward"
        if span.phase == "backward" and span.kind == "backward":
            self._passes.append(span)
        self._marks[id(span)] = mark
        for seq, *_ in mark.nodes:
            self._made[seq] = span
        return span

    def _node(self, event: Any, parent: Span | None) -> Span | None:
        """Return the span of a node that runs backward; leaves count for the pass."""
        name = event.name.removeprefix(_NODE)
        if parent is None:
            parent = self._pass_at(self._time(event))
        if name == _LEAF:
            return parent
        seq, number = _number_of(event, name)
        if self._makers.get(number, self._own_thread) != self._own_thread:
            seq = -1  # of a node that the thread of a device has made, with a number of its own
        maker = self._made.get(seq)
        site = (maker.code, maker.lasti, maker.scope) if maker else ranges.of(seq)
        if site is None:
            site = (parent.code, parent.lasti, None) if parent else (None, 0, None)
        span = Span("node", name, "backward", *site, 0, None)
        span.subject = seq
        self._place(span, event, parent)
        return span

    def _pass_at(self, time: int) -> Span | None:
        """Return the pass that ran at a time: nodes of a device run in a thread of their own."""
        running = [each for each in self._passes if each.start <= time <= each.end]
        return running[-1] if running else None

    def _operation(self, event: Any, parent: Span | None) -> Span | None:
        """Return the span of an operation or of a range that the program has named."""
        fields, name = event.extra_fields, event.name
        is_range = fields.scope.name == "USER_SCOPE"
        if not is_range and not name.startswith(_OP):
            return parent
        if is_range and name.startswith("Optimizer."):
            return parent
        site = (None, 0, None) if parent is None else (parent.code, parent.lasti, parent.scope)
        phase = "forward" if parent is None else parent.phase
        kind = "range" if is_range else "op"
        span = Span(kind, name.removeprefix(_OP), phase, *site, 0, None)
        self._place(span, event, parent)
        self._note_operands(event)
        span.inputs = tuple([
            (tuple(each.sizes), each.dtype) for each in fields.inputs if hasattr(each, "sizes")
        ])  # fmt: skip
        kernels = self._kernels_of(event)
        if kernels:
            span.watching += self._duration(event) - kernels
        return span

    def _kernels_of(self, event: Any) -> int:
        """Return how long a device has run for an event and those inside of it."""
        if not self._kernels:
            return 0
        own = self._kernels.get(event.correlation_id, 0)
        return own + sum(map(self._kernels_of, event.children))

    def _place(self, span: Span, event: Any, parent: Span | None) -> None:
        """Give a span its times, its thread and its parent."""
        span.start = self._time(event)
        span.end = span.start + self._duration(event)
        span.parent = parent
        thread = event.start_tid
        if thread not in self._threads:
            self._threads[thread] = len(self._threads)
            self._recorder.threads.append(f"thread {thread}")
        span.thread = self._threads[thread]
        self._recorder.spans.append(span)

    # ---- memory ----------------------------------------------------------------------------------

    def _note_allocation(self, event: Any, span: Span | None) -> None:
        fields, time = event.extra_fields, self._time(event)
        if self._of_device and fields.device.type == "cpu":
            return
        place = (fields.device, fields.ptr)
        if fields.alloc_size > 0:
            self._later.append((time, 0, lambda: self._given(place, fields.alloc_size, time, span)))
        else:
            self._later.append((time, 0, lambda: self._taken(place, time, span)))

    def _given(self, place: Any, size: int, time: int, span: Span | None) -> None:
        earlier = self._alive.pop(place, None)
        if earlier is not None and earlier.freed is None:
            earlier.freed = time
        kind = "gradient" if span is not None and span.phase == "backward" else "result"
        memory = self._alive[place] = PastMemory(kind, size, time, _merged(span))
        self._recorder.memory.append(memory)

    def _taken(self, place: Any, time: int, span: Span | None) -> None:
        memory = self._alive.pop(place, None)
        if memory is not None:
            memory.freed = time
            if span is not None:
                _merged(span).freed += memory.bytes

    def _note_taken_unseen(self) -> None:
        """Note what was freed by the end unseen by the profiler, as by a thread of a device."""
        given = self._recorder.given
        for place, memory in self._alive.items():
            if memory.freed is None and place[0].type == "cuda" and place not in given:
                memory.freed = self._recorder.ended

    def _note_operands(self, event: Any) -> None:
        """Remember what memory looked like to the operation that used it first."""
        for each in event.extra_fields.inputs:
            address = getattr(each, "storage_data_ptr", None)
            if address:
                place = (each.device, address)
                like = tuple(each.sizes), each.dtype
                self._later.append(
                    (self._time(event), 1, lambda place=place, like=like: self._looks(place, like))
                )

    def _looks(self, place: Any, like: Any) -> None:
        memory = self._alive.get(place)
        if memory is not None and memory.like[1] == "bytes":
            memory.like = like

    def _end_of(self, mark: Any) -> None:
        """Take note of what there was when a range ended: results, nodes, what belongs to whom."""
        span = mark.span
        self._recorder.own_time += mark.watching
        if span.parent is not None:
            span.parent.watching += mark.watching
        for place, like in mark.results:
            self._looks(place, like)
        span.outputs = tuple([like for _, like in mark.results])
        for seq, name, operands, saved in mark.nodes:
            node = self._recorder.nodes[seq] = PastNode(name, seq, span, operands, span.end)
            span.node = node
            held = [(self._alive.get(place), name) for name, place in saved]
            node.saved = [(memory, name) for memory, name in held if memory is not None]
        for place, *owner in mark.owned:
            memory = self._alive.get(place)
            if memory is not None and tuple(owner[:2]) not in (o[:2] for o in memory.owners):
                memory.owners += (tuple(owner),)
                memory.kind = owner[0]

    def _note_run(self, span: Span) -> None:
        """Note on a node that it ran, and that it let go of what it had saved."""
        node = self._recorder.nodes.get(span.subject)
        if node is None:
            return
        span.node = node
        node.ran = span.end
        around = span.parent_of_kind("backward")
        mark = None if around is None else self._marks.get(id(around))
        if mark is not None and not mark.keeps:
            node.freed = span.end


def _number_of(event: Any, name: str) -> tuple[int, int]:
    """Return the number of a node that runs, and that of the operation which says so.

    The event of the node lacks it if a hook came before.
    """
    for each in (event, *event.children):
        if each.tag.name == "TorchOp" and each.extra_fields.sequence_number >= 0:
            if each is event or each.name == name:
                return each.extra_fields.sequence_number, each.correlation_id
    return -1, -1


def _merge(span: Span, spans: list[Span]) -> None:
    """Replace a call of one operation by that operation."""
    place = len(spans) - 1
    parts: list[int] = []
    while spans[place] is not span:
        if spans[place].parent is span:
            parts.append(place)
        place -= 1
    if len(parts) == 1 and spans[parts[0]].kind == "op":
        part = spans.pop(parts[0])
        span.kind, span.name, span.inputs = "op", part.name, part.inputs
        span.watching += part.watching
        part.kind = "merged"


def _merged(span: Span | None) -> Any:
    """Return the span that stands for one, which may have been merged into another."""
    return span.parent if span is not None and span.kind == "merged" else span
