"""Registration of a module's hooks."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

from pellucid.autograd.graph import RemovableHandle, add_hook
from pellucid.nn.modules import state


class _OfModule:
    """A hook that is given the module it belongs to, which it does not keep alive."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook = hook
        self.module = weakref.ref(module)

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module(), *args)

    def __getstate__(self) -> tuple[Any, Any]:  # for copies, whose module is another
        return self.hook, self.module()

    def __setstate__(self, state: tuple[Any, Any]) -> None:
        self.__init__(*state)


class HookRegistration:
    """Base class of ``Module`` with the methods that register hooks."""

    #: whether backward hooks are full ones; None before there are any
    _is_full_backward_hook: bool | None = None
    _forward_pre_hooks: dict[int, Callable[..., Any]]
    _forward_hooks: dict[int, Callable[..., Any]]
    # which of them were registered with these options, each True
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _backward_pre_hooks: dict[int, Callable[..., Any]]
    _backward_hooks: dict[int, Callable[..., Any]]
    _state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _state_dict_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: dict[int, Callable[..., Any]]

    # ---- around forward and backward ------------------------------------------------------------

    def register_forward_pre_hook(
        self,
        hook: Callable[[Self, tuple[Any, ...]], Any]
        | Callable[[Self, tuple[Any, ...], dict[str, Any]], Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Register a hook that is called before ``forward``.

        Args:
            hook: Called as ``hook(module, args)``; a result other than None replaces the arguments.
            prepend: Whether to call it before the hooks registered so far.
            with_kwargs: Whether it is called as ``hook(module, args, kwargs)`` and returns None or
                a pair of new args and kwargs.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.Identity()
        >>> handle = net.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        >>> net(torch.zeros(1))
        tensor([1.])
        """
        options = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return add_hook(self._forward_pre_hooks, hook, prepend, options)

    def register_forward_hook(
        self,
        hook: Callable[[Self, tuple[Any, ...], Any], Any]
        | Callable[[Self, tuple[Any, ...], dict[str, Any], Any], Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Register a hook that is called after ``forward``.

        Args:
            hook: Called as ``hook(module, args, output)``; a result other than None replaces the
                output.
            prepend: Whether to call it before the hooks registered so far.
            with_kwargs: Whether it is called as ``hook(module, args, kwargs, output)``.
            always_call: Whether it is called even if ``forward`` raises an exception.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.Identity()
        >>> handle = net.register_forward_hook(lambda module, args, output: output * 2)
        >>> net(torch.ones(1))
        tensor([2.])
        """
        options = [self._forward_hooks_with_kwargs] if with_kwargs else []
        options += [self._forward_hooks_always_called] if always_call else []
        return add_hook(self._forward_hooks, hook, prepend, options)

    def register_full_backward_pre_hook(
        self, hook: Callable[[Self, Any], Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that is called before gradients are computed for the module.

        Args:
            hook: Called as ``hook(module, grad_output)``; a result other than None replaces
                ``grad_output``.
            prepend: Whether to call it before the hooks registered so far.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.Identity()
        >>> handle = net.register_full_backward_pre_hook(lambda module, grads: print(grads))
        >>> net(torch.ones(1, requires_grad=True)).backward()
        (tensor([1.]),)
        """
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[[Self, Any, Any], Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that is called when the gradients of the module's inputs are computed.

        Args:
            hook: Called as ``hook(module, grad_input, grad_output)``; a result other than None
                replaces ``grad_input``. Keyword arguments of the module are not included.
            prepend: Whether to call it before the hooks registered so far.

        Returns:
            A handle whose ``remove()`` removes the hook.

        Raises:
            RuntimeError: If the module has hooks of ``register_backward_hook``.

        >>> net = torch.nn.Identity()
        >>> handle = net.register_full_backward_hook(
        ...     lambda module, inputs, outputs: (inputs[0] * 2,)
        ... )
        >>> x = torch.ones(1, requires_grad=True)
        >>> net(x).backward()
        >>> x.grad
        tensor([2.])
        """
        self._expect_backward_hooks(full=True)
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a backward hook of the older kind, which sees only the module's last operation.

        Args:
            hook: Called as ``hook(module, grad_input, grad_output)`` with the gradients of the node
                that created the output.

        Returns:
            A handle whose ``remove()`` removes the hook.

        Raises:
            RuntimeError: If the module has full backward hooks.

        >>> net = torch.nn.Tanh()
        >>> handle = net.register_backward_hook(lambda module, inputs, outputs: print(outputs))
        >>> net(torch.zeros(1, requires_grad=True)).backward()
        (tensor([1.]),)
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
        """Register a post hook of ``state_dict`` that may return another dict."""
        return add_hook(self._state_dict_hooks, state.MayReplace(hook))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Register a hook before loading, called with the module first only if ``with_module``."""
        called = _OfModule(hook, self) if with_module else hook
        return add_hook(self._load_state_dict_pre_hooks, called)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that is called before ``state_dict`` collects the module.

        Args:
            hook: Called as ``hook(module, prefix, keep_vars)``.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.ReLU()
        >>> handle = net.register_state_dict_pre_hook(lambda *args: print(args))
        >>> _ = net.state_dict()
        (ReLU(), '', False)
        """
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that is called after ``state_dict`` has collected the module.

        Args:
            hook: Called as ``hook(module, state_dict, prefix, local_metadata)``; may change
                ``state_dict`` in place.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.ReLU()
        >>> handle = net.register_state_dict_post_hook(lambda m, state, *_: state.update(extra=1))
        >>> dict(net.state_dict())
        {'extra': 1}
        """
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that is called before a ``state_dict`` is loaded into the module.

        Args:
            hook: Called as ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
                unexpected_keys, error_msgs)``; may change ``state_dict`` in place.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.ReLU()
        >>> handle = net.register_load_state_dict_pre_hook(lambda m, state, *_: print(list(state)))
        >>> net.load_state_dict({})
        []
        <All keys matched successfully>
        """
        return add_hook(self._load_state_dict_pre_hooks, _OfModule(hook, self))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that is called after a ``state_dict`` is loaded into the module.

        Args:
            hook: Called as ``hook(module, incompatible_keys)``; may change the lists in
                ``incompatible_keys`` in place.

        Returns:
            A handle whose ``remove()`` removes the hook.

        >>> net = torch.nn.ReLU()
        >>> handle = net.register_load_state_dict_post_hook(lambda m, keys: print(keys))
        >>> _ = net.load_state_dict({})
        <All keys matched successfully>
        """
        return add_hook(self._load_state_dict_post_hooks, hook)
