"""The page: data, drawing code and style in one file, which needs no network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from pellucid.inspect.collector import collector_off
from pellucid.inspect.page.payload import scene_data
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.snapshot import Graph
from pellucid.inspect.tables import count_text, size_text

_SCRIPTS = (
    "scene.js", "place.js", "picture.js", "tree.js", "details.js", "timeline.js", "page.js",
)  # fmt: skip


def graph_page(picture: Graph) -> str:
    """Return the page of a graph."""
    with collector_off():
        return page([scene_data(Scene(picture))], ["graph"], "Graph", summary(picture))


def page(
    scenes: Sequence[dict[str, Any]], labels: Sequence[str], title: str, text: str,
    timeline: dict[str, Any] | None = None, below: str = "",
) -> str:  # fmt: skip
    """Return the text of a page.

    Args:
        scenes: The data of each picture, from `scene_data`; they stand side by side.
        labels: The heading of each picture.
        title: The heading of the page.
        text: One sentence on what is shown.
        timeline: When the nodes were made, run and freed, if that is known.
        below: HTML that stands at the end of the page.
    """
    assets = files("pellucid.inspect.page") / "assets"
    read = {name: (assets / name).read_text("utf-8") for name in ("page.html", "page.css")}
    data = {"scenes": scenes, "labels": labels, "timeline": timeline}
    return read["page.html"].format(
        title=escape(title),
        summary=escape(text),
        style=read["page.css"],
        data=_json(data),
        below=below,
        script="\n".join((assets / name).read_text("utf-8") for name in _SCRIPTS),
    )


def summary(picture: Graph) -> str:
    """Return in one line how large a graph is and what it holds."""
    return (
        f"{count_text(len(picture.nodes), 'node')}, {count_text(len(picture.leaves), 'leaf')}; "
        f"holds {size_text(picture.held_bytes)} beside the leaves' {size_text(picture.leaf_bytes)}"
    )


def _json(data: Any) -> str:
    """Return data as JSON in which no tag can begin or end."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
