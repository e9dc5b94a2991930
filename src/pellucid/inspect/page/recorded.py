"""The page of a recording: its graph over time, live memory, and the time that each line took."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pellucid.inspect.graph_values import GraphValues, ShownValue, shown
from pellucid.inspect.page.document import page
from pellucid.inspect.page.excerpts import short_names
from pellucid.inspect.page.notebook import summary
from pellucid.inspect.page.payload import scene_data
from pellucid.inspect.page.ranks import ranks_section
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.recording import Allocation, RecordedNode, Recording
from pellucid.inspect.snapshot import Graph, GraphNodes, KeptBlocks, NodeKind, SavedValue, alike

#: points of the curve of live memory that are kept: where many fall together, the highest
_POINTS = 2000
#: boxes that are shown at first: more than of a graph, as the view goes along with what happens
_FIRST_BOXES = 64


def recording_page(recording: Recording) -> str:
    """Return the page of a recording."""
    scene = Scene(graph_of(recording))
    lines = [(line.file, line.line) for line in recording.lines]
    return page(
        [scene_data(scene, lines, _FIRST_BOXES)],
        ["recorded graph"],
        "Recording",
        summary(recording),
        timeline_data(recording),
        ranks_section(recording.ranks),
    )


# ---- the graph -----------------------------------------------------------------------------------


def graph_of(recording: Recording) -> Graph:
    """Return the graph of all nodes that were made while the recording ran.

    A node's number is counted from the one made last, as in the picture of a graph. There are no
    leaves, as a recording does not tell them from tensors that were made before it.
    """
    count = len(recording.nodes)
    kinds = _Kinds(recording)
    nodes = GraphNodes.of_rows(
        (kinds.of(node), [None if each is None else count - each for each in node.operands])
        for node in reversed(recording.nodes)
    )
    used = {operand for node in nodes for operand in node.operands}
    roots = tuple(node.number for node in nodes if node.number not in used)
    return Graph(nodes, (), roots, _kept_blocks(recording), 0, values=_values(recording))


def _values(recording: Recording) -> GraphValues | None:
    """Return what the nodes gave and got, if that was recorded; of several, the first is shown."""
    if not recording.recorded_values:
        return None
    count = len(recording.nodes)
    found: dict[str, dict[int, ShownValue]] = {"value": {}, "gradient": {}}
    for row in recording.recorded_values:
        if row.node is not None:
            whole = row.whole
            value = ShownValue(row.summary.text(), row.summary) if whole is None else shown(whole)
            found[row.kind].setdefault(count - row.node, value)
    return GraphValues(found["value"], found["gradient"], {}, {}, {})


def _kept_blocks(recording: Recording) -> KeptBlocks:
    """Return the memory that nodes have kept, without that of parameters."""
    count = len(recording.nodes)
    kept = [
        {hold.node for hold in each.holds if hold.kind == "saved" and hold.node is not None}
        for each in recording.allocations
        if each.kind != "parameter"
    ]
    rows = ((count - node, block) for block, nodes in enumerate(kept) for node in nodes)
    sizes = [each.bytes for each in recording.allocations if each.kind != "parameter"]
    return KeptBlocks.of_rows(rows, sizes)


class _Kinds:
    """What the nodes that one line made in a loop have in common, each described once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.known: dict[Any, NodeKind] = {}
        self.patterns: dict[Any, int] = {}
        self.saved_by: dict[int, list[SavedValue]] = defaultdict(list)
        for allocation in recording.allocations:
            for hold in allocation.holds:
                if hold.kind == "saved" and hold.node is not None:
                    name = hold.name.rpartition(" as ")[2]
                    self.saved_by[hold.node].append(_saved_value(name, allocation))

    def of(self, node: RecordedNode) -> NodeKind:
        event = None if node.event is None else self.recording.events[node.event]
        op = node.name.removesuffix("Backward0") if event is None else event.name
        outputs = () if event is None else event.outputs
        saved = tuple(self.saved_by[node.number])
        key = (node.name, op, node.line, node.module, outputs, saved)
        if key not in self.known:
            where, file, number, text = "", "", 0, ""
            if node.line is not None:
                line = self.recording.lines[node.line]
                where, file, number, text = line.where, line.file, line.line, line.text
            pattern = self._pattern(node, op, outputs, saved)
            self.known[key] = NodeKind(
                node.name, op, where, file, number, text, node.module, outputs, saved, None, pattern
            )
        return self.known[key]

    def _pattern(
        self, node: RecordedNode, op: str, outputs: tuple[str, ...], saved: tuple[SavedValue, ...]
    ) -> int:
        """Return a number that is equal for nodes that count as repetitions of each other."""
        key = (node.name, op, node.line, alike(node.module), outputs, saved)
        return self.patterns.setdefault(key, len(self.patterns))


def _saved_value(name: str, allocation: Allocation) -> SavedValue:
    dtype, _, shape = allocation.like.rstrip("]").partition("[")
    sizes = tuple(int(size) for size in shape.split(", ") if size)
    if allocation.kind == "parameter":
        return SavedValue(name, f"parameter {allocation.like}", sizes, dtype, 0)
    return SavedValue(name, allocation.like, sizes, dtype, allocation.bytes)


# ---- time ----------------------------------------------------------------------------------------


def timeline_data(recording: Recording) -> dict[str, Any]:
    """Return when nodes were made, run and freed, the live bytes, and the time by line."""
    memory = recording.memory()
    nodes = recording.nodes[::-1]
    return {
        "duration": recording.duration,
        "made": [node.made for node in nodes],
        "ran": [-1 if node.ran is None else node.ran for node in nodes],
        "freed": [-1 if node.freed is None else node.freed for node in nodes],
        "curve": _thinned(list(zip(memory.live.times, memory.live.bytes, strict=True))),
        "peak": [memory.peak.time, memory.peak.bytes, memory.peak.where],
        "phases": memory.phases,
        "lines": _times_by_line(recording),
    }


def _thinned(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return at most this many points of a curve; the highest of those that fall together."""
    width = -(-len(points) // _POINTS) or 1
    return [
        max(points[start : start + width], key=lambda point: point[1])
        for start in range(0, len(points), width)
    ]


def _times_by_line(recording: Recording) -> list[tuple[str, int, dict[str, int]]]:
    """Return file, line, and nanoseconds in each phase; what called others is not counted twice."""
    times: dict[int, dict[str, int]] = {}
    for event in recording.events:
        if event.line is not None and event.self_time:
            phases = times.setdefault(event.line, {})
            phases[event.phase] = phases.get(event.phase, 0) + event.self_time
    files = short_names(dict.fromkeys(line.file for line in recording.lines))
    found = [(recording.lines[number], phases) for number, phases in times.items()]
    return [(files[line.file], line.line, phases) for line, phases in found]
