"""Symbolic tracing: functions are marked for it, but nothing is traced.

pellucid records each graph while it runs; `pellucid.inspect` shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from pellucid.errors import UnimplementedError

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap"]

T = TypeVar("T")
_NO_TRACES = (
    "torch.fx cannot trace here: pellucid records a graph while it runs, see pellucid.inspect"
)


def wrap(fn_or_name: T) -> T:
    """Return the function, or its name, unchanged: nothing is traced."""
    return fn_or_name


class _Untraced:
    def __init__(self, *args: Any, **options: Any) -> None:
        raise UnimplementedError(_NO_TRACES)


class Proxy(_Untraced):
    """Placeholder for traced values; nothing is an instance."""


class Node(_Untraced):
    """Placeholder for nodes of traced graphs; nothing is an instance."""


class Graph(_Untraced):
    """Placeholder for traced graphs; nothing is an instance."""


class GraphModule(_Untraced):
    """Placeholder for traced modules; nothing is an instance."""


class Tracer(_Untraced):
    """Placeholder for tracers; making one raises NotImplementedError."""


def symbolic_trace(root: Callable[..., Any], *args: Any, **options: Any) -> NoReturn:
    """Raise NotImplementedError: nothing is traced."""
    raise UnimplementedError(_NO_TRACES)
