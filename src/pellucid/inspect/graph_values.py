"""The numbers of a graph: what its operations gave, and which gradients ran along its edges.

A result is known where an operation has saved it, or a variable of the program has it. Gradients
are those of a pass like that of ``autograd.grad``, which keeps what is saved and writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from pellucid.autograd.backward import grad
from pellucid.autograd.explanations.saved_values import maker_of, op_of, plan_of
from pellucid.autograd.explanations.trail import asking_scopes
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.autograd.variable import TensorBase
from pellucid.inspect.formulas import written
from pellucid.inspect.known_values import saved_arrays
from pellucid.observe import Observer, observing
from pellucid.tensors.summary import Summary, bars, summarize

#: arrays of more elements are shown by a summary
_MOST_ELEMENTS = 8


class ShownValue(NamedTuple):
    """A value of a graph, as it is shown.

    Attributes:
        text: The elements, where there are few; or else what they are like.
        summary: What they are like, with a small picture.
    """

    text: str
    summary: Summary

    @property
    def short(self) -> str:
        """The text, or in its place the mean and a histogram, for a box."""
        found = self.summary
        if found.count <= _MOST_ELEMENTS:
            return self.text
        return f"{found.mean:.3g} ± {found.std:.3g} {bars(found.histogram)}"


class GraphValues(NamedTuple):
    """The numbers of a graph; a node goes by its number, a leaf by its number negated.

    Attributes:
        results: What nodes gave and leaves are, where that is known; nodes of several outputs are
            left out.
        gradients: What has arrived at nodes and leaves.
        edges: By node and position of an operand: the gradient that went there.
        derivatives: By node and position of an operand: the formula of that gradient.
        names: Variables of the program that have the result of a node.
        missing: Why there are no gradients; empty if there are.
    """

    results: dict[int, ShownValue]
    gradients: dict[int, ShownValue]
    edges: dict[tuple[int, int], ShownValue]
    derivatives: dict[tuple[int, int], str]
    names: dict[int, str]
    missing: str = ""


def graph_values(tensors: Sequence[Any], nodes: list[Node], leaves: list[Any]) -> GraphValues:
    """Return the numbers of a graph; a pass is run that writes no gradient and frees nothing.

    Args:
        tensors: Where it begins.
        nodes: Its nodes, in the order in which they are numbered.
        leaves: Its leaves, in the same way.
    """
    numbers: dict[Node, int] = {node: number for number, node in enumerate(nodes, 1)}
    numbers |= {leaf: -number for number, leaf in enumerate(leaves, 1)}
    results = {-number: shown(leaf.value) for number, leaf in enumerate(leaves, 1)}
    names: dict[int, str] = {}
    for node in nodes:
        _note_saved(node, numbers, results)
    for name, tensor in _variables(tensors):
        edge = tensor.edge
        number = 0 if edge is None else numbers.get(edge[0], 0)
        if number > 0 and nodes[number - 1].metas is None and isinstance(tensor._array, ndarray):
            results[number] = shown(tensor._array)
            if name:
                names.setdefault(number, name)
    derivatives = {
        (number, position): formula
        for number, node in enumerate(nodes, 1)
        for position, edge in enumerate(node.edges)
        if edge is not None and (formula := derivative_text(node, position))
    }
    missing = _why_no_pass(tensors, nodes)
    caught = _Caught(numbers)
    if not missing and leaves:
        missing = _run(tensors, leaves, caught)
    return GraphValues(
        results, {n: shown(array) for n, array in caught.arrived.items()},
        {key: shown(array) for key, array in caught.sent.items()}, derivatives, names, missing,
    )  # fmt: skip


def shown(array: Any) -> ShownValue:
    """Return an array as it is shown.

    Args:
        array: Of any shape and dtype.
    """
    summary = summarize(array, pictures=True)
    if array.size > _MOST_ELEMENTS:
        return ShownValue(summary.text(), summary)
    values = array.astype(np.float64) if array.dtype.kind == "V" else np.asarray(array)
    text = np.array2string(
        values, separator=", ", floatmode="maxprec", precision=4, max_line_width=10_000,
        formatter={"float_kind": lambda x: f"{x:.4g}"},
    )  # fmt: skip
    return ShownValue(" ".join(text.split()), summary)


def derivative_text(node: Node, position: int) -> str:
    """Return the gradient of an operand as the declaration of the operation writes it.

    Args:
        node: The node.
        position: The position of the operand.

    Returns:
        The formula, or the last line of a longer one; empty where there is none to be read.
    """
    op = op_of(node)
    if op is None or plan_of(node) is None:
        return ""
    operand = op.operands[min(position, len(op.operands) - 1)].name
    formula = op.formulas.get(operand)
    return "" if formula is None else _one_line(formula)


@cache
def _one_line(formula: Any) -> str:
    try:
        lines = written(formula)
    except (OSError, TypeError):  # the source is not there
        return ""
    return lines[-1].strip().removeprefix("return ")


def _note_saved(node: Node, numbers: dict[Node, int], results: dict[int, ShownValue]) -> None:
    for position, value in saved_arrays(node):
        made = maker_of(node, position)
        number = 0 if made is None else numbers.get(made[0], 0)
        if made is not None and number > 0 and made[0].metas is None and number not in results:
            if made[0].shape == value.shape:
                results[number] = shown(value)


def _variables(tensors: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the tensors that variables of the calls that are running have; then those given."""
    found = [
        (name, value)
        for scope in asking_scopes()
        for name, value in tuple(scope.values.items())
        if isinstance(value, TensorBase) and not name.startswith("_")
    ]
    return [*found, *(("", tensor) for tensor in tensors if isinstance(tensor, TensorBase))]


def _why_no_pass(tensors: Sequence[Any], nodes: list[Node]) -> str:
    freed = next((node.saved for node in nodes if isinstance(node.saved, BackwardRun)), None)
    if freed is not None:
        return f"a pass at {freed.site} has freed the graph: ask before it, or retain_graph=True"
    if not all(isinstance(each, TensorBase) for each in tensors):
        return "a pass begins at tensors"
    saved = (node.saved for node in nodes if isinstance(node.saved, tuple))
    if any(isinstance(each, PackedValue) for entries in saved for each in entries):
        return "values are packed by a hook, which is not called"
    return ""


def _run(tensors: Sequence[Any], leaves: list[Any], caught: Observer) -> str:
    """Run a pass under an observer; return why there is none, if it raises."""
    ones = [each.new_ones(each.shape) for each in tensors]
    try:
        with observing(caught):
            grad(
                list(tensors), [leaf.leaf for leaf in leaves], ones, retain_graph=True,
                allow_unused=True,
            )  # fmt: skip
    except RuntimeError as error:
        return f"a pass raises {str(error).splitlines()[0]}"
    return ""


class _Caught(Observer):
    """The gradients of one pass."""

    def __init__(self, numbers: dict[Node, int]) -> None:
        self.numbers = numbers
        self.arrived: dict[int, Any] = {}
        self.sent: dict[tuple[int, int], Any] = {}

    def node_began(self, node: Any, g: Any) -> None:
        number = self.numbers.get(node, 0)
        if number > 0 and isinstance(g, ndarray | np.generic):
            self.arrived[number] = g

    def node_ended(self, node: Any, grads: Any) -> None:
        number = self.numbers.get(node, 0)
        if number <= 0:
            return
        for position, (edge, array) in enumerate(zip(node.edges, grads or (), strict=False)):
            if edge is None or not isinstance(array, ndarray | np.generic):
                continue
            target = self.numbers.get(edge[0], 0)
            shape = edge[0].value.shape if target < 0 else edge[0].shape
            array = summed(array, shape) if shape is not None else array
            self.sent[number, position] = array
            if target < 0:
                before = self.arrived.get(target)
                self.arrived[target] = array if before is None else before + array


def summed(array: Any, shape: tuple[int, ...]) -> Any:
    """Return a gradient summed over what was broadcast.

    Args:
        array: The gradient.
        shape: The shape of the operand.
    """
    array = np.asarray(array)
    if array.shape == shape:
        return array
    if array.ndim > len(shape):
        array = array.sum(tuple(range(array.ndim - len(shape))))
    axes = tuple(i for i, (n, m) in enumerate(zip(array.shape, shape, strict=True)) if m == 1 < n)
    return np.broadcast_to(array.sum(axes, keepdims=True) if axes else array, shape)
