"""All that a drawing of a graph needs, however many of its groups are open.

A number refers to each thing that has a box: a node by its own number, a leaf by its number
negated, and a group by the number of nodes plus its position in `Scene.groups`, from 1.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from pellucid.inspect.page.edges import Edge, edges_by_group
from pellucid.inspect.page.layers import Layers, layers
from pellucid.inspect.page.looks import Look, group_look, leaf_look, node_look, number_lines
from pellucid.inspect.page.outline import Group, Outline
from pellucid.inspect.progress import Progress
from pellucid.inspect.snapshot import Graph


class Scene:
    """The boxes of a graph, nested, with the rows of each group.

    Args:
        picture: The graph.
    """

    def __init__(self, picture: Graph) -> None:
        self.picture = picture
        self.outline = Outline(picture)
        self.groups = self.outline.groups
        self.number_of: dict[Group, int] = {
            group: len(picture.nodes) + position for position, group in enumerate(self.groups, 1)
        }
        #: different layers only once: groups that repeat each other have the same
        self.layers: list[Layers] = []
        self._looks: dict[tuple[Any, ...], Look] = {}
        self._known: dict[tuple[int, tuple[Edge, ...]], int] = {}
        #: for each group the position of its layers, and the values that these count from 0
        self.layers_of: list[int] = []
        self.values_of: list[tuple[int, ...]] = []
        edges = edges_by_group(self.outline)
        progress = Progress("drawing", f"of {len(self.groups):,} groups")
        for group in self.groups:
            self._lay_out(group, edges[group])
            progress.add(1)
        progress.end()

    def _lay_out(self, group: Group, edges: list[Edge]) -> None:
        values: dict[int, int] = {}
        counted = tuple((values.setdefault(v, len(values)), s, t) for v, s, t in edges)
        key = (len(group.leaves) + len(group.parts), counted)
        if key not in self._known:
            self._known[key] = len(self.layers)
            self.layers.append(layers(*key))
        self.layers_of.append(self._known[key])
        self.values_of.append(tuple(values))

    def group(self, number: int) -> Group | None:
        """Return the group that a number refers to, if it refers to one."""
        position = number - len(self.picture.nodes)
        return self.groups[position - 1] if position > 0 else None

    def parts(self, group: Group) -> list[int]:
        """Return the numbers of what is directly inside a group: its leaves first."""
        return [
            *(-leaf for leaf in group.leaves),
            *(self.number_of[part] if isinstance(part, Group) else part for part in group.parts),
        ]

    def look(self, number: int) -> Look:
        """Return what the box of a node, leaf or group says."""
        group = self.group(number)
        if group is not None:
            return group_look(group)
        if number < 0:
            numbers = number_lines(self.picture, number)
            return leaf_look(self.picture.leaves[-number - 1], numbers)
        node = self.picture.nodes[number - 1]
        leaves = self.outline.leaves_inside(node)
        numbers = number_lines(self.picture, number)
        key = (id(node.kind), self.outline.shows_module(number), leaves, numbers)
        if key not in self._looks:
            self._looks[key] = node_look(node, *key[1:])
        return self._looks[key]

    def opened(self, budget: int) -> set[Group]:
        """Return the groups to open first: from the outermost on, while the boxes are few enough.

        Args:
            budget: The most boxes to show; the outermost group is open however many it has.
        """
        root = self.groups[0]
        opened, shown, waiting = {root}, len(self.parts(root)), deque([root])
        while waiting:
            for part in waiting.popleft().parts:
                if not isinstance(part, Group) or part.sort == "repeat":
                    continue
                more = len(part.parts) + len(part.leaves)
                if shown + more <= budget:
                    opened.add(part)
                    shown += more
                    waiting.append(part)
        return opened
