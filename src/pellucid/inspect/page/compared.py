"""The page of two graphs next to each other, with their differences marked."""

from __future__ import annotations

from typing import Any

from pellucid.inspect.difference import GraphDiff
from pellucid.inspect.page.document import page, summary
from pellucid.inspect.page.outline import Group, path_to
from pellucid.inspect.page.payload import scene_data
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.snapshot import Graph

#: how many differences have their groups opened at first
_FIRST_OPENED = 6


def diff_page(difference: GraphDiff) -> str:
    """Return the page of two graphs; ``+``, ``−`` and ``~`` mark what is not in both."""
    changed = [dict.fromkeys(side, "~") for side in zip(*difference.changed, strict=True)]
    before, after = changed or ({}, {})
    flags = [
        before | dict.fromkeys(difference.removed, "−"),
        after | dict.fromkeys(difference.added, "+"),
    ]
    graphs = (difference.first, difference.second)
    labels = [
        f"{name}: {summary(graph)}" for name, graph in zip(("first", "second"), graphs, strict=True)
    ]
    scenes = [_scene(graph, marks) for graph, marks in zip(graphs, flags, strict=True)]
    scenes[0]["partners"] = dict(difference.changed)
    scenes[1]["partners"] = {second: first for first, second in difference.changed}
    return page(scenes, labels, "Difference of two graphs", difference.text().splitlines()[0])


def _scene(graph: Graph, flags: dict[int, str]) -> dict[str, Any]:
    """Return the data of a graph, with marks for nodes and for the groups around them."""
    scene = Scene(graph)
    data = scene_data(scene)
    marks = dict(flags)
    for number, flag in flags.items():
        for group in path_to(scene.outline.group_of[number]):
            number = scene.number_of[group]
            marks[number] = flag if marks.get(number, flag) == flag else "~"
    opened: set[Group] = set()
    for number in list(flags)[:_FIRST_OPENED]:
        opened.update(path_to(scene.outline.group_of[number]))
    data["open"] = sorted({*data["open"], *(scene.number_of[group] for group in opened)})
    data["flags"] = marks
    return data
