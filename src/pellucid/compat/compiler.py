"""Compilation: what a function does is recorded once, and run again while it takes the same way.

The work is done in `pellucid.compat.compiling`, which is loaded when something is compiled.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from pellucid.core.definition.public import public
from pellucid.errors import ArgumentError

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "register_backend",
    "reset", "set_stance",
]  # fmt: skip

T = TypeVar("T")
_STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile")


def _part(name: str) -> Any:
    """Return a module of the package that compiles."""
    return importlib.import_module(f"pellucid.compat.compiling.{name}")


@public("compile", checked=False)
def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None,
    backend: Any = "inductor", mode: str | None = None, options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:  # fmt: skip
    """Return a function or module that is recorded at its first call, and run from the recording.

    A recording reads attributes, globals and sizes again at each call, and is used only where what
    decided the way through the program is as it was; else another one is made. What cannot be
    recorded runs as it is, and `inspect.compiled` says where and why. Without a function, a
    decorator is returned.

    Args:
        model: The function or module.
        fullgraph: Whether it is an error if something cannot be recorded.
        dynamic: True if a backend is to be given graphs that hold for other sizes, too. Without a
            backend, they always do.
        backend: A function that takes a `fx.GraphModule` and example inputs and returns what is
            called in its place; or a name of `compiler.list_backends`.
        mode: Kept for PyTorch's callers.
        options: Handed to a backend that is a function.
        disable: Whether to return the function as it is.

    Raises:
        RuntimeError: For both ``mode`` and ``options``, and an unknown mode; when called, under
            ``fullgraph``, at the first line that cannot be recorded.
        ValueError: For an unknown backend.

    >>> @torch.compile
    ... def double(x):
    ...     return 2 * x
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    if disable:
        return _itself if model is None else model
    api = _part("api")
    given = api.options_of(fullgraph, dynamic, backend, mode, options)
    if model is None:
        return lambda function: api.compiled(function, given)
    return api.compiled(model, given)


def _itself(model: T) -> T:
    return model


def disable(
    fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None
) -> Any:
    """Return a function that runs as it is, also where compiled functions call it.

    Args:
        fn: The function; None for a decorator.
        recursive: Whether what it calls runs as it is, too.
        reason: Why; kept for PyTorch's callers.

    >>> torch.compiler.disable(len)([1, 2])
    2
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    return _part("disabling").disabled(fn, recursive)


def allow_in_graph(fn: T) -> T:
    """Return the function, whose calls are one step of a recording.

    Args:
        fn: The function.
    """
    return _part("disabling").marked(fn, "_torchdynamo_allow_in_graph")


def assume_constant_result(fn: T) -> T:
    """Return the function, whose result a recording takes for a constant.

    Args:
        fn: The function.
    """
    return _part("disabling").marked(fn, "_torchdynamo_assume_constant")


def is_compiling() -> bool:
    """Return whether a compiled function is running.

    >>> torch.compiler.is_compiling()
    False
    >>> torch.compile(lambda: torch.compiler.is_compiling())()
    True
    """
    return _part("running").is_compiling()


is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """Return whether `torch.export` is running a program.

    >>> torch.compiler.is_exporting()
    False
    """
    return _part("running").running.exporting


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """Return the names that ``backend=`` takes.

    Args:
        exclude_tags: Backends with these tags are left out: ``eager`` and ``aot_eager`` have
            ``"debug"``.

    >>> torch.compiler.list_backends()
    ['inductor']
    """
    own = sorted(_part("settings").backends)
    debug = [] if "debug" in (exclude_tags or ()) else ["aot_eager", "eager"]
    return sorted([*debug, "inductor", *own])


def register_backend(
    compiler_fn: Callable[..., Any] | None = None, name: str | None = None, tags: Any = ()
) -> Any:
    """Register a backend under a name, and return it; without one, return a decorator.

    Args:
        compiler_fn: The function, which takes a graph and example inputs.
        name: The name; that of the function by default.
        tags: Kept for PyTorch's callers.
    """
    if compiler_fn is None:
        return functools.partial(register_backend, name=name, tags=tags)
    _part("settings").backends[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def reset() -> None:
    """Forget all recordings.

    >>> torch.compiler.reset()
    """
    _part("settings").forget_everything()


def cudagraph_mark_step_begin() -> None:
    """Do nothing: no graphs of kernels are recorded."""


class set_stance:  # noqa: N801 - PyTorch's name
    """The stance of compiled functions, set at once; a block or decorator puts it back.

    Args:
        stance: ``"default"``, ``"force_eager"`` (run as they are), ``"eager_on_recompile"`` (run as
            they are where no recording holds) or ``"fail_on_recompile"`` (raise there).
        skip_guard_eval_unsafe: Kept for PyTorch's callers.
        force_backend: Kept for PyTorch's callers.

    Raises:
        ValueError: For another stance.

    >>> with torch.compiler.set_stance("force_eager"):
    ...     torch.compile(torch.compiler.is_compiling)()
    False
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False,
        force_backend: Any = None,
    ) -> None:  # fmt: skip
        if stance not in _STANCES:
            raise ArgumentError(f"invalid stance {stance!r}: it is one of {', '.join(_STANCES)}")
        self.stance = stance
        self._held = _part("settings").stance
        self._before = self._held.name
        self._held.name = stance

    def __enter__(self) -> None:
        self._held.name = self.stance

    def __exit__(self, *exception: object) -> None:
        self._held.name = self._before

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        self._held.name = self._before  # as a decorator it changes nothing outside

        @functools.wraps(fn)
        def within(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return within
