"""What few nodes have: hooks, tensors that keep their gradient, notes."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block

if TYPE_CHECKING:
    from pellucid.autograd.node import Node


class NodeExtra:
    """What few nodes have: hooks of every kind, tensors that keep their gradient, metadata.

    >>> x = torch.ones(2, requires_grad=True)
    >>> handle = x.register_hook(print)
    >>> len(torch.autograd.graph.leaf_edge(x)[0].extra.tensor_hooks[0])
    1
    """

    __slots__ = (
        "lock", "metadata", "post_accumulate_hooks", "post_hooks", "pre_hooks", "retained",
        "tensor_hooks",
    )  # fmt: skip

    def __init__(self) -> None:
        #: output number -> hooks on that output's gradient
        self.tensor_hooks: dict[int, dict[int, Callable[[Any], Any]]] = {}
        #: output number -> the tensor whose ``.grad`` is to be filled
        self.retained: dict[int, weakref.ref[TensorBase]] = {}
        self.pre_hooks: dict[int, Callable[[Any], Any]] = {}
        self.post_hooks: dict[int, Callable[[Any, Any], Any]] = {}
        self.post_accumulate_hooks: dict[int, Callable[[Any], Any]] = {}
        self.metadata: dict[Any, Any] = {}
        #: held while a retained gradient is added to, perhaps by several threads
        self.lock = RLock()


def node_extra(node: Node) -> NodeExtra:
    """Return the node's hooks and notes, making room for them first.

    Args:
        node: A node of the graph.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.graph.node_extra((x * 2).grad_fn).metadata
    {}
    """
    if node.extra is None:
        node.extra = NodeExtra()
    return node.extra


class RemovableHandle:
    """A handle that removes a hook, by `remove` or at the end of a ``with`` block.

    Args:
        hooks: The dictionaries that the hook is in, under the number of the handle.

    >>> x = torch.ones(2, requires_grad=True)
    >>> handle = x.register_hook(print)
    >>> handle.remove()
    """

    _ids: ClassVar[Iterator[int]] = itertools.count()

    def __init__(self, *hooks: dict[int, Any]) -> None:
        self.id = next(RemovableHandle._ids)
        self._hooks = hooks

    def remove(self) -> None:
        """Remove the hook; doing so twice is harmless."""
        for hooks in self._hooks:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def hook_in(block: Block, hooks: dict[int, Any], hook: Any) -> None:
    """Put a hook into a dictionary of hooks for the time of a block."""
    handle = RemovableHandle(hooks)
    block._at_end(handle.remove)
    hooks[handle.id] = hook


def add_hook(hooks: Any, hook: Any, prepend: bool = False, options: Any = ()) -> RemovableHandle:
    """Put a hook into a dictionary of hooks and return its handle.

    Args:
        hooks: The dictionary, by the numbers of handles; an ``OrderedDict`` for ``prepend``.
        hook: The hook.
        prepend: Whether to put it before all others.
        options: The options that it has, as dictionaries by the numbers of handles.

    >>> hooks = {}
    >>> with torch.autograd.graph.add_hook(hooks, print):
    ...     len(hooks)
    1
    >>> hooks
    {}
    """
    handle = RemovableHandle(hooks, *options)
    hooks[handle.id] = hook
    for each in options:
        each[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
