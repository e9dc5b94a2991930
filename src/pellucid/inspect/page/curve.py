"""The live memory of a recording as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pellucid.inspect.tables import size_text, time_text

if TYPE_CHECKING:
    from pellucid.inspect.recording import Recording
    from pellucid.inspect.recording.memory import Live

_WIDTH, _TOP, _BOTTOM, _HEIGHT = 640, 20, 110, 130
_STYLE = """
.live-memory { font: 11px monospace; --ink: #4b5260; --line: #4a7fd0; }
@media (prefers-color-scheme: dark) { .live-memory { --ink: #a9b0bf; --line: #7db3ff; } }
.live-memory text { fill: var(--ink); }
.live-memory path { fill: var(--line); fill-opacity: 0.35; stroke: var(--line); }
.live-memory line { stroke: var(--ink); }
"""


def memory_svg(recording: Recording) -> str:
    """Return the live memory over time, with the phases of each step and the peak."""
    memory = recording.memory()
    duration, most = max(recording.duration, 1), memory.peak.bytes
    label = f"live memory, up to {size_text(most)} in {time_text(duration)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="live-memory" role="img" '
            f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
            f"<title>{label}</title>",
            f"<style>{_STYLE}</style>",
            f'<path d="{_outline(memory.live, duration, most or 1)}"/>',
            *_phases(memory.phases, duration),
            _peak(memory.peak.time / duration * _WIDTH, f"{size_text(most)} {memory.peak.where}"),
            "</svg>\n",
        ]
    )


def _outline(live: Live, duration: int, most: int) -> str:
    """Return the path of the curve: for each pixel the highest of what falls on it."""
    columns: dict[int, int] = {}
    for time, size in zip(live.times, live.bytes, strict=True):
        column = round(time / duration * _WIDTH)
        columns[column] = max(columns.get(column, 0), size)
    if len(live.bytes):
        columns[_WIDTH + 1] = live.bytes[-1]  # the end, whatever else falls on the last pixel
    path, height = [f"M0 {_BOTTOM}"], float(_BOTTOM)
    for column, size in columns.items():
        above = _BOTTOM - size / most * (_BOTTOM - _TOP)
        path.append(f"L{min(column, _WIDTH)} {height:.1f}L{min(column, _WIDTH)} {above:.1f}")
        height = above
    return f"{''.join(path)}L{_WIDTH} {_BOTTOM}Z"


def _phases(phases: tuple[tuple[int, str], ...], duration: int) -> list[str]:
    """Return a mark where each phase begins, and its name where there is room."""
    drawn, free = [], 0.0
    for start, phase in phases:
        x = start / duration * _WIDTH
        mark = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_BOTTOM - 4}" y2="{_HEIGHT}"/>'
        if x >= free:
            mark += f'<text x="{x + 4:.1f}" y="{_HEIGHT - 5}">{phase}</text>'
            free = x + 7 * len(phase) + 12
        drawn.append(mark)
    return drawn


def _peak(x: float, text: str) -> str:
    anchor = "end" if x > _WIDTH / 2 else "start"
    return f'<text x="{x:.1f}" y="13" text-anchor="{anchor}">▼ {escape(text)}</text>'
