"""TorchScript: nothing is compiled, so a scripted or traced function is the function itself.

A program that only speeds itself up by ``torch.jit`` runs; one that saves a script raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from pellucid.compat.absent import constant_function
from pellucid.errors import UnimplementedError
from pellucid.futures import Future

__all__ = [
    "Attribute", "Final", "Future", "ScriptFunction", "ScriptModule", "annotate", "export", "fork",
    "freeze", "ignore", "interface", "is_scripting", "is_tracing", "isinstance", "load",
    "optimize_for_inference", "save", "script", "script_if_tracing", "script_method",
    "set_fusion_strategy", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

T = TypeVar("T")
_isinstance = isinstance  # the builtin, whose name `torch.jit.isinstance` takes here

_NO_FILES = (
    "TorchScript files are not supported: save and load a state_dict by torch.save and torch.load"
)


def script(obj: T, *args: Any, **options: Any) -> T:
    """Return a function, module or class unchanged.

    >>> torch.jit.script(len) is len
    True
    """
    return obj


def trace(func: T, example_inputs: Any = None, *args: Any, **options: Any) -> T:
    """Return a function or module unchanged."""
    return func


def trace_module(mod: T, inputs: Any = None, *args: Any, **options: Any) -> T:
    """Return a module unchanged."""
    return mod


def freeze(mod: T, *args: Any, **options: Any) -> T:
    """Return a module unchanged."""
    return mod


def optimize_for_inference(mod: T, *args: Any, **options: Any) -> T:
    """Return a module unchanged."""
    return mod


def export(fn: T) -> T:
    """Return a method unchanged."""
    return fn


script_method = export


def ignore(drop: Any = False, **options: Any) -> Any:
    """Return a function unchanged; called with options, a decorator that does."""
    return drop if callable(drop) else export


unused = export
_overload = _overload_method = interface = script_if_tracing = export


def annotate(the_type: Any, the_value: T) -> T:
    """Return a value unchanged, whatever type it is said to have."""
    return the_value


def Attribute(value: T, type: Any) -> T:
    """Return a value unchanged, whatever type it is said to have."""
    return value


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the future of a call, which is made at once."""
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Any) -> Any:
    """Return what a call gave that `fork` has made."""
    return future.wait()


def isinstance(obj: Any, target_type: Any) -> bool:
    """Return Python's ``isinstance``; of a parametrized type, only its origin is looked at."""
    return _isinstance(obj, getattr(target_type, "__origin__", target_type))


def is_scripting() -> bool:
    """Return False: nothing is being compiled."""
    return False


def is_tracing() -> bool:
    """Return False: nothing is being traced."""
    return False


def save(m: Any, f: Any, **options: Any) -> None:
    """Raise NotImplementedError: there are no scripts to save."""
    raise UnimplementedError(_NO_FILES)


def load(f: Any, **options: Any) -> Any:
    """Raise NotImplementedError: TorchScript files cannot be run."""
    raise UnimplementedError(_NO_FILES)


class TracerWarning(Warning):
    """A warning of what a trace cannot follow; never given here."""


class Error(RuntimeError):
    """What a compiled function raises; never raised here."""


set_fusion_strategy = constant_function([], "Return an empty list: nothing is fused.")
_unwrap_optional = export


class ScriptModule:
    """Placeholder for compiled modules; nothing is an instance."""


class ScriptFunction:
    """Placeholder for compiled functions; nothing is an instance."""


RecursiveScriptModule = TracedModule = TopLevelTracedModule = ScriptModule
