"""Exported programs: one graph of a module's call, with the parameters and buffers it reads."""

from __future__ import annotations

from typing import Any

from pellucid import serialization
from pellucid.compat.compiling import settings
from pellucid.compat.compiling.compiled import Compiled
from pellucid.compat.compiling.graphs import Segment, register_names, segments_of, write_nodes
from pellucid.compat.compiling.kinds import is_layer, is_unhooked
from pellucid.compat.compiling.recorder import FullGraphError
from pellucid.compat.compiling.running import running
from pellucid.compat.compiling.trace import Free, Trace
from pellucid.compat.fx import Graph, GraphModule
from pellucid.errors import ArgumentTypeError
from pellucid.nn import Module, Parameter
from pellucid.nn.modules.calling import global_hooks
from pellucid.tensors import Tensor


class ExportedProgram:
    """A module's call as one graph, with what it computes with.

    Args:
        graph_module: The graph; its parameters and buffers are those of the module.
        example_inputs: The inputs by position and by name that it was made with.

    Attributes:
        graph_module: The module that runs the graph.
        example_inputs: The inputs.

    >>> program = torch.export.export(torch.nn.ReLU(), (torch.ones(2),))
    >>> print(program.graph)
    graph():
        %l_x_ : [num_users=1] = placeholder[target=l_x_]
        %layer : [num_users=1] = call_module[target=layer](args = (%l_x_,), kwargs = {})
        return layer
    """

    def __init__(self, graph_module: GraphModule, example_inputs: Any) -> None:
        self.graph_module = graph_module
        self.example_inputs = example_inputs

    @property
    def graph(self) -> Any:
        """The graph."""
        return self.graph_module.graph

    @property
    def state_dict(self) -> dict[str, Any]:
        """The parameters and buffers by name."""
        return self.graph_module.state_dict()

    def module(self) -> Module:
        """Return a module that runs the program; it takes the same inputs."""
        return _Program(self.graph_module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.module()(*args, **kwargs)

    def __str__(self) -> str:
        return f"ExportedProgram:\n{self.graph_module.print_readable(print_output=False)}"

    __repr__ = __str__


class _Program(Module):
    """A module that gives what an exported graph gives, in the form that the module gave it."""

    def __init__(self, graph: GraphModule) -> None:
        super().__init__()
        self.graph = graph

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.graph(*args, *kwargs.values())


class _Exporter:
    """What takes a recording to make a graph of it, in the place of a backend."""

    def __init__(self, mod: Module) -> None:
        self.modules = {id(each): name for name, each in mod.named_modules()}
        named = (*mod.named_parameters(), *mod.named_buffers())
        self.tensors = {id(each): name for name, each in named}
        self.graph_module: GraphModule | None = None

    def take(self, trace: Trace, examples: dict[str, Any]) -> None:
        """Make one graph of a recording; raise RuntimeError where that is not possible."""
        items, result = segments_of(trace, with_results=True)
        rest = [each for each in items if not isinstance(each, Segment | Free)]
        segments = [each for each in items if isinstance(each, Segment)]
        if rest or len(segments) != 1:
            raise FullGraphError(
                "torch.export.export takes what is one graph; Python runs at "
                + (f"{trace.root.code.co_filename}:{rest[0].place[0]}" if rest else "all of it")
            )
        root, graph, names = Module(), Graph(), register_names(trace)
        nodes: dict[str, Any] = {
            each: graph.placeholder(names[each]) for each in trace.arguments[1:]
        }
        for register in segments[0].inputs:
            if register not in nodes:
                value = examples[str(register)]
                name = self.tensors.get(id(value), f"constant_{register}")
                _put(root, name, value)
                nodes[register] = graph.get_attr(name)
        write_nodes(segments[0], graph, nodes, lambda layer: self._installed(root, layer))
        graph.output(nodes[result])
        self.graph_module = GraphModule(root, graph)

    def _installed(self, root: Module, layer: Module) -> str:
        name = self.modules[id(layer)] or "layer"
        _put(root, name, layer)
        return name


def _put(root: Module, name: str, value: Any) -> None:
    """Put a tensor or module at a dotted name."""
    *path, last = name.split(".")
    place = root
    for part in path:
        inner = place._modules.get(part)
        if inner is None:
            inner = place._modules[part] = Module()
        place = inner
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        place.register_buffer(last, value)
    else:
        setattr(place, last, value)


def exported(
    mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any], varying: bool
) -> ExportedProgram:
    """Return the program that a module runs; see `torch.export.export`."""
    if not isinstance(mod, Module):
        raise ArgumentTypeError(f"export() takes a module, not {type(mod).__name__}")
    exporter = _Exporter(mod)
    kept = Compiled(_function_of(mod, args, kwargs), settings.Options(True, varying, exporter))
    running.exporting = True
    try:
        kept.run((mod, *args), kwargs)
    finally:
        running.exporting = False
    if exporter.graph_module is None:
        raise FullGraphError(f"torch.export.export takes what is one graph: {kept.plain_because}")
    return ExportedProgram(exporter.graph_module, (args, kwargs))


def _function_of(mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a function of the module and the arguments that calls it, and does nothing else."""
    forward = type(mod).forward
    if not is_layer(mod) and is_unhooked(mod, global_hooks):
        return forward
    if kwargs or len(args) >= len(_CALLS):
        raise FullGraphError(
            f"torch.export.export takes layers with at most {len(_CALLS) - 1} inputs by position"
        )
    return _CALLS[len(args)]


_CALLS = (
    lambda module: module(),
    lambda module, x: module(x),
    lambda module, x, y: module(x, y),
    lambda module, x, y, z: module(x, y, z),
)


def saved(ep: ExportedProgram, f: Any) -> None:
    """Write a program to a file."""
    serialization.save((ep.graph_module, ep.example_inputs), f)


def loaded(f: Any) -> ExportedProgram:
    """Return a program from a file."""
    return ExportedProgram(*serialization.load(f, weights_only=False))
