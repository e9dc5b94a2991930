"""A frozen picture of a graph: plain numbers and text, taken in one walk.

The picture holds no node, tensor or array, so it keeps nothing alive and stays as it was when the
graph goes on to be run, freed or dropped.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from pellucid.autograd.backward import GradientEdge
from pellucid.autograd.engine import plan_all
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.autograd.stories.saved_values import op_of, operand_name, saved_name
from pellucid.autograd.stories.text import describe
from pellucid.autograd.variable import TensorBase
from pellucid.errors import ArgumentTypeError, NoGraphError


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

    >>> import pellucid as torch
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
    #: ``file.py:LINE``
    where: str


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


class GraphNode(NamedTuple):
    """One node of a graph.

    Attributes:
        number: Its number, from 1 in the order in which a backward pass runs the nodes.
        kind: What it has in common with the other nodes that the same line made.
        operands: One entry per operand: a node's number, a leaf's number negated, or None if the
            operand needs no gradient.

    >>> import pellucid as torch
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
        if self.kind.freed_by is not None:
            return "freed"
        return "live" if self.kind.saved else "saves nothing"


@dataclass(frozen=True, slots=True)
class GraphLeaf:
    """A tensor at which gradients end.

    Attributes:
        number: Its number, from 1.
        name: Its name, read from the source where that is possible.
        like: Dtype and shape as text, ``float32[3, 4]``.
        bytes: The size of its memory.
        uses: How many operands lead to it.

    >>> import pellucid as torch
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
class Graph:
    """A snapshot of a graph, to print, or to search with `find`.

    Attributes:
        nodes: The nodes, in the order in which a backward pass runs them.
        leaves: The leaves.
        roots: The numbers of the nodes that the graph was taken from, negated for a leaf.
        held_bytes: The memory that saved values keep alive, counted once, without the leaves.
        leaf_bytes: The memory of the leaves, counted once.

    >>> import pellucid as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> graph = torch.inspect.graph((x * x).sum())
    >>> len(graph.nodes), graph.total_bytes
    (2, 8)
    """

    nodes: tuple[GraphNode, ...]
    leaves: tuple[GraphLeaf, ...]
    roots: tuple[int, ...]
    held_bytes: int
    leaf_bytes: int

    @property
    def total_bytes(self) -> int:
        """Memory of saved values and leaves together."""
        return self.held_bytes + self.leaf_bytes

    def find(self, op: str | None = None, *, where: str | None = None) -> tuple[GraphNode, ...]:
        """Return the nodes of an op, given as ``"mul"`` or ``"MulBackward0"``, or of a line.

        >>> import pellucid as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> [node.outputs for node in torch.inspect.graph((x * x).sum()).find(op="mul")]
        [('float32[2]',)]
        """
        return tuple(
            node
            for node in self.nodes
            if (op is None or op in (node.op, node.name)) and (where is None or node.where == where)
        )

    def text(self, limit: int | None = 200, width: int | None = None) -> str:
        """Return the graph as text.

        Args:
            limit: How many rows of nodes there are at most; None for all of them.
            width: How many characters a line has at most; longer ones are folded. None: no limit.

        >>> import pellucid as torch
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

        >>> import pellucid as torch
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

        >>> import pathlib, tempfile, pellucid as torch
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

        >>> import pathlib, tempfile, pellucid as torch
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

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Graph of {len(self.nodes)} nodes and {len(self.leaves)} leaves>"


def graph(*tensors: Any) -> Graph:
    """Return a picture of the graph that the tensors were computed by; the graph is not touched.

    Args:
        tensors: Tensors that were computed from what requires grad.

    Raises:
        RuntimeError: If a tensor has no history.
        TypeError: If an argument is no tensor.

    >>> import pellucid as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> picture = torch.inspect.graph((x * x).sum())
    >>> [node.name for node in picture.nodes], picture.held_bytes, picture.leaf_bytes
    (['SumBackward0', 'MulBackward0'], 0, 8)
    """
    if any(map(_is_of_pytorch, tensors)):
        from pellucid.inspect.pytorch.graphs import roots_of

        roots = roots_of(tensors)
    else:
        roots = root_nodes(tensors, "graph")
    collecting = gc.isenabled()
    gc.disable()  # it would go through millions of new objects, none of which is garbage
    try:
        return _Picture(roots).graph()
    finally:
        if collecting:
            gc.enable()


def _is_of_pytorch(value: Any) -> bool:
    """Return whether something is a tensor or gradient edge of an installed PyTorch."""
    places = (base.__module__.partition(".")[0] for base in type(value).__mro__)
    return not isinstance(value, TensorBase) and "torch" in places


def root_nodes(tensors: Iterable[Any], caller: str) -> list[Node]:
    """Return the nodes that tensors, nodes and gradient edges stand for.

    Raises RuntimeError for a tensor without history, TypeError for anything else.
    """
    return [_root(tensor, position, caller) for position, tensor in enumerate(tensors)]


def _root(tensor: Any, position: int, caller: str) -> Node:
    if isinstance(tensor, GradientEdge):
        return tensor.node
    if isinstance(tensor, Node):
        return tensor
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(f"{caller}() takes tensors, not {type(tensor).__name__}")
    edge = tensor.edge
    if edge is None:
        raise NoGraphError(
            f"element {position} of tensors does not require grad and does not have a grad_fn: "
            "it has no graph to look at"
        )
    return edge[0]


_BY_AGE = attrgetter("seq")
#: how many of a leaf's uses are looked at for its name
_NAMING_USES = 3


class _Picture:
    """A picture in the making: it numbers nodes and leaves, then describes each once."""

    def __init__(self, roots: list[Node]) -> None:
        self.roots = roots
        plan = plan_all(roots)
        ends = [node for node, _ in plan.leaves]
        alone = [node for node in ends if not isinstance(node, AccumulateGrad)]
        #: one without operands that is no leaf may stand in a graph of PyTorch's
        self.nodes = (
            sorted([*plan.nodes, *alone], key=_BY_AGE, reverse=True) if alone else plan.nodes
        )
        #: a node's number; minus a leaf's
        self.numbers: dict[Node, int] = dict(
            zip(self.nodes, range(1, len(self.nodes) + 1), strict=True)
        )
        #: in the order in which the nodes use them, the one made first first
        self.leaves: list[Any] = []
        self.operands = self._number_operands()
        for leaf in ends:
            if leaf not in self.numbers:
                self._number_leaf(leaf)
        #: address of a memory -> the number of the leaf that it belongs to
        self.leaf_memory: dict[int, int] = {}
        self.leaf_bytes = 0
        for number, leaf in enumerate(self.leaves, 1):
            owner = owner_of(leaf.value)
            if id(owner) not in self.leaf_memory:
                self.leaf_memory[id(owner)] = number
                self.leaf_bytes += owner.nbytes
        #: address of a memory that is kept alive -> its size
        self.held: dict[int, int] = {}
        self.kinds: dict[Any, NodeKind] = {}
        self.patterns: dict[Any, int] = {}
        self.names: dict[int, str] = {}
        #: name -> how many leaves go by it
        self.named: dict[str, int] = {}
        #: by a leaf's number
        self.uses: list[int] = []

    def _number_operands(self) -> list[tuple[int | None, ...]]:
        """Return the numbers of each node's operands, numbering the leaves on the way."""
        find = self.numbers.get
        operands: list[tuple[int | None, ...]] = []
        for node in reversed(self.nodes):
            taken = [None if edge is None else find(edge[0], 0) for edge in node.edges]
            if 0 in taken:
                taken = [
                    None if edge is None else find(edge[0]) or self._number_leaf(edge[0])
                    for edge in node.edges
                ]
            operands.append(tuple(taken))
        operands.reverse()
        return operands

    def _number_leaf(self, leaf: Node) -> int:
        self.leaves.append(leaf)
        number = self.numbers[leaf] = -len(self.leaves)
        return number

    def graph(self) -> Graph:
        self._count_and_name_leaves()
        numbers = range(1, len(self.nodes) + 1)
        return Graph(
            tuple(map(GraphNode._make, zip(numbers, self._kinds(), self.operands, strict=True))),
            tuple(self._leaf(leaf, number) for number, leaf in enumerate(self.leaves, 1)),
            tuple(dict.fromkeys(self.numbers[root] for root in self.roots)),
            sum(self.held.values()),
            self.leaf_bytes,
        )

    def _count_and_name_leaves(self) -> None:
        """Count the uses of each leaf, and read its name off the lines of the first few."""
        counted = Counter(itertools.chain.from_iterable(self.operands))
        self.uses = [counted[-number] for number in range(len(self.leaves) + 1)]
        #: leaves without a name -> of how many more uses the lines are read
        nameless = {-number: _NAMING_USES for number, uses in enumerate(self.uses) if uses}
        for node, operands in zip(self.nodes, self.operands, strict=True):
            if not nameless:
                break
            for position, operand in enumerate(operands):
                if operand in nameless:
                    self._name_leaf(node, position, -operand)
                    nameless[operand] -= 1
                    if -operand in self.names or not nameless[operand]:
                        del nameless[operand]

    def _kinds(self) -> list[NodeKind]:
        """Return what each node has in common with others, described once for all of these."""
        held, find_leaf, find_kind = self.held, self.leaf_memory.get, self.kinds.get
        found: list[NodeKind] = []
        for node in self.nodes:
            saved, metas = node.saved, node.metas
            kept: Any = saved
            if isinstance(saved, tuple):
                kept = None
                for entry in saved:
                    # the usual entry, without the detours that others need
                    if entry.__class__ is not tuple or (value := entry[0]).__class__ is not ndarray:
                        kept = tuple(self._keep(node, saved))
                        break
                    owner = value if value.base is None else owner_of(value)
                    leaf = find_leaf(id(owner))
                    if leaf is None:
                        held[id(owner)] = owner.nbytes
                    kept = (kept, value.shape, value.dtype, leaf)
            # the code's address, as to hash code takes as long as all the rest
            key = (
                node.__class__, id(node.code), node._lasti, node.scope, kept,
                node.shape, node.dtype, metas if metas is None else tuple(map(describe, metas)),
            )  # fmt: skip
            kind = find_kind(key)
            if kind is None:
                kind = self.kinds[key] = self._kind(node)
            found.append(kind)
        return found

    def _keep(self, node: Node, saved: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Note the memory of what a node saved; list position, name, likeness, leaf and size."""
        kept: list[tuple[Any, ...]] = []
        for position, entry in enumerate(saved):
            if isinstance(entry, PackedValue):
                kept.append((position, getattr(entry, "name", None), "packed", None, 0))
                continue
            value = entry[0] if isinstance(entry, tuple) else entry
            if not isinstance(value, ndarray):
                value = getattr(value, "_array", value)
            if isinstance(value, ndarray | np.generic):
                self._keep_array(position, value, kept)
            elif isinstance(value, Node) and isinstance(value.saved, tuple):
                # CopySlices keeps the node of the change that was made to a view
                inner = self._keep(value, value.saved)
                kept += [(position, saved_name(value, each[0]), *each[2:]) for each in inner]
        return kept

    def _keep_array(self, position: int, value: Any, kept: list[tuple[Any, ...]]) -> None:
        owner = value if value.base is None else owner_of(value)
        address = id(owner)
        leaf = self.leaf_memory.get(address)
        if leaf is None:
            self.held[address] = owner.nbytes
        kept.append((position, None, (value.shape, value.dtype), leaf, value.nbytes))

    def _kind(self, node: Node) -> NodeKind:
        site = node.site
        outputs = tuple(describe(meta) for meta in node.metas or (node,) if meta.shape is not None)
        saved: tuple[SavedValue, ...] = ()
        freed = None
        if isinstance(node.saved, BackwardRun):
            run = node.saved
            freed = Freed(run.call, run.number, str(run.site))
        elif isinstance(node.saved, tuple):
            saved = tuple(_saved_value(node, *each) for each in self._keep(node, node.saved))
        op = op_of(node)
        where, file, line, text = "", "", 0, ""
        if site is not None:
            where, file, line, text = str(site), site.filename, site.line, site.text
        scope = node.scope or ""
        likes = tuple((each.name, each.like, each.leaf is None) for each in saved)
        pattern = (node.name(), node.code, node._lasti, alike(scope), outputs, likes, freed)
        number = self.patterns.setdefault(pattern, len(self.patterns))
        name = node.name()
        return NodeKind(
            name, name if op is None else op.name, where, file, line, text, scope, outputs, saved,
            freed, number,
        )  # fmt: skip

    def _name_leaf(self, node: Node, position: int, number: int) -> None:
        name = leaf_name(node, position)
        if name is not None:
            self.named[name] = count = self.named.get(name, 0) + 1
            self.names[number] = name if count == 1 else f"{name} ({count})"

    def _leaf(self, leaf: Any, number: int) -> GraphLeaf:
        name = self.names.get(number, f"leaf {number}")
        return GraphLeaf(number, name, describe(leaf), leaf.value.nbytes, self.uses[number])


def alike(name: str) -> str:
    """Return a dotted name such that those that differ only in their numbers are equal."""
    return "".join("0" if letter.isdigit() else letter for letter in name)


def leaf_name(node: Node, position: int) -> str | None:
    """Return what a leaf is called where the node's line uses it.

    A layer of the library is given a parameter of its own, which goes by the operand's name. A name
    that the same line gives to something else, as in ``x = x * 2``, is not the leaf's any more.
    """
    written = operand_name(node, position)
    if written is not None and node.site is not None and written == node.site.target:
        written = None
    if written is not None and node.scope:
        return f"{node.scope}.{written.removeprefix('self.')}"
    if written is not None:
        return written
    op = op_of(node)
    if node.scope and op is not None and not op.variadic and position < len(op.operands):
        return f"{node.scope}.{op.operands[position].name}"
    return None


def _saved_value(
    node: Node, position: int, inner: str | None, like: Any, leaf: int | None, size: int
) -> SavedValue:
    name = inner or saved_name(node, position) or f"value {position}"
    if like == "packed":
        return SavedValue(name, "packed", (), "", 0, packed=True)
    shape, dtype = like
    return SavedValue(name, f"{dtype}{list(shape)}", tuple(shape), str(dtype), size, leaf)


def owner_of(value: Any) -> Any:
    """Return the array that owns the memory which a value looks into."""
    while isinstance(getattr(value, "base", None), ndarray):
        value = value.base
    return value


def size_text(size: int) -> str:
    """Write a number of bytes: ``16 B``, ``1.5 kB``, ``2.0 MB``."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def count_text(number: int, word: str) -> str:
    """Write a number with its noun: ``1 node``, ``1,200 nodes``, ``2 leaves``."""
    plural = {"leaf": "leaves"}.get(word, f"{word}s")
    return f"{number:,} {word if number == 1 else plural}"


def names_of(picture: Graph, operands: Iterable[int | None]) -> str:
    """Write operands: ``#3`` for a node, its name for a leaf, ``–`` for one without gradient."""
    return ", ".join(
        "–" if each is None else f"#{each}" if each > 0 else picture.leaves[-each - 1].name
        for each in operands
    )
