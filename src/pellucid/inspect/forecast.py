"""What a backward pass would do, before it is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.backward import as_sequence, input_edge, kept_nodes, root_gradients
from pellucid.autograd.engine import Plan, plan_towards
from pellucid.autograd.explanations import changed_value, freed_graph, start_of_pass, text
from pellucid.autograd.explanations.text import describe
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.sites import shortened
from pellucid.autograd.variable import Edge
from pellucid.errors import ArgumentError, PellucidError
from pellucid.inspect.account import Holdings, NodeSource
from pellucid.inspect.leaf_names import name_leaves
from pellucid.inspect.rows import Rows
from pellucid.inspect.survey import Numbers
from pellucid.inspect.tables import Printed, columns, count_text, first_rows, size_text

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


class PlannedNodes(Rows[PlannedNode]):
    """The nodes of a pass, each made when it is asked for.

    Args:
        kinds: What nodes have in common.
        kind_of: By node: its kind.
        columns: By node, what `PlannedNode` has as ``runs``, ``makes``, ``frees`` and ``live``.
    """

    __slots__ = ("_columns", "_kind_of", "_kinds")

    def __init__(self, kinds: list[NodeSource], kind_of: Numbers, *columns: Any) -> None:
        self._kinds = kinds
        self._kind_of = kind_of
        self._columns = columns

    def __len__(self) -> int:
        return len(self._kind_of)

    def row(self, place: int) -> PlannedNode:
        """Return the node at a place from 0."""
        kind = self._kinds[self._kind_of[place]]
        numbers = (column[place].item() for column in self._columns)
        return PlannedNode(place + 1, kind.name, kind.where, kind.text, *numbers)

    def total_freed(self) -> int:
        """Return the bytes that all nodes free."""
        return int(self._columns[2].sum())


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

    >>> x = torch.ones(4, requires_grad=True)
    >>> torch.inspect.plan(x * x).errors[0].kind
    'NonScalarError'
    """

    kind: str
    message: str
    when: str


@dataclass(frozen=True, slots=True)
class BackwardPlan(Printed):
    """A backward pass as it is going to be, to print or to read.

    Attributes:
        call: ``"backward"`` or ``"grad"``.
        nodes: The nodes, in the order in which they run.
        leaves: The leaves that get a gradient.
        errors: The errors to come; the first one ends the pass.
        held_before: The bytes that the graph and the gradients of its leaves have in memory now.
        held_after: The same after the pass.
        in_use_after: How much of that the graph has let go of, and is there only because something
            else refers to it, such as a variable of the program.
        peak: The most that there is in between.
        peak_at: The number of the node that runs then; 0 for none.

    >>> x = torch.ones(4, requires_grad=True)
    >>> plan = torch.inspect.plan(x.exp().sum())
    >>> plan.held_before, plan.peak, plan.held_after
    (16, 48, 16)
    """

    call: str
    nodes: PlannedNodes
    leaves: tuple[PlannedLeaf, ...]
    errors: tuple[PlannedError, ...]
    held_before: int
    held_after: int
    in_use_after: int
    peak: int
    peak_at: int

    @property
    def frees(self) -> int:
        """The bytes of saved values that the pass frees."""
        return self.nodes.total_freed()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and text."""
        return {**asdict(self), "nodes": [asdict(node) for node in self.nodes]}

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())

    def text(self, limit: int | None = _MOST_ROWS) -> str:
        """Return the plan as text, with at most ``limit`` rows of nodes; with None, all of them."""
        return "\n".join(_text(self, limit))

    def __repr__(self) -> str:
        return f"<BackwardPlan of {len(self.nodes)} nodes>"


def plan(
    tensors: Any, grad_tensors: Any = None, retain_graph: Any = None, create_graph: bool = False,
    inputs: Any = None, *, call: str = "backward", allow_unused: bool = False,
) -> BackwardPlan:  # fmt: skip
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
        TypeError: For what is not a tensor.

    >>> x = torch.ones(4, requires_grad=True)
    >>> y = x * x
    >>> y.sum().backward()
    >>> print(torch.inspect.plan(y.sum()).errors[0].message.splitlines()[1].strip())
    The graph of y was freed.
    """
    if call not in ("backward", "grad") or (call == "grad" and inputs is None):
        raise ArgumentError('plan() takes call="backward", or call="grad" and inputs')
    asked = _sequence(tensors)
    given = None if inputs is None else _sequence(inputs)
    reader = reading.common_reader([*asked, *(given or ())])
    both = reader.for_a_pass([*asked, *(given or ())])
    roots, wanted = both[: len(asked)], None if given is None else both[len(asked) :]
    retain_graph = reader.parts_to_keep(retain_graph)
    gradients = gradient_ops.tensors if create_graph else gradient_ops.arrays
    try:
        starts = root_gradients(roots, reader.gradients_for_a_pass(grad_tensors), gradients)
        edges = None if wanted is None else [input_edge(each) for each in wanted]
    except PellucidError as error:
        planned = PlannedError(type(error).__name__, str(error), _BEFORE)
        nothing = PlannedNodes([], *np.zeros((5, 0), int))
        return BackwardPlan(call, nothing, (), (planned,), 0, 0, 0, 0, 0)
    root_edges = [edge for edge, _ in starts]
    nodes = [node for node, _ in root_edges]
    run = BackwardRun.planned(call, nodes)
    found = Holdings(nodes)
    engine_plan = found.plan
    if edges is not None:
        engine_plan = plan_towards(nodes, {edge[0] for edge in edges}, call == "backward")
    forecast = Forecast(
        call, engine_plan, root_edges, kept_nodes(retain_graph, create_graph), found
    )
    forecast.look_for_errors(run)
    if call == "grad" and not allow_unused and wanted is not None and edges is not None:
        forecast.look_for_unused(wanted, edges)
    return forecast.result(edges)


def _sequence(value: Any) -> list[Any]:
    return [value] if reading.reader_of(value) is not None else as_sequence(value)


class Forecast:
    """A pass that is simulated, for all nodes at once.

    Nodes and leaves go by their numbers in the whole graph, as in a `Survey`. A place is that of a
    node in the order of the pass, from 0; what happens to gradients and leaves is put down to the
    place of the node that runs then.

    Args:
        call: ``"backward"`` or ``"grad"``.
        plan: What runs, in its order.
        roots: Where the pass starts.
        keep: Whether nodes keep what they have saved, or which of them do.
        found: What the nodes hold.
        scale: By how much the gradient that arrives at an output of a node is larger than it is;
            None: as it is.
    """

    def __init__(
        self, call: str, plan: Plan, roots: list[Edge], keep: bool | set[Node], found: Holdings,
        scale: Callable[[Node, Any], float] | None = None,
    ) -> None:  # fmt: skip
        self.call = call
        self.plan = plan
        self.keep = keep
        self.found = found
        self.leaves: list[Any] = [leaf for leaf, _ in plan.leaves]
        self.errors: list[PlannedError] = []
        every, ends = found.plan.nodes, [leaf for leaf, _ in found.plan.leaves]
        self.numbers: dict[Node, int] = dict(zip(every, range(1, len(every) + 1), strict=True))
        #: by number: the place of a node in the pass; -1 for none
        self.places = np.arange(-1, len(every))
        if plan is not found.plan:
            self.places[:] = -1
            self.places[[self.numbers[node] for node in plan.nodes]] = np.arange(len(plan.nodes))
        self.numbers.update((leaf, -number) for number, leaf in enumerate(ends, 1))
        #: by place: whether the node runs
        self.runs = np.ones(len(plan.nodes), bool)
        if plan.stops:
            self.runs[:] = [node not in plan.stops for node in plan.nodes]
        self.scale = scale
        self.gradients = self._sent(roots, ends)

    # ---- errors --------------------------------------------------------------------------------

    def look_for_errors(self, run: BackwardRun) -> None:
        """Note the errors that are raised before the first node, and then at each."""
        nodes = [node for node in self.plan.nodes if node not in self.plan.stops]
        freed = next((node for node in nodes if isinstance(node.saved, BackwardRun)), None)
        if freed is not None:
            self._expect(freed_graph.freed(freed, self.plan.nodes, run), _BEFORE)
        for node in nodes:
            error = _changed_value(node)
            if error is not None:
                self._expect(error, f"at #{self.places[self.numbers[node]] + 1}")
        for leaf in self.leaves:
            tensor = leaf.leaf
            gradient = None if tensor is None else reading.gradient_of(tensor)
            if gradient is not None:
                self._look_at_gradient(leaf, gradient)

    def _look_at_gradient(self, leaf: AccumulateGrad, gradient: Any) -> None:
        shape = tuple(gradient.shape)
        if self.call == "backward" and shape != tuple(leaf.shape or ()):
            message = (
                f"output with shape {list(shape)} doesn't match the broadcast shape "
                f"{list(leaf.shape or ())}: the leaf has another shape than its .grad by now, "
                "which should be set to None"
            )
            self.errors.append(PlannedError("ShapeError", message, "when the leaf is reached"))

    def look_for_unused(self, wanted: list[Any], edges: list[Any]) -> None:
        """Note an error for the first input that the pass does not reach."""
        reached = {*self.plan.nodes, *self.leaves}
        for position, (each, edge) in enumerate(zip(wanted, edges, strict=True)):
            if edge[0] not in reached:
                self._expect(start_of_pass.unused(each, position), "after all nodes have run")
                return

    def _expect(self, error: Exception, when: str) -> None:
        self.errors.append(PlannedError(type(error).__name__, str(error), when))

    # ---- sizes ---------------------------------------------------------------------------------

    def _sent(self, roots: list[Edge], ends: list[Any]) -> _Gradients:
        """Return the gradients that start at the roots, and those that nodes send."""
        survey, every = self.found.kept.survey, self.found.plan.nodes
        counts = np.diff(survey.starts)
        senders = np.repeat(self.places[1:], counts)
        sent = (survey.targets != 0) & (senders >= 0)
        sent[sent] = self.runs[senders[sent]]
        if self.plan.needed is not None:
            needed = [self.numbers[each] for each in self.plan.needed if each in self.numbers]
            sent &= np.isin(survey.targets, needed)
        targets = np.array([self.numbers[node] for node, _ in roots], np.int64)
        targets = np.concatenate([targets, survey.targets[sent]])
        slots = np.array([slot for _, slot in roots], np.int64)
        slots = np.concatenate([slots, survey.slots[sent]])
        outputs = [self.output_sizes(every[number - 1]) for number in survey.examples.tolist()]
        first = np.cumsum([0, *map(len, outputs)])
        sizes = np.empty(len(targets), np.int64)
        to_nodes = targets > 0
        kinds = survey.kind_of[targets[to_nodes] - 1]
        sizes[to_nodes] = np.array(list(chain(*outputs)), np.int64)[first[kinds] + slots[to_nodes]]
        sizes[~to_nodes] = np.array([_size(leaf) for leaf in ends], np.int64)[
            -targets[~to_nodes] - 1
        ]
        return _Gradients(
            np.concatenate([np.full(len(roots), -1), senders[sent]]), targets, slots, sizes
        )

    def output_sizes(self, node: Node) -> list[int]:
        """Return the bytes of the gradients that arrive at the outputs of a node."""
        sizes = _output_sizes(node)
        if self.scale is None:
            return sizes
        metas = node.metas or (node,)
        return [round(n * self.scale(node, m)) for n, m in zip(sizes, metas, strict=True)]

    def result(self, edges: list[Edge] | None) -> BackwardPlan:
        """Return what happens at each node; ``edges`` are those of the inputs."""
        held = sum(self.found.kept.sizes) + sum(_gradient_size(leaf) for leaf in self.leaves)
        count, sent = len(self.plan.nodes), self.gradients
        makes, frees = _sums(sent.senders, sent.sizes, count), self._frees(count)
        arrives, goes = self._on_their_way(count)
        # the sums of index 0 belong to the time before the first node
        live = held + np.cumsum(arrives - goes - frees)
        most = live[:-1] + makes[1:]
        peak_at = int(most.argmax()) + 1 if count and most.max() > held else 0
        survey, kinds = self.found.kept.survey, self.found.kinds
        nodes = PlannedNodes(
            kinds, survey.kind_of[self.places[1:] >= 0], self.runs, makes[1:], frees[1:], live[1:]
        )
        numbered = ((-self.numbers[leaf], leaf) for leaf in self.leaves)
        names = name_leaves(survey, self.found.plan.nodes, numbered)
        leaves = [self._leaf(leaf, names[-self.numbers[leaf]]) for leaf in reversed(self.leaves)]
        leaves += self._outputs(edges)
        return BackwardPlan(
            self.call, nodes, tuple(leaves), tuple(self.errors), held, int(live[-1]),
            self.in_use_after, int(most[peak_at - 1]) if peak_at else held, peak_at,
        )  # fmt: skip

    def _on_their_way(self, count: int) -> tuple[Numbers, Numbers]:
        """Return by how much memory grows where gradients arrive first, and shrinks at the end."""
        sent = self.gradients
        outputs = sent.targets * (int(sent.slots.max(initial=0)) + 1) + sent.slots
        first = np.unique(outputs, return_index=True)[1]  # the earliest senders come first
        targets, sizes = sent.targets[first], sent.sizes[first]
        arrives = _sums(sent.senders[first], sizes, count)
        ends = np.full(len(targets), count)
        to_nodes = targets > 0
        ends[to_nodes] = self.places[targets[to_nodes]]
        stays = np.zeros(len(targets), bool)
        if self.call != "backward":
            stays[to_nodes] = ~self.runs[ends[to_nodes]]
        for place in np.flatnonzero(~to_nodes).tolist():
            number = targets[place]
            leaf = self.found.plan.leaves[-number - 1][0]
            stays[place] = self._action(leaf) in ("written", "taken over", "returned")
            ends[place] = sent.senders[sent.targets == number].max()
        if count:
            ends = ends.clip(0)  # a leaf that is a root gets its gradient after the first node
        return arrives, _sums(ends[~stays], sizes[~stays], count)

    def _frees(self, count: int) -> Numbers:
        """Return the bytes that go when a node has run."""
        found = self.found.kept
        places = self.places[found.nodes_of]
        goes = places >= 0
        goes[goes] = self._released()[places[goes]]
        sizes = np.array(found.sizes, np.int64)
        uses = np.bincount(found.blocks_of, minlength=len(sizes))
        gone = np.bincount(found.blocks_of[goes], minlength=len(sizes)) == uses
        gone[list(found.lasting)] = False
        stays = gone & np.array(found.in_use, bool)
        self.in_use_after = int(sizes[stays].sum())
        gone &= ~stays
        last = np.full(len(sizes), -1)
        np.maximum.at(last, found.blocks_of[goes], places[goes])
        return _sums(last[gone], sizes[gone], count)

    def _released(self) -> Any:
        """Return for each place whether the node lets go of what it has saved."""
        if self.keep is True:
            return np.zeros_like(self.runs)
        if not self.keep:
            return self.runs
        kept = self.keep
        return self.runs & np.array([node not in kept for node in self.plan.nodes], bool)

    def _action(self, leaf: AccumulateGrad) -> str:
        tensor = leaf.leaf
        if self.call == "grad":
            return "returned"
        if tensor is None:
            return "dropped"
        if reading.gradient_of(tensor) is not None:
            return "added to"
        several = (self.gradients.targets == self.numbers[leaf]).sum() > 1
        return "taken over" if several else "written"

    def _leaf(self, leaf: AccumulateGrad, name: str) -> PlannedLeaf:
        return PlannedLeaf(name, describe(leaf), _size(leaf), self._action(leaf))

    def _outputs(self, edges: list[Edge] | None) -> Iterator[PlannedLeaf]:
        """Yield the outputs of nodes whose gradients are asked for, or retained."""
        planned = set(self.plan.nodes) if edges else ()
        asked = [edge for edge in edges or () if edge[0] in planned]
        retained = [
            (node, slot)
            for node in self.plan.nodes
            if node.extra is not None and node not in self.plan.stops
            for slot, reference in node.extra.retained.items()
            if reference() is not None
        ]
        for node, slot in dict.fromkeys([*asked, *retained]):
            meta = node.output_meta(slot)
            name = text.expression_text(node.site) or node.short_name()
            action = "written"
            if (node, slot) in asked and self.call == "grad":
                action = "returned"
            elif node.extra is not None and (held := node.extra.retained.get(slot)) is not None:
                tensor = held()
                if tensor is not None and tensor._grad is not None:
                    action = "added to"
            yield PlannedLeaf(name, describe(meta), _size(meta), action)


class _Gradients(NamedTuple):
    """Gradients on their way, those of the earliest senders first."""

    #: the place of the node that sends it; -1 for what the pass starts with
    senders: Numbers
    #: the number of the node or leaf where it arrives, and which output it belongs to
    targets: Numbers
    slots: Numbers
    sizes: Numbers


def _sums(places: Numbers, sizes: Numbers, count: int) -> Numbers:
    """Return the sum of sizes by place, after that of what has the place -1."""
    sums = np.zeros(count + 1, np.int64)
    np.add.at(sums, places + 1, sizes)
    return sums


def _size(like: Any) -> int:
    return 0 if like.shape is None else prod(like.shape) * like.dtype.itemsize


def _output_sizes(node: Node) -> list[int]:
    return [_size(meta) for meta in node.metas or (node,)]


def _gradient_size(leaf: AccumulateGrad) -> int:
    tensor = leaf.leaf
    gradient = None if tensor is None else reading.gradient_of(tensor)
    return 0 if gradient is None else gradient.nbytes


def _changed_value(node: Node) -> Exception | None:
    """Return the error for the first saved value of a node that was changed in place since."""
    saved: Any = node.saved if isinstance(node.saved, tuple) else ()
    for position, entry in enumerate(saved):
        if isinstance(entry, tuple):
            value, storage, version = entry
            if value is not None and storage.version != version:
                return changed_value.modified(node, position, value, storage, version)
    return None


# ---- as text -------------------------------------------------------------------------------------


#: from this part of what stays on, what is in use elsewhere is told
_WORTH_TELLING = 0.01


def _in_use_text(plan: BackwardPlan) -> str:
    if plan.in_use_after <= plan.held_after * _WORTH_TELLING:
        return ""
    return f", of which {size_text(plan.in_use_after)} in use elsewhere"


def _text(plan: BackwardPlan, limit: int | None) -> Iterator[str]:
    yield (
        f"{plan.call}: {count_text(len(plan.nodes), 'node')}, "
        f"{count_text(len(plan.leaves), 'leaf')}; {size_text(plan.held_before)} before, "
        f"at most {size_text(plan.peak)}{f' at #{plan.peak_at}' if plan.peak_at else ''}, "
        f"{size_text(plan.held_after)} after{_in_use_text(plan)}"
    )
    if plan.nodes:
        heading = ["", "node", "line", "source", "makes", "frees", "live"]
        rest = "; text(limit=None) has them all"
        yield ""
        yield from first_rows(heading, plan.nodes, _cells, limit, "node", rest)
    if plan.leaves:
        rows = [[leaf.name, leaf.like, size_text(leaf.bytes), leaf.action] for leaf in plan.leaves]
        yield ""
        yield from columns(["leaf", "", "gradient", ".grad is"], rows)
    for error in plan.errors:
        yield ""
        yield f"raises {error.kind}, {error.when}:"
        yield from (f"  {line}" for line in error.message.splitlines())


def _cells(node: PlannedNode) -> list[str]:
    return [
        f"#{node.number}", node.name, node.where, shortened(node.text, _SOURCE_WIDTH),
        size_text(node.makes) if node.runs else "does not run", size_text(node.frees),
        size_text(node.live),
    ]  # fmt: skip
