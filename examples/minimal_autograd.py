"""The library in 120 lines: a graph that is made as it runs, and backward through it.

The names are the library's, and what is here works as it does there: a tensor's edge leads to the
node that made it, a node saves values together with the version of their storage, and backward runs
the nodes from the youngest to the oldest and frees what they saved. What is missing is what makes
the library fast, complete and helpful; docs/tour.md takes the same steps there.

Run it with ``python examples/minimal_autograd.py``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

SECOND_TIME = "Trying to backward through the graph a second time"
MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace \
operation"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."

sequence = itertools.count(1)  # numbers the nodes in the order in which they are made


class Storage:
    """The memory of a tensor; each change in place makes a new version of it."""

    version = 0


class Node:
    """One applied operation: from the gradient of its output to those of its operands."""

    def __init__(self, edges: list[Edge | None], shape: tuple[int, ...]) -> None:
        self.edges, self.shape, self.seq = edges, shape, next(sequence)
        self.formulas: list[tuple[Callable[..., Any], list[str]]] = []
        self.saved: dict[str, Any] | None = {}

    def save(self, values: dict[str, Tensor]) -> None:
        """Save what the formulas ask for, of those operands that need a gradient."""
        for (_, names), edge in zip(self.formulas, self.edges, strict=True):
            for name in names if edge else ():
                storage = values[name]._storage
                self.saved[name] = (values[name]._array, storage, storage.version)

    def backward(self, g: np.ndarray) -> list[np.ndarray | None]:
        """Return the gradient of each operand, ``None`` where none is needed."""
        if any(storage.version != version for _, storage, version in self.saved.values()):
            raise RuntimeError(MODIFIED)
        return [
            formula(g, *(self.saved[name][0] for name in names)) if edge else None
            for (formula, names), edge in zip(self.formulas, self.edges, strict=True)
        ]


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds the gradient that arrives to the leaf's ``.grad``."""

    def __init__(self, leaf: Tensor) -> None:
        super().__init__([], leaf._array.shape)
        self.leaf, self.seq = leaf, 0  # as if it were older than any operation: it runs last

    def backward(self, g: np.ndarray) -> list[np.ndarray | None]:
        self.leaf.grad = Tensor(g if self.leaf.grad is None else self.leaf.grad._array + g)
        return []


Edge = tuple[Node, int]  # a node, and which of its outputs: here, always the first


def op(body: Callable[..., Any], **formulas: Callable[..., Any]) -> Callable[..., Tensor]:
    """Make an operation of a function of arrays, and for each operand the formula of its gradient.

    A formula's parameters are what is saved for it: operands by their names, ``out`` the output.
    """
    names = [vjp.__code__.co_varnames[1 : vjp.__code__.co_argcount] for vjp in formulas.values()]

    def call(*operands: Any) -> Tensor:
        tensors = [each if isinstance(each, Tensor) else Tensor(each) for each in operands]
        result = Tensor(body(*(each._array for each in tensors)))
        edges = [each._edge for each in tensors]
        if any(edges):
            node = Node(edges, result._array.shape)
            node.formulas = list(zip(formulas.values(), names, strict=True))
            node.save({**dict(zip(formulas, tensors, strict=True)), "out": result})
            result._edge = (node, 0)
        return result

    return call


def inplace(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make the in-place variant of an operation: the result is written over the first operand."""

    def change(tensor: Tensor, *others: Any) -> Tensor:
        if tensor._edge and isinstance(tensor._edge[0], AccumulateGrad):
            raise RuntimeError(LEAF)
        before = Tensor(tensor._array.copy())  # the formula may want the old value
        before._edge = tensor._edge
        result = function(before, *others)
        tensor._array[...] = result._array
        tensor._storage.version += 1
        tensor._edge = result._edge
        return tensor

    return change


add = op(np.add, input=lambda g: g, other=lambda g: g)
mul = op(np.multiply, input=lambda g, other: g * other, other=lambda g, input: g * input)
exp = op(np.exp, input=lambda g, out: g * out)
sum_ = op(np.sum, input=lambda g, input: np.broadcast_to(g, input.shape))
matmul = op(np.matmul, input=lambda g, other: g @ other.T, other=lambda g, input: input.T @ g)


class Tensor:
    """An array, its storage, and the edge along which its gradient goes."""

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self._array, self._storage = np.asarray(data, np.float64), Storage()
        self.grad: Tensor | None = None
        self._edge: Edge | None = (AccumulateGrad(self), 0) if requires_grad else None

    __add__, __mul__, __matmul__, exp, sum = add, mul, matmul, exp, sum_
    add_, mul_, exp_ = inplace(add), inplace(mul), inplace(exp)

    def backward(self, gradient: Tensor | None = None, retain_graph: bool = False) -> None:
        """Add the gradients of this tensor to the ``.grad`` of the leaves that it depends on."""
        if self._edge is None:
            raise RuntimeError(
                "element 0 of tensors does not require grad and does not have a grad_fn"
            )
        if gradient is None and self._array.shape != ():
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        nodes = reachable(self._edge[0])
        if any(node.saved is None for node in nodes):  # nothing has been written so far
            raise RuntimeError(SECOND_TIME)
        buffers = {self._edge[0]: np.ones(()) if gradient is None else gradient._array}
        for node in sorted(nodes, key=lambda node: node.seq, reverse=True):
            for edge, g in zip(node.edges, node.backward(buffers.pop(node)), strict=False):
                if edge:
                    target, g = edge[0], sum_to_size(g, edge[0].shape)
                    buffers[target] = buffers[target] + g if target in buffers else g
            if not retain_graph and node.edges:
                node.saved = None


def reachable(root: Node) -> set[Node]:
    """Return the nodes that a gradient can reach from the root."""
    seen, stack = {root}, [root]
    while stack:
        new = {edge[0] for edge in stack.pop().edges if edge} - seen
        seen |= new
        stack += new
    return seen


def sum_to_size(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum a gradient over the dims in which an operand of this shape was broadcast."""
    g = g.sum(tuple(range(g.ndim - len(shape))))
    return g.sum(tuple(dim for dim, size in enumerate(shape) if size == 1), keepdims=True)


def main() -> None:
    """Differentiate the sum of a product."""
    a, b = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0], requires_grad=True)
    loss = (a * b).sum()
    loss.backward()
    print("a.grad:", a.grad._array, " b.grad:", b.grad._array)


if __name__ == "__main__":
    main()
