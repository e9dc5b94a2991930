"""Layers whose gradients are zero because no activation above them lets any pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pellucid.autograd.explanations.saved_values import op_of
from pellucid.autograd.node import AccumulateGrad, Node, reachable
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.derivatives import local_derivatives
from pellucid.inspect.checks.finding import Finding, line_of, listed
from pellucid.inspect.checks.run import Entry, Run, Step, array_of

#: steps in a row with a gradient of zeros, after which the graph is searched for the reason
PATIENCE = 10


class ZeroGradients(Check):
    """A search for layers that dead units or saturation have cut off."""

    kinds = ("dead units", "saturation")

    def __init__(self, run: Run, report: Callable[[Finding], None]) -> None:
        super().__init__(run, report)
        #: identities of parameters that have been reported, or have no such reason
        self.settled: set[int] = set()
        self.due: list[Entry] = []

    def step_ended(self, step: Step) -> None:
        zero: list[Entry] = []
        given = 0
        for entry in step.entries:
            if entry.grad is None:
                continue
            given += 1
            if entry.square == 0 and not array_of(entry.grad).any():
                entry.key.zero_gradients += 1
                zero.append(entry)
            else:
                entry.key.zero_gradients = 0
        if len(zero) < given:
            self.due = [
                entry
                for entry in zero
                if entry.key.zero_gradients >= PATIENCE and id(entry.tensor) not in self.settled
            ]

    def backward_began(self, asked: Any) -> None:
        due, self.due = self.due, []
        if not due:
            return
        self.settled.update(id(entry.tensor) for entry in due)
        for node in closed(asked.nodes):
            below = {each.leaf for each in reachable([node]) if isinstance(each, AccumulateGrad)}
            cut_off = [entry for entry in due if any(each is entry.tensor for each in below)]
            if cut_off:
                names = self.run.names_of(cut_off)
                self.report(
                    finding_of(
                        node,
                        f"the gradient of {listed(names)} has been zero for {PATIENCE} steps",
                        self.run.steps,
                    )
                )
                return


def closed(nodes: list[Node]) -> Iterator[Node]:
    """Yield the activations all of whose local derivatives are zero, the first in forward first.

    The nodes must not have been freed; they are not run.
    """
    for node in reversed(nodes):
        op = op_of(node)
        if op is None or op.family.name != "elementwise" or len(op.operands) != 1:
            continue
        grads = local_derivatives(node)
        if grads is not None and grads[0] is not None and node.shape and not np.any(grads[0]):
            yield node


def finding_of(node: Node, what: str, step: int) -> Finding:
    """Return what is to be said of an activation that lets no gradient pass."""
    name = op_of(node).name
    dead = name == "relu"
    return Finding(
        "dead units" if dead else "saturation",
        what,
        *line_of(node.site),
        f"{name} lets no gradient pass here: "
        + ("all its outputs are zero." if dead else "all its operands are where it is flat."),
        "Start again with a lower learning rate, "
        + ("or use leaky_relu or gelu." if dead else "or scale the operands down."),
        step,
    )
