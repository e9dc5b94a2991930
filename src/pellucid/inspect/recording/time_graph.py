"""A recording as a graph in the language of Graphviz: ops by line with their times."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pellucid.inspect.dot import quoted
from pellucid.inspect.recording.events import RecordedNode
from pellucid.inspect.recording.totals import Total, op_name
from pellucid.inspect.tables import time_text

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording

#: a line, a module, and an op on the line
_Box = tuple[int | None, str, str]


def write_dot(recording: Recording) -> str:
    """Return a ``digraph`` in which a box is an op on a line, for all times that it ran.

    The redder a box is, the more time it has taken, forward and backward.
    """
    boxes = [_box(recording, node) for node in recording.nodes]
    totals = _totals(recording, boxes)
    whole = max((each.own for each in totals.values()), default=0) or 1
    numbers = {box: number for number, box in enumerate(totals)}
    lines = ["digraph {", "  node [shape=box, style=filled, fontname=monospace];"]
    for box, total in totals.items():
        label = quoted(_label(recording, box, total))
        shade = f"0.05 {total.own / whole:.3f} 1.0"
        lines.append(f'  n{numbers[box]} [label={label}, fillcolor="{shade}"];')
    for (start, end), count in _edges(recording, boxes).items():
        label = f' [label="{count}"]' if count > 1 else ""
        lines.append(f"  n{numbers[start]} -> n{numbers[end]}{label};")
    return "\n".join([*lines, "}"])


def _box(recording: Recording, node: RecordedNode) -> _Box:
    name = node.name if node.event is None else recording.events[node.event].name
    return node.line, node.module, name


def _totals(recording: Recording, boxes: list[_Box]) -> dict[_Box, Total]:
    """Add up forward and backward of the nodes of each box."""
    totals: dict[_Box, Total] = defaultdict(lambda: Total(""))
    for box in boxes:
        totals[box]
    for event in recording.events:
        if event.node is not None:
            total = totals[boxes[event.node]]
            total.name = op_name(recording, event)
            total.add(event)
    return totals


def _label(recording: Recording, box: _Box, total: Total) -> str:
    line, module, name = box
    lines = [f"{name} ×{total.calls}" if total.calls > 1 else name, *filter(None, [module])]
    if line is not None:
        lines += [recording.lines[line].where, recording.lines[line].text]
    lines.append(f"forward {time_text(total.forward) or '0'}")
    lines.append(f"backward {time_text(total.backward) or '0'}")
    return "\n".join(lines)


def _edges(recording: Recording, boxes: list[_Box]) -> Counter[tuple[_Box, _Box]]:
    """Count the tensors that go from box to box."""
    edges: Counter[tuple[_Box, _Box]] = Counter()
    for node in recording.nodes:
        for operand in node.operands:
            if operand is not None:
                edges[boxes[operand], boxes[node.number]] += 1
    return edges
