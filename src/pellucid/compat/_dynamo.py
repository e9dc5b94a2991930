"""The compiler's front end, as programs name it: nothing is compiled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pellucid.compat.absent import constant_function
from pellucid.compat.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
)

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable",
    "eval_frame", "graph_break",
    "is_compiling", "list_backends", "mark_dynamic", "mark_static", "mark_static_address",
    "maybe_mark_dynamic", "optimize", "reset",
]  # fmt: skip

#: takes any settings, as there is nothing that they could change
config: Any = SimpleNamespace(
    cache_size_limit=8, capture_scalar_outputs=False, suppress_errors=False, verbose=False
)


class OptimizedModule:
    """Placeholder for compiled modules; nothing is an instance."""


#: where compiled modules are defined
eval_frame: Any = SimpleNamespace(OptimizedModule=OptimizedModule)
graph_break = constant_function(None, "Do nothing: nothing is being compiled.")
mark_dynamic = maybe_mark_dynamic = mark_static = mark_static_address = graph_break


def optimize(*args: Any, **options: Any) -> Any:
    """Return a decorator that returns the function unchanged."""
    return disable()
