"""The compiler's front end, as programs name it."""

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
    register_backend,
    reset,
)
from pellucid.compat.compiler import compile as _compile
from pellucid.compat.compiling.explaining import explain
from pellucid.compat.compiling.modules import OptimizedModule
from pellucid.compat.compiling.running import graph_break
from pellucid.compat.compiling.settings import config

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable",
    "eval_frame", "explain", "graph_break",
    "is_compiling", "list_backends", "mark_dynamic", "mark_static", "mark_static_address",
    "maybe_mark_dynamic", "optimize", "register_backend", "reset",
]  # fmt: skip


#: where compiled modules are defined
eval_frame: Any = SimpleNamespace(OptimizedModule=OptimizedModule)
mark_dynamic = maybe_mark_dynamic = mark_static = mark_static_address = constant_function(
    None, "Do nothing: recordings hold for all sizes that nothing decides on."
)


def optimize(backend: Any = "inductor", *, nopython: bool = False, **options: Any) -> Any:
    """Return a decorator that compiles a function, as `torch.compile` does.

    Args:
        backend: As for `torch.compile`.
        nopython: Whether it is an error if something cannot be recorded.
        options: ``dynamic``, as for `torch.compile`; others are kept for PyTorch's callers.
    """
    return _compile(backend=backend, fullgraph=nopython, dynamic=options.get("dynamic"))
