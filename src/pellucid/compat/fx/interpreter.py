"""Running a graph node by node, and making another graph of it on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pellucid.compat.fx._symbolic_trace import Tracer
from pellucid.compat.fx.graph import Graph
from pellucid.compat.fx.graph_module import GraphModule
from pellucid.compat.fx.node import Node, map_aggregate, map_arg
from pellucid.compat.fx.proxy import Proxy
from pellucid.errors import GraphError


class Interpreter:
    """Runs a graph; subclasses replace what each kind of node does.

    Args:
        module: The module that has what the graph names.
        garbage_collect_values: Whether results are dropped when nobody needs them any more.
        graph: The graph, if it is not the module's.

    >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(x) + 1)
    >>> class Loud(torch.fx.Interpreter):
    ...     def run_node(self, n):
    ...         print(n.op, n.name)
    ...         return super().run_node(n)
    >>> Loud(traced).run(torch.tensor(2.0))
    placeholder x
    call_function neg
    call_function add
    output output
    tensor(-1.)
    """

    def __init__(
        self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None
    ) -> None:
        self.module = module
        self.graph = module.graph if graph is None else graph
        self.garbage_collect_values = garbage_collect_values
        self.env: dict[Node, Any] = {}
        self.args_iter: Iterator[Any] = iter(())
        seen: set[Node] = set()
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        for node in reversed(self.graph.nodes):
            fresh = [each for each in node.all_input_nodes if each not in seen]
            self.user_to_last_uses[node] = fresh
            seen.update(fresh)

    def run(self, *args: Any, initial_env: Any = None, enable_io_processing: bool = True) -> Any:
        """Run the graph on arguments and return its result."""
        self.env = dict(initial_env or {})
        self.args_iter = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self.run_node(node)
            if node.op == "output":
                returned = self.env[node]
                return self.graph.process_outputs(returned) if enable_io_processing else returned
            if self.garbage_collect_values:
                for each in self.user_to_last_uses[node]:
                    del self.env[each]
        return None

    def run_node(self, n: Node) -> Any:
        """Return the result of one node."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the next argument; all that are left for one with a star."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise GraphError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return an attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function."""
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method of the first argument."""
        owner, *rest = args
        return getattr(owner, target)(*rest, **kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of the graph."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Return what the module has at a dotted name."""
        found = self.module
        for number, part in enumerate(path := target.split(".")):
            if not hasattr(found, part):
                raise GraphError(
                    f"Node referenced nonexistent target {'.'.join(path[: number + 1])}"
                )
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a node, with results in the place of nodes."""
        return self.map_nodes_to_values((n.args, n.kwargs), n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Return nested arguments with results in the place of nodes."""
        return map_arg(args, self.env.__getitem__)


class Transformer(Interpreter):
    """Makes a new graph of a module's, whose nodes are what the methods return.

    Args:
        module: The module.

    >>> class ReluForSine(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         target = torch.relu if target is torch.sin else target
    ...         return super().call_function(target, args, kwargs)
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.sin(x))
    >>> ReluForSine(traced).transform()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class TransformerTracer(Tracer):
            def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
                return True

        self.tracer = TransformerTracer()
        self.tracer.graph = self.new_graph
        self.tracer.root = module

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        default = args[0] if args else ...
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def run_node(self, n: Node) -> Any:
        """Return the result of one node, whose nodes have the notes of where it is from."""
        result = super().run_node(n)
        if isinstance(result, Proxy) and n.op != "placeholder":
            for name in ("stack_trace", "nn_module_stack"):
                if name in n.meta:
                    result.node.meta.setdefault(name, n.meta[name])
        return result

    def transform(self) -> GraphModule:
        """Return the module of the new graph."""
        result = self.run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(
                map_aggregate(result, lambda each: each.node if isinstance(each, Proxy) else each)
            )
        return GraphModule(self.module, self.new_graph)
