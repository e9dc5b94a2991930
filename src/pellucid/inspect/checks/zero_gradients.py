"""Layers whose gradients are zero because an operation above them lets none pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from pellucid.autograd.node import AccumulateGrad, Node, reachable
from pellucid.autograd.reading import edge_of
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import Finding, line_of, listed
from pellucid.inspect.checks.run import Entry, Step, array_of
from pellucid.inspect.derivatives import lets_nothing_through
from pellucid.inspect.zero_words import ALWAYS_ZERO, CLAMPED, DEAD, SATURATED, STEPS, WORDS
from pellucid.inspect.zeros import Zero, ZeroSearch, name_of, only_summed, operand_text
from pellucid.observe import observing

#: steps in a row with a gradient of zeros, after which it is reported
PATIENCE = 10
#: the same where the derivative is zero whatever the operand is
SHORT_PATIENCE = 3


class ZeroGradients(Check):
    """A search for layers that dead units, saturation, bounds or steps have cut off."""

    kinds = (DEAD, SATURATED, CLAMPED, STEPS)

    def prepare(self) -> None:
        #: identities of parameters that have been reported, or have no such reason
        self.settled: set[int] = set()
        #: parameters with zeros in the latest step, and whether all of its gradients were
        self.zero: list[Entry] = []
        self.all_zero = False
        self._search: ZeroSearch | None = None
        self._block: AbstractContextManager[None] | None = None

    def step_ended(self, step: Step) -> None:
        self.zero, given = [], 0
        for entry in step.entries:
            if entry.grad is None:
                continue
            given += 1
            if entry.square == 0 and not array_of(entry.grad).any():
                entry.key.zero_gradients += 1
                self.zero.append(entry)
                if entry.key.zero_gradients <= PATIENCE:
                    step.optimizer.follow()
            elif entry.key.zero_gradients:
                entry.key.zero_gradients = 0
        self.all_zero = len(self.zero) == given

    def backward_began(self, asked: Any) -> None:
        if self.zero and any(_is_looked_at(entry.key.zero_gradients) for entry in self.zero):
            if all(hasattr(node, "saved") for node in asked.nodes):
                self._search = ZeroSearch(asked.nodes)
                self._block = block = observing(self._search)
                block.__enter__()

    def backward_failed(self, asked: Any) -> None:
        self._leave()

    def backward_ended(self, asked: Any) -> None:
        search = self._leave()
        if search is None:
            return
        made = search.keep()
        zero, self.zero = self.zero, []
        if self.all_zero and all(_is_zero(root) for root in asked.roots):
            return  # a loss that has reached its least value, a margin that is kept
        due: dict[Zero, list[Entry]] = {}
        for entry in zero:
            edge = edge_of(entry.tensor)
            if edge is not None and id(entry.tensor) not in self.settled:
                reason = next((each for each in made.get(edge[0], ()) if _is_reported(each)), None)
                patience = SHORT_PATIENCE if reason and reason.op in ALWAYS_ZERO else PATIENCE
                if entry.key.zero_gradients >= patience:
                    self.settled.add(id(entry.tensor))
                    if reason is not None:
                        due.setdefault(reason, []).append(entry)
        for reason, entries in due.items():
            self._report(reason, entries)

    def _leave(self) -> ZeroSearch | None:
        block, self._block = self._block, None
        search, self._search = self._search, None
        if block is not None:
            block.__exit__(None, None, None)
        return search

    def _report(self, reason: Zero, entries: list[Entry]) -> None:
        steps = min(entry.key.zero_gradients for entry in entries)
        what = f"the gradient of {listed(self.run.names_of(entries))} has been zero for {steps}"
        self.add(_finding(reason.op, reason.site, reason.operand, f"{what} steps", self.run.steps))


def _is_looked_at(steps: int) -> bool:
    """Return whether the pass after this many steps with zeros is looked at."""
    return steps in (SHORT_PATIENCE, PATIENCE) or (steps > 0 and not steps & (steps - 1))


def _is_reported(zero: Zero) -> bool:
    return zero.op in WORDS and not (zero.only_summed and zero.op not in ALWAYS_ZERO)


def _is_zero(root: Any) -> bool:
    return hasattr(root, "numel") and not array_of(root).any()


def closed(nodes: list[Node]) -> Iterator[Node]:
    """Yield the activations all of whose local derivatives are zero, the first in forward first.

    Args:
        nodes: Those of a pass, the youngest first; they must not have been freed, and are not run.
    """
    summed = only_summed(nodes)
    for node in reversed(nodes):
        name = name_of(node)
        if name not in WORDS or not node.shape:
            continue
        always = name in ALWAYS_ZERO
        if (always or node not in summed) and lets_nothing_through(node, least=0.0):
            if any(isinstance(each, AccumulateGrad) for each in reachable([node])):
                yield node


def finding_of(node: Node, what: str, step: int) -> Finding:
    """Return what is to be said of an operation that lets no gradient pass.

    Args:
        node: The operation.
        what: What has been seen of it.
        step: The number of the step.
    """
    return _finding(name_of(node), node.site, operand_text(node), what, step)


def _finding(name: str, site: Site | None, operand: str, what: str, step: int) -> Finding:
    words = WORDS[name]
    shown = f" ({operand})" if operand and words.kind != STEPS else ""
    return Finding(
        words.kind, what, *line_of(site), f"{name} lets no gradient pass here: {words.why[:-1]}"
        f"{shown}.", words.remedy_of(name), step,
    )  # fmt: skip
