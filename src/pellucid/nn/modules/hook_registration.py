"""Registration of a module's hooks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pellucid.autograd.graph import RemovableHandle, add_hook
from pellucid.nn.modules import calling, state


class HookRegistration:
    """Base class of ``Module`` with the methods that register hooks."""

    #: whether backward hooks are full ones; None before there are any
    _is_full_backward_hook: bool | None = None
    _forward_pre_hooks: dict[int, calling.Hook]
    _forward_hooks: dict[int, calling.Hook]
    _backward_pre_hooks: dict[int, Callable[..., Any]]
    _backward_hooks: dict[int, Callable[..., Any]]
    _state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _state_dict_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: dict[int, Callable[..., Any]]

    # ---- around forward and backward ------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; what it returns replaces the arguments.

        With ``with_kwargs`` it is ``hook(module, args, kwargs)``, and it returns both or ``None``.

        >>> import pellucid as torch
        >>> net = torch.nn.Identity()
        >>> handle = net.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        >>> net(torch.zeros(1))
        tensor([1.])
        """
        return _add_ordered(self._forward_pre_hooks, calling.Hook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; its result replaces the output.

        With ``with_kwargs`` it is ``hook(module, args, kwargs, output)``. With ``always_call`` it
        is called even if ``forward`` raises.
        """
        entry = calling.Hook(hook, with_kwargs, always_call)
        return _add_ordered(self._forward_hooks, entry, prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before gradients go through the module."""
        return _add_ordered(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the inputs' gradients are known.

        What it returns replaces ``grad_input``. Arguments given by keyword are not watched.
        """
        self._expect_backward_hooks(full=True)
        return _add_ordered(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` with the gradients of the last operation.

        The older kind of hook: it sees the node that made the output, not the whole module. Raises
        RuntimeError for a module that has hooks of the other kind.
        """
        self._expect_backward_hooks(full=False)
        return add_hook(self._backward_hooks, hook)

    def _expect_backward_hooks(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module."
                " Please use only one of them."
            )
        self._is_full_backward_hook = full

    # ---- around state_dict and load_state_dict --------------------------------------------------

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Do as `register_state_dict_post_hook`, for a hook that may return another dictionary."""
        return add_hook(self._state_dict_hooks, state.MayReplace(hook))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Do as `register_load_state_dict_pre_hook`; the module is given only if asked for."""
        called = functools.partial(hook, self) if with_module else hook
        return add_hook(self._load_state_dict_pre_hooks, called)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before ``state_dict`` collects the module."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after collecting the module."""
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook`` with the module and the arguments of its loading, before it is loaded."""
        return add_hook(self._load_state_dict_pre_hooks, functools.partial(hook, self))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after the module is loaded."""
        return add_hook(self._load_state_dict_post_hooks, hook)


def _add_ordered(hooks: Any, hook: Any, prepend: bool) -> RemovableHandle:
    handle = add_hook(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
