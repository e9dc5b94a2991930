"""Nodes of PyTorch's graphs that are a part of another node here: shown and hooked as nodes.

PyTorch multiplies a batch of matrices as a view of a product of views; here that is one node. It
shows itself as the last of these steps, and those before it as nodes that exist while somebody
looks at them.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from pellucid.autograd.node import Node
from pellucid.autograd.shown_edges import of_all_edges, of_shown_edges


class Step(NamedTuple):
    """A node of PyTorch's: its name, the shape of its result, and what comes before it.

    ``into`` has steps, positions of operands, and None where nothing needs a gradient. A step
    ``after`` the product takes what was computed, the others lead to one operand each; these only
    move elements: into another order of dimensions, or into the shape. ``views`` are steps whose
    result is a view in PyTorch too. One that computes has two functions in ``through``: of the
    gradient of the node's result to that of the step's, and from there to that of the operand.
    """

    name: str
    shape: tuple[int, ...]
    into: tuple[Step | int | None, ...]
    after: bool = False
    order: tuple[int, ...] | None = None
    views: bool = False
    saved: tuple[tuple[str, Any], ...] = ()
    through: tuple[Callable[[Any], Any], Callable[[Any], Any]] | None = None

    def of_result(self, g: Any) -> Any:
        """Return a gradient of what the step takes as one of its result."""
        if self.order is not None:
            return g.permute(self.order)
        return g.reshape(self.shape) if prod(g.shape) == prod(self.shape) else None

    def of_taken(self, g: Any, shape: tuple[int, ...]) -> Any:
        """Return a gradient of the step's result as one of what it takes, which has a shape."""
        if self.order is not None:
            return g.permute(sorted(range(len(self.order)), key=self.order.__getitem__))
        return g.reshape(shape)


_known: weakref.WeakValueDictionary[tuple[int, str, int], Part] = weakref.WeakValueDictionary()
_classes: dict[str, type[Part]] = {}


class Part(Node):
    """A step that is a part of a node.

    Args:
        node: The node.
        step: The step.
        way: For one that leads to an operand, the steps from it to that, itself the first; for one
            after the product, those before which it comes, the last of all the first.
        place: The position of the operand, or -1.
    """

    __slots__ = ("_node", "_place", "_step", "_way")

    def __init__(self, node: Node, step: Step, way: tuple[Step, ...], place: int) -> None:
        edge = (node, 0) if place < 0 else node.edges[place]
        self.edges, self.params, self.saved, self.extra = (edge,), None, None, None
        self.metas, self.scope, self.seq = None, node.scope, node.seq
        self.code, self._lasti = node.code, node._lasti
        self.shape, self.dtype = step.shape, node.dtype
        self.backward = _given_on
        self._node, self._step, self._way, self._place = node, step, way, place

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes before this one, each with the number of its output."""
        return tuple([self._before(each) for each in self._step.into])

    def _before(self, each: Step | int | None) -> tuple[Node | None, int]:
        return before(self._node, each, (*self._way, self._step) if self._step.after else self._way)

    def __getattr__(self, name: str) -> Any:
        found = dict(self._step.saved).get(name.removeprefix("_saved_"), self)
        if found is self or not name.startswith("_saved_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return found(self._node) if callable(found) else found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(f"_saved_{name}" for name, _ in self._step.saved)]

    def backward_on_tensors(self, g: Any, needed: Any = None) -> tuple[Any, ...]:
        return _given_on(self, g)

    def register_hook(self, fn: Callable[[Any, Any], Any]) -> Any:
        def run(grad_inputs: Any, grad_outputs: Any) -> Any:
            grads = of_all_edges(self._node, grad_inputs)
            own = self._own(grads, grad_outputs[0])
            if own is None:
                return None
            replaced = fn(self._taken(grads, own), (own,))
            return None if replaced is None else self._replaced(grads, replaced)

        return Node.register_hook(self._node, run)

    def register_prehook(self, fn: Callable[[Any], Any]) -> Any:
        def run(grad_inputs: Any, grad_outputs: Any) -> Any:
            grads = of_all_edges(self._node, grad_inputs)
            own = self._own(grads, grad_outputs[0])
            replaced = None if own is None else fn((own,))
            if replaced is None:
                return None
            if self._place < 0:
                return run_again(self._node, self._way, grads, replaced[0])
            return self._of_operand(grads, self._way, self._place, replaced[0])

        return Node.register_hook(self._node, run)

    def _own(self, grads: list[Any], g: Any) -> Any:
        """Return the gradient of the step's result."""
        if self._place < 0:
            return self._arriving(g)
        return _led(self._way, grads[self._place], g)

    def _arriving(self, g: Any) -> Any:
        steps = (*self._way, self._step)
        for above, below in itertools.pairwise(steps):
            g = above.of_taken(g, below.shape)
        return g

    def _taken(self, grads: list[Any], own: Any) -> tuple[Any, ...]:
        """Return the gradients of what the step takes."""
        if self._place >= 0:
            return (_led(self._way[1:], grads[self._place], own),)
        return taken(self._step, grads, own)

    def _replaced(self, grads: list[Any], replaced: tuple[Any, ...]) -> Any:
        """Return the node's gradients with those that a hook has put in the place of the step's."""
        if self._place >= 0:
            return self._of_operand(grads, self._way[1:], self._place, replaced[0])
        return with_taken(self._node, self._step, grads, replaced)

    def _of_operand(self, grads: list[Any], way: tuple[Step, ...], place: int, g: Any) -> Any:
        _put(self._node, grads, way, place, g)
        return of_shown_edges(self._node, tuple(grads))


def _given_on(part: Any, g: Any) -> tuple[Any, ...]:
    """Return the gradient of a part after the product as that of the whole node's result."""
    if part._step.through is not None:
        return (part._step.through[1](g),)
    for each in reversed(part._way):
        g = each.of_result(g)
    return (g,)


def _led(way: tuple[Step, ...], g: Any, own: Any) -> Any:
    """Return an operand's gradient as that of the first step on the way to it.

    ``own`` is that of what the node, or the step before, has made.
    """
    if way and way[0].through is not None:
        return way[0].through[0](own)
    for each in reversed(way):
        g = None if g is None else each.of_result(g)
    return g


def way_of(each: Step | int) -> tuple[tuple[Step, ...], int]:
    """Return the steps to an operand, and its position."""
    way: tuple[Step, ...] = ()
    while isinstance(each, Step):
        way += (each,)
        found = each.into[0]
        assert found is not None
        each = found
    return way, each


def taken(step: Step, grads: Any, own: Any) -> tuple[Any, ...]:
    """Return the gradients of what a step after the product, or the product itself, takes."""
    found = []
    for each in step.into:
        if each is None:
            found.append(None)
        elif isinstance(each, Step) and each.after:
            found.append(step.of_taken(own, each.shape))
        else:
            way, place = way_of(each)
            found.append(_led(way, grads[place], own))
    return tuple(found)


def with_taken(node: Any, step: Step, grads: list[Any], replaced: tuple[Any, ...]) -> Any:
    """Return a node's gradients where a hook has replaced those of what a step takes."""
    computed = None
    for each, g in zip(step.into, replaced, strict=True):
        if isinstance(each, Step) and each.after:
            computed = g
        elif each is not None:
            _put(node, grads, *way_of(each), g)
    if computed is not None:
        return run_again(node, (*_above(node, step), step), grads, computed)
    return of_shown_edges(node, tuple(grads))


def run_again(node: Any, above: tuple[Step, ...], grads: list[Any], g: Any) -> Any:
    """Return a node's gradients for another one of what steps take, the last of all the first.

    What leads to operands from those steps themselves stays.
    """
    for each in reversed(above):
        g = each.of_result(g)
    found = list(node.backward_on_tensors(g))
    for step in above:
        for each in step.into:
            if each is not None and not (isinstance(each, Step) and each.after):
                place = way_of(each)[1]
                found[place] = grads[place]
    return of_shown_edges(node, tuple(found))


def _above(node: Any, step: Step) -> tuple[Step, ...]:
    """Return the steps that take what a step after the product makes, the last of all first."""
    above: tuple[Step, ...] = ()
    each = node.step()
    while each.name != step.name or each.shape != step.shape:
        above += (each,)
        each = next(below for below in each.into if isinstance(below, Step) and below.after)
    return above


def _put(node: Any, grads: list[Any], way: tuple[Step, ...], place: int, g: Any) -> None:
    """Put a gradient of the first step on the way to an operand in the place of the operand's."""
    edge = node.edges[place]
    shapes = [*(each.shape for each in way[1:]), edge[0].output_meta(edge[1]).shape]
    for each, shape in zip(way, shapes, strict=False):
        if each.through is not None:
            g = None if g is None else each.through[1](g)
        else:
            g = None if g is None else each.of_taken(g, shape)
    if g is not None:
        grads[place] = g


def before(node: Any, each: Step | int | None, above: tuple[Step, ...]) -> tuple[Node | None, int]:
    """Return what a step leads to: another step, the same as long as somebody has it, or a node."""
    if each is None:
        return None, 0
    if isinstance(each, int):
        return node._shown_edge(each)
    if each.after:
        return _part_of(node, each, above, -1), 0
    way, place = way_of(each)
    return _part_of(node, each, way, place), 0


def _part_of(node: Node, step: Step, way: tuple[Step, ...], place: int) -> Part:
    key = (id(node), step.name, place * 64 + len(way))
    known = _known.get(key)
    if known is None or known._node is not node:
        cls = _classes.get(step.name)
        if cls is None:
            cls = _classes[step.name] = type(step.name, (Part,), {"__slots__": ()})
        known = _known[key] = cls(node, step, way, place)
    return known
