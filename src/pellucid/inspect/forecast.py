"""What a backward pass would do, told before it is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

from pellucid.autograd.backward import as_sequence, input_edge, kept_nodes, root_gradients
from pellucid.autograd.engine import Plan, plan_all, plan_towards
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.sites import Site
from pellucid.autograd.stories import changed_value, freed_graph, start_of_pass, text
from pellucid.autograd.stories.text import describe
from pellucid.autograd.variable import Edge
from pellucid.errors import ArgumentError, PellucidError
from pellucid.inspect.account import Holdings
from pellucid.inspect.columns import columns
from pellucid.inspect.holdings import LeafNames, name_leaves
from pellucid.inspect.snapshot import count_text, size_text

_MOST_ROWS = 40
_SOURCE_WIDTH = 48
_BEFORE = "before any node runs"


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One node of a pass that is to come.

    Attributes:
        number: Its position in the order, from 1.
        name: Its name, as ``MulBackward0``.
        where: The line that made it, as ``file.py:LINE``.
        text: The source text of that line.
        runs: Whether it runs; one at which a gradient is only asked for does not.
        makes: The bytes of the gradients that it makes, if each has memory of its own.
        frees: The bytes of saved values that go with it.
        live: The bytes in memory when it has run.

    >>> import pellucid as torch
    >>> x = torch.ones(4, requires_grad=True)
    >>> [(node.makes, node.frees) for node in torch.inspect.plan(x.exp().sum()).nodes]
    [(16, 0), (16, 16)]
    """

    number: int
    name: str
    where: str
    text: str
    runs: bool
    makes: int
    frees: int
    live: int


@dataclass(frozen=True, slots=True)
class PlannedLeaf:
    """What a pass is to do with one leaf.

    Attributes:
        name: Its name, read from the source where that is possible.
        like: Dtype and shape as text, ``float32[3, 4]``.
        bytes: The size of its gradient.
        action: ``"added to"`` for a leaf with a ``.grad``; ``"taken over"`` if the gradient is a
            sum that becomes ``.grad`` as it is; ``"written"`` if it becomes ``.grad`` and is
            copied only where somebody else refers to it; ``"returned"`` by ``grad``; ``"dropped"``
            if the leaf exists no more.

    >>> import pellucid as torch
    >>> x = torch.ones(4, requires_grad=True)
    >>> torch.inspect.plan((x * x).sum()).leaves[0].action
    'taken over'
    """

    name: str
    like: str
    bytes: int
    action: str


@dataclass(frozen=True, slots=True)
class PlannedError:
    """An error that a pass is to raise.

    Attributes:
        kind: The name of its class.
        message: Its message.
        when: ``"before any node runs"``, ``"at #3"`` ``"when the leaf is
            reached"`` or ``"after all nodes have run"``.

    >>> import pellucid as torch
    >>> x = torch.ones(4, requires_grad=True)
    >>> torch.inspect.plan(x * x).errors[0].kind
    'NonScalarError'
    """

    kind: str
    message: str
    when: str


@dataclass(frozen=True, slots=True)
class BackwardPlan:
    """A backward pass as it is going to be, to print or to read.

    Attributes:
        call: ``"backward"`` or ``"grad"``.
        nodes: The nodes, in the order in which they run.
        leaves: The leaves that get a gradient.
        errors: The errors to come; the first one ends the pass.
        held_before: The bytes that the graph and the gradients of its leaves have in memory now.
        held_after: The same after the pass.
        peak: The most that there is in between.
        peak_at: The number of the node that runs then; 0 for none.

    >>> import pellucid as torch
    >>> x = torch.ones(4, requires_grad=True)
    >>> plan = torch.inspect.plan(x.exp().sum())
    >>> plan.held_before, plan.peak, plan.held_after
    (16, 48, 16)
    """

    call: str
    nodes: tuple[PlannedNode, ...]
    leaves: tuple[PlannedLeaf, ...]
    errors: tuple[PlannedError, ...]
    held_before: int
    held_after: int
    peak: int
    peak_at: int

    @property
    def frees(self) -> int:
        """The bytes of saved values that the pass frees."""
        return sum(node.frees for node in self.nodes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and text."""
        return asdict(self)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())

    def text(self, limit: int | None = _MOST_ROWS) -> str:
        """Return the plan as text, with at most so many rows of nodes; None: all of them."""
        return "\n".join(_text(self, limit))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<BackwardPlan of {len(self.nodes)} nodes>"


def plan(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: Any = None,
    create_graph: bool = False,
    inputs: Any = None,
    *,
    call: str = "backward",
    allow_unused: bool = False,
) -> BackwardPlan:
    """Return what a backward pass with these arguments would do; nothing is run or written.

    Sizes are those of gradients that each have memory of their own; what a node computes with in
    between, and what ``create_graph`` records, is not known before.

    Args:
        tensors: One tensor, or a sequence of tensors, that the pass starts from.
        grad_tensors: Their gradients, of their shapes.
        retain_graph: Whether to keep what the nodes have saved, or whose graphs to keep.
        create_graph: Whether the gradients are recorded.
        inputs: The tensors whose gradients are wanted; all leaves by default.
        call: ``"backward"``, or ``"grad"`` for `torch.autograd.grad`, which takes ``inputs``.
        allow_unused: Whether ``grad`` takes inputs that were not used.

    Returns:
        The plan: order, sizes, leaves, and the errors to come. It prints as a table.

    Raises:
        ValueError: If ``call`` is another word, or ``"grad"`` comes without ``inputs``.
        TypeError: For what is no tensor.

    >>> import pellucid as torch
    >>> x = torch.ones(4, requires_grad=True)
    >>> y = x * x
    >>> y.sum().backward()
    >>> print(torch.inspect.plan(y.sum()).errors[0].message.splitlines()[1].strip())
    The graph of y was freed.
    """
    if call not in ("backward", "grad") or (call == "grad" and inputs is None):
        raise ArgumentError('plan() takes call="backward", or call="grad" and inputs')
    roots = as_sequence(tensors)
    wanted = None if inputs is None else as_sequence(inputs)
    gradients = gradient_ops.tensors if create_graph else gradient_ops.arrays
    try:
        starts = root_gradients(roots, grad_tensors, gradients)
        edges = None if wanted is None else [input_edge(each) for each in wanted]
    except PellucidError as error:
        told = PlannedError(type(error).__name__, str(error), _BEFORE)
        return BackwardPlan(call, (), (), (told,), 0, 0, 0, 0)
    root_edges = [edge for edge, _ in starts]
    nodes = [node for node, _ in root_edges]
    run = BackwardRun.planned(call, nodes)
    if edges is None:
        engine_plan = plan_all(nodes)
    else:
        engine_plan = plan_towards(nodes, {edge[0] for edge in edges}, call == "backward")
    forecast = _Forecast(
        call, engine_plan, root_edges, kept_nodes(retain_graph, create_graph), Holdings(nodes)
    )
    forecast.look_for_errors(run)
    if call == "grad" and not allow_unused and wanted is not None and edges is not None:
        forecast.look_for_unused(wanted, edges)
    return forecast.result(edges)


class _Forecast:
    """A pass gone through in thought."""

    def __init__(
        self, call: str, plan: Plan, roots: list[Edge], keep: bool | set[Node], found: Holdings
    ) -> None:
        self.call = call
        self.plan = plan
        self.roots = roots
        self.keep = keep
        self.found = found
        self.numbers = {node: number for number, node in enumerate(plan.nodes, 1)}
        self.errors: list[PlannedError] = []
        self.senders: dict[Node, int] = {}
        self.lines: dict[Site, tuple[str, str]] = {}
        #: what the gradients on their way take, by the output that they belong to
        self.buffers: dict[Edge, int] = {}
        self._number_in_holdings = {node: n for n, node in enumerate(found.node_list, 1)}
        #: by block: how many values are still to be freed
        self.uses = [0] * len(found.sizes)
        self.blocks: dict[int, list[int]] = {}
        for number, block in zip(found.nodes_of, found.blocks_of, strict=True):
            self.uses[block] += 1
            self.blocks.setdefault(number, []).append(block)

    # ---- errors --------------------------------------------------------------------------------

    def look_for_errors(self, run: BackwardRun) -> None:
        """Note the errors that are raised before the first node, and then at each."""
        nodes = [node for node in self.plan.nodes if node not in self.plan.stops]
        freed = next((node for node in nodes if isinstance(node.saved, BackwardRun)), None)
        if freed is not None:
            self._expect(freed_graph.freed(freed, self.plan.nodes, run), _BEFORE)
        for node in nodes:
            for error in _changed_values(node):
                self._expect(error, f"at #{self.numbers[node]}")
        for leaf, _ in self.plan.leaves:
            tensor = leaf.leaf
            if tensor is not None and tensor._grad is not None:
                self._look_at_gradient(leaf, tensor)

    def _look_at_gradient(self, leaf: AccumulateGrad, tensor: Any) -> None:
        shape = tuple(tensor._grad.shape)
        if self.call == "backward" and shape != tuple(leaf.shape or ()):
            message = (
                f"output with shape {list(shape)} doesn't match the broadcast shape "
                f"{list(leaf.shape or ())}: the leaf has another shape than its .grad by now, "
                "which should be set to None"
            )
            self.errors.append(PlannedError("ShapeError", message, "when the leaf is reached"))

    def look_for_unused(self, wanted: list[Any], edges: list[Any]) -> None:
        """Note an error for the first input that the pass does not reach."""
        reached = {*self.plan.nodes, *(leaf for leaf, _ in self.plan.leaves)}
        for position, (each, edge) in enumerate(zip(wanted, edges, strict=True)):
            if edge[0] not in reached:
                self._expect(start_of_pass.unused(each, position), "after all nodes have run")
                return

    def _expect(self, error: Exception, when: str) -> None:
        self.errors.append(PlannedError(type(error).__name__, str(error), when))

    # ---- sizes ---------------------------------------------------------------------------------

    def result(self, edges: list[Edge] | None) -> BackwardPlan:
        """Go through all nodes and return what happens; ``edges`` are those of the inputs."""
        leaves = [leaf for leaf, _ in self.plan.leaves]
        held = sum(self.found.sizes) + sum(_gradient_size(leaf) for leaf in leaves)
        before = live = peak = held
        peak_at = 0
        for root in self.roots:
            live += self._receive(root, _size(root[0].output_meta(root[1])))
        pending = [*self.plan.leaves]  # the first to be complete comes last
        nodes: list[PlannedNode] = []
        for number, node in enumerate(self.plan.nodes, 1):
            runs = node not in self.plan.stops
            sent = self._sent(node) if runs else []
            makes = sum(size for _, size in sent)
            if live + makes > peak:
                peak, peak_at = live + makes, number
            for edge, size in sent:
                live += self._receive(edge, size)
            if self.call == "backward" or runs:
                live -= sum(self.buffers.pop((node, slot), 0) for slot in range(node.output_count))
            frees = self._freed(node) if runs else 0
            live -= frees
            while pending and pending[-1][1] >= node.seq:
                live -= self._complete(pending.pop()[0])
            where, text = self._line(node)
            nodes.append(PlannedNode(number, node.name(), where, text, runs, makes, frees, live))
        for leaf, _ in pending:
            live -= self._complete(leaf)
        leaves.reverse()
        names = name_leaves(self.plan.nodes, {leaf: n for n, leaf in enumerate(leaves, 1)})
        told = [self._leaf(leaf, number, names) for number, leaf in enumerate(leaves, 1)]
        told += self._outputs(edges)
        return BackwardPlan(
            self.call, tuple(nodes), tuple(told), tuple(self.errors), before, live, peak, peak_at
        )

    def _line(self, node: Node) -> tuple[str, str]:
        """Return ``file.py:LINE`` and the source text of a node, read once for each line."""
        site = node.site
        if site is None:
            return "", ""
        line = self.lines.get(site)
        if line is None:
            line = self.lines[site] = str(site), site.text
        return line

    def _sent(self, node: Node) -> list[tuple[Edge, int]]:
        """Return the edges that a node sends a gradient along, with its size."""
        needed = self.plan.needed
        return [
            (edge, _size(edge[0].output_meta(edge[1])))
            for edge in node.edges
            if edge is not None and (needed is None or edge[0] in needed)
        ]

    def _receive(self, edge: Edge, size: int) -> int:
        """Return by how much memory grows when a gradient has arrived and been added up."""
        self.senders[edge[0]] = self.senders.get(edge[0], 0) + 1
        if edge in self.buffers:
            return 0
        self.buffers[edge] = size
        return size

    def _freed(self, node: Node) -> int:
        """Return the bytes that go when a node has run."""
        if self.keep is True or (isinstance(self.keep, set) and node in self.keep):
            return 0
        gone = 0
        for block in self.blocks.pop(self._number_in_holdings[node], ()):
            self.uses[block] -= 1
            lasting = self.found.in_use[block] or block in self.found.lasting
            if self.uses[block] == 0 and not lasting:
                gone += self.found.sizes[block]
        return gone

    def _complete(self, leaf: AccumulateGrad) -> int:
        """Return by how much memory shrinks when a leaf has got its gradient."""
        size = self.buffers.pop((leaf, 0), 0)
        return 0 if self._action(leaf) in ("written", "taken over", "returned") else size

    def _action(self, leaf: AccumulateGrad) -> str:
        tensor = leaf.leaf
        if self.call == "grad":
            return "returned"
        if tensor is None:
            return "dropped"
        if tensor._grad is not None:
            return "added to"
        return "taken over" if self.senders.get(leaf, 0) > 1 else "written"

    def _leaf(self, leaf: AccumulateGrad, number: int, names: LeafNames) -> PlannedLeaf:
        return PlannedLeaf(names[number], describe(leaf), _size(leaf), self._action(leaf))

    def _outputs(self, edges: list[Edge] | None) -> Iterator[PlannedLeaf]:
        """Yield the outputs of nodes whose gradients are asked for, or retained."""
        asked = [] if edges is None else [edge for edge in edges if edge[0] in self.numbers]
        retained = [
            (node, slot)
            for node in self.plan.nodes
            if node.extra is not None and node not in self.plan.stops
            for slot, reference in node.extra.retained.items()
            if reference() is not None
        ]
        for node, slot in dict.fromkeys([*asked, *retained]):
            meta = node.output_meta(slot)
            name = text.expression_text(node.site) or node.name()
            action = "written"
            if (node, slot) in asked and self.call == "grad":
                action = "returned"
            elif node.extra is not None and (held := node.extra.retained.get(slot)) is not None:
                tensor = held()
                if tensor is not None and tensor._grad is not None:
                    action = "added to"
            yield PlannedLeaf(name, describe(meta), _size(meta), action)


def _size(like: Any) -> int:
    return 0 if like.shape is None else prod(like.shape) * like.dtype.itemsize


def _gradient_size(leaf: AccumulateGrad) -> int:
    tensor = leaf.leaf
    return 0 if tensor is None or tensor._grad is None else tensor._grad._array.nbytes


def _changed_values(node: Node) -> Iterator[Exception]:
    """Yield the error for the first saved value of a node that was changed in place since."""
    if not isinstance(node.saved, tuple):
        return
    for position, entry in enumerate(node.saved):
        if not isinstance(entry, tuple):
            continue
        value, storage, version = entry
        if value is not None and storage.version != version:
            yield changed_value.modified(node, position, value, storage, version)
            return


# ---- as text -------------------------------------------------------------------------------------


def _text(told: BackwardPlan, limit: int | None) -> Iterator[str]:
    yield (
        f"{told.call}: {count_text(len(told.nodes), 'node')}, "
        f"{count_text(len(told.leaves), 'leaf')}; {size_text(told.held_before)} before, "
        f"at most {size_text(told.peak)}{f' at #{told.peak_at}' if told.peak_at else ''}, "
        f"{size_text(told.held_after)} after"
    )
    if told.nodes:
        shown = told.nodes[:limit]
        rows = [_cells(node) for node in shown]
        yield ""
        yield from columns(["", "node", "line", "source", "makes", "frees", "live"], rows)
        if len(shown) < len(told.nodes):
            more = len(told.nodes) - len(shown)
            yield f"and {count_text(more, 'node')} more; text(limit=None) has them all"
    if told.leaves:
        rows = [[leaf.name, leaf.like, size_text(leaf.bytes), leaf.action] for leaf in told.leaves]
        yield ""
        yield from columns(["leaf", "", "gradient", ".grad is"], rows)
    for error in told.errors:
        yield ""
        yield f"raises {error.kind}, {error.when}:"
        yield from (f"  {line}" for line in error.message.splitlines())


def _cells(node: PlannedNode) -> list[str]:
    source = node.text
    if len(source) > _SOURCE_WIDTH:
        source = source[: _SOURCE_WIDTH - 3].rstrip() + "..."
    return [
        f"#{node.number}", node.name, node.where, source,
        size_text(node.makes) if node.runs else "does not run", size_text(node.frees),
        size_text(node.live),
    ]  # fmt: skip
