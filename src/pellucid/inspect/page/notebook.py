"""Recordings and accounts of memory in a notebook: tables, and the curve of live memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.inspect.recording.tables import share_text, time_text
from pellucid.inspect.snapshot import count_text, size_text
from pellucid.tensors.notebook import table

if TYPE_CHECKING:
    from pellucid.inspect.account import Memory
    from pellucid.inspect.recording import Recording
    from pellucid.inspect.recording.memory import Live

_MOST_ROWS = 15
_WIDTH, _HEIGHT = 640, 90


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
    curve = _curve(recording.memory().live, recording.duration)
    return head + curve + table(heading, rows) + _left("line", len(totals))


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


def _curve(live: Live, duration: int) -> str:
    """Return live bytes over time as SVG."""
    if not live.times:
        return ""
    most = max(live.bytes) or 1
    # the highest of what falls on one pixel
    columns: dict[int, int] = {}
    for time, size in zip(live.times, live.bytes, strict=True):
        column = round(time / max(duration, 1) * _WIDTH)
        columns[column] = max(columns.get(column, 0), size)
    path, height = ["M0 90"], 90.0
    for column, size in columns.items():
        below, height = height, _HEIGHT - size / most * (_HEIGHT - 18)
        path.append(f"L{column} {below:.1f}L{column} {height:.1f}")
    path.append(f"L{_WIDTH} {height:.1f}L{_WIDTH} {_HEIGHT}Z")
    label = f"live memory over {time_text(duration) or 'no time'}, up to {size_text(most)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" font-size="11">'
        f'<path d="{"".join(path)}" fill="#4a7fd0" fill-opacity="0.4" stroke="#4a7fd0"/>'
        f'<text x="2" y="11" fill="#808793">{label}</text></svg>'
    )
