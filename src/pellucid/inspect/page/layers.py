"""The layers of one group: which part stands in which row, and in what order.

A layered drawing after Sugiyama, Tagawa and Toda (1981): each part is one row below what it uses;
an edge that passes rows has a point in each of them; the order in the rows is found by sweeps of
medians. Sizes play no part, so the result holds however many of the parts are open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from operator import gt
from statistics import median

#: stands for what lies outside the group in an edge
OUTSIDE = -1
_SWEEPS = 4
#: from this many entries on nobody could read the tangle after more sweeps than one
_MANY = 1000


@dataclass(frozen=True, slots=True)
class Layers:
    """The rows of a group, from the top.

    Entries below ``count`` are parts of the group, the others points of edges.
    """

    count: int
    rows: tuple[tuple[int, ...], ...]
    #: from one row to the next: upper entry, lower entry, value
    links: tuple[tuple[int, int, int], ...]
    #: value -> the point where it comes in at the top
    inlets: dict[int, int]
    #: value -> the point where it goes out at the bottom
    outlets: dict[int, int]


def layers(count: int, edges: Sequence[tuple[int, int, int]]) -> Layers:
    """Return the rows of a group.

    Args:
        count: How many parts there are; they are ordered so that each uses only earlier ones.
        edges: For each the value that it carries, the part that makes it and the part that uses
            it; ``OUTSIDE`` for what is not in the group.
    """
    drawing = _Drawing(count, edges)
    return Layers(
        count,
        tuple(map(tuple, drawing.ordered())),
        tuple(drawing.links),
        drawing.inlets,
        drawing.outlets,
    )


class _Drawing:
    """Rows in the making."""

    def __init__(self, count: int, edges: Sequence[tuple[int, int, int]]) -> None:
        self.row_of = _rows(count, edges)
        self.last = max(self.row_of, default=0)
        self.inlets: dict[int, int] = {}
        self.outlets: dict[int, int] = {}
        self.links: list[tuple[int, int, int]] = []
        uses: dict[tuple[int, int], list[int]] = {}
        for value, source, target in edges:
            uses.setdefault((value, source), []).append(target)
        for (value, source), targets in uses.items():
            self._draw(value, source, targets)

    def _point(self, row: int) -> int:
        self.row_of.append(row)
        return len(self.row_of) - 1

    def _draw(self, value: int, source: int, targets: list[int]) -> None:
        """Draw all edges of a value as one line that goes down, with branches to the parts."""
        if source == OUTSIDE:
            source = self.inlets[value] = self._point(0)
        inside = sorted({each for each in targets if each != OUTSIDE}, key=self.row_of.__getitem__)
        leaving = len(inside) < len(set(targets))
        line, row = source, self.row_of[source]
        for target in inside:
            line, row = self._down(line, row, self.row_of[target] - 1, value)
            self.links.append((line, target, value))
        if leaving:
            line, row = self._down(line, row, self.last, value)
            self.outlets[value] = self._point(self.last + 1)
            self.links.append((line, self.outlets[value], value))

    def _down(self, line: int, row: int, end: int, value: int) -> tuple[int, int]:
        """Lead a line down to a row."""
        if row >= end:
            return line, row
        first = len(self.row_of)
        self.row_of.extend(range(row + 1, end + 1))
        points = range(first, len(self.row_of))
        self.links.extend(zip((line, *points[:-1]), points, repeat(value), strict=False))
        return points[-1], end

    def ordered(self) -> list[list[int]]:
        """Return the rows in an order with few crossings."""
        rows: list[list[int]] = [[] for _ in range(max(self.row_of, default=-1) + 1)]
        for entry, row in enumerate(self.row_of):
            rows[row].append(entry)
        above: dict[int, list[int]] = {}
        below: dict[int, list[int]] = {}
        for upper, lower, _ in self.links:
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
        if len(self.row_of) > _MANY:
            return _swept(rows, above)
        best, fewest = rows, _crossings(rows, below)
        for sweep in range(_SWEEPS):
            if fewest == 0:
                break
            rows = _swept(rows, below, upwards=True) if sweep % 2 else _swept(rows, above)
            crossings = _crossings(rows, below)
            if crossings < fewest:
                best, fewest = rows, crossings
        return best


def _rows(count: int, edges: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return each part's row: below all that it uses; what uses nothing, right above its user."""
    first = int(any(source == OUTSIDE for _, source, _ in edges))
    rows = [first] * count
    users: list[list[int]] = [[] for _ in range(count)]
    fed = [False] * count
    for _, source, target in sorted(edges, key=lambda edge: edge[1]):
        if target == OUTSIDE:
            continue
        fed[target] = True
        if source != OUTSIDE:
            users[source].append(target)
    for source in range(count):
        for target in users[source]:
            rows[target] = max(rows[target], rows[source] + 1)
    for source in range(count):
        if users[source] and not fed[source]:
            rows[source] = min(rows[target] for target in users[source]) - 1
    return rows


def _swept(
    rows: list[list[int]], neighbours: dict[int, list[int]], upwards: bool = False
) -> list[list[int]]:
    """Return the rows, each sorted by the median position of its entries' neighbours."""
    swept = [list(row) for row in rows]
    position: dict[int, float] = {}
    wanted: dict[int, float] = {}
    order = reversed(swept) if upwards else swept
    for row in order:
        for index, entry in enumerate(row):
            near = neighbours.get(entry) if position else None
            if near is None:
                wanted[entry] = index
            elif len(near) == 1:  # as for nearly all, and `median` is slow
                wanted[entry] = position[near[0]]
            else:
                wanted[entry] = median([position[each] for each in near])
        row.sort(key=wanted.__getitem__)
        position.update((entry, index) for index, entry in enumerate(row))
    return swept


def _crossings(rows: list[list[int]], below: dict[int, list[int]]) -> int:
    """Count the pairs of links that cross between neighbouring rows."""
    crossings = 0
    for upper, lower in pairwise(rows):
        position = {entry: index for index, entry in enumerate(lower)}
        ends: list[int] = []
        for entry in upper:
            own = below.get(entry, ())
            ends += [position[own[0]]] if len(own) == 1 else sorted(position[e] for e in own)
        if any(map(gt, ends, ends[1:])):
            crossings += _inversions(ends)
    return crossings


def _inversions(numbers: list[int]) -> int:
    """Count the pairs of which the larger comes first."""
    inversions = 0
    seen: list[int] = []
    for number in numbers:
        place = bisect_right(seen, number)
        inversions += len(seen) - place
        seen.insert(place, number)
    return inversions
