"""Functions that are not followed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from pellucid.compat.compiling.running import running
from pellucid.nn import Module


def disabled(fn: Any, recursive: bool) -> Any:
    """Return a function that runs as it is; a module's forward is replaced by such a one."""
    if isinstance(fn, BuiltinFunctionType | type):
        return fn
    if isinstance(fn, Module):
        fn.forward = disabled(fn.forward, recursive)
        return fn
    inner = fn.__wrapped__ if hasattr(fn, "_compiled") else fn

    @functools.wraps(inner)
    def plain(*args: Any, **kwargs: Any) -> Any:
        running.disabled += recursive
        try:
            return inner(*args, **kwargs)
        finally:
            running.disabled -= recursive

    return marked(plain, "_torchdynamo_disable")


def marked(fn: Any, mark: str) -> Any:
    """Return a function with a mark that calls of it look at."""
    target: Callable[..., Any] = fn
    if not isinstance(target, BuiltinFunctionType | type):
        setattr(target, mark, True)
    return fn
