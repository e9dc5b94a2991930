"""What is different between two graphs, such as those of two steps of a training."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from pellucid.errors import ArgumentTypeError
from pellucid.inspect.folding import Repeat, fold, length_of
from pellucid.inspect.recording import Recording
from pellucid.inspect.snapshot import Graph, GraphNode, NodeKind
from pellucid.inspect.tables import Column, Printed, count_text, limited_lines, size_text

#: sequences whose lengths multiply to more than this are not compared item by item
_MOST_COMPARED = 4_000_000


@dataclass(frozen=True, slots=True)
class GraphDiff(Printed):
    """The nodes that only one of two graphs has, and those that differ.

    Attributes:
        first: The first graph.
        second: The second graph.
        removed: The numbers of nodes that only the first graph has.
        added: The numbers of nodes that only the second graph has.
        changed: Pairs of numbers: nodes made by the same op on the same line, with another shape,
            dtype or state.
        same: How many nodes are the same in both.

    >>> x = torch.ones(3, requires_grad=True)
    >>> def loss(times):
    ...     return sum((x.exp() for _ in range(times)), x).sum()
    >>> first, second = (torch.inspect.graph(loss(times)) for times in (2, 3))
    >>> difference = torch.inspect.diff(first, second)
    >>> len(difference.added), len(difference.removed), difference.same
    (2, 0, 5)
    """

    first: Graph
    second: Graph
    removed: tuple[int, ...]
    added: tuple[int, ...]
    changed: tuple[tuple[int, int], ...]
    same: int

    @property
    def is_empty(self) -> bool:
        """Whether there is no difference."""
        return not (self.removed or self.added or self.changed)

    def text(self, limit: int | None = 30, width: int | None = None) -> str:
        """Return the differences as text: at most ``limit`` rows, ``width`` characters wide."""
        rows = self.rows()
        lines = [self._headline()]
        if rows:
            columns = [Column(""), Column("line", True), Column("source", True, 24)]
            columns += [Column("nodes"), Column("ops", True, 16), Column("keeps")]
            lines += ["", *limited_lines(columns, rows, list, limit, width, "row")]
        return "\n".join(lines)

    def rows(self) -> list[tuple[str, str, str, str, str, str]]:
        """Return for each line what was removed (−), added (+) or changed (~) of its nodes."""
        together: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for number in self.removed:
            _note(together, "−", _kind(self.first, number), -1)
        for number in self.added:
            _note(together, "+", _kind(self.second, number), 1)
        for before, after in self.changed:
            kinds = _kind(self.first, before), _kind(self.second, after)
            named = f"{kinds[1].op} {_change(*kinds)}"
            key = ("~", kinds[1].where, kinds[1].text)
            together.setdefault(key, []).append((named, kinds[1].kept_bytes - kinds[0].kept_bytes))
        return [
            (*key, f"{len(noted):,}", ", ".join(dict.fromkeys(name for name, _ in noted)),
             _signed(sum(size for _, size in noted)))
            for key, noted in together.items()
        ]  # fmt: skip

    def html(self, path: str | os.PathLike[str]) -> None:
        """Write a page with both graphs next to each other and the differences marked.

        Args:
            path: The file to write.
        """
        from pellucid.inspect.page.compared import diff_page

        Path(path).write_text(diff_page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the differences by line, for notebooks."""
        from pellucid.tensors.notebook import table

        return f"<div>{self._headline()}</div>" + table(
            ("", "line", "source", "nodes", "ops", "keeps"), self.rows()
        )

    def _headline(self) -> str:
        first, second = self.first, self.second
        counts = [
            f"{len(numbers):,} {word}"
            for numbers, word in (
                (self.added, "added"),
                (self.removed, "removed"),
                (self.changed, "changed"),
            )
            if numbers
        ]
        return (
            f"{len(first.nodes):,} → {count_text(len(second.nodes), 'node')}, "
            f"{len(first.leaves):,} → {count_text(len(second.leaves), 'leaf')}; holds "
            f"{size_text(first.held_bytes)} → {size_text(second.held_bytes)}: "
            f"{', '.join(counts) or 'no difference'}"
        )

    def __repr__(self) -> str:
        return f"<GraphDiff {self._headline()}>"


def diff(first: Graph | Recording, second: Graph | Recording) -> GraphDiff:
    """Compare two graphs, such as those of two steps of a training.

    Nodes correspond where the same op was applied on the same line in the same module, in the same
    order.

    Args:
        first: A graph, or a recording, whose graph it is.
        second: The other one.

    Returns:
        The differences; they print as a table by line.

    Raises:
        TypeError: For anything else than graphs and recordings.

    >>> x = torch.ones(3, requires_grad=True)
    >>> first = torch.inspect.graph(x.exp().sum())
    >>> torch.inspect.diff(first, first)
    <GraphDiff 2 → 2 nodes, 1 → 1 leaf; holds 12 B → 12 B: no difference>
    """
    graphs = _graph(first), _graph(second)
    numbers: dict[Hashable, int] = {}
    sequences = [
        [numbers.setdefault(_identity(node), len(numbers)) for node in reversed(graph.nodes)]
        for graph in graphs
    ]
    counts = [len(sequence) for sequence in sequences]
    pairs = [(counts[0] - a, counts[1] - b) for a, b in _corresponding(*sequences)]
    changed = [pair for pair in pairs if _facts(graphs[0], pair[0]) != _facts(graphs[1], pair[1])]
    known = [{pair[side] for pair in pairs} for side in (0, 1)]
    removed, added = (
        tuple(number for number in range(count, 0, -1) if number not in found)
        for count, found in zip(counts, known, strict=True)
    )
    return GraphDiff(*graphs, removed, added, tuple(changed), len(pairs) - len(changed))


def _graph(given: Graph | Recording) -> Graph:
    if isinstance(given, Recording):
        from pellucid.inspect.page.recorded import graph_of

        return graph_of(given)
    if not isinstance(given, Graph):
        raise ArgumentTypeError(
            f"diff() takes graphs and recordings, not {type(given).__name__}: "
            "take the graph of a tensor with inspect.graph(tensor)"
        )
    return given


def _identity(node: GraphNode) -> Hashable:
    return node.name, node.where, node.text, node.module


def _kind(graph: Graph, number: int) -> NodeKind:
    return graph.nodes[number - 1].kind


def _facts(graph: Graph, number: int) -> Hashable:
    kind = _kind(graph, number)
    likes = tuple((value.name, value.like, value.leaf is None) for value in kind.saved)
    return kind.outputs, likes, kind.freed_by is None


def _change(before: NodeKind, after: NodeKind) -> str:
    """Return what has changed between two nodes that correspond."""
    if before.outputs != after.outputs:
        return f"{', '.join(before.outputs)} → {', '.join(after.outputs)}"
    if (before.freed_by is None) != (after.freed_by is None):
        return "freed" if before.freed_by is None else "not freed"
    return "saves other values"


def _note(
    together: dict[tuple[str, str, str], list[tuple[str, int]]], sign: str, kind: NodeKind, by: int
) -> None:
    together.setdefault((sign, kind.where, kind.text), []).append((kind.op, by * kind.kept_bytes))


def _signed(size: int) -> str:
    return f"{'+' if size > 0 else '−'}{size_text(abs(size))}" if size else ""


# ---- which nodes correspond ----------------------------------------------------------------------


def _corresponding(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the places of items that correspond, in order."""
    shortest = min(len(first), len(second))
    start = next((i for i in range(shortest) if first[i] != second[i]), shortest)
    rest = shortest - start
    end = next((i for i in range(rest) if first[-1 - i] != second[-1 - i]), rest)
    yield from ((place, place) for place in range(start))
    middles = first[start : len(first) - end], second[start : len(second) - end]
    yield from ((start + a, start + b) for a, b in _in_folds(*map(fold, middles)))
    yield from ((len(first) - end + i, len(second) - end + i) for i in range(end))


def _in_folds(first: list[Hashable], second: list[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield the places that correspond in what two folded sequences stand for."""
    if len(first) * len(second) > _MOST_COMPARED:
        return
    names = [[_name(item) for item in items] for items in (first, second)]
    places = [_starts(items) for items in (first, second)]
    matcher = SequenceMatcher(None, *names, autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            a, b = block.a + offset, block.b + offset
            length = min(length_of(first[a]), length_of(second[b]))
            yield from ((places[0][a] + i, places[1][b] + i) for i in range(length))


def _name(item: Hashable) -> Hashable:
    """Return what is equal for stretches that differ only in how often they are repeated."""
    return ("repeat", item.items) if isinstance(item, Repeat) else item


def _starts(items: list[Hashable]) -> list[int]:
    starts, start = [], 0
    for item in items:
        starts.append(start)
        start += length_of(item)
    return starts
