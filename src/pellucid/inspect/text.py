"""A graph as text: a row for each node, rails that show where gradients go, repeats folded."""

from __future__ import annotations

import heapq
import re
import textwrap
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from pellucid.autograd.sites import shortened
from pellucid.inspect.folding import Repeat, fold
from pellucid.inspect.snapshot import Graph, GraphLeaf, GraphNode, SavedValue, names_of
from pellucid.inspect.tables import count_text, first_rows, size_text
from pellucid.inspect.values_text import values_lines

_SOURCE_WIDTH = 48
_MOST_RAILS = 12
_MOST_LEAVES = 30
_FOLDED_INDENT = 10


def write(picture: Graph, limit: int | None, width: int | None = None) -> str:
    """Return the picture as text with at most ``limit`` rows of nodes, folded to a width."""
    lines = [_headline(picture)]
    if picture.nodes:
        lines += ["", *_node_lines(picture, limit)]
    if picture.leaves:
        lines += ["", *_leaf_lines(picture)]
    if picture.values is not None:
        lines += ["", *values_lines(picture, limit)]
    if width is not None:
        lines = [piece for line in lines for piece in _folded(line, width)]
    return "\n".join(line.rstrip() for line in lines)


def _folded(line: str, width: int) -> list[str]:
    """Return a line as lines of at most this width; only the first keeps its columns."""
    indent = " " * _FOLDED_INDENT
    first, *others = textwrap.wrap(line, width, subsequent_indent=indent) or [""]
    return [first, *(indent + re.sub(" {2,}", "  ", each.strip()) for each in others)]


def _headline(picture: Graph) -> str:
    nodes = picture.nodes
    states: Counter[str] = Counter()
    for kind, count in zip(nodes.kinds, nodes.count_by_kind(), strict=True):
        states[kind.state] += count
    named = {"live": "live", "freed": "freed", "saves nothing": "saving nothing"}
    parts = [f"{states[s]:,} {words}" for s, words in named.items() if states[s]]
    text = f"graph: {count_text(len(nodes), 'node')}"
    if parts:
        text += f" ({', '.join(parts)})"
    text += f", {count_text(len(picture.leaves), 'leaf')}"
    text += f"; holds {size_text(picture.held_bytes)} "
    text += f"beside the leaves' {size_text(picture.leaf_bytes)}"
    packed = sum(
        count * sum(value.packed for value in kind.saved)
        for kind, count in zip(nodes.kinds, nodes.count_by_kind(), strict=True)
    )
    return f"{text}, and {count_text(packed, 'packed value')}" if packed else text


# ---- nodes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """What one line shows: a node, or what is left out after it."""

    node: int
    note: str = ""


def _node_lines(picture: Graph, limit: int | None) -> list[str]:
    rows = list(_rows(picture))
    hidden = 0 if limit is None else len(rows) - limit
    if hidden > 0:
        rows = rows[:limit]
    modules = any(picture.nodes[row.node].module for row in rows)
    cells = [_cells(picture, picture.nodes[row.node], modules) for row in rows if not row.note]
    heading = ["", "node", "output", "from", "line", "source", "saved"]
    if modules:
        heading.insert(6, "module")
    widths = [max(map(len, column)) for column in zip(heading, *cells, strict=True)]
    rails = _rails(picture, rows)
    width = max(map(len, rails))
    lines = [" " * width + "  " + _aligned(heading, widths)]
    shown = iter(cells)
    for row, rail in zip(rows, rails, strict=True):
        text = row.note or _aligned(next(shown), widths)
        lines.append(f"{rail:<{width}}  {text}")
    if hidden > 0:
        lines.append(f"{'⋮':<{width}}  {hidden:,} more rows; text(limit=None) has them all")
    return lines


def _aligned(cells: list[str], widths: list[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))


def _cells(picture: Graph, node: GraphNode, modules: bool) -> list[str]:
    cells = [
        f"#{node.number}",
        node.name,
        ", ".join(node.outputs),
        names_of(picture, node.operands),
        node.where,
        shortened(node.text, _SOURCE_WIDTH),
        _saved_text(picture, node),
    ]
    if modules:
        cells.insert(6, node.module)
    return cells


def _saved_text(picture: Graph, node: GraphNode) -> str:
    freed = node.freed_by
    if freed is not None:
        return f"freed by {freed}"
    return ", ".join(_value_text(picture, value) for value in node.saved) or "nothing"


def _value_text(picture: Graph, value: SavedValue) -> str:
    if value.packed:
        return f"{value.name} packed"
    if value.leaf is not None:
        return f"{value.name} = {picture.leaves[value.leaf - 1].name}"
    return f"{value.name} {value.like} {size_text(value.bytes)}"


def _rows(picture: Graph) -> Iterator[_Row]:
    """Yield a row per node, of a stretch that repeats only the first time with a note after it."""
    place = 0
    patterns = np.array([kind.pattern for kind in picture.nodes.kinds], int)
    for item in fold(patterns[picture.nodes.kind_of].tolist()):
        yield from _item_rows(item, place)
        place += item.length if isinstance(item, Repeat) else 1


def _item_rows(item: Hashable, place: int) -> Iterator[_Row]:
    """Yield the rows of one item; folds lie within folds only a few levels deep."""
    if not isinstance(item, Repeat):
        yield _Row(place)
        return
    start, shown = place, 0
    for inner in item.items:
        for row in _item_rows(inner, place):
            shown += 1
            yield row
        place += inner.length if isinstance(inner, Repeat) else 1
    rows = "the row above" if shown == 1 else f"the {shown} rows above"
    last = start + item.length
    yield _Row(place - 1, f"{rows} {item.times - 1:,} more times, #{place + 1:,} to #{last:,}")


# ---- rails ---------------------------------------------------------------------------------------


class _Lanes:
    """Which lanes are taken by gradients on their way, while one goes down the list of nodes."""

    def __init__(self) -> None:
        #: number of a node that a gradient is on its way to -> its lane
        self.lane_of: dict[int, int] = {}
        self.free: list[int] = []
        self.count = 0

    def take(self) -> int:
        if self.free:
            return heapq.heappop(self.free)
        self.count += 1
        return self.count - 1

    def pass_node(self, node: GraphNode) -> tuple[int, list[int], list[int]]:
        """Go past a node: return its lane, those that it joins, and those that it opens."""
        lane = self.lane_of.pop(node.number, -1)
        if lane < 0:
            lane = self.take()
        targets = {each for each in node.operands if each is not None and each > 0}
        joined = [self.lane_of[each] for each in targets if each in self.lane_of]
        fresh = sorted((each for each in targets if each not in self.lane_of), key=abs)
        opened: list[int] = []
        for position, target in enumerate(fresh):
            if position == 0:
                self.lane_of[target] = lane
                continue
            new = self.take()
            self.lane_of[target] = new
            opened.append(new)
        if not fresh:
            heapq.heappush(self.free, lane)
        return lane, joined, opened

    def skip(self, count: int, last: int, targets: set[int]) -> None:
        """Go past this many nodes, which repeat those before, up to the one of this number.

        A gradient that they send takes the lane of the one that it is the repetition of.
        """
        passed = {each: self.lane_of.pop(each) for each in sorted(self.lane_of) if each <= last}
        for target in sorted(each for each in targets if each > last):
            if target not in self.lane_of:
                lane = passed.pop(target - count, None)
                self.lane_of[target] = self.take() if lane is None else lane
        for lane in passed.values():
            heapq.heappush(self.free, lane)

    def drawn(self, lane: int, joined: list[int], opened: list[int], before: set[int]) -> str:
        """Draw one row: ``●`` for the node, ``│`` for what passes by, a line to other lanes."""
        ends = {*joined, *opened, lane}
        low, high = min(ends), max(ends)
        drawn: list[str] = []
        for place in range(max(high, max(before, default=0)) + 1):
            inside = low <= place <= high and len(ends) > 1
            drawn.append(self._mark(place, lane, joined, opened, before, inside, low, high))
            drawn.append("─" if inside and place < high else " ")
        return "".join(drawn[: 2 * _MOST_RAILS]) + ("…" if len(drawn) > 2 * _MOST_RAILS else "")

    def _mark(
        self, place: int, lane: int, joined: list[int], opened: list[int], before: set[int],
        inside: bool, low: int, high: int,
    ) -> str:  # fmt: skip
        if place == lane:
            return "●"
        if place in opened:
            return "╮" if place == high else "╭" if place == low else "┬"
        if place in joined:
            return "┤" if place == high else "├" if place == low else "┼"
        if place in before:
            return "┼" if inside else "│"
        return "─" if inside else " "


def _rails(picture: Graph, rows: list[_Row]) -> list[str]:
    """Return the rails left of each row."""
    lanes, rails, passed = _Lanes(), [], 0
    for row in rows:
        if passed < row.node:
            targets = set(picture.nodes.targets(passed + 1, row.node).tolist())
            lanes.skip(row.node - passed, row.node, targets)
        taken = set(lanes.lane_of.values())
        if row.note:
            width = min(max(taken, default=0) + 1, _MOST_RAILS)
            rails.append("".join("⋮ " if i in taken else "  " for i in range(width)))
            continue
        lane, joined, opened = lanes.pass_node(picture.nodes[row.node])
        passed = row.node + 1
        rails.append(lanes.drawn(lane, joined, opened, taken - {lane}))
    return [rail.rstrip() for rail in rails]


# ---- leaves --------------------------------------------------------------------------------------


def _leaf_lines(picture: Graph) -> list[str]:
    rest = f", {size_text(sum(leaf.bytes for leaf in picture.leaves[_MOST_LEAVES:]))}"
    heading = ["leaf", "", "", ""]
    lines = first_rows(heading, picture.leaves, _leaf_cells, _MOST_LEAVES, "leaf", rest)
    return [f"  {line}" for line in lines]


def _leaf_cells(leaf: GraphLeaf) -> list[str]:
    return [leaf.name, leaf.like, size_text(leaf.bytes), count_text(leaf.uses, "use")]
