"""The passes of PyTorch's backward, as `pellucid.observe.watching` describes them to listeners."""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from pellucid.autograd.engine import Plan, plan_all, plan_towards
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.passes import BackwardPass
from pellucid.inspect.pytorch.graphs import TorchNode, function_of, nodes_of, run_of
from pellucid.inspect.pytorch.later import read_when_asked
from pellucid.inspect.pytorch.notes import note_elsewhere, note_freed

torch: Any = importlib.import_module("torch")

#: why no part of a graph can be kept
ALL = (
    "its engine frees the whole graph that a pass has run, or nothing of it, and cannot be told "
    "which part to keep"
)


class Request:
    """What PyTorch is asked for, at its line, before it is known which nodes that concerns.

    Args:
        call: The function that was called.
        outputs: Where the pass starts.
        wanted: What gradients were asked for.
        keep: Whether what nodes have saved is kept.
        create_graph: Whether gradients are recorded.

    Attributes:
        with_values: Whether the nodes, once seen, give their values.
    """

    with_values = False

    def __init__(
        self, call: str, outputs: Any, wanted: Any, keep: bool, create_graph: bool
    ) -> None:  # fmt: skip
        self.roots, self.wanted = _sequence(outputs), _sequence(wanted)
        self.keep, self.create_graph = keep, create_graph
        self._run = run_of(call, [])
        self._seen: Pass | None = None

    def is_of(self, other: Request) -> bool:
        """Return whether this is the same call, which a mode hands back to be called again.

        Args:
            other: The other call.

        Returns:
            Whether both begin at the same tensors.
        """
        return len(self.roots) == len(other.roots) and all(
            map(operator.is_, self.roots, other.roots)
        )

    def see(self) -> Pass:
        """Return the nodes of the pass, read when it is first asked for."""
        if self._seen is None:
            self._seen = _seen_pass(self)
        return self._seen

    def note_freed(self) -> None:
        """Note which pass has freed PyTorch's nodes."""
        if self.wanted:
            self.see()
        if self._seen is not None:
            stops, nodes = self._seen.stops, self._seen.asked.nodes
            freed = [
                each.function for each in nodes if isinstance(each, TorchNode) and each not in stops
            ]
        else:
            starts = _functions_of(self.roots)
            self._run.roots = tuple([each._sequence_nr() for each in starts])
            freed = _below(starts)
        note_freed(self._run, freed)

    def note_made(self, gradients: Any, given: Any) -> None:
        """Note the line of the nodes that the pass has made, where a thread of a device made them.

        Args:
            gradients: What the call returned; None where the leaves have their gradients.
            given: The gradients that it began with.
        """
        found = self.see().found
        if gradients is None:
            gradients = [each.variable.grad for each in found if hasattr(each, "variable")]
        made = [each.grad_fn for each in _sequence(gradients) if each is not None]
        before = {*found, *_below(_functions_of(_sequence(given)))}
        note_elsewhere(self._run, made, before)

    @property
    def run(self) -> BackwardRun:
        """The record of the pass."""
        return self._run


def _functions_of(tensors: Iterable[Any]) -> list[Any]:
    """Return PyTorch's nodes of the tensors that have one."""
    return [each for tensor in tensors if (each := function_of(tensor)) is not None]


def _below(starts: list[Any]) -> list[Any]:
    """Return PyTorch's nodes and all below them."""
    stack = list(starts)
    seen = set(stack)
    for function in stack:  # which grows
        for below, _ in function.next_functions:
            if below is not None and below not in seen:
                seen.add(below)
                stack.append(below)
    return stack


class Pass(NamedTuple):
    """A pass of PyTorch's that is about to run: as listeners hear of it, and the nodes seen."""

    asked: BackwardPass
    stops: Collection[Node]
    found: dict[Any, Node]

    def unused(self) -> tuple[int, Node | None]:
        """Return the first input that the roots do not depend on."""
        for position, each in enumerate(self.asked.inputs or ()):
            function = function_of(each)
            if function is not None and function not in self.found:
                return position, nodes_of([function])[function]
        return -1, None


def _seen_pass(request: Request) -> Pass:
    """Return what a pass is asked for: its nodes, where it starts, and what it leaves."""
    roots, inputs, run = request.roots, request.wanted, request.run
    starts = _functions_of(roots)
    found = nodes_of(starts)
    for node in found.values() if request.with_values else ():
        read_when_asked(node)
    nodes = [found[each] for each in starts]
    run.roots = tuple([node.seq for node in nodes])
    if inputs:
        targets = {node for each in inputs if (node := found.get(function_of(each)))}
        towards = functools.partial(plan_towards, run_wanted=run.call == "backward")
        plan = towards(nodes, targets) if targets else Plan([], {})
    else:
        plan = plan_all(nodes)
    asked = BackwardPass(run, plan.nodes, roots, inputs or None, request.keep, request.create_graph)
    return Pass(asked, plan.stops, found)


def kept(value: Any) -> Any:
    """Return tensors of a call so that they can be read twice, which an iterator cannot."""
    return tuple(value) if isinstance(value, Iterator) else value


def _sequence(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, torch.Tensor) or hasattr(value, "output_nr"):
        return [value]
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, Iterable) else []
