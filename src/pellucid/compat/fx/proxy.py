"""The stand-ins that are traced: whatever is done with them is written down."""

from __future__ import annotations

import dataclasses
import dis
import inspect
import operator
import traceback
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from pellucid.autograd.sites import library_files
from pellucid.compat.fx.graph import OPERATORS, Graph
from pellucid.compat.fx.node import Node, map_aggregate, package, public_name
from pellucid.core.call.overriding import name_of_function
from pellucid.core.memory.memory_formats import layout, memory_format
from pellucid.device import device
from pellucid.dtypes import dtype
from pellucid.errors import ArgumentError, GraphError, UnimplementedError
from pellucid.observe import slow_path
from pellucid.tensors import Tensor

#: what stands in a graph as it is
_PLAIN = (str, int, float, complex, bool, bytes, dtype, device, memory_format, layout, Tensor)

_CONTROL_FLOW = "symbolically traced variables cannot be used as inputs to control flow"
_ITERATED = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as "
    "a *args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more "
    "detailed explanation of what types of control flow can be traced, and check out the Proxy "
    "docstring for help troubleshooting Proxy iteration errors"
)


class TraceError(ArgumentError):
    """What a program does depends on values, which a trace does not have.

    Wrong: ``if x.sum() > 0: ...`` in a traced function.
    Right: ``torch.where``, or the decision outside of what is traced.
    """


def _refuse_change(target: Any, kwargs: dict[str, Any]) -> None:
    """Raise RuntimeError where a function changes its arguments."""
    name = getattr(target, "__name__", "")
    if kwargs.get("out") is not None or (
        name.endswith("_") and not name.startswith("_") and name not in OPERATORS
    ):
        overload = ".out" if kwargs.get("out") is not None else ""
        raise GraphError(
            f"Tried to trace mutable operation aten::{name}{overload}. FX only supports functional "
            "code, so operations that mutate operands in-place (e.g. via `out` arguments) are not "
            "supported"
        )


def _refuse_nodes_as_keys(a: Any) -> None:
    """Raise RuntimeError where a key of a dictionary is, or holds, what is traced."""
    if isinstance(a, dict):
        for key in a:
            if _holds_traced(key):
                raise GraphError(
                    "Keys for dictionaries used as an argument cannot contain a Node. Got key: "
                    f"{key}"
                )
    for each in a.values() if isinstance(a, dict) else a if isinstance(a, tuple | list) else ():
        _refuse_nodes_as_keys(each)


def _holds_traced(value: Any) -> bool:
    if isinstance(value, tuple | list | frozenset):
        return any(_holds_traced(each) for each in value)
    return isinstance(value, Proxy | Node)


class TracerBase:
    """What proxies ask: how arguments become those of nodes, and what cannot be traced."""

    graph: Graph
    #: whether a function that changes its arguments may not be traced
    check_mutable_operations: bool = False
    #: whether nodes note the lines that made them, as `Node.stack_trace`
    record_stack_traces: bool = False
    #: the modules whose forward is being traced, the innermost last: path, and path and class
    module_stack: dict[str, tuple[str, type]]

    def create_node(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Add a node to the graph."""
        if kind == "call_function" and self.check_mutable_operations:
            _refuse_change(target, kwargs)
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """Return a stand-in for the result of a node."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Any, args: Any, kwargs: Any, name: str | None = None,
        type_expr: Any = None, proxy_factory_fn: Callable[[Node], Any] | None = None,
    ) -> Any:  # fmt: skip
        """Add a node whose arguments may hold proxies; return a stand-in for its result."""
        node = self.create_node(
            kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr
        )
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = _lines_of_user()
        if stack := getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = dict(stack)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Any:
        """Return an argument as it stands in a graph; raise NotImplementedError for what cannot."""
        _refuse_nodes_as_keys(a)
        return map_aggregate(a, self._leaf)

    def _leaf(self, a: Any) -> Any:
        if isinstance(a, Proxy):
            return a.node
        if hasattr(type(a), "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {each.name: getattr(a, each.name) for each in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), self.create_arg(fields))
        if a is None or a is ... or isinstance(a, (*_PLAIN, Enum, Node, range, type)):
            return a
        if callable(a) and hasattr(a, "__name__"):
            return a
        raise UnimplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """Raise TraceError: which way a program goes is not known."""
        raise TraceError(_CONTROL_FLOW)

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Raise TraceError: how often a loop runs is not known."""
        raise TraceError(_ITERATED)

    def keys(self, obj: Proxy) -> Any:
        """Return what ``**proxy`` asks for: a call of ``keys``."""
        return Attribute(obj, "keys")()


def _lines_of_user() -> str:
    """Return the calls that lead to what is being traced, without those of this library."""
    frames = [each for each in traceback.extract_stack() if not library_files[each.filename]]
    return "".join(traceback.format_list(frames))


class ProxyableClassMeta(type):
    """A metaclass of classes that may be made of stand-ins: their making is written down then.

    >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
    ...     def __init__(self, left, right):
    ...         self.left, self.right = left, right
    >>> traced = torch.fx.symbolic_trace(lambda x: Pair(x, x + 1))
    >>> traced(torch.zeros(1)).right
    tensor([1.])
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        found: list[Proxy] = []
        map_aggregate(
            (args, kwargs), lambda each: found.append(each) if isinstance(each, Proxy) else None
        )
        if not found:
            return super().__call__(*args, **kwargs)
        return found[0].tracer.create_proxy("call_function", cls, args, kwargs)


class GraphAppendingTracer(TracerBase):
    """Adds to a graph that is there.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """A stand-in for a value while a program is traced; what is done with it becomes a node.

    Args:
        node: The node that gives the value.
        tracer: What adds nodes; by default one that adds to the node's graph.

    >>> graph = torch.fx.Graph()
    >>> x = torch.fx.Proxy(graph.placeholder("x"))
    >>> _ = graph.output((torch.relu(x) + 1).node)
    >>> print(torch.fx.GraphModule(torch.nn.Module(), graph)(torch.tensor([-1.0, 2.0])))
    tensor([1., 3.])
    """

    __getitem__: Callable[..., Any]  # and Python's other operators: see `_written_down`

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = tracer or GraphAppendingTracer(node.graph)
        self.node = node
        if not slow_path.overriding_classes:
            slow_path.note_overriding()  # the short path has to see that proxies take over

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, name: str) -> Any:
        # Not a tensor's array, nor what copying and other libraries ask any object for.
        if name in ("_array", "_takes_over") or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return Attribute(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        if caller is not None:
            for step in dis.get_instructions(caller.f_code):
                if step.offset == caller.f_lasti and step.opname == "UNPACK_SEQUENCE":
                    return (self[place] for place in range(step.argval))
        return self.tracer.iter(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """Return what ``**proxy`` asks for."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise GraphError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Callable[..., Any], types: Any, args: Any = None, kwargs: Any = None
    ) -> Any:
        """Write a call of a function down, of which a proxy is an argument."""
        args, kwargs = args or (), kwargs or {}
        if orig_method is package().einsum and isinstance(args[-1], list | tuple):
            # PyTorch's function spreads a list of operands before it asks whose they are.
            args = (*args[:-1], *args[-1])
        tracers: dict[TracerBase, None] = {}

        def note(value: Any) -> Any:
            if isinstance(value, Proxy):
                tracers[value.tracer] = None
            return value

        map_aggregate((args, kwargs), note)
        if len(tracers) > 1:
            raise GraphError(
                f"Found multiple different tracers {list(tracers)} while trying to trace "
                f"operations {name_of_function(orig_method)}"
            )
        tracer = next(iter(tracers))
        return tracer.create_proxy("call_function", _public(orig_method), args, kwargs)


def _public(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the public function of an operation that an operator such as ``+`` called."""
    if not hasattr(function, "op") or public_name(function) is not None:
        return function
    return getattr(package(), function.__name__, function)


class Attribute(Proxy):
    """An attribute of a stand-in: a method if it is called, else a value.

    Args:
        root: The stand-in.
        attr: The name of the attribute.
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """The node that reads the attribute, made when it is first needed."""
        if self._node is None:
            made = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = made.node
        assert self._node is not None
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def _written_down(name: str, reflected: bool) -> Callable[..., Any]:
    function = getattr(operator, name)

    def method(self: Proxy, *others: Any) -> Any:
        args = (*others, self) if reflected else (self, *others)
        return self.tracer.create_proxy("call_function", function, args, {})

    return method


_UNREFLECTED = ("eq", "ne", "lt", "gt", "le", "ge", "pos", "neg", "invert", "getitem")
for _name in OPERATORS:
    _plain = _name.rstrip("_")
    setattr(Proxy, f"__{_plain}__", _written_down(_name, reflected=False))
    if _name not in _UNREFLECTED:
        setattr(Proxy, f"__r{_plain}__", _written_down(_name, reflected=True))
