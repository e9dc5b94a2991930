"""Functions that are no ops, made to tell on failure what they were given, as ops do."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.errors import ArgumentTypeError, GraphError, PellucidError
from pellucid.observe import attention
from pellucid.ops import blame
from pellucid.ops.aliases import PARAMETERS, aliases_of
from pellucid.ops.arguments import Described, kind_of, misfit

#: the modules whose functions compute; those of autograd tell the graph's story
_WHERE = ("pellucid.ops.", "pellucid.functional", "pellucid.creation", "pellucid.random")


#: calls a function and writes what it returns into tensors: ``write(function, name, args, kwargs,
#: out)``
Write = Callable[[Callable[..., Any], str, tuple[Any, ...], dict[str, Any], Any], Any]


def explaining(
    function: Callable[..., Any], module: str, name: str, write: Write | None = None
) -> Callable[..., Any]:
    """Return the function, known by this name, whose failures tell what it was given.

    With ``write`` it takes an argument more, ``out``, where the result goes.
    """
    if write is None:
        return _named(_explaining(function, name), module, name)
    return _named(_explaining_with_out(function, name, write), module, name)


def _named(function: Callable[..., Any], module: str, name: str) -> Callable[..., Any]:
    function.__module__ = module
    function.__qualname__ = name
    return function


def _explaining(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def explained(*args: Any, **kwargs: Any) -> Any:
        try:
            if attention.needed and modes.autocast is not None:
                return modes.autocast.call(function, name, args, kwargs)
            return function(*args, **kwargs)
        except Exception as error:
            renamed = _renamed(function, args, kwargs)
            if renamed is not None:
                return explained(*args, **renamed)
            explanation = _explanation(error, function, name, args, kwargs)
            if explanation is None:
                raise
            raise explanation from error

    return explained


def _explaining_with_out(
    function: Callable[..., Any], name: str, write: Write
) -> Callable[..., Any]:
    @functools.wraps(function)
    def explained(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        try:
            if out is not None:
                return write(function, name, args, kwargs, out)
            if attention.needed and modes.autocast is not None:
                return modes.autocast.call(function, name, args, kwargs)
            return function(*args, **kwargs)
        except Exception as error:
            renamed = _renamed(function, args, kwargs)
            if renamed is not None:
                return explained(*args, out=out, **renamed)
            explanation = _explanation(error, function, name, args, kwargs)
            if explanation is None:
                raise
            raise explanation from error

    return explained


def _renamed(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the keywords by the function's own names; None where that was not what failed."""
    if kwargs.keys().isdisjoint(PARAMETERS):
        return None
    signature = inspect.signature(function)
    aliases = aliases_of(signature.parameters)
    renamed = {aliases.get(key, key): value for key, value in kwargs.items()}
    try:
        signature.bind(*args, **renamed)
    except TypeError:
        return None
    return renamed if renamed.keys() != kwargs.keys() else None


def _explanation(
    error: Exception, function: Callable[..., Any], name: str, args: Any, kwargs: Any
) -> Exception | None:
    """Return the error to raise instead; ``None`` where the error says all there is to say."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return None
    parameters = inspect.signature(function).parameters.values()
    arguments = [
        Described(
            p.name,
            kind_of(p.name, str(p.annotation), p.default),
            p.default is None or str(p.annotation).endswith("| None"),
        )
        for p in parameters
        if p.kind is not p.VAR_POSITIONAL and p.kind is not p.VAR_KEYWORD
    ]
    short = name.rpartition(".")[2]
    wrong = misfit(short, arguments, bound) or _not_a_tensor(short, error, bound)
    if wrong is None and not _lacks_story(error):
        return None
    text = blame.told(short, bound.items(), 3)
    return ArgumentTypeError(f"{wrong}{text}") if wrong else type(error)(f"{error}{text}")


def _not_a_tensor(
    name: str, error: Exception, arguments: dict[str, Any]
) -> ArgumentTypeError | None:
    """Return the error for an argument that was asked for what only tensors have."""
    if not isinstance(error, AttributeError) or isinstance(error.obj, TensorBase):
        return None
    for argument, value in arguments.items():
        parts = value if isinstance(value, list | tuple) else (value,)
        if any(each is error.obj for each in (value, *parts)):
            found = type(error.obj).__name__
            return ArgumentTypeError(f"{name}(): argument '{argument}' must be Tensor, not {found}")
    return None


def _lacks_story(error: Exception) -> bool:
    """Tell whether an error is ours and does not say yet what was called with what."""
    ours = isinstance(error, PellucidError) and not isinstance(error, GraphError)
    return ours and blame.STORY not in str(error)


def explain_functions(
    namespace: dict[str, Any], module: str, *, apart_from: Iterable[str] = (), prefix: str = ""
) -> dict[str, Any]:
    """Return the functions of a namespace that are no ops, by name, as `explaining` makes them."""
    return {
        name: explaining(value, module, prefix + name)
        for name, value in namespace.items()
        if isinstance(value, FunctionType)
        and value.__module__.startswith(_WHERE)
        and "_op" not in value.__globals__
        and not name.startswith("_")
        and name not in apart_from
    }
