"""A frozen picture of a graph: plain numbers and text, taken in one walk.

The picture holds no node, tensor or array, so it keeps nothing alive and stays as it was when the
graph goes on to be run, freed or dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy import ndarray

from pellucid.autograd.engine import plan_all
from pellucid.autograd.explanations.saved_values import op_of, saved_name
from pellucid.autograd.explanations.text import describe
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.reading import common_reader, root_nodes
from pellucid.autograd.saved import PackedValue
from pellucid.inspect.collector import collector_off
from pellucid.inspect.holdings import Kept
from pellucid.inspect.leaf_names import name_leaves
from pellucid.inspect.rows import Rows
from pellucid.inspect.survey import Numbers, owner_of
from pellucid.inspect.tables import Printed

if TYPE_CHECKING:
    from pellucid.inspect.graph_values import GraphValues


@dataclass(frozen=True, slots=True)
class SavedValue:
    """One value that a node keeps for its backward.

    Attributes:
        name: The name of the value in the node's formula.
        like: Dtype and shape as text, ``float32[3, 4]``; ``packed`` if a saved-tensor hook has it.
        shape: Its shape.
        dtype: The name of its dtype.
        bytes: The size of its memory.
        leaf: The number of the leaf whose memory it is, if any.
        packed: Whether a saved-tensor hook has it.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> saved = torch.inspect.graph(x * x).nodes[0].saved[0]
    >>> saved.name, saved.like, saved.bytes
    ('other', 'float32[2]', 8)
    """

    name: str
    like: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    leaf: int | None = None
    packed: bool = False


@dataclass(frozen=True, slots=True)
class Freed:
    """The pass that freed what a node had saved."""

    #: ``backward``, ``grad`` or ``release``
    call: str
    number: int
    #: ``file.py:LINE``; empty for a pass of PyTorch's that was not noted
    where: str

    @classmethod
    def by(cls, run: BackwardRun | None) -> Freed | None:
        """Return what is kept of a pass, if there was one."""
        if run is None:
            return None
        return cls(run.call, run.number, str(run.site) if run.is_noted else "")

    @property
    def passed(self) -> str:
        """The pass in words, as ``backward #2``."""
        return f"{self.call} #{self.number}" if self.where else f"{self.call} that was not noted"

    def __str__(self) -> str:
        return f"{self.passed}, {self.where}" if self.where else self.passed


@dataclass(frozen=True, slots=True)
class NodeKind:
    """What many nodes of a graph have in common: those that one line makes in a loop."""

    #: as ``MulBackward0``
    name: str
    #: as ``mul``; the node's own name where no op made it
    op: str
    #: ``file.py:LINE``, the user's line that made the node
    where: str
    #: path of the file of that line, and its number
    file: str
    line: int
    #: source text of that line
    text: str
    #: dotted name of the module that made the node
    module: str
    #: as ``float32[3, 4]``, one per output
    outputs: tuple[str, ...]
    saved: tuple[SavedValue, ...]
    freed_by: Freed | None
    #: equal for nodes that count as repetitions of each other
    pattern: int = field(compare=False)

    @property
    def kept_bytes(self) -> int:
        """The bytes of what it has saved, without the memory of leaves."""
        return sum(value.bytes for value in self.saved if value.leaf is None)

    @property
    def state(self) -> str:
        if self.freed_by is not None:
            return "freed"
        return "live" if self.saved else "saves nothing"


class GraphNode(NamedTuple):
    """One node of a graph.

    Attributes:
        number: Its number, from 1 in the order in which a backward pass runs the nodes.
        kind: What it has in common with the other nodes that the same line made.
        operands: One entry per operand: a node's number, a leaf's number negated, or None if the
            operand needs no gradient.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> node = torch.inspect.graph(x * x).nodes[0]
    >>> node.name, node.operands
    ('MulBackward0', (-1, -1))
    """

    number: int
    kind: NodeKind
    operands: tuple[int | None, ...]

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def op(self) -> str:
        return self.kind.op

    @property
    def where(self) -> str:
        return self.kind.where

    @property
    def text(self) -> str:
        return self.kind.text

    @property
    def module(self) -> str:
        return self.kind.module

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.kind.outputs

    @property
    def saved(self) -> tuple[SavedValue, ...]:
        return self.kind.saved

    @property
    def freed_by(self) -> Freed | None:
        return self.kind.freed_by

    @property
    def state(self) -> str:
        """``live``, ``freed`` or ``saves nothing``."""
        return self.kind.state


class GraphNodes(Rows[GraphNode]):
    """The nodes of a graph, each made when it is asked for: most are never looked at.

    Args:
        kinds: What nodes have in common.
        kind_of: By node: its kind.
        starts: By node, and at the end: where its operands begin.
        targets: The operands of all nodes, as in `GraphNode`, with 0 for None.
    """

    __slots__ = ("kind_of", "kinds", "_starts", "_targets")

    def __init__(
        self, kinds: Sequence[NodeKind], kind_of: Numbers, starts: Numbers, targets: Numbers
    ) -> None:
        self.kinds = kinds
        self.kind_of = kind_of
        self._starts = starts
        self._targets = targets

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[NodeKind, Sequence[int | None]]]) -> GraphNodes:
        """Return the nodes that have these kinds and operands."""
        kinds: dict[int, int] = {}
        found: list[NodeKind] = []
        kind_of, starts, targets = [], [0], []
        for kind, operands in rows:
            kind_of.append(kinds.setdefault(id(kind), len(found)))
            if kind_of[-1] == len(found):
                found.append(kind)
            targets += [each or 0 for each in operands]
            starts.append(len(targets))
        return cls(found, *(np.array(each, np.int64) for each in (kind_of, starts, targets)))

    def targets(self, first: int, last: int) -> Numbers:
        """Return the nodes (positive) and leaves (negative) that these numbers' nodes lead to."""
        return self._targets[self._starts[first - 1] : self._starts[last]]

    def count_by_kind(self) -> list[int]:
        """Return how many nodes there are of each kind."""
        return np.bincount(self.kind_of, minlength=len(self.kinds)).tolist()

    def __len__(self) -> int:
        return len(self.kind_of)

    def kind(self, number: int) -> NodeKind:
        """Return the kind of the node with a number."""
        return self.kinds[self.kind_of[number - 1]]

    def row(self, place: int) -> GraphNode:
        """Return the node at a place from 0."""
        operands = tuple([each or None for each in self.targets(place + 1, place + 1).tolist()])
        return GraphNode(place + 1, self.kinds[self.kind_of[place]], operands)

    def __iter__(self) -> Iterator[GraphNode]:
        operands = [each or None for each in self._targets.tolist()]
        borders = pairwise(self._starts.tolist())
        for number, (kind, (start, end)) in enumerate(
            zip(self.kind_of.tolist(), borders, strict=True), 1
        ):
            yield GraphNode(number, self.kinds[kind], tuple(operands[start:end]))


class KeptBlocks(NamedTuple):
    """The memory that the saved values of nodes look into, in blocks, without that of leaves.

    A block is the memory of one array, which several nodes may keep: what some nodes keep together
    is the sum over their different blocks.
    """

    #: by entry: the number of a node, and a block that it keeps
    nodes: Numbers
    blocks: Numbers
    #: by block: its bytes
    sizes: Numbers

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, int]], sizes: Sequence[int]) -> KeptBlocks:
        """Return the blocks of these sizes, with rows of a node and a block that it keeps."""
        nodes, blocks = np.array([*rows], np.int64).reshape(-1, 2).T
        return cls(nodes, blocks, np.array(sizes, np.int64))

    def by_node(self, count: int) -> list[list[int]]:
        """Return for each of this many nodes the blocks that it keeps."""
        kept: list[list[int]] = [[] for _ in range(count)]
        for node, block in zip(self.nodes.tolist(), self.blocks.tolist(), strict=True):
            kept[node - 1].append(block)
        return kept


@dataclass(frozen=True, slots=True)
class GraphLeaf:
    """A tensor at which gradients end.

    Attributes:
        number: Its number, from 1.
        name: Its name, read from the source where that is possible.
        like: Dtype and shape as text, ``float32[3, 4]``.
        bytes: The size of its memory.
        uses: How many operands lead to it.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.inspect.graph(x * x).leaves[0].uses
    2
    """

    number: int
    name: str
    like: str
    bytes: int
    uses: int


@dataclass(frozen=True, slots=True)
class Graph(Printed):
    """A snapshot of a graph, to print, or to search with `find`.

    Attributes:
        nodes: The nodes, in the order in which a backward pass runs them.
        leaves: The leaves.
        roots: The numbers of the nodes that the graph was taken from, negated for a leaf.
        kept: Which memory each node keeps, where several may keep the same.
        leaf_bytes: The memory of the leaves, counted once.
        values: The numbers, if they were asked for.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> graph = torch.inspect.graph((x * x).sum())
    >>> len(graph.nodes), graph.total_bytes
    (2, 8)
    """

    nodes: GraphNodes
    leaves: tuple[GraphLeaf, ...]
    roots: tuple[int, ...]
    kept: KeptBlocks = field(compare=False)
    leaf_bytes: int
    values: GraphValues | None = field(default=None, compare=False)

    @property
    def held_bytes(self) -> int:
        """Memory that saved values keep alive, counted once, without the leaves."""
        return int(self.kept.sizes.sum())

    @property
    def total_bytes(self) -> int:
        """Memory of saved values and leaves together."""
        return self.held_bytes + self.leaf_bytes

    def find(self, op: str | None = None, *, where: str | None = None) -> tuple[GraphNode, ...]:
        """Return the nodes of an op, given as ``"mul"`` or ``"MulBackward0"``, or of a line.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> [node.outputs for node in torch.inspect.graph((x * x).sum()).find(op="mul")]
        [('float32[2]',)]
        """
        kinds = [
            number
            for number, kind in enumerate(self.nodes.kinds)
            if (op is None or op in (kind.op, kind.name)) and (where is None or kind.where == where)
        ]
        found = np.flatnonzero(np.isin(self.nodes.kind_of, kinds))
        return tuple([self.nodes[place] for place in found.tolist()])

    def text(self, limit: int | None = 200, width: int | None = None) -> str:
        """Return the graph as text.

        Args:
            limit: How many rows of nodes there are at most; None for all of them.
            width: How many characters a line has at most; longer ones are folded. None: no limit.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> max(map(len, torch.inspect.graph((x * x).sum()).text(width=60).splitlines())) <= 60
        True
        """
        from pellucid.inspect.text import write

        return write(self, limit, width)

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz, for small graphs."""
        from pellucid.inspect.dot import write_dot

        return write_dot(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the graph as dictionaries, lists, numbers and text, ready for JSON.

        A node's operands are numbers of nodes, negated numbers of leaves, or None.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> [node["operands"] for node in torch.inspect.graph((x * x).sum()).to_dict()["nodes"]]
        [[2], [-1, -1]]
        """
        from pellucid.inspect.exports import graph_as_dict

        return graph_as_dict(self)

    def json(self, path: str | os.PathLike[str]) -> None:
        """Write what `to_dict` returns to a file.

        Args:
            path: The file.
        """
        Path(path).write_text(json.dumps(self.to_dict()), encoding="utf-8")

    def to_networkx(self) -> Any:
        """Return the graph as a ``networkx.MultiDiGraph``, for what networkx can compute.

        Nodes go by their numbers, leaves by their numbers negated; an edge leads from a node to
        where its gradient goes, and has the position of the ``operand``.

        Raises:
            ImportError: If networkx is not installed.
        """
        from pellucid.inspect.exports import graph_to_networkx

        return graph_to_networkx(self)

    def svg(self, path: str | os.PathLike[str], boxes: int = 60) -> None:
        """Write the graph as a drawing, with groups closed where there is too much to show.

        Args:
            path: The file to write.
            boxes: How many boxes are shown at most.

        >>> import pathlib, tempfile
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "graph.svg")
        ...     torch.inspect.graph(x * x).svg(file)
        ...     print(file.read_text("utf-8")[:4])
        <svg
        """
        from pellucid.inspect.page.svg import write_svg

        Path(path).write_text(write_svg(self, boxes), encoding="utf-8")

    def html(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as a page that opens in a browser, without a network.

        Args:
            path: The file to write.

        >>> import pathlib, tempfile
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "graph.html")
        ...     torch.inspect.graph(x * x).html(file)
        ...     print(file.read_text("utf-8")[:15])
        <!DOCTYPE html>
        """
        from pellucid.inspect.page.document import graph_page

        Path(path).write_text(graph_page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the graph as a small drawing, for notebooks."""
        from pellucid.inspect.page.svg import write_svg

        return write_svg(self, boxes=24)

    def __repr__(self) -> str:
        return f"<Graph of {len(self.nodes)} nodes and {len(self.leaves)} leaves>"


def graph(*tensors: Any, values: bool = False) -> Graph:
    """Return a picture of the graph that the tensors were computed by; the graph is not touched.

    Args:
        tensors: Tensors that were computed from what requires grad.
        values: Whether numbers are shown: results where they are kept, and the gradients of a pass
            like that of ``autograd.grad``, which begins with ones, writes no ``.grad`` and frees
            nothing; hooks run.

    Raises:
        RuntimeError: If a tensor has no history.
        TypeError: If an argument is not a tensor.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> picture = torch.inspect.graph((x * x).sum())
    >>> [node.name for node in picture.nodes], picture.held_bytes, picture.leaf_bytes
    (['SumBackward0', 'MulBackward0'], 0, 8)
    >>> picture = torch.inspect.graph((x * x).sum(), values=True)
    >>> picture.values.edges[2, 0].text, picture.values.gradients[-1].text
    ('[1, 2]', '[2, 4]')
    """
    roots = root_nodes(tensors, "graph")
    if values:
        common_reader(tensors).can_run("graph(values=True)")
    with collector_off():
        made = _Picture(roots)
        picture = made.graph()
    if not values:
        return picture
    from pellucid.inspect.graph_values import graph_values

    return replace(picture, values=graph_values(tensors, made.nodes, made.leaves))


_BY_AGE = attrgetter("seq")


class _Picture:
    """A picture in the making: it describes each kind of nodes, and each leaf, once."""

    def __init__(self, roots: list[Node]) -> None:
        plan = plan_all(roots)
        ends = [node for node, _ in plan.leaves]
        alone = [node for node in ends if not isinstance(node, AccumulateGrad)]
        #: one without operands that is not a leaf may stand in a graph of PyTorch's
        self.nodes = (
            sorted([*plan.nodes, *alone], key=_BY_AGE, reverse=True) if alone else plan.nodes
        )
        self.leaves: list[Any] = [leaf for leaf in ends if isinstance(leaf, AccumulateGrad)]
        self.roots = roots
        self.kept = Kept(self.nodes, self.leaves)
        #: address of a memory -> the number of the leaf that it belongs to
        self.leaf_memory: dict[int, int] = {}
        self.leaf_bytes = 0
        for number, leaf in enumerate(self.leaves, 1):
            owner = owner_of(leaf.value)
            if id(owner) not in self.leaf_memory:
                self.leaf_memory[id(owner)] = number
                self.leaf_bytes += owner.nbytes
        self.kinds: dict[Any, NodeKind] = {}
        self.patterns: dict[Any, int] = {}

    def graph(self) -> Graph:
        kept, found = self.kept, self.kept.survey
        kinds = [self._kind(number) for number in found.examples.tolist()]
        return Graph(
            GraphNodes(kinds, found.kind_of, found.starts, found.targets),
            tuple(self._leaves()),
            tuple(dict.fromkeys(map(self._number, self.roots))),
            KeptBlocks(kept.nodes_of, kept.blocks_of, np.array(kept.sizes, np.int64)),
            self.leaf_bytes,
        )

    def _number(self, root: Node) -> int:
        if root in self.leaves:
            return -self.leaves.index(root) - 1
        return self.nodes.index(root) + 1

    def _leaves(self) -> Iterator[GraphLeaf]:
        uses = self.kept.survey.uses(len(self.leaves))
        names = name_leaves(self.kept.survey, self.nodes, enumerate(self.leaves, 1))
        for number, (leaf, count) in enumerate(zip(self.leaves, uses, strict=True), 1):
            yield GraphLeaf(number, names[number], describe(leaf), leaf.value.nbytes, count)

    def _kind(self, number: int) -> NodeKind:
        """Describe a node, if none was like it so far."""
        node = self.nodes[number - 1]
        freed = node.saved if isinstance(node.saved, BackwardRun) else None
        kept = self._keep(node.saved) if isinstance(node.saved, tuple) else ()
        metas = [meta for meta in node.metas or (node,) if meta.shape is not None]
        outputs = tuple(map(describe, metas))
        key = (
            node.__class__, node.backward, id(node.code), node._lasti, node.scope, outputs,
            tuple(kept), freed,
        )  # fmt: skip
        if key not in self.kinds:
            saved = tuple([_saved_value(node, *each) for each in kept])
            self.kinds[key] = self._described(node, outputs, saved, freed)
        return self.kinds[key]

    def _keep(self, saved: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return position, name, likeness, leaf and size of what a node has saved."""
        kept: list[tuple[Any, ...]] = []
        for position, entry in enumerate(saved):
            if isinstance(entry, PackedValue):
                like = getattr(entry, "like", "packed")
                size = 0 if like == "packed" else sum(each.nbytes for each in entry.packed)
                kept.append((position, getattr(entry, "name", None), like, None, size))
                continue
            value = entry[0] if isinstance(entry, tuple) else entry
            if not isinstance(value, ndarray):
                value = getattr(value, "_array", value)
            if isinstance(value, ndarray | np.generic):
                leaf = self.leaf_memory.get(id(owner_of(value)))
                kept.append((position, None, (value.shape, value.dtype), leaf, value.nbytes))
            elif isinstance(value, Node) and isinstance(value.saved, tuple):
                # CopySlices keeps the node of the change that was made to a view
                inner = self._keep(value.saved)
                kept += [(position, saved_name(value, each[0]), *each[2:]) for each in inner]
        return kept

    def _described(
        self, node: Node, outputs: tuple[str, ...], saved: tuple[SavedValue, ...],
        run: BackwardRun | None,
    ) -> NodeKind:  # fmt: skip
        site, op, name, scope = node.site, op_of(node), node.short_name(), node.scope or ""
        freed = Freed.by(run)
        where, file, line, text = "", "", 0, ""
        if site is not None:
            where, file, line, text = str(site), site.filename, site.line, site.text
        likes = tuple((each.name, each.like, each.leaf is None) for each in saved)
        pattern = (name, node.code, node._lasti, alike(scope), outputs, likes, freed)
        return NodeKind(
            name, name if op is None else op.torch_name, where, file, line, text, scope, outputs,
            saved, freed, self.patterns.setdefault(pattern, len(self.patterns)),
        )  # fmt: skip


def alike(name: str) -> str:
    """Return a dotted name such that those that differ only in their numbers are equal."""
    return "".join("0" if letter.isdigit() else letter for letter in name)


def _saved_value(
    node: Node, position: int, inner: str | None, like: Any, leaf: int | None, size: int
) -> SavedValue:
    name = inner or saved_name(node, position) or f"value {position}"
    if isinstance(like, str):
        return SavedValue(name, like, (), "", size, packed=like == "packed")
    shape, dtype = like
    return SavedValue(name, f"{dtype}{list(shape)}", tuple(shape), str(dtype), size, leaf)


def names_of(picture: Graph, operands: Iterable[int | None]) -> str:
    """Write operands: ``#3`` for a node, its name for a leaf, ``–`` for one without gradient."""
    return ", ".join(
        "–" if each is None else f"#{each}" if each > 0 else picture.leaves[-each - 1].name
        for each in operands
    )
