"""`torch._dynamo.explain`: the graphs of a call, and what breaks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.compat.compiling import settings
from pellucid.compat.compiling.compiled import Compiled
from pellucid.compat.compiling.modules import OptimizedModule, call_module
from pellucid.compat.compiling.trace import Break
from pellucid.nn import Module


class ExplainOutput:
    """What a call was recorded as.

    Attributes:
        graphs: The graphs, as modules.
        graph_count: How many there are.
        graph_break_count: How many places there are between them.
        break_reasons: Those where Python has to run.
        op_count: How many operations the graphs have.
        ops_per_graph: The functions and layers that each graph calls.
        out_guards: The conditions under which the recording holds, as text.
    """

    def __init__(self, graphs: list[Any], breaks: list[Break], guards: list[str]) -> None:
        self.graphs = graphs
        self.graph_count = len(graphs)
        self.graph_break_count = max(len(graphs) - 1, 0)
        self.break_reasons = breaks
        calls = ("call_function", "call_method", "call_module")
        self.ops_per_graph = [
            [node.target for node in graph.graph.nodes if node.op in calls] for graph in graphs
        ]
        self.op_count = sum(map(len, self.ops_per_graph))
        self.out_guards = guards

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
            "Break Reasons:",
        ]
        for number, each in enumerate(self.break_reasons, 1):
            lines.append(f"  Break Reason {number}: {each}")
        return "\n".join(lines)

    __repr__ = __str__


def explain(f: Callable[..., Any], *extra_args: Any, **extra_kwargs: Any) -> Any:
    """Return a function that calls ``f`` once and says what was recorded.

    Args:
        f: The function or module.
        extra_args: Arguments of the call, where it is to be made at once.
        extra_kwargs: Arguments by name of the call.

    >>> torch._dynamo.explain(lambda x: (x + 1).relu())(torch.ones(2)).op_count
    2
    """

    def explained(*args: Any, **kwargs: Any) -> ExplainOutput:
        graphs: list[Any] = []

        def backend(gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
            graphs.append(gm)
            return gm.forward

        kept = Compiled(_calling(f), settings.Options(backend=backend))
        kept.run(args, kwargs)
        guards = [
            f"{each.told.what}: {each.told.was}"
            for traces in kept.traces.values() for trace in traces for each in trace.decisions()
        ]  # fmt: skip
        return ExplainOutput(graphs, kept.breaks, guards)

    return explained(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else explained


def _calling(f: Any) -> Callable[..., Any]:
    """Return a function of the user's kind that calls a module or a compiled function."""
    if isinstance(f, OptimizedModule):
        f = f._orig_mod
    if isinstance(f, Module):
        module = f
        return lambda *args, **kwargs: call_module(module, *args, **kwargs)
    return f.__wrapped__ if hasattr(f, "_compiled") else f
