"""`torch.compile`: of functions, methods, modules and whole steps."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from pellucid.autograd.sites import library_files
from pellucid.compat.compiling import settings
from pellucid.compat.compiling.advice import advice as advice
from pellucid.compat.compiling.compiled import wrapped
from pellucid.compat.compiling.modules import CompiledForward, OptimizedModule
from pellucid.errors import ArgumentError
from pellucid.nn import Module

_MODES = (
    None, "default", "max-autotune", "max-autotune-no-cudagraphs", "reduce-overhead",
    "lite",
)  # fmt: skip
#: what replays are called; there is no other compiler behind the names
_REPLAY = ("inductor", "pellucid", "cudagraphs")
#: backends of PyTorch's that run the graph that they are given
_GRAPH_RUNNERS = ("eager", "aot_eager", "aot_eager_decomp_partition", "eager_noexcept")


def options_of(
    fullgraph: bool, dynamic: bool | None, backend: Any, mode: str | None,
    options: dict[str, Any] | None,
) -> settings.Options:  # fmt: skip
    """Return the options of a compilation; raise RuntimeError or ValueError for impossible ones."""
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of {_MODES[1:]}")
    return settings.Options(fullgraph, dynamic, backend_of(backend, options))


def backend_of(backend: Any, options: dict[str, Any] | None) -> Any:
    """Return the function that compiles graphs; None where the replay is what runs."""
    if isinstance(backend, str):
        if backend in _REPLAY:
            return None
        if backend in _GRAPH_RUNNERS:
            return run_graph
        if backend not in settings.backends:
            raise ArgumentError(
                f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available "
                "backends."
            )
        return settings.backends[backend]
    if not callable(backend):
        raise ArgumentError(
            f"backend={backend!r} is neither the name of a backend nor a function that takes a "
            "GraphModule and example inputs"
        )
    return backend if options is None else functools.partial(backend, options=options)


def run_graph(gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
    """Return what runs a graph as it is: the backend ``"eager"``."""
    return gm.forward


def compiled(model: Any, options: settings.Options) -> Any:
    """Return the compiled function or module."""
    if isinstance(model, OptimizedModule):
        model = model._orig_mod
    if isinstance(model, Module):
        return OptimizedModule(model, options)
    if isinstance(model, type):
        return model
    if getattr(model, "_compiled", None) is not None:
        model = model.__wrapped__
    followed = isinstance(model, types.FunctionType | types.MethodType)
    if not followed or library_files[model.__code__.co_filename]:
        if not callable(model):
            raise RuntimeError(f"torch.compile takes a function or a module, not {model!r}")
        if isinstance(model, types.BuiltinFunctionType | type):
            return model
        if not followed:
            return _calling(model, options)
    return wrapped(model, options)


def _calling(model: Callable[..., Any], options: settings.Options) -> Callable[..., Any]:
    """Return a compiled function that calls an object."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return model(*args, **kwargs)

    return wrapped(functools.update_wrapper(call, model, updated=()), options)


def compile_module(
    module: Module, *, fullgraph: bool = False, dynamic: bool | None = None,
    backend: Any = "inductor", mode: str | None = None, options: dict[str, Any] | None = None,
    disable: bool = False,
) -> None:  # fmt: skip
    """Compile the forward of a module in place: `nn.Module.compile`."""
    if not disable:
        given = options_of(fullgraph, dynamic, backend, mode, options)
        module.__dict__["forward"] = CompiledForward(module, given)
