"""Hooks on the gradients of several tensors together; and word of changes made elsewhere."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, UndefinedGrad
from pellucid.autograd.node_extra import RemovableHandle, add_hook, node_extra
from pellucid.autograd.sites import user_frame
from pellucid.autograd.typed import Tensor
from pellucid.autograd.variable import Edge, TensorBase, storage_of
from pellucid.errors import ArgumentError, GraphError


class _MultiHandle(RemovableHandle):
    """Remove a hook from several tensors."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        super().__init__()
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()


class _Arrivals:
    """The gradients that have arrived in one backward pass."""

    def __init__(self, count: int, expected: int) -> None:
        self.grads: list[Any] = [None] * count
        self.missing = expected


class _WhenAll:
    """A hook that runs when the last gradient of a pass has arrived."""

    def __init__(self, edges: list[Edge], function: Callable[[list[Any]], Any]) -> None:
        self._edges = edges
        self._function = function
        self._passes: weakref.WeakKeyDictionary[Any, _Arrivals] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def hook(self, position: int) -> Callable[[Any], None]:
        def arrived(grad: Any) -> None:
            task = modes.task
            with self._lock:
                arrivals = self._passes.get(task)
                if arrivals is None:
                    _refuse_leaves(task, self._edges)
                    expected = sum(_will_run(task, node) for node, _ in self._edges)
                    arrivals = self._passes[task] = _Arrivals(len(self._edges), expected)
                arrivals.grads[position] = grad
                arrivals.missing -= 1
                complete = arrivals.missing == 0
                if complete:
                    del self._passes[task]
            if complete:
                self._function(arrivals.grads)

        return arrived


def _will_run(task: Any, node: Any) -> bool:
    """Return whether a pass is to run a node: not, as in PyTorch, the only one it starts at."""
    plan, roots = task.plan, task.run.roots
    if plan.needed is not None and node not in plan.needed:
        return False
    if len(roots) == 1 and node.seq == roots[0]:
        return False
    return node in plan.nodes or any(leaf is node for leaf, _ in plan.leaves)


def _refuse_leaves(task: Any, edges: Iterable[Edge]) -> None:
    """Raise RuntimeError, as PyTorch does, in a pass that hands out the gradient of a leaf."""
    if task.captures is None or task.run.call != "grad":
        return
    if any(
        isinstance(node, AccumulateGrad) and node in task.captures.at and _will_run(task, node)
        for node, _ in edges
    ):
        raise GraphError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running "
            "autograd.grad(). This is currently not supported.\n  use backward(inputs=...) instead"
        )


class _WhenAny:
    """A hook that runs when the first gradient of a pass arrives."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lock = threading.Lock()

    def hook(self, position: int) -> Callable[[Any], None]:
        def arrived(grad: Any) -> None:
            with self._lock:
                first = modes.task not in self._seen
                self._seen.add(modes.task)
            if first:
                self._function(grad)

        return arrived


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call ``fn`` once per backward pass when the gradients of several tensors are known.

    Args:
        tensors: Tensors that require grad.
        fn: With ``"all"`` it gets the list of gradients, None for those that the pass does not
            compute; with ``"any"`` the first that arrives.
        mode: ``"all"``, when the last gradient of the pass has arrived, or ``"any"``.

    Returns:
        A handle whose ``remove()`` removes the hook.

    Raises:
        ValueError: If there is no such mode.
        AssertionError: If a tensor does not require grad, with ``mode="all"``.

    >>> a = torch.ones(1, requires_grad=True)
    >>> b = torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook([a, b], print)
    >>> (a * 2 + b * 3).backward()
    [tensor([2.]), tensor([3.])]
    """
    if mode not in ("all", "any"):
        raise ArgumentError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    edges: list[Edge] = []
    for tensor in tensors:
        edge = tensor.edge
        if edge is None and mode == "any":
            continue
        if edge is None or (isinstance(edge[0], UndefinedGrad) and mode == "all"):
            raise AssertionError("Expected gradient function to be set\n  a tensor has no history")
        edges.append(edge)
    joint = _WhenAll(edges, fn) if mode == "all" else _WhenAny(fn)
    return _MultiHandle(
        [
            add_hook(node_extra(node).tensor_hooks.setdefault(slot, {}), joint.hook(position))
            for position, (node, slot) in enumerate(edges)
        ]
    )


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a change of a tensor's memory that autograd could not see.

    A node that saved the memory then refuses to compute with it.

    Args:
        tensor: A tensor, or several, whose memory was changed.

    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    for each in [tensor] if isinstance(tensor, TensorBase) else list(tensor):
        storage_of(each).note_change("increment_version", *user_frame(2))
