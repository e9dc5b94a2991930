"""A graph as a module, whose forward is generated from it."""

from __future__ import annotations

import copy
import linecache
from typing import Any

from pellucid.compat.fx.graph import Graph, PythonCode
from pellucid.errors import GraphError
from pellucid.nn import Module, Parameter
from pellucid.tensors import Tensor

_REMINDER = "# To see more debug info, please use `graph_module.print_readable()`"


def _compiled(code: PythonCode, traced_from: str) -> Any:
    """Return the function of a source, whose lines tracebacks can show."""
    name = f"<fx generated {len(linecache.cache)}>"
    name += f" from {traced_from}" if traced_from else ""
    linecache.cache[name] = (len(code.src), None, code.src.splitlines(True), name)
    namespace = dict(code.globals)
    exec(compile(code.src, name, "exec"), namespace)
    return namespace["forward"]


def _copy_attribute(source: Any, target: Module, path: str) -> None:
    """Give a module what another one has at a dotted name, with modules for the parts of it."""
    *parents, last = path.split(".")
    for name in parents:
        source = getattr(source, name)
        if not hasattr(target, name):
            target.add_module(name, Module())
        target = getattr(target, name)
    _assign(target, last, getattr(source, last))


def _assign(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


class GraphModule(Module):
    """A module that runs a graph; ``code`` is the source of its forward.

    Args:
        root: The module whose submodules, parameters and buffers the graph names, or a dictionary
            of these by their dotted names.
        graph: The graph.
        class_name: The name of the class that is shown.

    Raises:
        RuntimeError: If the root lacks what the graph names.

    >>> graph = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU())).graph
    >>> torch.fx.GraphModule({"0": torch.nn.Tanh()}, graph)(torch.zeros(1))
    tensor([0.])
    """

    _graph: Graph
    _code: str

    def __new__(cls, *args: Any, **options: Any) -> GraphModule:
        # Each has a class of its own, whose `forward` is that of its graph.
        own = next(each for each in cls.__mro__ if "_is_of_one_graph" not in each.__dict__)
        members = {"_is_of_one_graph": True, "__module__": own.__module__}
        made: Any = type(own.__name__, (own,), members)
        return super().__new__(made)

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        #: what passes note of the module
        self.meta: dict[str, Any] = {}
        named = [n.target for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = root.training
            for path in dict.fromkeys(named):
                _copy_attribute(root, self, path)
        else:
            self._take_from(root, named)
        self.graph = graph

    def _take_from(self, root: dict[str, Any], named: list[str]) -> None:
        missing = next((path for path in named if path not in root), None)
        if missing is not None:
            raise GraphError(
                f"Graph references {missing} but it was not provided in `root` with a key of that "
                "name"
            )
        for path in sorted(dict.fromkeys(named), key=lambda path: path.count(".")):
            *parents, last = path.split(".")
            target: Any = self
            for name in parents:
                if not hasattr(target, name):
                    target.add_module(name, Module())
                target = getattr(target, name)
            _assign(target, last, root[path])

    @property
    def graph(self) -> Graph:
        """The graph; setting it generates forward anew."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of forward."""
        return self._code

    def recompile(self) -> PythonCode:
        """Generate forward anew, after a change of the graph; return its source."""
        code = self._graph.python_code("self")
        self._code = code.src
        type(self).forward = _compiled(code, self._graph._traced_from)
        return code

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module at a dotted name; return whether that was possible."""
        *parents, last = target.split(".")
        place: Any = self
        for name in parents:
            if not hasattr(place, name):
                setattr(place, name, Module())
            place = getattr(place, name)
            if not isinstance(place, Module):
                return False
        place.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module at a dotted name; return whether there was one."""
        path, _, last = target.rpartition(".")
        place: Any = self
        for name in path.split(".") if path else ():
            place = getattr(place, name, None)
        if not isinstance(getattr(place, last, None), Module):
            return False
        delattr(place, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node names."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used |= {".".join(parts[: n + 1]) for n in range(len(parts))}
                if node.op == "call_module":
                    inner = dict(self.get_submodule(node.target).named_modules(prefix=node.target))
                    used |= set(inner)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """Return the source as a class, and print it unless told otherwise."""
        body = self._code.strip("\n").replace("\n", "\n    ").rstrip()
        text = f"class {type(self).__name__}(torch.nn.Module):\n    {body}\n"
        if print_output:
            print(text)  # noqa: T201
        return text

    def __str__(self) -> str:
        return "\n".join([super().__str__(), self._code, _REMINDER])

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made = memo[id(self)] = _empty(type(self).__name__)
        kept = {name: value for name, value in self.__dict__.items() if name != "_graph"}
        made.__dict__.update(copy.deepcopy(kept, memo))
        made.graph = copy.deepcopy(self._graph, memo)
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self._graph, type(self).__name__)
        made.meta = self.meta
        return made

    def _replicate_for_data_parallel(self) -> GraphModule:
        """Return a copy over the same parameters."""
        made: Any = copy.copy(self)
        made._is_replica = True
        return made

    def __reduce__(self) -> Any:
        kept = {name: value for name, value in self.__dict__.items() if name != "_graph"}
        return _unpickled, (kept, self._graph, type(self).__name__)


def _empty(name: str) -> GraphModule:
    """Return a module of a class with this name that has no graph yet."""
    made = GraphModule.__new__(GraphModule)
    Module.__init__(made)
    type(made).__name__ = name
    return made


def _unpickled(attributes: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    made = _empty(name)
    made.__dict__.update(attributes)
    made.graph = graph
    return made
