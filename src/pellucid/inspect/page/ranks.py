"""The section of a recording's page that shows all ranks: their time, memory and lines."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pellucid.inspect.recording.rank_times import KINDS, RankTime, RankTimes, line_cells, rank_cells
from pellucid.inspect.tables import size_text, time_text
from pellucid.tensors.notebook import table

#: units of the drawing: its width, the height of a rank's time, and of its memory below that
_WIDTH, _BAR, _CURVE, _ROW = 1000, 14, 16, 38
#: places that are drawn; of what falls together on one, the longest
_PLACES = 1000
#: lines of the program in the table
_MOST = 60


def ranks_section(times: RankTimes | None) -> str:
    """Return the section as HTML; empty if only one rank's recording is known."""
    if times is None:
        return ""
    return (
        '<section id="ranks" aria-label="Ranks"><details open><summary>All ranks: '
        '<span class="key computing"></span> computing, <span class="key exchanging"></span> '
        'exchanging, <span class="key waiting"></span> waiting for a rank; below each, its live '
        f"memory</summary>{_drawing(times)}{_totals(times)}{_lines(times)}</details></section>"
    )


def _drawing(times: RankTimes) -> str:
    end = max(each.end for each in times.rows) or 1
    most = max(each.peak_bytes for each in times.rows) or 1
    rows = "".join(_row(place, row, end, most) for place, row in enumerate(times.rows))
    height = _ROW * len(times.rows)
    return (
        f'<svg viewBox="-60 0 {_WIDTH + 60} {height}" role="img" aria-label="The time of '
        f'{len(times.rows)} ranks, {time_text(end)}; the tables below have it as numbers">'
        f"{rows}</svg>"
    )


def _row(place: int, row: RankTime, end: int, most: int) -> str:
    top = place * _ROW
    left, right = (time * _WIDTH / end for time in (row.start, row.end))
    parts = [
        f'<text x="-58" y="{top + 12}">rank {row.rank}</text>',
        f'<rect class="computing" x="{left:.1f}" y="{top}" width="{right - left:.1f}" '
        f'height="{_BAR}"/>',
        *_stretches(row, end, top),
        f'<path class="memory" d="{_curve(row, end, most, top)}"><title>rank {row.rank}: at most '
        f"{size_text(row.peak_bytes)} {escape(row.peak_where)}</title></path>",
    ]
    return "".join(parts)


def _stretches(row: RankTime, end: int, top: int) -> Iterator[str]:
    """Draw the times at which a rank stood; of those that fall on one place, the longest."""
    longest = {}
    for each in row.stretches:
        place = each.kind, each.start * _PLACES // end, each.end * _PLACES // end
        known = longest.get(place)
        if known is None or each.end - each.start > known.end - known.start:
            longest[place] = each
    for each in longest.values():
        took = each.end - each.start
        whom = "" if each.late is None else f" for rank {each.late}"
        told = f"{each.kind}{whom}, {time_text(took)}: {each.call}  {each.where}"
        yield (
            f'<rect class="{each.kind}" x="{each.start * _WIDTH / end:.2f}" y="{top}" '
            f'width="{max(0.4, took * _WIDTH / end):.2f}" height="{_BAR}">'
            f"<title>{escape(told)}</title></rect>"
        )


def _curve(row: RankTime, end: int, most: int, top: int) -> str:
    """Return the outline of a rank's live memory; of points on one place, the highest counts."""
    bottom = top + _BAR + _CURVE
    highest: dict[int, int] = {}
    for time, size in row.live:
        place = time * _PLACES // end
        highest[place] = max(highest.get(place, 0), size)
    parts = [f"M{row.start * _WIDTH / end:.1f} {bottom}"]
    for place, size in sorted(highest.items()):
        parts.append(f"H{place * _WIDTH / _PLACES:.1f}V{bottom - size * _CURVE / most:.1f}")
    return "".join([*parts, f"H{row.end * _WIDTH / end:.1f}V{bottom}Z"])


def _totals(times: RankTimes) -> str:
    heading = ["rank", *KINDS, "share of waiting", "memory at most", "while this line ran"]
    return table(heading, map(rank_cells, times.rows))


def _lines(times: RankTimes) -> str:
    heading = ["line", "source", "rank", *KINDS, "waits for rank"]
    return table(heading, map(line_cells, times.lines[:_MOST]))
