"""Compilation: nothing is compiled, so a compiled function is the function itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pellucid.compat.absent import NullContext
from pellucid.core.definition.public import public

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
]  # fmt: skip

T = TypeVar("T")


@public("compile", checked=False)
def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None,
    backend: Any = "inductor", mode: str | None = None, options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:  # fmt: skip
    """Return a function or module unchanged; without one, a decorator that does so.

    The arguments are accepted for compatibility: nothing is compiled.

    Args:
        model: The function or module.
        fullgraph: Has no effect.
        dynamic: Has no effect.
        backend: Has no effect.
        mode: Has no effect.
        options: Has no effect.
        disable: Has no effect.

    >>> torch.compile(len) is len
    True
    >>> @torch.compile(mode="max-autotune")
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return _itself if model is None else model


def _itself(model: T) -> T:
    return model


def disable(
    fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None
) -> Any:
    """Return the function unchanged; without one, a decorator that does.

    Args:
        fn: The function; None for a decorator.
        recursive: Accepted, and without effect.
        reason: Accepted, and without effect.
    """
    return _itself if fn is None else fn


def allow_in_graph(fn: T) -> T:
    """Return the function unchanged.

    Args:
        fn: The function.
    """
    return fn


def assume_constant_result(fn: T) -> T:
    """Return the function unchanged.

    Args:
        fn: The function.
    """
    return fn


def is_compiling() -> bool:
    """Return False: nothing is being compiled.

    >>> torch.compiler.is_compiling()
    False
    """
    return False


is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """Return the names of the compilers there are: none.

    Args:
        exclude_tags: Accepted, and without effect.
    """
    return []


def reset() -> None:
    """Forget what has been compiled, which is nothing."""


def cudagraph_mark_step_begin() -> None:
    """Do nothing: no graphs of kernels are recorded."""


class set_stance(NullContext):  # noqa: N801 - PyTorch's name
    """The stance on compilation, also as a context manager; it changes nothing here."""

    def __call__(self, fn: T) -> T:
        return fn
