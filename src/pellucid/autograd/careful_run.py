"""Running a node that has hooks or observers, or only part of whose gradients is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pellucid.autograd import explanations
from pellucid.autograd.gradient_ops import Gradients
from pellucid.autograd.hooks import (
    run_leaf_hooks,
    run_post_accumulate_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from pellucid.autograd.modes import anomaly, modes
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node
from pellucid.autograd.variable import Edge
from pellucid.observe import emit, observers, slow_path


class Captures:
    """The gradients that ``grad(outputs, inputs)`` asked for, caught where they arrive."""

    __slots__ = ("at", "found")

    def __init__(self, edges: Sequence[Edge | None]) -> None:
        self.found: list[Any] = [None] * len(edges)
        #: (which output, position in `found`) of all that is asked for at a node
        self.at: dict[Node, list[tuple[int, int]]] = {}
        for position, edge in enumerate(edges):
            if edge is not None:
                self.at.setdefault(edge[0], []).append((edge[1], position))

    def catch(self, node: Node, g: Any) -> None:
        """Keep what has arrived at the node, where it was asked for."""
        for slot, position in self.at.get(node, ()):
            self.found[position] = g if node.metas is None or g is None else g[slot]


class Wanted(Protocol):
    """What of a graph a backward pass is to run."""

    #: where only some inputs are asked for: everything on a way to one of them
    needed: set[Node] | None
    #: nodes whose arriving gradient is asked for and that lead nowhere else
    stops: frozenset[Node]


class Pass(Protocol):
    """What a step looks at of the backward pass that it is part of."""

    @property
    def plan(self) -> Wanted: ...

    run: BackwardRun
    #: which nodes keep what they saved: all, none, or these
    keep: bool | set[Node]
    gradients: Gradients
    captures: Captures | None
    buffers: dict[Node, Any]

    def accumulate(self, leaf: AccumulateGrad, g: Any, changes: int = 0) -> None:
        """Write a gradient to the ``.grad`` of a leaf, with the hooks around that."""
        ...


def step(task: Pass, node: Node, g: Any) -> tuple[Any, ...] | None:
    """Run a node that has hooks, no gradient, observers, or part of whose gradients is wanted.

    Returns ``None`` for a node that must not run at all.
    """
    if not observers:
        return _step(task, node, g)
    present, grads = tuple(observers), None
    for each in present:
        each.node_began(node, g)
    try:
        grads = _step(task, node, g)
        return grads
    finally:
        for each in reversed(present):
            each.node_ended(node, grads)


def _step(task: Pass, node: Node, g: Any) -> tuple[Any, ...] | None:
    gradients, plan = task.gradients, task.plan
    needed, extra = plan.needed, node.extra
    if extra is not None:
        g = run_tensor_hooks(node, g, gradients)
    if task.captures is not None:
        task.captures.catch(node, g)
    if node in plan.stops:
        return None
    if extra is not None and extra.pre_hooks:
        g = run_pre_hooks(node, g, gradients)
    if g is None and not node.takes_undefined:
        grads = (None,) * len(node.edges)
        if extra is not None and extra.post_hooks:
            return run_post_hooks(node, grads, g, gradients)
        return grads
    outer, modes.evaluating = modes.evaluating, node
    asked = None
    if needed is not None:
        asked = tuple(edge is not None and edge[0] in needed for edge in node.edges)
    try:
        if gradients.recorded:
            grads = node.backward_on_tensors(g, asked)
        elif asked is not None:
            grads = node.backward_towards(g, asked)
        else:
            grads = node.backward(node, g)
    finally:
        modes.evaluating = outer
    if anomaly.enabled and anomaly.check_nan:
        _refuse_nan(task, node, grads)
    if extra is not None and extra.post_hooks:
        grads = run_post_hooks(node, grads, g, gradients)
    if slow_path.active:
        emit("ran", node)
    if asked is not None:
        return tuple(grad if wanted else None for wanted, grad in zip(asked, grads, strict=True))
    return grads


def _keeps(task: Pass, node: Node) -> bool:
    """Return whether a node keeps what it has saved after it has run."""
    return task.keep is True or (isinstance(task.keep, set) and node in task.keep)


def _refuse_nan(task: Pass, node: Node, grads: tuple[Any, ...]) -> None:
    for position, grad in enumerate(grads):
        if grad is not None and task.gradients.has_nan(grad):
            if not _keeps(task, node):
                node.release(task.run)
            raise explanations.running_pass.nan(node, position)


def finish_leaf(task: Pass, leaf: Any, changes: int) -> None:
    """Hand a leaf all that has arrived for it, which was changed ``changes`` times before."""
    g, changes = run_leaf_hooks(leaf, task.buffers.pop(leaf, None), changes, task.gradients)
    if task.captures is not None:
        task.captures.catch(leaf, g)
    elif leaf not in task.plan.stops and (g is not None or leaf.extra is not None):
        task.accumulate(leaf, g, changes)


def accumulate(task: Pass, leaf: AccumulateGrad, g: Any, changes: int = 0) -> None:
    """Write a gradient to the ``.grad`` of a leaf, with the hooks around that."""
    gradients, extra = task.gradients, leaf.extra
    if extra is not None and extra.pre_hooks:
        g = run_pre_hooks(leaf, g, gradients)
    with leaf.lock:
        if g is not None:
            gradients.accumulate(leaf, g, changes, holders=2)
        if extra is not None and extra.post_accumulate_hooks:
            run_post_accumulate_hooks(leaf)
    if extra is not None and extra.post_hooks:
        run_post_hooks(leaf, (), g, gradients)
