"""The data of a page: a scene as numbers and text for JSON."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from pellucid.inspect.page.excerpts import excerpts, short_names
from pellucid.inspect.page.layers import Layers
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.snapshot import Freed, Graph, NodeKind, SavedValue

#: boxes that are shown before anything has been opened
FIRST_BOXES = 24


def scene_data(
    scene: Scene, others: Iterable[tuple[str, int]] = (), boxes: int = FIRST_BOXES
) -> dict[str, Any]:
    """Return a scene for the page: columns of numbers that refer to a few texts.

    Args:
        scene: The scene.
        others: Files and lines that are shown beside those that made nodes.
        boxes: The most boxes to show before anything has been opened.
    """
    picture = scene.picture
    kinds, looks = _Table(), _Table()
    lines = dict.fromkeys([*_lines_of(picture), *others])
    files = short_names(dict.fromkeys(file for file, _ in lines))
    numbers = range(1, len(picture.nodes) + 1)
    data = {
        "nodes": {
            "kind": [kinds.position(id(node.kind), node.kind) for node in picture.nodes],
            "look": [looks.position(look, look) for look in map(scene.look, numbers)],
            "operands": [node.operands for node in picture.nodes],
            "blocks": picture.kept.by_node(len(picture.nodes)),
        },
        "leaves": [
            {
                "name": leaf.name,
                "like": leaf.like,
                "bytes": leaf.bytes,
                "uses": leaf.uses,
                "look": looks.position(look := scene.look(-leaf.number), look),
                "inlined": leaf.number in scene.outline.inlined,
            }
            for leaf in picture.leaves
        ],
        "groups": [
            {
                "sort": group.sort,
                "title": group.title,
                "nodes": group.nodes,
                "times": group.times,
                "parts": scene.parts(group),
                "layers": scene.layers_of[position],
                "values": scene.values_of[position],
                "look": looks.position(look := scene.look(scene.number_of[group]), look),
            }
            for position, group in enumerate(scene.groups)
        ],
        "layers": list(map(_layers_data, scene.layers)),
        "open": sorted(scene.number_of[group] for group in scene.opened(boxes)),
        "roots": picture.roots,
        "blockSizes": picture.kept.sizes.tolist(),
        "held": picture.held_bytes,
        "leafBytes": picture.leaf_bytes,
    }
    data["kinds"] = [_kind_data(kind, files) for kind in kinds.rows]
    data["looks"] = [{"lines": e.lines, "mark": e.mark, "size": e.size} for e in looks.rows]
    data["sources"] = {files[file]: excerpt for file, excerpt in excerpts(lines).items()}
    return data


class _Table:
    """Rows that are kept once and referred to by their positions."""

    def __init__(self) -> None:
        self.positions: dict[Hashable, int] = {}
        self.rows: list[Any] = []

    def position(self, key: Hashable, row: Any) -> int:
        position = self.positions.setdefault(key, len(self.rows))
        if position == len(self.rows):
            self.rows.append(row)
        return position


def _kind_data(kind: NodeKind, files: dict[str, str]) -> dict[str, Any]:
    freed = kind.freed_by
    return {
        "name": kind.name,
        "op": kind.op,
        "where": kind.where,
        "file": files.get(kind.file, ""),
        "line": kind.line,
        "text": kind.text,
        "module": kind.module,
        "outputs": kind.outputs,
        "saved": list(map(_saved_data, kind.saved)),
        "bytes": kind.kept_bytes,
        "freed": None if freed is None else _freed_data(freed),
    }


def _freed_data(freed: Freed) -> list[Any]:
    if not freed.where:
        return [freed.call, "?", "not noted"]
    return [freed.call, freed.number, freed.where]


def _saved_data(value: SavedValue) -> dict[str, Any]:
    return {"name": value.name, "like": value.like, "bytes": value.bytes, "leaf": value.leaf}


def _layers_data(layers: Layers) -> dict[str, Any]:
    return {
        "count": layers.count,
        "rows": layers.rows,
        "links": _runs(layers.links),
        "inlets": list(layers.inlets.items()),
        "outlets": list(layers.outlets.items()),
    }


def _runs(links: Iterable[tuple[int, int, int]]) -> list[list[int]]:
    """Return links, one for all that lead through points in a row, with how many more there are."""
    runs: list[list[int]] = []
    end, carried = -1, -1
    for upper, lower, value in links:
        if upper == end and lower == end + 1 and value == carried:
            runs[-1][3] += 1
        else:
            runs.append([upper, lower, value, 0])
        end, carried = lower, value
    return runs


def _lines_of(picture: Graph) -> Iterator[tuple[str, int]]:
    """Yield file and line of each node that has them."""
    for node in picture.nodes:
        if node.kind.file:
            yield node.kind.file, node.kind.line
