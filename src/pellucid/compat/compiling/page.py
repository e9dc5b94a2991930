"""Recordings as graphs that are drawn, and the page of a compiled function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from pellucid.autograd.sites import place_text
from pellucid.compat.compiling.trace import Inlined, Step, Trace, TraceFrame, registers_in
from pellucid.compat.compiling.wording import expressions
from pellucid.errors import ArgumentError
from pellucid.inspect.collector import collector_off
from pellucid.inspect.page.document import page
from pellucid.inspect.page.payload import scene_data
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.snapshot import Graph, GraphLeaf, GraphNodes, KeptBlocks, NodeKind
from pellucid.inspect.tables import count_text


class _Laying:
    """Lays the operations of a recording out as nodes.

    Args:
        trace: The recording.
        operations: What is told of its operations, in order.
    """

    def __init__(self, trace: Trace, operations: Sequence[Any]) -> None:
        self.trace = trace
        self.names = expressions(trace)
        self.told = iter(operations)
        self.count = len(operations)
        #: what registers come from: nodes, and leaves as negated numbers
        self.sources: dict[str, list[int]] = {}
        self.leaves: dict[str, list[Any]] = {}
        self.rows: list[tuple[NodeKind, list[int]]] = []

    def lay(self, frame: TraceFrame, inside: tuple[str, ...]) -> None:
        """Lay out what a frame does.

        Args:
            frame: The frame.
            inside: The modules around it, as the program writes them.
        """
        for each in frame.items:
            if isinstance(each, Inlined):
                module = each.frame.module
                name = "" if module is None else self.names.get(module.register, "")
                self.lay(each.frame, (*inside, name) if name else inside)
                if each.out is not None:
                    self.sources[each.out] = self._of(each.frame.result)
            elif isinstance(each, Step):
                self._lay_step(each, inside)

    def _lay_step(self, step: Step, inside: tuple[str, ...]) -> None:
        given = dict.fromkeys(node.id for node in registers_in(step.text.partition(" = ")[2]))
        called = step.called
        is_layer = called is not None and called.kind == "layer"
        sources = [
            source for place, name in enumerate(given)
            for source in self._of(name, is_layer and not place)
        ]  # fmt: skip
        if called is not None and called.is_operation:
            self.rows.append((self._kind(next(self.told), inside), sources))
            sources = [self.count - len(self.rows) + 1]
        for out in step.outs:
            self.sources[out] = sources

    def _of(self, register: Any, is_layer: bool = False) -> list[int]:
        """Return what a register comes from; what was there before is a leaf."""
        found = self.sources.get(register)
        if found is not None:
            return found
        made = self.trace.made.get(register)
        if made is None and not is_layer:
            return []
        leaf = self.leaves.setdefault(register, [len(self.leaves) + 1, made, 0])
        leaf[2] += 1
        return [-leaf[0]]

    def _kind(self, told: Any, inside: tuple[str, ...]) -> NodeKind:
        where = place_text(told.file, told.line)
        around = [f"at once {told.at_once}"] if told.at_once else []
        path = ".".join([*around, *(each.replace(".", " ") for each in inside)])
        return NodeKind(
            told.name, told.name, where, told.file, told.line, told.source, path,
            (told.like,) if told.like else (), (), None, hash((told.name, told.like, where)),
        )  # fmt: skip

    def graph(self) -> Graph:
        """Return all of it; a graph is numbered from its end."""
        rows = self.rows[::-1]
        used = {source for _, sources in rows for source in sources}
        roots = tuple(number for number in range(1, len(rows) + 1) if number not in used)
        leaves = tuple(self._leaves())
        kept = KeptBlocks.of_rows([], [])
        return Graph(GraphNodes.of_rows(rows), leaves, roots, kept, sum(e.bytes for e in leaves))

    def _leaves(self) -> Iterator[GraphLeaf]:
        for register, (number, made, uses) in self.leaves.items():
            name = self.names.get(register, "a value")
            like, size = ("layer", 0) if made is None else (made.like, made.bytes)
            yield GraphLeaf(number, name, like, size, uses)


def graph_of(recorded: Any) -> Graph:
    """Return the operations of a recording as a graph."""
    laying = _Laying(recorded.trace, recorded.operations)
    laying.lay(recorded.trace.root, ())
    return laying.graph()


def report_page(report: Any) -> str:
    """Return the page of a compiled function: the graph of each recording, and all that is told.

    Raises:
        ValueError: If nothing is recorded.
    """
    if not report.recordings:
        why = f": {report.plain_because}" if report.plain_because else "; it was not called yet"
        raise ArgumentError(f"there is no recording of {report.name} to draw{why}")
    with collector_off():
        scenes = [scene_data(Scene(each.graph())) for each in report.recordings]
    count = len(report.recordings)
    labels = [f"recording {number}" for number in range(1, count + 1)]
    told = f"<details open><summary>What was recorded</summary><pre>{escape(str(report))}</pre>"
    text = f"{count_text(count, 'recording')}, {count_text(len(report.breaks), 'break')}"
    return page(scenes, labels, f"{report.name}, compiled", text, below=f"{told}</details>")
