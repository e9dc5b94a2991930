"""Classes that take over functions by ``__torch_function__``: there is no such protocol here.

What asks is answered, so that code written for both cases takes the ordinary one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from pellucid.errors import ArgumentTypeError
from pellucid.tensors import Tensor

__all__ = [
    "handle_torch_function", "has_torch_function", "is_tensor_like",
    "is_tensor_method_or_property", "resolve_name",
]  # fmt: skip


def is_tensor_like(inp: Any) -> bool:
    """Return whether an object is a tensor, or of a class that PyTorch would ask to act as one.

    >>> import pellucid as torch
    >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(1.0)
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return False: no argument takes over the function that it is given to.

    >>> import pellucid as torch
    >>> torch.overrides.has_torch_function((torch.ones(1),))
    False
    """
    return False


def has_torch_function_unary(obj: Any) -> bool:
    """Return False: see `has_torch_function`."""
    return False


def has_torch_function_variadic(*args: Any) -> bool:
    """Return False: see `has_torch_function`."""
    return False


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Give a call to the first argument whose class has ``__torch_function__``.

    Raises TypeError where none has, or all return NotImplemented.
    """
    candidates = [each for each in relevant_args if hasattr(type(each), "__torch_function__")]
    classes = tuple(dict.fromkeys(type(each) for each in candidates))
    for each in candidates:
        result = type(each).__torch_function__(public_api, classes, args, kwargs)
        if result is not NotImplemented:
            return result
    name = resolve_name(public_api)
    raise ArgumentTypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{list(classes)}"
    )


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Return whether a function is a method of `Tensor`.

    >>> import pellucid as torch
    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.item)
    True
    """
    return getattr(Tensor, getattr(func, "__name__", ""), None) is func


def resolve_name(f: Callable[..., Any]) -> str:
    """Return the name by which a function is called: ``torch.add``, ``torch.Tensor.item``.

    >>> import pellucid as torch
    >>> torch.overrides.resolve_name(torch.Tensor.item)
    'torch.Tensor.item'
    """
    name = getattr(f, "__name__", repr(f))
    if getattr(importlib.import_module("pellucid"), name, None) is f:
        return f"torch.{name}"
    if is_tensor_method_or_property(f):
        return f"torch.Tensor.{name}"
    return f"{getattr(f, '__module__', None) or 'torch'}.{name}".replace("pellucid", "torch", 1)
