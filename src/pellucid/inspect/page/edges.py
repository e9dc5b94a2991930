"""The edges inside each group: from part to part, and in and out of the group."""

from __future__ import annotations

from pellucid.inspect.page.layers import OUTSIDE
from pellucid.inspect.page.outline import Group, Outline

#: values that go the same way are drawn as one edge from this many on
_BUNDLED = 6

#: value (a node's number, or a leaf's negated), part that makes it, part that uses it
Edge = tuple[int, int, int]


def edges_by_group(outline: Outline) -> dict[Group, list[Edge]]:
    """Return the edges of each group, between positions in its leaves and parts."""
    lifting = _Lifting(outline)
    for node in reversed(outline.picture.nodes):
        for operand in dict.fromkeys(node.operands):
            if operand is not None and -operand not in outline.inlined:
                lifting.add(operand, node.number)
    return {group: _bundled(edges) for group, edges in lifting.edges.items()}


class _Lifting:
    """Lifts each edge of the graph to the groups that it passes."""

    def __init__(self, outline: Outline) -> None:
        self.group_of = outline.group_of
        #: where each node, leaf (negated) and group stands in its group
        self.position: dict[int | Group, int] = {}
        self.depth: dict[Group, int] = {}
        self.leaf_group: dict[int, Group] = {}
        self.edges: dict[Group, dict[Edge, None]] = {}
        for group in outline.groups:
            self.edges[group] = {}
            self.depth[group] = 0 if group.parent is None else self.depth[group.parent] + 1
            for leaf in group.leaves:
                self.leaf_group[-leaf] = group
            self.position.update(
                (part, position)
                for position, part in enumerate([*(-e for e in group.leaves), *group.parts])
            )

    def add(self, value: int, user: int) -> None:
        """Add the edge by which a node uses a value."""
        source: int | Group = value
        target: int | Group = user
        above = self.group_of[value] if value > 0 else self.leaf_group[value]
        below = self.group_of[user]
        while above is not below:
            if self.depth[below] >= self.depth[above]:
                self.edges[below][value, OUTSIDE, self.position[target]] = None
                target, below = below, _parent(below)
            else:
                self.edges[above][value, self.position[source], OUTSIDE] = None
                source, above = above, _parent(above)
        self.edges[above][value, self.position[source], self.position[target]] = None


def _parent(group: Group) -> Group:
    assert group.parent is not None, "the outermost group has all nodes"
    return group.parent


def _bundled(edges: dict[Edge, None]) -> list[Edge]:
    """Return the edges, with one for all where many values go the same way."""
    alike: dict[tuple[int, int], list[Edge]] = {}
    for edge in edges:
        alike.setdefault(edge[1:], []).append(edge)
    return [
        edge for same in alike.values() for edge in (same[:1] if len(same) > _BUNDLED else same)
    ]
