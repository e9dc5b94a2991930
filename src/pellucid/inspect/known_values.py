"""The values in a graph: as nodes have saved them, or computed again.

Note [The slice is run again]: a node keeps what its derivative needs, not what it gave. So a value
that nobody has kept is computed again from the operands, by the operation on them. An operation
that draws random numbers is not run again for its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from pellucid.autograd.explanations.saved_values import maker_of, op_of, plan_of, saved_name
from pellucid.autograd.modes import no_grad
from pellucid.autograd.node import AccumulateGrad, Node
from pellucid.autograd.variable import TensorBase
from pellucid.random import get_rng_state
from pellucid.tensors.creation import from_numpy

#: nodes whose results are needed for one that is run again, at most
_MOST_NODES = 200

#: a node, and which of its outputs
Output = tuple[Node, int]


class KnownValues:
    """The values of the operands and results of nodes that have not been freed.

    Args:
        nodes: The nodes.
        tensors: Tensors that are still there, which have the values of their nodes.
    """

    def __init__(self, nodes: Iterable[Node], tensors: Iterable[Any] = ()) -> None:
        self._values: dict[Output, Any] = {}
        for node in nodes:
            for position, array in saved_arrays(node):
                made = maker_of(node, position) or _maker_by_name(node, position)
                if made is not None and not isinstance(made[0], AccumulateGrad):
                    self._values.setdefault(made, array)
        for each in tensors:
            if each.edge is not None and isinstance(each._array, ndarray):
                self._values[each.edge] = each._array

    def of(self, output: Output) -> Any:
        """Return what a node gave: as it was kept, or computed again; None if that cannot be."""
        if output not in self._values:
            self._run_again(output[0])
        return self._values.get(output)

    def operands(self, node: Node, again: bool = True) -> list[Any]:
        """Return the values of a node's operands, None for those that are not known.

        Args:
            node: The node.
            again: Whether the nodes below are run again for values that are not known yet.
        """
        found: list[Any] = [None] * len(node.edges)
        for position, array in saved_arrays(node):
            index = _operand(node, position)
            if index is not None and index < len(found):
                found[index] = array
        for position, edge in enumerate(node.edges):
            if edge is not None and found[position] is None:
                if isinstance(edge[0], AccumulateGrad):
                    found[position] = edge[0].value
                else:
                    found[position] = self.of(edge) if again else self._values.get(edge)
        return found

    def _run_again(self, last: Node) -> None:
        """Compute a node's results, and before them those of the nodes below that are needed."""
        stack = [last]
        while stack:
            node = stack[-1]
            needed = [
                edge[0]
                for edge in node.edges
                if edge is not None
                and not isinstance(edge[0], AccumulateGrad)
                and edge not in self._values
            ]
            if needed and len(stack) <= _MOST_NODES:
                stack += needed[:1]
                continue
            stack.pop()
            before = get_rng_state()
            with no_grad():
                results = applied(node, _with_fixed(node, self.operands(node, again=False)))
            drew = not np.array_equal(np.asarray(before), np.asarray(get_rng_state()))
            for slot in range(node.output_count):
                result = None if drew or results is None else result_of(results, slot)
                self._values.setdefault((node, slot), getattr(result, "_array", None))


def _with_fixed(node: Node, operands: list[Any]) -> list[Any]:
    """Return a node's operands with those by which nothing is derived.

    Nodes of PyTorch's have no edges for these, and have saved what their derivative needs of them.
    """
    op = op_of(node)
    if op is None or op.variadic or len(operands) >= len(op.operands):
        return operands
    names = [each.name for each in op.operands]
    if len(operands) != sum(name in op.formulas for name in names):
        return operands
    saved = {saved_name(node, position): array for position, array in saved_arrays(node)}
    derived = iter(operands)
    return [next(derived) if name in op.formulas else saved.get(name) for name in names]


def applied(node: Node, operands: Sequence[Any]) -> Any:
    """Run a node's operation on arrays or tensors; None where that is not possible."""
    op = op_of(node)
    if op is None or (node.params is None and op.params):
        return None
    optional = [each.optional for each in op.operands] if not op.variadic else []
    for position, each in enumerate(operands):
        if each is None and not (position < len(optional) and optional[position]):
            return None
    tensors = [each if each is None or isinstance(each, TensorBase) else tensor_of(each)
               for each in operands]  # fmt: skip
    try:
        params = (node.params or ())[: len(op.params)]  # behind them is what the derivative needs
        with np.errstate(all="ignore"):
            return op.apply([tensors] if op.variadic else tensors, params)
    except Exception:  # noqa: BLE001 - it was called in another way than operands tell
        return None


def result_of(results: Any, slot: int) -> Any:
    """Return one of what an operation gave."""
    return results[slot] if isinstance(results, tuple | list) else results


def tensor_of(array: Any) -> Any:
    """Return a tensor of a copy of an array, which keeps its shape also without dimensions."""
    return from_numpy(np.array(array))


def saved_arrays(node: Node) -> Iterator[tuple[int, ndarray]]:
    """Yield the arrays that a node has saved, but for those that were packed or changed since."""
    for position, entry in enumerate(node.saved if isinstance(node.saved, tuple) else ()):
        if isinstance(entry, tuple):
            if is_changed(entry):
                continue
            entry = entry[0]
        if isinstance(entry, ndarray):
            yield position, entry


def is_changed(entry: Any) -> bool:
    """Return whether a saved value has been changed in place since it was saved."""
    return isinstance(entry, tuple) and len(entry) == 3 and entry[1].version != entry[2]


def _operand(node: Node, position: int) -> int | None:
    """Return which operand of its op a node has saved, if it is one."""
    op, plan = op_of(node), plan_of(node)
    if plan is not None:
        save = plan.saves[position]
        return save.index if save.kind == "input" else None
    if op is None or op.variadic:
        return None
    names = [operand.name for operand in op.operands]
    if len(node.edges) < len(names):  # PyTorch's have edges for what a gradient may flow to
        names = [each for each in names if each in op.formulas]
        if len(node.edges) != len(names):
            return None
    name = saved_name(node, position)
    return names.index(name) if name in names else None


def _maker_by_name(node: Node, position: int) -> Output | None:
    """Return what gave a value that a node without a plan has saved: one of PyTorch's."""
    op, index = op_of(node), _operand(node, position)
    if index is not None:
        return node.edges[index] if index < len(node.edges) else None
    if op is None or plan_of(node) is not None:
        return None
    name = saved_name(node, position)
    return (node, op.outputs.index(name)) if name in op.outputs else None
