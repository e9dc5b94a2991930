"""A graph as SVG, readable on light and on dark ground."""

from __future__ import annotations

from html import escape

from pellucid.inspect.page.drawing import Box, Drawing, Line, draw
from pellucid.inspect.page.looks import LINE
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.snapshot import Graph

_MARGIN = 10
#: how far behind a closed group the second edge of its box stands
_BEHIND = 4

_STYLE = """
.pellucid { --ink: #1f2430; --soft: #5b6270; --paper: #ffffff; --line: #7a8190;
  --live: #dbe9ff; --leaf: #e3f4df; --group: #f1ebfb; font: 12px monospace; }
@media (prefers-color-scheme: dark) { .pellucid { --ink: #e7eaf0; --soft: #a9b0bf;
  --paper: #161a22; --line: #8b93a5; --live: #1d3557; --leaf: #1f3d24; --group: #322a47; } }
.pellucid text { fill: var(--soft); text-anchor: middle; }
.pellucid text.first { fill: var(--ink); font-weight: bold; }
.pellucid rect { fill: var(--paper); stroke: var(--line); stroke-width: 1.2; }
.pellucid .live { fill: var(--live); stroke-width: 2; }
.pellucid .leaf { fill: var(--leaf); }
.pellucid .group { fill: var(--group); }
.pellucid .freed { stroke-dasharray: 5 4; }
.pellucid text.title { fill: var(--line); font-weight: bold; text-anchor: start; }
.pellucid .open { fill: none; stroke-dasharray: 1 3; }
.pellucid path { fill: none; stroke: var(--line); stroke-width: 1.2; }
.pellucid path.arrow { fill: var(--line); stroke: none; }
"""


def write_svg(picture: Graph, boxes: int = 60) -> str:
    """Return the graph as a drawing: data goes down, from the leaves to the roots.

    Args:
        picture: The graph.
        boxes: The most boxes to show; groups beyond that stay closed.

    Returns:
        The text of an SVG file, the same for the same graph.
    """
    scene = Scene(picture)
    return svg_of(draw(scene, scene.opened(boxes)), repr(picture).strip("<>"))


def svg_of(drawing: Drawing, title: str) -> str:
    """Return a drawing as the text of an SVG file."""
    width, height = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="pellucid" role="img" '
            f'width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{-_MARGIN} {-_MARGIN} {width:.0f} {height:.0f}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            *map(_line, drawing.lines),
            *map(_box, drawing.boxes),
            "</svg>\n",
        ]
    )


def _line(line: Line) -> str:
    (x, y), *others = line.points
    path = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in others:
        middle = (y + to_y) / 2
        path.append(f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    drawn = f'<path d="{"".join(path)}"/>'
    if line.arrow:
        drawn += f'<path class="arrow" d="M{x - 3.5:.1f} {y - 7:.1f}h7l-3.5 7z"/>'
    return drawn


def _box(box: Box) -> str:
    shape = "open" if box.opened else box.look.mark
    parts = []
    if shape == "group":
        parts.append(_rectangle(box, shape, _BEHIND))
    parts.append(_rectangle(box, shape))
    if box.opened:
        x, y = box.left + 10, box.top + LINE
        title = escape(box.look.lines[0])
        parts.append(f'<text class="title" x="{x:.1f}" y="{y:.1f}">{title}</text>')
    else:
        start = box.top + (box.height - len(box.look.lines) * LINE) / 2 - 4.5
        for number, text in enumerate(box.look.lines, 1):
            parts.append(
                f'<text class="{"first" if number == 1 else "next"}" '
                f'x="{box.left + box.width / 2:.1f}" y="{start + number * LINE:.1f}">'
                f"{escape(text)}</text>"
            )
    return f"<g>{''.join(parts)}</g>"


def _rectangle(box: Box, shape: str, behind: float = 0.0) -> str:
    radius = box.height / 2 if shape == "leaf" else 5
    return (
        f'<rect class="{shape}" x="{box.left + behind:.1f}" y="{box.top + behind:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.0f}"/>'
    )
