"""The nodes of a traced program: one call, argument or result each."""

from __future__ import annotations

import builtins
import functools
import importlib
import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pellucid.compat.fx.immutable_collections import immutable_dict, immutable_list
from pellucid.errors import ArgumentError, GraphError

if TYPE_CHECKING:
    from pellucid.compat.fx.graph import Graph

#: what a node may stand for
OPS = (
    "placeholder", "get_attr", "call_function", "call_method", "call_module", "output", "root",
)  # fmt: skip

#: what must not be left out though nobody uses its result
_side_effects: set[Any] = set()

#: where public functions are looked for, and what PyTorch calls the place
_PLACES = ("", ".nn.functional", ".linalg", ".fft", ".special", ".nn.init", ".signal.windows")


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the calls of a function in graphs though nobody uses what they return.

    Args:
        fn: The function, which is returned.

    >>> torch.fx.has_side_effect(print) is print
    True
    """
    _side_effects.add(fn)
    return fn


def package() -> Any:
    """Return the package, whose public names the source of a graph is written in."""
    return importlib.import_module("pellucid")


@functools.cache
def public_name(function: Any) -> str | None:
    """Return what PyTorch calls a function or class of this package; None for any other."""
    own = getattr(function, "__name__", None)
    if own is None or not str(getattr(function, "__module__", None)).startswith("pellucid"):
        return None
    modules = {place: importlib.import_module(f"pellucid{place}") for place in _PLACES}
    likely = [(place, own) for place in _PLACES]
    others = ((place, name) for place, module in modules.items() for name in dir(module))
    for place, name in itertools.chain(likely, others):
        found = getattr(modules[place], name, None)
        if found is function or getattr(found, "__wrapped__", None) is function:
            return f"torch{place}.{name}"
    return None


def qualified_name(function: Any) -> str:
    """Return the dotted name of a function or class."""
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return name
    return public_name(function) or f"{function.__module__}.{name}"


def shown_target(target: Any) -> str:
    """Return how a node's target is printed."""
    if isinstance(target, str):
        return target
    module = getattr(target, "__module__", None)
    if module in ("builtins", "_operator"):
        return f"{module.removeprefix('_')}.{target.__name__}"
    return qualified_name(target)


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """Return nested tuples, lists, dictionaries and slices with a function applied to the leaves.

    Args:
        a: The nested value.
        fn: Called with each leaf.
    """
    if isinstance(a, tuple):
        parts = [map_aggregate(each, fn) for each in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list([map_aggregate(each, fn) for each in a])
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(value, fn)) for key, value in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """Return nested arguments with a function applied to the nodes among them.

    Args:
        a: The nested value.
        fn: Called with each node.
    """
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


class Node:
    """One step of a traced program.

    Args:
        graph: The graph that it belongs to.
        name: A name, which no other node of the graph has.
        op: ``placeholder``, ``get_attr``, ``call_function``, ``call_method``, ``call_module`` or
            ``output``.
        target: What is called: a function, or the name of a method, module, attribute or argument.
        args: The arguments by position; nodes among them stand for their results.
        kwargs: The arguments by name.
        return_type: The type of the result, where it is known.

    Raises:
        ValueError: If there is no such ``op``, or the target does not fit it.
    """

    def __init__(
        self, graph: Graph, name: str, op: str, target: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any], return_type: Any = None,
    ) -> None:  # fmt: skip
        if op not in OPS:
            raise ArgumentError(f"{op!r} is none of {', '.join(OPS)}")
        if op == "call_function" and not callable(target):
            raise ArgumentError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                f"{type(target).__name__} but a Callable is expected"
            )
        self.graph = graph
        self.name = name
        self.op = op
        self.target: Any = target
        self.type = return_type
        self.meta: dict[str, Any] = {}
        #: the nodes that use this one, in the order in which they came to
        self.users: dict[Node, None] = {}
        self._prev: Node = self
        self._next: Node = self
        self._erased = False
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._inputs: dict[Node, None] = {}
        self._set_arguments(args, kwargs)

    def _set_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for each in self._inputs:
            each.users.pop(self, None)
        self._inputs = {}
        self._args = map_arg(tuple(args), self._use)
        self._kwargs = map_arg(dict(kwargs), self._use)

    def _use(self, node: Node) -> Node:
        self._inputs[node] = None
        node.users[self] = None
        return node

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments by position."""
        return self._args

    @args.setter
    def args(self, value: tuple[Any, ...]) -> None:
        self._set_arguments(value, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, value: dict[str, Any]) -> None:
        self._set_arguments(self._args, value)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._inputs)

    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    @property
    def stack_trace(self) -> str | None:
        """The lines of the program that made the node, if somebody noted them."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def prepend(self, x: Node) -> None:
        """Put another node of the graph before this one."""
        if x.graph is not self.graph:
            raise GraphError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._take_out()
        before = self._prev
        before._next, x._prev, x._next, self._prev = x, before, self, x

    def append(self, x: Node) -> None:
        """Put another node of the graph behind this one."""
        self._next.prepend(x)

    def _take_out(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def update_arg(self, idx: int, arg: Any) -> None:
        """Replace one argument by position."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Put an argument before the one at a position."""
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Replace or add one argument by name."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use another node wherever this one uses a node."""
        args, kwargs = map_arg(
            (self.args, self.kwargs), lambda each: new_input if each is old_input else each
        )
        self._set_arguments(args, kwargs)

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *, propagate_meta: bool = False,
    ) -> list[Node]:  # fmt: skip
        """Use another node wherever this one is used; return the nodes that did."""
        if propagate_meta:
            replace_with.meta.update(self.meta)
        users = [user for user in self.users if delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def is_impure(self) -> bool:
        """Return whether the node has to stay though nobody uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            return self.target in _side_effects
        return self.op == "call_method" and self.target.endswith("_") and self.target[0] != "_"

    def format_node(
        self, placeholder_names: Any = None, maybe_return_typename: Any = None
    ) -> str | None:
        """Return the line that shows the node."""
        users = f"[num_users={len(self.users)}] = {self.op}[target={shown_target(self.target)}]"
        kind = "" if self.type is None else f"{type_name(self.type)} "
        if self.op == "output":
            return f"return {self.args[0]}"
        if self.op == "placeholder":
            default = f"(default={self.args[0]})" if self.args else ""
            return f"%{self.name} : {kind}{users}{default}"
        if self.op == "get_attr":
            return f"%{self.name} : {kind}{users}"
        arguments = f"args = {shown(self.args)}, kwargs = {shown(self.kwargs)}"
        return f"%{self.name} : {kind}{users}({arguments})"

    def __repr__(self) -> str:
        return self.name


def shown(value: Any) -> str:
    """Return how an argument is printed: nodes with a percent sign, texts as they are."""
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(each)}" for key, each in value.items()) + "}"
    return f"%{value}" if isinstance(value, Node) else str(value)


def type_name(kind: Any) -> str:
    """Return how a type is written in source."""
    if isinstance(kind, str):
        return kind
    if isinstance(kind, type) and not hasattr(kind, "__args__"):
        return qualified_name(kind)
    return repr(kind).replace("pellucid.tensors.tensor.Tensor", "torch.Tensor")


def walk(first: Node, forward: bool = True) -> Iterator[Node]:
    """Go from a node to the end of its list, which is the list's root."""
    root = first.graph._root
    node = first
    while node is not root:
        following = node._next if forward else node._prev
        if not node._erased:
            yield node
        node = following
