"""Global hooks that run when any module registers a parameter, a buffer or a submodule."""

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
    """Return the value to register: the given one, or the last hook's replacement."""
    for hook in list(_hooks[kind].values()):
        replaced = hook(module, name, value)
        value = value if replaced is None else replaced
    return value


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called before any module registers a parameter.

    Args:
        hook: Called as ``hook(module, name, param)``; a result other than None is registered
            instead.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> names = []
    >>> handle = register_module_parameter_registration_hook(lambda m, name, p: names.append(name))
    >>> layer = torch.nn.Linear(1, 1)
    >>> handle.remove()
    >>> names
    ['weight', 'bias']
    """
    return add_hook(_hooks["parameter"], hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called before any module registers a buffer.

    Args:
        hook: Called as ``hook(module, name, buffer)``; a result other than None is registered
            instead.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.nn.modules.module import register_module_buffer_registration_hook
    >>> handle = register_module_buffer_registration_hook(lambda module, name, _: print(name))
    >>> torch.nn.Module().register_buffer("mean", torch.zeros(1))
    mean
    >>> handle.remove()
    """
    return add_hook(_hooks["buffer"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called before any module registers a submodule.

    Args:
        hook: Called as ``hook(module, name, submodule)``; a result other than None is registered
            instead.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.nn.modules.module import register_module_module_registration_hook
    >>> handle = register_module_module_registration_hook(lambda module, name, _: print(name))
    >>> _ = torch.nn.Sequential(torch.nn.Tanh())
    0
    >>> handle.remove()
    """
    return add_hook(_hooks["module"], hook)
