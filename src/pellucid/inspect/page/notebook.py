"""Recordings and accounts of memory in a notebook: tables, and the curve of live memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.inspect.page.curve import memory_svg
from pellucid.inspect.tables import count_text, share_text, size_text, time_text
from pellucid.tensors.notebook import table

if TYPE_CHECKING:
    from pellucid.inspect.account import Memory
    from pellucid.inspect.recording import Recording

_MOST_ROWS = 15


def recording_html(recording: Recording) -> str:
    """Return a recording as HTML: live memory over time, and times and bytes by line."""
    totals = recording.by_line()
    whole = sum(row.own for row in totals)
    rows = [
        (
            row.name, row.text, time_text(row.forward), time_text(row.backward),
            time_text(row.update), share_text(row.own, whole), f"{row.calls:,}",
            size_text(row.made), size_text(row.at_peak),
        )
        for row in totals.rows[:_MOST_ROWS]
    ]  # fmt: skip
    heading = (
        "line", "source", "forward", "backward", "update", "share", "calls", "made", "at peak",
    )  # fmt: skip
    counted = count_text(len(recording.steps), "step"), count_text(len(recording.nodes), "node")
    head = (
        f"<div><strong>recording</strong> {counted[0]}, {counted[1]}, "
        f"{time_text(recording.duration) or 'no time'}, "
        f"at most {size_text(recording.peak.bytes)}</div>"
    )
    return head + memory_svg(recording) + table(heading, rows) + _left("line", len(totals))


def memory_html(memory: Memory) -> str:
    """Return what a graph keeps in memory as HTML, by line."""
    shares = memory.by_line
    rows = [
        (share.name, share.text, f"{share.nodes:,}", size_text(share.bytes), size_text(share.alone))
        for share in shares[:_MOST_ROWS]
    ]
    head = (
        f"<div><strong>memory</strong> of {count_text(memory.node_count, 'node')}: "
        f"{size_text(memory.held_bytes)} held beside the leaves' {size_text(memory.leaf_bytes)} "
        f"and their gradients' {size_text(memory.grad_bytes)}</div>"
    )
    heading = ("line", "source", "nodes", "keeps", "alone")
    return head + table(heading, rows) + _left("line", len(shares))


def _left(word: str, count: int) -> str:
    left = count - _MOST_ROWS
    return f"<div>and {count_text(left, f'more {word}')}</div>" if left > 0 else ""
