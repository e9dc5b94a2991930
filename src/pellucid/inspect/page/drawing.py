"""Boxes and lines with their coordinates, for a scene with some of its groups open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pellucid.inspect.page.coordinates import Placed, place
from pellucid.inspect.page.layers import Layers
from pellucid.inspect.page.looks import LINE, Look
from pellucid.inspect.page.outline import Group
from pellucid.inspect.page.scene import Scene

#: pixels between the border of an open group and what is in it, and the height of its title
PADDING, TITLE = 16.0, LINE + 12.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: a node, a leaf, a closed group, or the border of an open one."""

    number: int
    look: Look
    left: float
    top: float
    width: float
    height: float
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A curve from point to point; it ends in an arrow where it meets a closed box."""

    points: tuple[tuple[float, float], ...]
    arrow: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """All boxes and lines, and the size of the whole."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: float
    height: float


def draw(scene: Scene, opened: Iterable[Group]) -> Drawing:
    """Return the boxes and lines of a scene in which these groups are open."""
    return _Sketch(scene, set(opened)).drawing()


class _Sketch:
    def __init__(self, scene: Scene, opened: set[Group]) -> None:
        self.scene = scene
        self.opened = opened
        self.placed: dict[Group, Placed] = {}
        self.boxes: list[Box] = []
        self.lines: list[Line] = []
        # those inside come after those around them
        for group in reversed(scene.groups):
            if group in opened:
                self.placed[group] = self._place(group)

    def drawing(self) -> Drawing:
        root = self.scene.groups[0]
        self._draw(root, 0.0, 0.0)
        placed = self.placed[root]
        return Drawing(tuple(self.boxes), tuple(self.lines), placed.width, placed.height)

    def _layers(self, group: Group) -> Layers:
        scene = self.scene
        return scene.layers[scene.layers_of[self._index(group)]]

    def _index(self, group: Group) -> int:
        return self.scene.number_of[group] - len(self.scene.picture.nodes) - 1

    def _open(self, number: int) -> Group | None:
        group = self.scene.group(number)
        return group if group in self.placed else None

    def _size(self, number: int) -> tuple[float, float]:
        group = self._open(number)
        if group is None:
            return self.scene.look(number).size
        placed = self.placed[group]
        width = max(placed.width, self.scene.look(number).size[0])
        return (width + 2 * PADDING, placed.height + TITLE + PADDING)

    def _place(self, group: Group) -> Placed:
        parts = self.scene.parts(group)
        values = self.scene.values_of[self._index(group)]

        def shift(entry: int, value: int, incoming: bool) -> float:
            inner = self._open(parts[entry])
            return 0.0 if inner is None else self._port(inner, values[value], incoming)

        return place(self._layers(group), [self._size(part) for part in parts], shift)

    def _port(self, group: Group, value: int, incoming: bool) -> float:
        """Return how far right of the middle of an open group a value crosses its border."""
        values = self.scene.values_of[self._index(group)]
        layers, placed = self._layers(group), self.placed[group]
        ports = layers.inlets if incoming else layers.outlets
        entry = ports.get(values.index(value)) if value in values else None
        return 0.0 if entry is None else placed.across[entry] - placed.width / 2

    def _draw(self, group: Group, left: float, top: float) -> None:
        """Draw what is inside a group, from its upper left corner on."""
        layers, placed = self._layers(group), self.placed[group]
        parts = self.scene.parts(group)
        values = self.scene.values_of[self._index(group)]
        #: for each entry, the upper and lower end of its box, or of its piece of a line
        ends = [(0.0, 0.0)] * len(placed.across)
        for row, entries in enumerate(layers.rows):
            for entry in entries:
                ends[entry] = (placed.tops[row], placed.tops[row] + placed.heights[row])
        for entry, number in enumerate(parts):
            width, height = self._size(number)
            above, below = ends[entry]
            ends[entry] = ((above + below - height) / 2, (above + below + height) / 2)
            x, y = left + placed.across[entry] - width / 2, top + ends[entry][0]
            inner = self._open(number)
            look = self.scene.look(number)
            self.boxes.append(Box(number, look, x, y, width, height, inner is not None))
            if inner is not None:
                self._draw(inner, x + (width - self.placed[inner].width) / 2, y + TITLE)
        for entry in layers.inlets.values():
            ends[entry] = (-TITLE, ends[entry][1])
        for entry in layers.outlets.values():
            ends[entry] = (placed.height + PADDING, placed.height + PADDING)
        for upper, lower, value in layers.links:
            start = left + self._meeting(placed, parts, upper, values[value], incoming=False)
            stop = left + self._meeting(placed, parts, lower, values[value], incoming=True)
            points = [(start, top + ends[upper][1]), (stop, top + ends[lower][0])]
            if upper >= layers.count:
                points.insert(0, (start, top + ends[upper][0]))
            arrow = lower < layers.count and self._open(parts[lower]) is None
            self.lines.append(Line(tuple(points), arrow))

    def _meeting(
        self, placed: Placed, parts: list[int], entry: int, value: int, incoming: bool
    ) -> float:
        """Return the x at which the line of a value meets an entry."""
        inner = self._open(parts[entry]) if entry < len(parts) else None
        shift = 0.0 if inner is None else self._port(inner, value, incoming)
        return placed.across[entry] + shift
