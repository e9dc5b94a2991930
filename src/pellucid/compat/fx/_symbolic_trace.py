"""Tracing: a forward is run with stand-ins, and what happens to them is written down."""

from __future__ import annotations

import builtins
import collections
import copy
import functools
import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FunctionType, ModuleType
from typing import Any

from pellucid.compat.fx.graph import Graph
from pellucid.compat.fx.graph_module import GraphModule
from pellucid.compat.fx.node import map_aggregate
from pellucid.compat.fx.proxy import Proxy, ProxyableClassMeta, TracerBase
from pellucid.compat.guards import _assert
from pellucid.errors import GraphError, NotATensorError
from pellucid.nn import Module, Parameter, Sequential
from pellucid.tensors import Tensor

#: globals of modules, and the names in them whose calls are written down: see `wrap`
_wrapped_names: list[tuple[dict[str, Any], str]] = []


def wrap(fn_or_name: Any) -> Any:
    """Write calls of a function down as they are, instead of tracing what it does.

    To be called at the top of a module, with a name that is global there, or as a decorator.

    Args:
        fn_or_name: The function, or its name; it is returned.

    Raises:
        RuntimeError: If it is neither a function nor a name.

    >>> torch.fx.wrap("len")
    'len'
    """
    if not isinstance(fn_or_name, str) and not callable(fn_or_name):
        raise GraphError(
            "Unsupported type for global function! Must be either a callable or a name"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    _wrapped_names.append((frame.f_back.f_globals, name))
    return fn_or_name


def _assert_is_none(value: Any, message: str) -> None:
    """Raise AssertionError unless a value is None."""
    assert value is None, message


def _recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that writes its call down where a stand-in is among the arguments."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        found: list[Proxy] = []
        map_aggregate(
            (args, kwargs), lambda each: found.append(each) if isinstance(each, Proxy) else None
        )
        if not found:
            return function(*args, **kwargs)
        proxy = found[0].tracer.create_proxy("call_function", function, args, kwargs)
        proxy.node.meta["is_wrapped"] = True
        return proxy

    return wrapped


@contextmanager
def _replaced(names: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    """Give a name in a dictionary another value in the block."""
    absent = object()
    before = names.get(name, absent)
    names[name] = value
    try:
        yield
    finally:
        if before is absent:
            del names[name]
        else:
            names[name] = before


@contextmanager
def _replaced_attribute(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _by_position(function: FunctionType) -> FunctionType:
    """Return a function that takes all its arguments by position, those with stars as one each."""
    code = function.__code__
    stars = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    count = code.co_argcount + code.co_kwonlyargcount + (code.co_flags & stars).bit_count()
    plain = code.replace(
        co_flags=code.co_flags & ~stars, co_argcount=count, co_kwonlyargcount=0,
        co_posonlyargcount=0,
    )  # fmt: skip
    names = function.__globals__
    return FunctionType(plain, names, function.__name__, None, function.__closure__)


class Tracer(TracerBase):
    """Traces modules and functions; subclasses say what is a leaf, and more.

    Args:
        autowrap_modules: Modules whose functions are written down as they are.
        autowrap_functions: Functions that are.
        param_shapes_constant: Kept for PyTorch's callers.

    >>> class WholeBlocks(torch.fx.Tracer):
    ...     def is_leaf_module(self, m, module_qualified_name):
    ...         return isinstance(m, torch.nn.Sequential)
    >>> model = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.ReLU())])
    >>> class Net(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.block = torch.nn.Sequential(torch.nn.ReLU())
    ...
    ...     def forward(self, x):
    ...         return self.block(x)
    >>> [node.target for node in WholeBlocks().trace(Net()).nodes]
    ['x', 'block', 'output']
    """

    proxy_buffer_attributes = False
    #: the method of a module that is traced
    traced_func_name = "forward"

    def __init__(
        self, autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:  # fmt: skip
        self._autowrap_modules = autowrap_modules
        self._autowrap_functions = autowrap_functions
        self.param_shapes_constant = param_shapes_constant
        self.root: Any = None
        #: tensors that the program made itself, by the names of their attributes
        self._constants: dict[int, str] = {}
        self.module_stack = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in self.__dict__.items():
            shared = name in ("_autowrap_modules", "_autowrap_functions")
            made.__dict__[name] = value if shared else copy.deepcopy(value, memo)
        return made

    # ---- what subclasses may replace --------------------------------------------------------

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether a module is called as it is: those of this package, but Sequential."""
        ours = m.__module__.startswith(("pellucid.nn", "torch.nn"))
        return ours and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Return the dotted name of a module in the root."""
        for name, found in self.root.named_modules():
            if found is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(
        self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Write the call of a leaf down, or trace what another module does."""
        path = self.path_of_module(m)
        self.module_stack[path] = (path, type(m))
        try:
            if not self.is_leaf_module(m, path):
                return forward(*args, **kwargs)
            return self.create_proxy("call_module", path, args, kwargs)
        finally:
            self.module_stack.pop(path, None)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Return a stand-in for a parameter that a module is asked for."""
        kinds: list[tuple[Any, Any]] = [(Parameter, self.root.named_parameters)]
        if self.proxy_buffer_attributes:
            kinds.append((Tensor, self.root.named_buffers))
        for kind, named in kinds:
            if not isinstance(attr_val, kind):
                continue
            for name, found in named():
                if found is attr_val:
                    if name not in parameter_proxy_cache:
                        parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {})
                    return parameter_proxy_cache[name]
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """Return an argument as it stands in a graph; tensors are attributes of the root."""
        return super().create_arg(a)

    def _leaf(self, a: Any) -> Any:
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._path_of_tensor(a), (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        if isinstance(type(a), ProxyableClassMeta):
            return self.create_node("get_attr", self._path_of_constant(a), (), {})
        return super()._leaf(a)

    def _path_of_tensor(self, tensor: Tensor) -> str:
        for name, found in (*self.root.named_parameters(), *self.root.named_buffers()):
            if found is tensor:
                return name
        return self._path_of_constant(tensor, "_tensor_constant")

    def _path_of_constant(self, value: Any, name: str = "") -> str:
        """Return the name of the root's attribute that is a value which the program has made."""
        name = name or f"_{type(value).__name__}_constant_"
        if id(value) not in self._constants:
            number = 0
            while hasattr(self.root, f"{name}{number}"):
                number += 1
            self._constants[id(value)] = f"{name}{number}"
            setattr(self.root, self._constants[id(value)], value)
        return self._constants[id(value)]

    # ---- tracing ----------------------------------------------------------------------------

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """Return the graph of a module or function.

        Args:
            root: The module or function.
            concrete_args: Arguments that have a value, so that the program can ask for it.
        """
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        function: Any = inspect.unwrap(self._method_of(root) if is_module else root)
        if not isinstance(function, FunctionType):
            raise NotATensorError(f"{function!r} has no code to be traced")
        self.graph = Graph(tracer_cls=type(self))
        code = function.__code__
        self.graph._traced_from = f"{code.co_filename}:{code.co_firstlineno} in {code.co_name}"
        self._constants = {}
        args = self._arguments(function, is_module, concrete_args or {})
        with ExitStack() as stack:
            self._enter(stack, function.__globals__)
            result = _by_position(function)(*args)
        self.create_node(
            "output", "output", (self.create_arg(result),), {},
            type_expr=function.__annotations__.get("return"),
        )  # fmt: skip
        return self.graph

    def _method_of(self, root: Module) -> Any:
        """Return the method that is traced; raise AssertionError where there is none."""
        if not hasattr(type(root), self.traced_func_name):
            raise AssertionError(
                f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}"
            )
        return getattr(type(root), self.traced_func_name)

    def _enter(self, stack: ExitStack, names_around: dict[str, Any]) -> None:
        """Replace, until the trace ends, what modules and wrapped functions do when called."""
        call, look_up = Module.__call__, Module.__getattr__
        proxies: dict[str, Any] = {}

        def called(module: Module, *args: Any, **kwargs: Any) -> Any:
            return self.call_module(module, functools.partial(call, module), args, kwargs)

        def looked_up(module: Module, name: str) -> Any:
            return self.getattr(name, look_up(module, name), proxies)

        stack.enter_context(_replaced_attribute(Module, "__call__", called))
        stack.enter_context(_replaced_attribute(Module, "__getattr__", looked_up))
        wrapped_too = {
            id(value) for module in self._autowrap_modules for value in vars(module).values()
        }
        for module in self._autowrap_modules:
            names = vars(module)
            for name, value in list(names.items()):
                if callable(value) and not name.startswith("_"):
                    stack.enter_context(_replaced(names, name, _recording(value)))
        for name, value in list(names_around.items()):
            if callable(value) and id(value) in wrapped_too:
                stack.enter_context(_replaced(names_around, name, _recording(value)))
        for names, name in _wrapped_names:
            value = names.get(name, getattr(builtins, name, None))
            if value is not None:
                stack.enter_context(_replaced(names, name, _recording(value)))
        for function in self._autowrap_functions:
            names = getattr(function, "__globals__", {})
            if names.get(getattr(function, "__name__", "")) is function:
                wrapped = _recording(function)
                stack.enter_context(_replaced(names, function.__name__, wrapped))

    def _arguments(
        self, function: FunctionType, is_module: bool, concrete: dict[str, Any]
    ) -> list[Any]:
        """Return the stand-ins that a function is called with, all by position."""
        code, parameters = function.__code__, inspect.signature(function).parameters
        count = code.co_argcount + code.co_kwonlyargcount
        if is_module and not count:
            raise GraphError("``self`` argument cannot be part of *args expansion!")
        names = list(code.co_varnames[is_module:count])
        args: list[Any] = [self.root] if is_module else []
        kinds = function.__annotations__
        args += [self._argument(name, parameters[name], concrete, kinds) for name in names]
        rest = iter(code.co_varnames[count:])
        for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
            if code.co_flags & flag:
                args.append(self.create_proxy("placeholder", stars + next(rest), (), {}))
        return args

    def _argument(
        self, name: str, parameter: inspect.Parameter, concrete: dict[str, Any],
        annotations: dict[str, Any],
    ) -> Any:  # fmt: skip
        default = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
        if name not in concrete:
            kind = annotations.get(name)
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        return map_aggregate(concrete[name], functools.partial(self._specialized, name, default))

    def _specialized(self, name: str, default: Any, value: Any) -> Any:
        """Add an argument of which the program is told a value; return the value."""
        self._specializations[name] += 1
        numbered = f"{name}_{self._specializations[name]}"
        proxy = self.create_proxy("placeholder", numbered, default, {})
        text = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, text), {})
        elif isinstance(value, bool | int | float | str):
            self.create_proxy("call_function", _assert, (proxy == value, text), {})
        return value

    @functools.cached_property
    def _specializations(self) -> collections.Counter[str]:
        return collections.Counter()


def symbolic_trace(root: Any, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Trace a module or function, and return a module that does the same from a graph.

    What depends on values cannot be traced: `TraceError` is raised for ``if`` and loops over them.

    Args:
        root: The module or function.
        concrete_args: Arguments that have a value, so that the program can ask for it.

    >>> print(torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1).graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        %add : [num_users=1] = call_function[target=operator.add](args = (%relu, 1), kwargs = {})
        return add
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
