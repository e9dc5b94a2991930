"""Classes that take over functions by ``__torch_function__``: what libraries ask about them."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.blocks import Block, temporary
from pellucid.core.call.attributes import TorchFunctionMode, plain_attribute
from pellucid.core.call.overriding import (
    ask,
    name_of_function,
    overridable_functions,
    redispatch_function,
    relevant,
)
from pellucid.core.definition.public import METHODS, public_names
from pellucid.errors import ArgumentTypeError
from pellucid.tensors import Tensor

__all__ = [
    "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions",
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides",
    "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property",
    "redispatch_function", "resolve_name", "wrap_torch_function",
]  # fmt: skip


class BaseTorchFunctionMode(TorchFunctionMode):
    """Mode that changes nothing: it calls each function as it was called."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call the function."""
        return func(*args, **(kwargs or {}))


def is_tensor_like(inp: Any) -> bool:
    """Return whether an object is a tensor, or of a class that takes functions over.

    Args:
        inp: Any object.

    >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(1.0)
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether an argument, or a mode, would take over a function that is called now.

    Args:
        relevant_args: Arguments of the function.

    >>> torch.overrides.has_torch_function((torch.ones(1),))
    False
    """
    return bool(modes.function_modes) or bool(relevant(tuple(relevant_args)))


def has_torch_function_unary(obj: Any) -> bool:
    """Return what `has_torch_function` says of one argument.

    Args:
        obj: The argument.
    """
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """Return what `has_torch_function` says of the arguments."""
    return has_torch_function(args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Give a call to the modes and arguments that take it over.

    Raises TypeError where none does, or all return NotImplemented.

    Args:
        public_api: The function that was called.
        relevant_args: Those of its arguments that may take it over.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
    """
    values = relevant(tuple(relevant_args))
    result = ask(public_api, values, args, kwargs)
    if result is NotImplemented:
        raise ArgumentTypeError(
            f"no implementation found for '{name_of_function(public_api)}' on types that implement "
            f"__torch_function__: {list(dict.fromkeys(map(type, values)))}"
        )
    return result


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[..., Any]:
    """Return a decorator that lets the arguments take a function over.

    Args:
        dispatcher: Called with the function's arguments, returns those that may do so.

    >>> @torch.overrides.wrap_torch_function(lambda a: (a,))
    ... def twice(a):
    ...     return a + a
    >>> twice(torch.ones(1))
    tensor([2.])
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            asked = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(asked):
                return handle_torch_function(wrapped, asked, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


@temporary
def enable_reentrant_dispatch(block: Block) -> None:
    """Make arguments take functions over in the block, also within ``__torch_function__``."""
    block._set(modes, "overriding", True)


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Return the functions whose results keep their class in `Tensor.__torch_function__`."""
    return {Tensor.grad.__get__}


#: methods that nobody takes over, in PyTorch neither
_KEPT_METHODS = frozenset(
    {"as_subclass", "new", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor",
     "new_zeros", "stride", "unflatten"}
)  # fmt: skip


@functools.cache
def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """Return the functions that arguments may take over, by the module or class they are in.

    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    found = {owner: list(members.values()) for owner, members in _declared_members().items()}
    found[Tensor] = list(dict.fromkeys([*found.get(Tensor, ()), *_plain_methods()]))
    for each in overridable_functions:
        owner = importlib.import_module(each.__module__)
        found.setdefault(owner, []).append(each)
    for attribute in _properties():
        found[attribute] = [attribute.__get__]
    return found


@functools.cache
def _declared_members() -> dict[Any, dict[str, Callable[..., Any]]]:
    """Return the declared functions by the module or class they are in, and by name."""
    dir(importlib.import_module("pellucid"))  # which has all of them declared
    found: dict[Any, dict[str, Callable[..., Any]]] = {}
    for place, names in public_names.items():
        if place == METHODS:
            owner: Any = Tensor
        else:
            try:
                owner = importlib.import_module(f"pellucid.{place}".rstrip("."))
            except ImportError:  # a place that is not a module, as that of lists of tensors
                continue
        members = {name: getattr(owner, name, None) for name in names}
        found[owner] = {name: each for name, each in members.items() if callable(each)}
    return found


def _properties() -> Iterator[property]:
    """Go through the attributes of tensors that are taken over when they are read."""
    for name in dir(Tensor):
        value = plain_attribute(Tensor, name)
        if not name.startswith("_") and isinstance(value, property):
            yield value


def _plain_methods() -> Iterator[Callable[..., Any]]:
    """Go through the methods of tensors that are written in their class."""
    for name in dir(Tensor):
        value = plain_attribute(Tensor, name)
        if not name.startswith("_") and inspect.isfunction(value) and name not in _KEPT_METHODS:
            yield value


@functools.cache
def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return, for each function that can be taken over, one with its signature that returns -1."""
    return {
        function: _returning_minus_one(function)
        for functions in get_overridable_functions().values()
        for function in functions
    }


def _returning_minus_one(function: Callable[..., Any]) -> Callable[..., Any]:
    def stand_in(*args: Any, **kwargs: Any) -> int:
        return -1

    with suppress(TypeError, ValueError):  # a function may not tell
        stand_in.__signature__ = inspect.signature(function)
    return stand_in


@functools.cache
def get_ignored_functions() -> set[Callable[..., Any]]:
    """Return functions of the package that no argument takes over: those of no tensors.

    >>> torch.is_tensor in torch.overrides.get_ignored_functions()
    True
    """
    package = importlib.import_module("pellucid")
    known = set(get_testing_overrides())
    members = (getattr(package, name, None) for name in dir(package))
    return {
        each for each in members
        if callable(each) and not isinstance(each, type) and each not in known
    } | {package.is_tensor}  # fmt: skip


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Return whether a function is a method of `Tensor`, or reads one of its properties.

    Args:
        func: Any function.

    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.item)
    True
    """
    if getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
        return True
    return getattr(Tensor, getattr(func, "__name__", ""), None) is func


def resolve_name(f: Callable[..., Any]) -> str:
    """Return the name by which a function is called: ``torch.add``, ``torch.Tensor.item``.

    Args:
        f: Any function.

    >>> torch.overrides.resolve_name(torch.Tensor.item)
    'torch.Tensor.item'
    """
    name = getattr(f, "__name__", repr(f))
    if name in ("__get__", "__set__", "__delete__"):
        described: Any = f.__self__
        return f"torch.Tensor.{described.fget.__name__}.{name}"
    places = sorted(_declared_members().items(), key=lambda place: place[0] is Tensor)
    for owner, members in places:  # what is a function and a method is named as a function
        known_as = [each for each, member in members.items() if member is f]
        if known_as:
            found = name if name in known_as else known_as[0]
            place = "torch.Tensor" if owner is Tensor else owner.__name__
            return f"{place}.{found}".replace("pellucid", "torch", 1)
    if is_tensor_method_or_property(f):
        return f"torch.Tensor.{name}"
    return f"{getattr(f, '__module__', None) or 'torch'}.{name}".replace("pellucid", "torch", 1)
