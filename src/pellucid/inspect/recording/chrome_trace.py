"""A recording as a trace of Chrome's, which Perfetto and chrome://tracing show.

The format: "Trace Event Format", Google, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pellucid.inspect.recording.events import Event
from pellucid.inspect.recording.memory import live_bytes

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording

Entry = dict[str, Any]

#: by which categories a viewer can tell spans apart
_CATEGORIES = {
    "op": "cpu_op", "function": "cpu_op", "custom": "cpu_op", "node": "cpu_op",
    "backward": "backward",
    "step": "optimizer", "module": "module", "range": "user_annotation",
    "exchange": "communication",
}  # fmt: skip


def chrome_trace(recording: Recording) -> dict[str, Any]:
    """Return the trace, ready for JSON: spans, arrows from forward to backward, live bytes."""
    entries = [
        *_names(recording), *_spans(recording), *_arrows(recording), *_live_bytes(recording),
        *_steps(recording),
    ]  # fmt: skip
    return {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": entries}


def _microseconds(nanoseconds: int) -> float:
    return nanoseconds / 1000


def _names(recording: Recording) -> Iterator[Entry]:
    """Name the process and the threads."""
    process = recording.process
    yield {"ph": "M", "name": "process_name", "pid": process, "tid": 0,
           "args": {"name": "pellucid"}}  # fmt: skip
    for number, name in enumerate(recording.threads):
        yield {"ph": "M", "name": "thread_name", "pid": process, "tid": number,
               "args": {"name": name}}  # fmt: skip


def _spans(recording: Recording) -> Iterator[Entry]:
    """Give each event as a complete event: its beginning and its duration."""
    for event in recording.events:
        yield {
            "ph": "X", "cat": _CATEGORIES[event.kind], "name": event.name,
            "pid": recording.process, "tid": event.thread, "ts": _microseconds(event.start),
            "dur": _microseconds(event.duration), "args": _arguments(recording, event),
        }  # fmt: skip


def _arguments(recording: Recording, event: Event) -> dict[str, Any]:
    """Return what a viewer shows of an event when it is clicked."""
    shown: dict[str, Any] = {"phase": event.phase, "step": event.step}
    if event.line is not None:
        line = recording.lines[event.line]
        shown |= {"line": line.where, "source": line.text}
    if event.module:
        shown["module"] = event.module
    if event.inputs:
        shown["Input Dims"] = list(event.inputs)
    if event.outputs:
        shown["outputs"] = list(event.outputs)
    if event.made or event.freed:
        shown |= {"bytes made": event.made, "bytes freed": event.freed}
    return shown


def _arrows(recording: Recording) -> Iterator[Entry]:
    """Lead from each op to the runs of the node that it made."""
    arrow = 0
    for event in recording.events:
        if event.kind != "node" or event.node is None:
            continue
        number = recording.nodes[event.node].event
        if number is None:
            continue
        maker = recording.events[number]
        arrow += 1
        common = {"cat": "fwdbwd", "name": "fwdbwd", "id": arrow, "pid": recording.process}
        yield {"ph": "s", "tid": maker.thread, "ts": _microseconds(maker.start), **common}
        yield {"ph": "f", "bp": "e", "tid": event.thread, "ts": _microseconds(event.start),
               **common}  # fmt: skip


def _live_bytes(recording: Recording) -> Iterator[Entry]:
    """Count the live bytes over time."""
    live = live_bytes(recording.allocations)
    for time, size in zip(live.times, live.bytes, strict=True):
        yield {"ph": "C", "name": "live bytes", "pid": recording.process, "tid": 0,
               "ts": _microseconds(time), "args": {"bytes": size}}  # fmt: skip


def _steps(recording: Recording) -> Iterator[Entry]:
    """Mark where each step begins."""
    for step in recording.steps:
        yield {"ph": "i", "s": "p", "name": f"step {step.number}", "pid": recording.process,
               "tid": 0, "ts": _microseconds(step.start)}  # fmt: skip
