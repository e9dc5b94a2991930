"""The events of a profile, one by one and averaged over those of one name, under PyTorch's names.

Times are in microseconds, memory is in bytes. There is no device but the CPU, so the times and the
memory of devices are zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.inspect.recording import Event, Recording

if TYPE_CHECKING:
    import os

_STEP = re.compile(r"ProfilerStep#\d+")


class Interval:
    """A stretch of time.

    Args:
        start: Its beginning, in microseconds.
        end: Its end.
    """

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return its length in microseconds."""
        return self.end - self.start


def time_text(microseconds: float) -> str:
    """Write a time as PyTorch does: ``1.500ms``."""
    for size, unit in ((1_000_000, "s"), (1_000, "ms")):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


class _Times:
    """Times and memory of one event or several."""

    key: str
    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    input_shapes: Any
    device_time = device_time_total = self_device_time_total = 0.0
    cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    device_memory_usage = self_device_memory_usage = 0
    cuda_memory_usage = self_cuda_memory_usage = 0
    flops = 0
    use_device = None
    is_async = is_remote = is_legacy = False
    node_id = -1

    @property
    def cpu_time(self) -> float:
        """The average time of one call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return time_text(self.self_cpu_time_total)


class FunctionEvent(_Times):
    """One call of an op, run of a node, step of an optimizer, or named range."""

    count = 1

    def __init__(self, event: Event, name: str, stack: list[str]) -> None:
        self.id = event.number
        self.name = self.key = name
        self.thread = event.thread
        self.time_range = Interval(event.start / 1000, event.end / 1000)
        self.cpu_time_total = event.duration / 1000
        self.self_cpu_time_total = event.duration / 1000
        self.self_cpu_memory_usage = self.cpu_memory_usage = event.made - event.freed
        self.input_shapes: list[list[int]] = [_shape(text) for text in event.inputs]
        self.stack = stack
        self.sequence_nr = -1 if event.node is None else event.node
        self.is_user_annotation = event.kind in ("range", "step")
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Make an event a part of this one, whose own time and memory then are without it."""
        self.cpu_children.append(child)
        child.cpu_parent = self
        self.self_cpu_time_total -= child.cpu_time_total
        self.cpu_memory_usage += child.cpu_memory_usage

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEventAvg(_Times):
    """Several events of one name together."""

    def __init__(self) -> None:
        self.key = ""
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes: Any = ""
        self.stack: list[str] = []
        self.is_user_annotation = False
        self.cpu_parent: FunctionEvent | None = None

    def add(self, other: FunctionEvent) -> FunctionEventAvg:
        """Count one more event."""
        if not self.count:
            self.key, self.is_user_annotation = other.key, other.is_user_annotation
            self.cpu_parent = other.cpu_parent
        self.count += 1
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        return self

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage}>"
        )


def _shape(like: str) -> list[int]:
    """Return the shape in a text such as ``float32[3, 4]``."""
    return [int(size) for size in like.partition("[")[2].rstrip("]").split(",") if size]


class EventList(list[Any]):
    """A list of events, or of averages of them.

    Args:
        events: The events.
        recording: The recording that they were made of.
        profile_memory: Whether tables show memory.
        with_stack: Whether stacks have been recorded.
    """

    def __init__(
        self, events: Iterable[Any], recording: Recording | None = None,
        profile_memory: bool = False, with_stack: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(events)
        self._recording = recording
        self._profile_memory = profile_memory
        self._with_stack = with_stack

    @property
    def self_cpu_time_total(self) -> float:
        """The own times of all events together, in microseconds."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:  # fmt: skip
        """Return the averages of the events of one name.

        Args:
            group_by_input_shapes: Whether events of other shapes are counted apart.
            group_by_stack_n: By how many of the innermost lines events are told apart.
            group_by_overload_name: Accepted for compatibility; there are no overloads.
        """
        averages: dict[Any, FunctionEventAvg] = {}
        for event in self:
            name = _STEP.sub("ProfilerStep*", event.key)
            stack = event.stack[:group_by_stack_n]
            key = (name, str(event.input_shapes) if group_by_input_shapes else "", tuple(stack))
            average = averages.setdefault(key, FunctionEventAvg()).add(event)
            average.key, average.stack = name, stack
            if group_by_input_shapes:
                average.input_shapes = str(event.input_shapes)
        return EventList(averages.values(), self._recording, self._profile_memory, self._with_stack)

    def total_average(self) -> FunctionEventAvg:
        """Return all events together."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    def table(
        self, sort_by: str | None = None, row_limit: int = 100,
        max_src_column_width: int | None = 75, max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80, header: str | None = None,
        top_level_events_only: bool = False, time_unit: str | None = None,
    ) -> str:  # fmt: skip
        """Return the events as a table.

        Args:
            sort_by: The name of an attribute, such as ``"self_cpu_time_total"``; largest first.
            row_limit: How many rows there are at most; -1 for all.
            max_src_column_width: The greatest width of the lines of a stack.
            max_name_column_width: The greatest width of names.
            max_shapes_column_width: The greatest width of shapes.
            header: A line above the table.
            top_level_events_only: Whether parts of other events are left out.
            time_unit: ``"us"``, ``"ms"`` or ``"s"`` for all times; by default as fits each.

        Raises:
            AttributeError: If events have no such attribute to sort by.
        """
        from pellucid.profiler.table import write

        return write(
            self, sort_by, row_limit, max_src_column_width, max_name_column_width,
            max_shapes_column_width, header, top_level_events_only, time_unit,
            self._profile_memory,
        )  # fmt: skip

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write a trace for Perfetto or chrome://tracing.

        Args:
            path: The file.
        """
        assert self._recording is not None
        self._recording.chrome_trace(path)

    def export_stacks(self, path: str | os.PathLike[str], metric: str) -> None:
        """Write stacks with their times, as flame graph tools read them.

        Args:
            path: The file.
            metric: ``"self_cpu_time_total"``.

        Raises:
            AssertionError: If stacks have not been recorded.
            ValueError: For another metric.
        """
        assert self._with_stack, "export_stacks() requires with_stack=True"
        if metric not in ("self_cpu_time_total", "self_device_time_total", "self_cuda_time_total"):
            raise ValueError(f"metric should be one of: self_cpu_time_total; got {metric}")
        times: dict[str, float] = {}
        for event in self:
            stack = ";".join(each.replace(" ", "_") for each in (*event.stack[::-1], event.name))
            times[stack] = times.get(stack, 0.0) + getattr(event, metric)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{stack} {int(time)}\n" for stack, time in times.items() if time >= 1)

    def __str__(self) -> str:
        return self.table(row_limit=-1)


def events_of(
    recording: Recording, record_shapes: bool, profile_memory: bool, with_stack: bool
) -> EventList:
    """Return the events that PyTorch's profiler knows too: without passes and modules."""
    found: dict[int, FunctionEvent] = {}
    for event in recording.events:
        if event.kind in ("backward", "module"):
            continue
        stack = _stack(recording, event) if with_stack else []
        made = found[event.number] = FunctionEvent(event, _name(event), stack)
        if not record_shapes:
            made.input_shapes = []
        parent = event.parent
        while parent is not None and parent not in found:
            parent = recording.events[parent].parent
        if parent is not None:
            made.cpu_parent = found[parent]
    for made in reversed(found.values()):  # parts before what they are part of
        if made.cpu_parent is not None:
            made.cpu_parent.append_cpu_child(made)
    for made in found.values():
        made.cpu_children.reverse()
    return EventList(found.values(), recording, profile_memory, with_stack)


def _name(event: Event) -> str:
    """Return PyTorch's kind of name for an event."""
    if event.kind in ("op", "function"):
        return f"aten::{event.name}"
    return f"Optimizer.step#{event.name}" if event.kind == "step" else event.name


def _stack(recording: Recording, event: Event) -> list[str]:
    """Return the lines of the callers, the innermost first; of a node, those of forward."""
    made = None if event.node is None else recording.nodes[event.node].event
    caller = event if made is None else recording.events[made]
    numbers = caller.stack or (() if event.line is None else (event.line,))
    lines = (recording.lines[number] for number in numbers)
    return [f"{Path(line.file).name}({line.line}): {line.function}" for line in lines]
