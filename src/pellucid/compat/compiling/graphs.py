"""Recordings as graphs of `torch.fx`, for backends, `explain` and `torch.export`.

The frames of a recording are laid end to end; each longest run of steps that compute is a
`GraphModule`, given to a backend with example inputs. Between them Python runs.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

from pellucid.compat.compiling.events import Token
from pellucid.compat.compiling.trace import (
    Decision,
    Free,
    Inlined,
    Register,
    Step,
    Trace,
    TraceFrame,
    registers_in,
)
from pellucid.compat.fx import Graph, GraphModule
from pellucid.nn import Module

_COMPUTING = ("function", "method", "layer", "build", "builtin", "unpack")
#: functions of Python's that may stand in a graph
_PLACEABLE = {len, min, max, abs, sum, int, float, round, tuple, list, slice}

Item = Step | Decision | Free


class Segment:
    """A run of steps that compute, and the graph of them."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.inputs: list[Register] = []
        self.outputs: list[Register] = []
        self.freed: set[str] = set()
        self.function: Any = None


def is_computing(item: Item) -> bool:
    """Return whether a step may stand in a graph."""
    if not isinstance(item, Step) or item.called is None or item.exit is not None:
        return False
    called = item.called
    if called.kind == "builtin":
        return called.target in _PLACEABLE
    return called.kind in _COMPUTING


def flattened(frame: TraceFrame) -> list[Item]:
    """Return the items of a frame with those of the calls in it in their places."""
    found: list[Item] = []
    for each in frame.items:
        if not isinstance(each, Inlined):
            found.append(each)
            continue
        found += flattened(each.frame)
        if each.out is not None:
            text = f"{each.out} = {each.frame.result}"
            found.append(Step(text, each.place, None, (each.out,)))
    return found


def renamed(items: list[Item], result: str) -> tuple[list[Item], str, dict[str, str]]:
    """Return items without steps that only give a register another name, and these names."""
    names: dict[str, str] = {}

    def text(given: str) -> str:
        written = given.encode()  # columns count bytes
        for node in sorted(registers_in(given), key=lambda each: each.col_offset, reverse=True):
            name = names.get(node.id, node.id).encode()
            written = written[: node.col_offset] + name + written[node.end_col_offset :]
        return written.decode()

    def token(given: Any) -> Any:
        kind = type(given)
        if kind is Token:
            return Token(Register(names.get(given.register, given.register)))
        if kind is tuple or kind is list:
            return kind(map(token, given))
        if kind is dict:
            return {key: token(value) for key, value in given.items()}
        return given

    kept: list[Item] = []
    for each in items:
        if isinstance(each, Free):
            if each.register not in names and each.register not in names.values():
                kept.append(each)
        elif isinstance(each, Decision):
            kept.append(each._replace(condition=text(each.condition), now=text(each.now)))
        elif each.called is None and re.fullmatch(r"r\d+ = r\d+", each.text):
            left, right = each.text.split(" = ")
            names[left] = names.get(right, right)
        else:
            called = each.called
            if called is not None:
                called = called._replace(args=token(called.args), kwargs=token(called.kwargs))
            kept.append(each._replace(text=text(each.text), called=called))
    return kept, text(result), names


def segments_of(trace: Trace, with_results: bool = False) -> tuple[list[Item | Segment], str]:
    """Return a trace's items, runs of those that compute taken together, and the result.

    ``with_results`` leaves the tuples and lists that a run gives in it.
    """
    items, result, trace.renamed = renamed(flattened(trace.root), str(trace.root.result))
    found: list[Item | Segment] = []
    for each in items:
        last = found[-1] if found else None
        if isinstance(each, Free) and isinstance(last, Segment):
            last.freed.add(each.register)
        elif is_computing(each):
            assert isinstance(each, Step)
            if not isinstance(last, Segment):
                last = Segment()
                found.append(last)
            last.steps.append(each)
        else:
            found.append(each)
    laid: list[Item | Segment] = []
    for number, each in enumerate(found):
        laid.append(each)
        if isinstance(each, Segment):
            _ends(each, found[number + 1 :], result)
            if not with_results:
                laid += _built_after(each)
    return [each for each in laid if not isinstance(each, Segment) or each.steps], result


def _built_after(segment: Segment) -> list[Item]:
    """Return the steps that build what a run gives beside tensors, which graphs do not give.

    They stay in the run, too, where others of its steps need them.
    """
    after: list[Step] = []
    for step in reversed(segment.steps):
        called = step.called
        if called is None or called.kind != "build" or step.outs[0] not in segment.outputs:
            continue
        segment.outputs.remove(step.outs[0])
        after.insert(0, step)
        made = {out for each in segment.steps for out in each.outs}
        segment.outputs += [
            Register(name) for name in _operands(step)
            if name in made and name not in segment.outputs
        ]  # fmt: skip
    used = {name for step in after for name in _operands(step)}
    freed = sorted(used & segment.freed)
    segment.freed -= used
    return [*after, *map(Free, map(Register, freed))]


def _ends(segment: Segment, later: Iterable[Any], result: str) -> None:
    """Find what a run of steps is given, and what it gives."""
    made = {out for step in segment.steps for out in step.outs}
    for step in segment.steps:
        for name in _operands(step):
            if name not in made and name not in segment.inputs:
                segment.inputs.append(Register(name))
    used = {node.id for node in registers_in(result)}
    for each in later:
        if isinstance(each, Segment):
            for step in each.steps:
                used |= set(_operands(step))
        elif isinstance(each, Step):
            used |= {node.id for node in registers_in(each.text)}
        elif isinstance(each, Decision):
            texts = (each.condition, each.now)
            used |= {node.id for text in texts for node in registers_in(text)}
    segment.outputs = [
        out for step in segment.steps for out in step.outs
        if out in used or out not in segment.freed
    ]  # fmt: skip


def _operands(step: Step) -> list[str]:
    called = step.called
    assert called is not None
    args = called.args[1:] if called.kind == "layer" else called.args
    return _named((args, called.kwargs))


def _named(value: Any) -> list[str]:
    kind = type(value)
    if kind is Token:
        return [value.register]
    if isinstance(value, tuple | list):
        return [name for each in value for name in _named(each)]
    if kind is dict:
        return [name for each in value.values() for name in _named(each)]
    return []


def graph_module(segment: Segment, names: dict[str, str]) -> GraphModule:
    """Return the module that computes a run of steps.

    Args:
        segment: The run; its inputs are the arguments.
        names: What registers are called.
    """
    graph = Graph()
    root = Module()
    nodes: dict[str, Any] = {}
    for register in segment.inputs:
        nodes[register] = graph.placeholder(names.get(register, f"arg_{register}"))
    write_nodes(segment, graph, nodes, lambda layer: _installed(root, layer))
    graph.output(tuple(nodes[each] for each in segment.outputs))
    return GraphModule(root, graph)


def write_nodes(
    segment: Segment, graph: Graph, nodes: dict[Any, Any], installed: Callable[[Module], str]
) -> None:
    """Write the nodes of a run of steps.

    Args:
        segment: The run.
        graph: Where they are written.
        nodes: The nodes of registers, those of the inputs at first.
        installed: Puts a layer into the module of the graph, and returns its name there.
    """
    for step in segment.steps:
        called = step.called
        assert called is not None
        given = called.args[1:] if called.kind == "layer" else called.args
        args, kwargs = _nodes(given, nodes), _nodes(called.kwargs, nodes)
        if called.kind == "unpack":
            for number, out in enumerate(step.outs):
                nodes[out] = graph.call_function(operator.getitem, (args[0], number))
            continue
        if called.kind == "build":
            nodes[step.outs[0]] = _built(called.target, args)
            continue
        if called.kind == "method":
            node = graph.call_method(called.target, args, kwargs)
        elif called.kind == "layer":
            name = installed(called.target)
            node = graph.call_module(name, args, kwargs)
        else:
            node = graph.call_function(called.target, args, kwargs)
        node.meta["place"] = step.place
        nodes[step.outs[0]] = node


def _built(kind: Any, parts: tuple[Any, ...]) -> Any:
    if kind is slice:
        return slice(*parts)
    return dict(parts) if kind is dict else kind(parts)


def _nodes(value: Any, nodes: dict[str, Any]) -> Any:
    kind = type(value)
    if kind is Token:
        return nodes[value.register]
    if kind is tuple or kind is list:
        return kind(_nodes(each, nodes) for each in value)
    if kind is dict:
        return {key: _nodes(each, nodes) for key, each in value.items()}
    return value


def _installed(root: Module, layer: Module) -> str:
    for name, found in root.named_children():
        if found is layer:
            return name
    name = f"{type(layer).__name__.lower()}_{len(root._modules)}"
    root.add_module(name, layer)
    return name


def register_names(trace: Trace) -> dict[str, str]:
    """Return what registers are called: arguments and attributes by their names."""
    code = trace.root.code
    found: dict[str, str] = {}
    taken: set[str] = set()
    for register, name in zip(trace.arguments, code.co_varnames, strict=False):
        found[register] = f"l_{name}_"
    for each in trace.prologue:
        if isinstance(each, Step) and len(each.outs) == 1:
            parts = re.fullmatch(r"r\d+ = (r\d+)\.(\w+)", each.text)
            if parts:
                base = found.get(parts[1], "l_").rstrip("_")
                found[each.outs[0]] = f"{base}_{parts[2]}_"
    for register, name in found.items():
        while name in taken:
            name += "1"
        taken.add(name)
        found[register] = name
    return found


def compiled_by(
    trace: Trace, backend: Callable[..., Any], values: Callable[[str], Any]
) -> tuple[list[Item | Segment], str]:
    """Have a backend compile all runs of steps that compute; return the trace's items and result.

    Args:
        trace: The recording.
        backend: Called with a `GraphModule` and a list of example inputs.
        values: Gives the example of a register.
    """
    items, result = segments_of(trace)
    names = register_names(trace)
    for each in items:
        if isinstance(each, Segment):
            examples = [values(name) for name in each.inputs]
            each.function = backend(graph_module(each, names), examples)
    return items, result
