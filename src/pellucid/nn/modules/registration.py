"""Hooks that run, for every module, whenever one gets a parameter, a buffer or a child."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pellucid.autograd.graph import RemovableHandle, add_hook

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module

_hooks: dict[str, OrderedDict[int, Callable[..., Any]]] = {
    "parameter": OrderedDict(),
    "buffer": OrderedDict(),
    "module": OrderedDict(),
}


def registered(kind: str, module: Module, name: str, value: Any) -> Any:
    """Return what is to be registered: the value, or what the last hook put in its place."""
    for hook in list(_hooks[kind].values()):
        replaced = hook(module, name, value)
        value = value if replaced is None else replaced
    return value


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, param)`` before a module registers a parameter.

    >>> import pellucid as torch
    >>> names = []
    >>> handle = register_module_parameter_registration_hook(lambda m, name, p: names.append(name))
    >>> layer = torch.nn.Linear(1, 1)
    >>> handle.remove()
    >>> names
    ['weight', 'bias']
    """
    return add_hook(_hooks["parameter"], hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` before a module registers a buffer."""
    return add_hook(_hooks["buffer"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` before a module registers a child."""
    return add_hook(_hooks["module"], hook)
