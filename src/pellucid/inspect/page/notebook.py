"""Recordings and accounts of memory in a notebook: tables, and the curve of live memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.inspect.account import LINE_HEADING, line_cells
from pellucid.inspect.page.curve import memory_svg
from pellucid.inspect.tables import count_text, size_text, time_text
from pellucid.tensors.notebook import table

if TYPE_CHECKING:
    from pellucid.inspect.account import Memory
    from pellucid.inspect.recording import Recording

_MOST_ROWS = 15


def recording_html(recording: Recording) -> str:
    """Return a recording as HTML: live memory over time, and times and bytes by line."""
    totals = recording.by_line()
    heading = [column.heading for column in totals.columns]
    shown = table(heading, totals.cells(_MOST_ROWS)) + _left("line", len(totals))
    head = f"<div><strong>recording</strong> {summary(recording)}</div>"
    return head + memory_svg(recording) + shown


def summary(recording: Recording) -> str:
    """Return in a line how long a recording is, and the most memory that was alive in it."""
    steps, nodes = len(recording.steps), len(recording.nodes)
    return (
        f"{count_text(steps, 'step')}, {count_text(nodes, 'node')}, "
        f"{time_text(recording.duration) or 'no time'}, at most {size_text(recording.peak.bytes)}"
    )


def memory_html(memory: Memory) -> str:
    """Return what a graph keeps in memory as HTML, by line."""
    shares = memory.by_line
    rows = map(line_cells, shares[:_MOST_ROWS])
    head = (
        f"<div><strong>memory</strong> of {count_text(memory.node_count, 'node')}: "
        f"{size_text(memory.held_bytes)} held beside the leaves' {size_text(memory.leaf_bytes)} "
        f"and their gradients' {size_text(memory.grad_bytes)}</div>"
    )
    return head + table(LINE_HEADING, rows) + _left("line", len(shares))


def _left(word: str, count: int) -> str:
    left = count - _MOST_ROWS
    return f"<div>and {count_text(left, f'more {word}')}</div>" if left > 0 else ""
