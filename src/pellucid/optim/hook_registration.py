"""Hooks around steps, checkpoints and loading of optimizers."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from pellucid.autograd.graph import RemovableHandle, add_hook
from pellucid.observe import announcing, watchers

Hooks = OrderedDict[int, Callable[..., Any]]

#: hooks of all optimizers
global_pre_hooks: Hooks = OrderedDict()
global_post_hooks: Hooks = OrderedDict()
_NO_HOOKS: Hooks = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called before each step of every optimizer.

    Args:
        hook: Called as ``hook(optimizer, args, kwargs)``; may return a pair of new args and kwargs.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.optim.optimizer import register_optimizer_step_pre_hook
    >>> handle = register_optimizer_step_pre_hook(lambda *_: print("a step"))
    >>> torch.optim.SGD([torch.zeros(1, requires_grad=True)]).step()
    a step
    >>> handle.remove()
    """
    return add_hook(global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called after each step of every optimizer.

    Args:
        hook: Called as ``hook(optimizer, args, kwargs)``.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.optim.optimizer import register_optimizer_step_post_hook
    >>> handle = register_optimizer_step_post_hook(lambda *_: print("a step"))
    >>> torch.optim.SGD([torch.zeros(1, requires_grad=True)]).step()
    a step
    >>> handle.remove()
    """
    return add_hook(global_post_hooks, hook)


def with_step_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a ``step`` method so that it runs the hooks registered on its optimizer."""

    @functools.wraps(step)
    def hooked(*args: Any, **kwargs: Any) -> Any:
        self = args[0]
        before, after = self._step_hooks()
        for hook in [*global_pre_hooks.values(), *before.values()]:
            replaced = hook(self, args, kwargs)
            if replaced is None:
                continue
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(
                    f"{step} must return None or a tuple of (new_args, new_kwargs), but got "
                    f"{replaced}."
                )
            args, kwargs = replaced
        if watchers:
            with announcing("step", self):
                result = step(*args, **kwargs)
        else:
            result = step(*args, **kwargs)
        self._opt_called = True
        for hook in [*after.values(), *global_post_hooks.values()]:
            hook(self, args, kwargs)
        return result

    return hooked


class HookRegistration:
    """Base class of ``Optimizer`` with the methods that register hooks."""

    #: called as ``hook(optimizer, args, kwargs)``
    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    #: called as ``hook(optimizer)`` or ``hook(optimizer, state_dict)``
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def _prepare_hooks(self) -> None:
        """Create those of the dictionaries above that are missing: they are not pickled."""
        for name in HookRegistration.__annotations__:
            self.__dict__.setdefault(name, OrderedDict())

    def _step_hooks(self) -> tuple[Any, Any]:
        """Return the hooks of a step; none if a wrapping subclass did not call ``__init__``."""
        mine = self.__dict__
        return (
            mine.get("_optimizer_step_pre_hooks", _NO_HOOKS),
            mine.get("_optimizer_step_post_hooks", _NO_HOOKS),
        )

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that is called before each step of this optimizer.

        Args:
            hook: Called as ``hook(optimizer, args, kwargs)``; may return a pair of new args and
                kwargs.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_step_pre_hook(lambda *_: print("before a step"))
        >>> optimizer.step()
        before a step
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that is called after each step of this optimizer.

        Args:
            hook: Called as ``hook(optimizer, args, kwargs)``.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_step_post_hook(lambda *_: print("after a step"))
        >>> optimizer.step()
        after a step
        """
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that is called before ``state_dict`` is computed.

        Args:
            hook: Called as ``hook(optimizer)``.
            prepend: Whether to call it before the hooks registered so far.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
        >>> _ = optimizer.state_dict()
        saving
        """
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that is called with the result of ``state_dict``.

        Args:
            hook: Called as ``hook(optimizer, state_dict)``; may return another dict to use instead.
            prepend: Whether to call it before the hooks registered so far.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_state_dict_post_hook(lambda optimizer, state: list(state))
        >>> optimizer.state_dict()
        ['state', 'param_groups']
        """
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that is called before ``load_state_dict``.

        Args:
            hook: Called as ``hook(optimizer, state_dict)``; may return another dict to load
                instead.
            prepend: Whether to call it before the hooks registered so far.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_load_state_dict_pre_hook(lambda *_: print("loading"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loading
        """
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that is called after ``load_state_dict``.

        Args:
            hook: Called as ``hook(optimizer)``.
            prepend: Whether to call it before the hooks registered so far.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda _: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loaded
        """
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)
