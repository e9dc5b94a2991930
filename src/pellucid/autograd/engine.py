"""The engine: run the nodes of a graph, latest first, and pass gradients along its edges.

A node is always younger than the nodes that made its operands. So the order of their making,
reversed, is an order in which every node runs after all nodes that send it a gradient: there are
no dependencies to count. Without all that is rare, `Task.execute` is this loop::

    buffers = {root: gradient}
    for node in nodes:  # the youngest first
        grads = node.backward(node, buffers.pop(node))
        node.saved = run  # frees what was saved
        for (target, slot), grad in zip(node.edges, grads):
            grad = sum_to_size(grad, target)
            buffers[target] = buffers[target] + grad if target in buffers else grad

Only the leaves, which have no place in the order, run as soon as the last of their senders has run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter, itemgetter
from typing import Any, ClassVar

from pellucid._native import compiled
from pellucid.autograd import careful_run, explanations
from pellucid.autograd.careful_run import Captures
from pellucid.autograd.gradient_ops import Gradients
from pellucid.autograd.modes import anomaly, modes
from pellucid.autograd.node import LAST_SEQUENCE, BackwardRun, Node
from pellucid.autograd.variable import Edge
from pellucid.observe import slow_path

_BY_AGE = attrgetter("seq")
_SENDER = itemgetter(1)


class Plan:
    """Which nodes a backward pass runs, in which order, and when each leaf is complete."""

    __slots__ = ("leaves", "needed", "nodes", "stops")

    def __init__(self, nodes: list[Node], last_sender: dict[Any, int]) -> None:
        #: youngest first
        self.nodes = nodes
        #: (leaf, sequence number of its last sender), the greatest number last
        self.leaves = sorted(last_sender.items(), key=_SENDER)
        #: where only some inputs are asked for: everything on a way to one of them
        self.needed: set[Node] | None = None
        #: nodes whose arriving gradient is asked for and that lead nowhere else
        self.stops: frozenset[Node] = frozenset()

    def to_finish(self) -> list[tuple[Any, int]]:
        """Return the leaves, the last to be complete first, those of one sender backwards."""
        return sorted(self.leaves, key=_SENDER, reverse=True)[::-1]


def plan_all(roots: Iterable[Node]) -> Plan:
    """Plan to run every node that the roots lead to."""
    return Plan(*_walk(roots))


def plan_towards(roots: Iterable[Node], wanted: set[Node], run_wanted: bool) -> Plan:
    """Plan to run only what leads to a wanted node, and the wanted ones themselves on request."""
    nodes, last_sender = _walk(roots, min(node.born for node in wanted))
    kept, leads_on = _towards(nodes, wanted)
    needed = leads_on | wanted
    #: what hears of the gradient that it is given, though it leads to no wanted node
    hearing = {root for root in roots if root.extra is not None and root not in needed}
    if hearing:
        kept = [node for node in nodes if node in needed or node in hearing]
    reached = {leaf: seq for leaf, seq in last_sender.items() if leaf in wanted or leaf in hearing}
    plan = Plan(kept, reached)
    plan.needed = needed
    plan.stops = frozenset(hearing if run_wanted else (wanted - leads_on) | hearing)
    return plan


def _walk(roots: Iterable[Node], oldest: int = 0) -> tuple[list[Node], dict[Any, int]]:
    """Return the nodes that roots lead to, youngest first, and each leaf's last sender's number.

    What was made before the number ``oldest`` is left out: it leads to nothing that is younger.
    """
    if compiled is not None and not modes.in_python:
        return compiled.walk(roots, oldest)
    limited = oldest > 0
    nodes: list[Node] = []
    last_sender: dict[Any, int] = {}  # by AccumulateGrad
    stack: list[Node] = []
    for root in dict.fromkeys(roots):
        if root.edges:
            stack.append(root)
        else:
            last_sender[root] = LAST_SEQUENCE
    seen = set(stack)
    pop, push, put, see, sent = stack.pop, stack.append, nodes.append, seen.add, last_sender.get
    leave = last_sender.pop
    while stack:
        node = pop()
        put(node)
        for edge in node.edges:
            if edge is not None:
                target = edge[0]
                if target in seen or (limited and target.seq < oldest):
                    continue
                if target.edges:
                    see(target)
                    push(target)
                elif node.seq <= sent(target, LAST_SEQUENCE):
                    leave(target, None)  # to be the last: of one sender, in the order of its edges
                    last_sender[target] = node.seq
    nodes.sort(key=_BY_AGE, reverse=True)
    return nodes, last_sender


def _towards(nodes: list[Node], wanted: set[Node]) -> tuple[list[Node], set[Node]]:
    """Return which nodes of a walk lead to wanted ones or are wanted, and which of them lead on."""
    if compiled is not None and not modes.in_python:
        return compiled.towards(nodes, wanted)
    leads_on: set[Node] = set()
    kept: list[Node] = []
    for node in reversed(nodes):
        if any(e is not None and (e[0] in wanted or e[0] in leads_on) for e in node.edges):
            leads_on.add(node)
            kept.append(node)
        elif node in wanted:
            kept.append(node)
    kept.reverse()
    return kept, leads_on


def _is_added_to(held: Any, grad: Any) -> bool:
    """Return whether PyTorch adds to a gradient in place, unless somebody else has it as well."""
    flags = getattr(held, "flags", None)  # a sparse gradient has none
    return held is not grad and (flags is None or flags.forc)


def _is_handed_on(grad: Any, g: Any) -> bool:
    """Return whether a node has passed on the gradient it was given, or a view of its memory."""
    if grad is g or g is None:
        return grad is g
    base = getattr(grad, "base", None)
    return base is not None and (base is g or base is getattr(g, "base", None))


def _changes_of_unfitting(node: Node, grad: Any, target: Any, changes: int) -> int:
    """Return how often what a gradient is made to fit its target is changed.

    That is as often as it was where it is only rounded, computed in more precision.
    """
    if grad.shape == target.shape:
        rounded = node.metas != () and node.output_meta(0).dtype is target.dtype
        return changes if rounded else 0
    return -1 if 0 < len(target.shape) < len(grad.shape) else 0


def _changes_of(node: Node, summed: dict[Node, int], handed_on: dict[Node, int]) -> int:
    """Return how often PyTorch has changed what has arrived at a node since it was made.

    That is -1 for what the program has, or PyTorch's views: nothing is added to these in place.
    """
    found = summed.get(node)
    return handed_on.get(node, 0) if found is None else found


def refuse_freed(plan: Plan, run: BackwardRun) -> None:
    """Raise, before any node has run, if one that is to run has been freed."""
    for node in plan.nodes:
        if node.saved.__class__ is BackwardRun and node not in plan.stops:
            explanations.running_pass.warn_of_error(node)
            raise explanations.freed_graph.freed(node, plan.nodes, run)


class Task:
    """One backward pass while it runs."""

    __slots__ = (
        "__weakref__", "buffers", "callbacks", "captures", "gradients", "keep", "plan", "run",
    )  # fmt: skip

    #: whether a leaf without hooks is handed what has arrived as soon as it is all
    _writes_at_once: ClassVar[bool] = True
    accumulate = careful_run.accumulate

    def __init__(
        self, plan: Plan, run: BackwardRun, gradients: Gradients, keep: bool | set[Node],
        captures: Captures | None = None,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.run = run
        self.gradients = gradients
        #: which nodes keep what they saved: all, none, or these
        self.keep = keep
        self.captures = captures
        #: node -> the gradient that has arrived so far; a list for a node of several outputs
        self.buffers: dict[Node, Any] = {}
        #: to be called at the end, by `queue_callback`
        self.callbacks: list[Callable[[], Any]] = []

    def send(self, edge: Edge, g: Any) -> None:
        """Deliver a gradient to a node's buffer, fitted to the output it belongs to."""
        target, slot = edge
        gradients, buffers = self.gradients, self.buffers
        g = gradients.sum_to_size(g, target.output_meta(slot))
        if target.metas is not None:
            slots = buffers.setdefault(target, [None] * len(target.metas))
            slots[slot] = g if slots[slot] is None else gradients.add(slots[slot], g)
        elif (held := buffers.get(target)) is None:
            buffers[target] = g
        else:
            buffers[target] = gradients.add(held, g)

    def execute(self) -> None:
        """Run the planned nodes; what each has saved is freed as soon as it has run."""
        # in inference mode gradients are tensors made in inference mode
        if compiled is not None and not modes.in_python and not modes.inference:
            self._execute_compiled()
            return
        run, keep, leaves, buffers = self.run, self.keep, self.plan.to_finish(), self.buffers
        keep_all, keep_none = keep is True, not keep
        kept: set[Node] = keep if isinstance(keep, set) else set()
        arrived, take = buffers.get, buffers.pop
        recorded, sum_to_size = self.gradients.recorded, self.gradients.sum_to_size
        whole = self.gradients.whole
        accumulate, at_once = self.gradients.accumulate, self._writes_at_once and not self.captures
        careful = recorded or self.plan.needed is not None or self._is_watched()
        #: nodes whose buffer is a sum made here, to be added to in place; and how often it was
        summed: dict[Node, int] = {}
        #: how often what has arrived alone was changed before; -1 for what the program has
        handed_on: dict[Node, int] = dict.fromkeys(buffers, -1)
        next_leaf = leaves[-1][1] if leaves else -1
        node: Node | None = None
        try:
            for node in self.plan.nodes:
                g = take(node, None)
                if not node.shape:
                    g = whole(g)
                if careful or g is None or node.extra is not None:
                    grads = careful_run.step(self, node, g)
                    if grads is None:
                        continue
                else:
                    grads = node.backward(node, g)
                given, made = _changes_of(node, summed, handed_on), node.gradient_changes
                if node.saved is not None and (keep_none or not (keep_all or node in kept)):
                    node.release(run)
                for edge, grad in zip(node.edges, grads):  # noqa: B905 - the hottest loop
                    if edge is None or grad is None:
                        continue
                    target = edge[0]
                    changes = given if given and _is_handed_on(grad, g) else made
                    if grad.shape != target.shape or grad.dtype is not target.dtype:
                        if target.metas is not None:
                            self.send(edge, grad)
                            continue
                        changes = _changes_of_unfitting(node, grad, target, changes)
                        grad = sum_to_size(grad, target)
                    held = arrived(target)
                    if held is None:
                        buffers[target] = grad
                        if changes:
                            handed_on[target] = changes
                    elif target in summed:
                        held += grad
                        buffers[target] = held
                        summed[target] += 1
                    else:
                        buffers[target] = held + grad
                        if not recorded and not _is_added_to(held, grad):
                            summed[target] = 0
                        elif not recorded:
                            summed[target] = 1 + handed_on.get(target, 0)
                # a gradient must not be held here longer than its node needs it
                g = grads = grad = held = None
                while next_leaf >= node.seq:
                    leaf = leaves.pop()[0]
                    changes = max(_changes_of(leaf, summed, handed_on), 0)
                    if at_once and leaf.extra is None:
                        if leaf in buffers:
                            accumulate(leaf, take(leaf), changes)
                    else:
                        careful_run.finish_leaf(self, leaf, changes)
                    next_leaf = leaves[-1][1] if leaves else -1
            while leaves:
                careful_run.finish_leaf(self, leaves.pop()[0], 0)
        except Exception as error:
            explanations.running_pass.name_line(error, node)
            raise

    def _is_watched(self) -> bool:
        """Return whether somebody looks at every node that runs."""
        return anomaly.enabled or slow_path.is_watched()

    def _execute_compiled(self) -> None:
        """Run the planned nodes as `execute` does, in the compiled module."""
        assert compiled is not None
        compiled.execute(
            self, self.plan.nodes, self.plan.to_finish(), self.buffers, self.run, self.keep,
            self.gradients, self.plan.needed, self.plan.stops, self.captures,
            self._is_watched(), self._writes_at_once and not self.captures,
        )  # fmt: skip
