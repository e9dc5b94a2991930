"""The engine: run the nodes of a graph, latest first, and pass gradients along its edges.

A node is always younger than the nodes that made its operands. So the order of their making,
reversed, is an order in which every node runs after all nodes that send it a gradient: there are
no dependencies to count. Only the leaves, which have no place in it, run as soon as the last of
their senders has run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from operator import attrgetter, itemgetter
from typing import Any, Protocol

from pellucid._native import compiled
from pellucid.autograd import explain
from pellucid.autograd.hooks import (
    run_post_accumulate_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from pellucid.autograd.modes import anomaly, modes
from pellucid.autograd.node import LAST_SEQUENCE, AccumulateGrad, BackwardRun, Node
from pellucid.autograd.variable import Edge
from pellucid.observe import emit, slow_path


class Gradients(Protocol):
    """What can flow through a graph: arrays in an ordinary backward, tensors under create_graph."""

    recorded: bool

    def fit(self, g: Any, like: Any) -> Any:
        """Return ``g`` with the shape and dtype of ``like``, summing what was broadcast."""
        ...

    def add(self, first: Any, second: Any) -> Any: ...

    def accumulate(self, leaf: AccumulateGrad, g: Any) -> None:
        """Add to the leaf's ``.grad``."""
        ...

    def retain(self, tensor: Any, g: Any) -> None:
        """Add to the ``.grad`` of a tensor that is no leaf."""
        ...

    def wrap(self, g: Any) -> Any:
        """Return the gradient as a tensor, for a hook."""
        ...

    def writable(self, g: Any) -> Any:
        """Return the gradient, or a copy of one whose elements share their memory."""
        ...

    def unwrap(self, tensor: Any) -> Any: ...

    def quiet(self) -> AbstractContextManager[Any]:
        """Return a context in which arithmetic gives no warnings."""
        ...

    def zeros(self, like: Any) -> Any: ...

    def ones(self, like: Any) -> Any: ...

    def has_nan(self, g: Any) -> bool: ...


class GradientOps:
    """The two kinds of gradients; the layer above, which knows arrays, puts them here."""

    arrays: Gradients
    tensors: Gradients
    #: gives a tensor that was changed in place the history of output ``slot`` of a node
    rebase_history: Callable[[Any, Node, int], None]
    #: joins tensors of one shape along a new first dimension
    stack: Callable[[list[Any]], Any]


gradient_ops = GradientOps()


class Captures:
    """The gradients that ``grad(outputs, inputs)`` asked for, caught where they arrive."""

    __slots__ = ("_at", "found")

    def __init__(self, edges: Sequence[Edge | None]) -> None:
        self.found: list[Any] = [None] * len(edges)
        self._at: dict[Node, list[tuple[int, int]]] = {}
        for position, edge in enumerate(edges):
            if edge is not None:
                self._at.setdefault(edge[0], []).append((edge[1], position))

    def catch(self, node: Node, g: Any) -> None:
        """Keep what has arrived at the node, where it was asked for."""
        for slot, position in self._at.get(node, ()):
            self.found[position] = g if node.metas is None or g is None else g[slot]


_BY_AGE = attrgetter("seq")
_SENDER = itemgetter(1)


class Plan:
    """Which nodes a backward pass runs, in which order, and when each leaf is complete."""

    __slots__ = ("leaves", "needed", "nodes", "stops")

    def __init__(self, nodes: list[Node], last_sender: dict[Any, int]) -> None:
        #: youngest first
        self.nodes = nodes
        #: (leaf, sequence number of its last sender); the first to be complete comes last
        self.leaves = sorted(last_sender.items(), key=_SENDER)
        #: where only some inputs are asked for: everything on a way to one of them
        self.needed: set[Node] | None = None
        #: nodes whose arriving gradient is asked for and that lead nowhere else
        self.stops: frozenset[Node] = frozenset()


def plan_all(roots: Iterable[Node]) -> Plan:
    """Plan to run every node that the roots lead to."""
    return Plan(*_walk(roots))


def plan_towards(roots: Iterable[Node], wanted: set[Node], run_wanted: bool) -> Plan:
    """Plan to run only what leads to a wanted node, and the wanted ones themselves on request."""
    nodes, last_sender = _walk(roots)
    leads_on: set[Node] = set()
    kept: list[Node] = []
    for node in reversed(nodes):
        if any(e is not None and (e[0] in wanted or e[0] in leads_on) for e in node.edges):
            leads_on.add(node)
            kept.append(node)
        elif node in wanted:
            kept.append(node)
    kept.reverse()
    plan = Plan(kept, {leaf: seq for leaf, seq in last_sender.items() if leaf in wanted})
    plan.needed = leads_on | wanted
    if not run_wanted:
        plan.stops = frozenset(wanted - leads_on)
    return plan


def _walk(roots: Iterable[Node]) -> tuple[list[Node], dict[Any, int]]:
    """Return all reachable nodes, youngest first, and for each leaf its last sender's number."""
    if compiled is not None:
        return compiled.walk(roots)
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
    while stack:
        node = pop()
        put(node)
        for edge in node.edges:
            if edge is not None:
                target = edge[0]
                if target in seen:
                    continue
                if target.edges:
                    see(target)
                    push(target)
                elif node.seq < sent(target, LAST_SEQUENCE):
                    last_sender[target] = node.seq
    nodes.sort(key=_BY_AGE, reverse=True)
    return nodes, last_sender


def refuse_freed(plan: Plan, run: BackwardRun) -> None:
    """Raise, before any node has run, if one that is to run has been freed."""
    for node in plan.nodes:
        if node.saved.__class__ is BackwardRun and node not in plan.stops:
            raise explain.freed(node, plan.nodes, run)


class Task:
    """One backward pass while it runs."""

    __slots__ = (
        "__weakref__", "buffers", "callbacks", "captures", "gradients", "keep", "plan", "run",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        run: BackwardRun,
        gradients: Gradients,
        keep: bool | set[Node],
        captures: Captures | None = None,
    ) -> None:
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

    def will_reach(self, edge: Edge) -> bool:
        """Tell whether the gradient of a tensor with this edge is computed in this pass."""
        plan, node = self.plan, edge[0]
        if plan.needed is not None:
            return node in plan.needed
        return node in plan.nodes or any(leaf is node for leaf, _ in plan.leaves)

    def send(self, edge: Edge, g: Any) -> None:
        """Deliver a gradient to a node's buffer, fitted to the output it belongs to."""
        target, slot = edge
        gradients, buffers = self.gradients, self.buffers
        g = gradients.fit(g, target.output_meta(slot))
        if target.metas is not None:
            slots = buffers.setdefault(target, [None] * len(target.metas))
            slots[slot] = g if slots[slot] is None else gradients.add(slots[slot], g)
        elif (held := buffers.get(target)) is None:
            buffers[target] = g
        else:
            buffers[target] = gradients.add(held, g)

    def execute(self) -> None:
        """Run the planned nodes; what each has saved is freed as soon as it has run."""
        if compiled is not None and not self.gradients.recorded:
            self._execute_compiled()
            return
        run, keep, leaves, buffers = self.run, self.keep, self.plan.leaves.copy(), self.buffers
        keep_all, keep_none = keep is True, not keep
        kept: set[Node] = keep if isinstance(keep, set) else set()
        arrived, take = buffers.get, buffers.pop
        recorded, fit = self.gradients.recorded, self.gradients.fit
        accumulate, nothing_caught = self.gradients.accumulate, self.captures is None
        careful = self._is_careful()
        #: nodes whose buffer is a sum made here, which may be added to in place
        summed: set[Node] = set()
        next_leaf = leaves[-1][1] if leaves else -1
        node: Node | None = None
        try:
            for node in self.plan.nodes:
                g = take(node, None)
                if careful or g is None or node.extra is not None:
                    grads = self._run_carefully(node, g)
                    if grads is None:
                        continue
                else:
                    grads = node.backward(node, g)
                if node.saved is not None and (keep_none or not (keep_all or node in kept)):
                    node.saved = run
                for edge, grad in zip(node.edges, grads):  # noqa: B905 - the hottest loop
                    if edge is None or grad is None:
                        continue
                    target = edge[0]
                    if grad.shape != target.shape or grad.dtype is not target.dtype:
                        if target.metas is not None:
                            self.send(edge, grad)
                            continue
                        grad = fit(grad, target)
                    held = arrived(target)
                    if held is None:
                        buffers[target] = grad
                    elif target in summed:
                        held += grad
                        buffers[target] = held
                    else:
                        buffers[target] = held + grad
                        if not recorded:
                            summed.add(target)
                # a gradient must not be held here longer than its node needs it
                g = grads = grad = held = None
                while next_leaf >= node.seq:
                    leaf = leaves.pop()[0]
                    if nothing_caught and leaf.extra is None:
                        if leaf in buffers:
                            accumulate(leaf, take(leaf))
                    else:
                        self._finish_leaf(leaf)
                    next_leaf = leaves[-1][1] if leaves else -1
            while leaves:
                self._finish_leaf(leaves.pop()[0])
        except Exception as error:
            explain.add_story(error, node)
            raise

    def _is_careful(self) -> bool:
        """Tell whether every node is run with all that may be asked of it."""
        return (
            self.gradients.recorded
            or self.plan.needed is not None
            or anomaly.enabled
            or slow_path.active > 0
        )

    def _execute_compiled(self) -> None:
        """Run the planned nodes as `execute` does, in the compiled module."""
        assert compiled is not None
        compiled.execute(
            self, self.plan.nodes, self.plan.leaves.copy(), self.buffers, self.run, self.keep,
            self._is_careful(), self.captures is None,
        )  # fmt: skip

    def _run_carefully(self, node: Node, g: Any) -> tuple[Any, ...] | None:
        """Run a node that has hooks, no gradient, observers, or part of whose gradients is wanted.

        Returns ``None`` for a node that must not run at all.
        """
        gradients, needed = self.gradients, self.plan.needed
        extra = node.extra
        if extra is not None and g is not None:
            g = run_tensor_hooks(node, g, gradients)
        if self.captures is not None:
            self.captures.catch(node, g)
        if node in self.plan.stops:
            return None
        if extra is not None and extra.pre_hooks:
            g = run_pre_hooks(node, g, gradients)
        if g is None and not node.takes_undefined:
            return ()
        outer, modes.evaluating = modes.evaluating, node
        try:
            if gradients.recorded:
                grads = node.backward_on_tensors(g)
            elif needed is not None:
                grads = node.backward_towards(
                    g, tuple(edge is not None and edge[0] in needed for edge in node.edges)
                )
            else:
                grads = node.backward(node, g)
        finally:
            modes.evaluating = outer
        if anomaly.enabled and anomaly.check_nan:
            self._refuse_nan(node, grads)
        if extra is not None and extra.post_hooks:
            grads = run_post_hooks(node, grads, g, gradients)
        if slow_path.active:
            emit("ran", node)
        if needed is not None:
            return tuple(
                None if edge is None or edge[0] not in needed else grad
                for edge, grad in zip(node.edges, grads, strict=True)
            )
        return grads

    def _refuse_nan(self, node: Node, grads: tuple[Any, ...]) -> None:
        for position, grad in enumerate(grads):
            if grad is not None and self.gradients.has_nan(grad):
                raise explain.nan(node, position)

    def _finish_leaf(self, leaf: Any) -> None:
        """Hand a leaf all that has arrived for it."""
        g = self.buffers.pop(leaf, None)
        if g is None:
            return
        g = run_tensor_hooks(leaf, g, self.gradients)
        if self.captures is not None:
            self.captures.catch(leaf, g)
            return
        self._accumulate_with_hooks(leaf, g)

    def _accumulate_with_hooks(self, leaf: AccumulateGrad, g: Any) -> None:
        extra = leaf.extra
        if extra is not None and extra.pre_hooks:
            g = run_pre_hooks(leaf, g, self.gradients)
        with leaf.lock:
            self.gradients.accumulate(leaf, g)
            if extra is not None and extra.post_accumulate_hooks:
                run_post_accumulate_hooks(leaf)
        if extra is not None and extra.post_hooks:
            run_post_hooks(leaf, (), g, self.gradients)
