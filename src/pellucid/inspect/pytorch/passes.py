"""The passes of PyTorch's backward, as `pellucid.observe.watching` describes them to listeners."""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from pellucid.autograd.engine import Plan, plan_all, plan_towards
from pellucid.autograd.node import Node
from pellucid.autograd.passes import BackwardPass
from pellucid.inspect.pytorch.graphs import function_of, nodes_of, run_of
from pellucid.inspect.pytorch.notes import note_freed

torch: Any = importlib.import_module("torch")


class Pass(NamedTuple):
    """A pass of PyTorch's that is about to run: as listeners hear of it, and the nodes seen."""

    asked: BackwardPass
    stops: Collection[Node]
    found: dict[Any, Node]

    def is_of(self, asked: BackwardPass) -> bool:
        """Return whether this is the same call, which a mode hands back to be called again.

        Args:
            asked: The other call.

        Returns:
            Whether both begin at the same tensors.
        """
        mine, others = self.asked.roots, asked.roots
        return len(mine) == len(others) and all(map(operator.is_, mine, others))

    def unused(self) -> tuple[int, Node | None]:
        """Return the first input that the roots do not depend on."""
        for position, each in enumerate(self.asked.inputs or ()):
            function = function_of(each)
            if function is not None and function not in self.found:
                return position, nodes_of([function])[function]
        return -1, None

    def note_freed(self) -> None:
        """Note which pass has freed PyTorch's nodes."""
        freed = [node.seq for node in self.asked.nodes if node not in self.stops]
        note_freed(self.asked.run, freed)


def seen_pass(
    call: str, outputs: Any, wanted: Any, keep: bool, create_graph: bool
) -> Pass:  # fmt: skip
    """Return what a pass is asked for: its nodes, where it starts, and what it leaves."""
    roots, inputs = _sequence(outputs), _sequence(wanted)
    starts = [each for root in roots if (each := function_of(root)) is not None]
    found = nodes_of(starts)
    nodes = [found[each] for each in starts]
    run = run_of(call, nodes)
    if inputs:
        targets = {node for each in inputs if (node := found.get(function_of(each)))}
        towards = functools.partial(plan_towards, run_wanted=call == "backward")
        plan = towards(nodes, targets) if targets else Plan([], {})
    else:
        plan = plan_all(nodes)
    asked = BackwardPass(run, plan.nodes, roots, inputs or None, keep, create_graph)
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
