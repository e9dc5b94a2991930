"""Histories over the steps of a run as pages: a curve for each parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from pellucid.inspect.tables import count_text

if TYPE_CHECKING:
    from pellucid.inspect.history import History

_WIDTH, _HEIGHT, _EDGE = 180, 36, 2
_STYLE = """
.history { font: 13px system-ui, sans-serif; color: var(--ink); --ink: #222831; --line: #4a7fd0; }
@media (prefers-color-scheme: dark) { .history { --ink: #d7dbe3; --line: #7db3ff; } }
.history th, .history td { text-align: left; padding: 2px 10px 2px 0; font-weight: normal; }
.history thead th { font-weight: bold; }
.history td { white-space: nowrap; }
.history svg { vertical-align: middle; }
.history polyline { fill: none; stroke: var(--line); stroke-width: 1.5; }
.history circle { fill: #d0454a; }
"""
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>History</title>
</head>
<body>
<h1>History</h1>
{}
</body>
</html>
"""


def history_page(history: History) -> str:
    """Return the page of a history."""
    return _PAGE.format(history_html(history))


def history_html(history: History) -> str:
    """Return a history as HTML: the loss, and for each parameter gradient, weight and update."""
    steps = len({row.step for row in history.rows})
    rows = []
    if history.losses:
        cells = [_cell("loss", [loss for _, loss in history.losses]), "<td></td>" * 2]
        rows.append(f'<tr><th scope="row">loss</th>{"".join(cells)}</tr>')
    for name, curves in history.curves():
        cells = [_cell(f"{kind} of {name}", values) for kind, values in curves.items()]
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>')
    titles = "".join(
        f'<th scope="col">{each}</th>' for each in ("", "gradient", "weight", "update / weight")
    )
    return (
        f'<div class="history"><style>{_STYLE}</style><p>{count_text(steps, "step")}; each curve '
        "from its least to its largest value, a dot where it is not finite</p><table><thead><tr>"
        f"{titles}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(label: str, values: Sequence[float]) -> str:
    return f"<td>{_curve(label, values)} {values[-1]:.3g}</td>"


def _curve(label: str, values: Sequence[float]) -> str:
    """Return a curve as SVG; where values are not finite it is interrupted, with a dot above."""
    finite = [each for each in values if math.isfinite(each)]
    least, most = min(finite, default=0.0), max(finite, default=0.0)
    scale = (_HEIGHT - 2 * _EDGE) / ((most - least) or 1.0)
    wide = (_WIDTH - 2 * _EDGE) / max(1, len(values) - 1)
    lines: list[list[str]] = [[]]
    dots: list[str] = []
    for place, value in enumerate(values):
        x = _EDGE + place * wide
        if math.isfinite(value):
            lines[-1].append(f"{x:.1f},{_HEIGHT - _EDGE - (value - least) * scale:.1f}")
        else:
            dots.append(f'<circle cx="{x:.1f}" cy="{_EDGE + 1}" r="2"/>')
            lines.append([])
    drawn = "".join(f'<polyline points="{" ".join(each)}"/>' for each in lines if each)
    title = escape(f"{label}: from {least:.3g} to {most:.3g}")
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img"><title>{title}</title>{drawn}'
        f"{''.join(dots)}</svg>"
    )
