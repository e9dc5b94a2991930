"""Running a node that has hooks or observers, or only part of whose gradients is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pellucid.autograd import explanations
from pellucid.autograd.gradient_ops import Gradients
from pellucid.autograd.hooks import (
    run_post_accumulate_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from pellucid.autograd.modes import anomaly, modes
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.variable import Edge
from pellucid.observe import emit, observers, slow_path

if TYPE_CHECKING:
    from pellucid.autograd.engine import Plan


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


class CarefulRun:
    """The part of a backward pass that most nodes never need; see `pellucid.autograd.engine`."""

    __slots__ = ()

    plan: Plan
    gradients: Gradients
    captures: Captures | None
    buffers: dict[Node, Any]

    def _run_carefully(self, node: Node, g: Any) -> tuple[Any, ...] | None:
        """Run a node that has hooks, no gradient, observers, or part of whose gradients is wanted.

        Returns ``None`` for a node that must not run at all.
        """
        if not observers:
            return self._run_with_care(node, g)
        present, grads = tuple(observers), None
        for each in present:
            each.node_began(node, g)
        try:
            grads = self._run_with_care(node, g)
            return grads
        finally:
            for each in reversed(present):
                each.node_ended(node, grads)

    def _run_with_care(self, node: Node, g: Any) -> tuple[Any, ...] | None:
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
            self._refuse_nan(node, grads)
        if extra is not None and extra.post_hooks:
            grads = run_post_hooks(node, grads, g, gradients)
        if slow_path.active:
            emit("ran", node)
        if asked is not None:
            return tuple(
                grad if wanted else None for wanted, grad in zip(asked, grads, strict=True)
            )
        return grads

    def _refuse_nan(self, node: Node, grads: tuple[Any, ...]) -> None:
        for position, grad in enumerate(grads):
            if grad is not None and self.gradients.has_nan(grad):
                raise explanations.running_pass.nan(node, position)

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
