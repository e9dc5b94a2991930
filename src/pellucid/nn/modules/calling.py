"""Calls of modules with hooks: forward hooks around the call, backward hooks in its graph."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pellucid.autograd.function import Function
from pellucid.autograd.graph import RemovableHandle, add_hook
from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_stacklevel
from pellucid.tensors import Tensor

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module


class Hook:
    """Forward hook with the options of its registration."""

    __slots__ = ("always_call", "function", "with_kwargs")

    def __init__(
        self, function: Callable[..., Any], with_kwargs: bool = False, always_call: bool = False
    ) -> None:
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call


class GlobalHook:
    """Hook that runs for every module, with the event at which it runs."""

    __slots__ = ("hook", "when")

    def __init__(self, when: str, hook: Any) -> None:
        #: "forward_pre", "forward", "backward_pre", "backward"
        self.when = when
        self.hook = hook


#: all in one dict, so that a call checks for any of them with one truth test
global_hooks: dict[int, GlobalHook] = {}


def _global(when: str) -> dict[int, Any]:
    return {key: each.hook for key, each in global_hooks.items() if each.when == when}


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called before the forward of every module.

    Args:
        hook: Called as ``hook(module, args)``; a result other than None replaces the arguments.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.nn.modules.module import register_module_forward_pre_hook
    >>> handle = register_module_forward_pre_hook(lambda module, args: print(module, args))
    >>> _ = torch.nn.ReLU()(torch.ones(1))
    ReLU() (tensor([1.]),)
    >>> handle.remove()
    """
    return add_hook(global_hooks, GlobalHook("forward_pre", Hook(hook)))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Register a hook that is called after the forward of every module.

    Args:
        hook: Called as ``hook(module, args, output)``; a result other than None replaces the
            output.
        with_kwargs: Whether it is called as ``hook(module, args, kwargs, output)``.
        always_call: Whether it is called even if ``forward`` raises an exception.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.nn.modules.module import register_module_forward_hook
    >>> handle = register_module_forward_hook(lambda module, args, output: print(output))
    >>> _ = torch.nn.ReLU()(torch.ones(1))
    tensor([1.])
    >>> handle.remove()
    """
    return add_hook(global_hooks, GlobalHook("forward", Hook(hook, with_kwargs, always_call)))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called before gradients are computed for any module.

    Args:
        hook: Called as ``hook(module, grad_output)``; a result other than None replaces
            ``grad_output``.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.nn.modules.module import register_module_full_backward_pre_hook
    >>> handle = register_module_full_backward_pre_hook(lambda module, grads: print(grads))
    >>> torch.nn.ReLU()(torch.ones(1, requires_grad=True)).backward()
    (tensor([1.]),)
    >>> handle.remove()
    """
    return add_hook(global_hooks, GlobalHook("backward_pre", hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that is called when the gradients of any module's inputs are computed.

    Args:
        hook: Called as ``hook(module, grad_input, grad_output)``; a result other than None replaces
            ``grad_input``.

    Returns:
        A handle whose ``remove()`` removes the hook.

    >>> from pellucid.nn.modules.module import register_module_full_backward_hook
    >>> handle = register_module_full_backward_hook(lambda module, inputs, _: print(inputs))
    >>> torch.nn.ReLU()(torch.ones(1, requires_grad=True)).backward()
    (tensor([1.]),)
    >>> handle.remove()
    """
    return add_hook(global_hooks, GlobalHook("backward", hook))


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a backward hook of the older kind for every module.

    Args:
        hook: Called as ``hook(module, grad_input, grad_output)`` with the gradients of the node
            that created the output; see ``Module.register_backward_hook``.

    Returns:
        A handle whose ``remove()`` removes the hook.
    """
    return add_hook(global_hooks, GlobalHook("last_backward", hook))


def _forward_hooks(module: Module) -> dict[int, Hook]:
    with_kwargs, always = module._forward_hooks_with_kwargs, module._forward_hooks_always_called
    own = {
        key: Hook(function, key in with_kwargs, key in always)
        for key, function in module._forward_hooks.items()
    }
    return {**_global("forward"), **own}


def _forward_pre_hooks(module: Module) -> list[Hook]:
    with_kwargs = module._forward_pre_hooks_with_kwargs
    own = [Hook(each, key in with_kwargs) for key, each in module._forward_pre_hooks.items()]
    return [*_global("forward_pre").values(), *own]


def call_with_hooks(module: Module, args: Any, kwargs: Any) -> Any:
    """Run the pre-hooks, ``forward`` and the hooks; a hook's result replaces its argument."""
    called: set[int] = set()
    try:
        args, kwargs = _run_pre_hooks(module, args, kwargs)
        backward = _BackwardHooks.of(module)
        if backward is not None:
            args = backward.watch_inputs(args)
        output = module.forward(*args, **kwargs)
        for key, hook in _forward_hooks(module).items():
            called.add(key)
            replaced = _run_forward_hook(hook, module, args, kwargs, output)
            output = output if replaced is None else replaced
        _hook_last_operation(module, output)
        return output if backward is None else backward.watch_outputs(output)
    except Exception:
        _run_always_called_hooks(module, args, kwargs, called)
        raise


def _hook_last_operation(module: Module, output: Any) -> None:
    """Register the older backward hooks on the node that created the first output tensor."""
    hooks = list(_global("last_backward").values())
    if module._is_full_backward_hook is False:
        hooks += module._backward_hooks.values()
    if not hooks:
        return
    while isinstance(output, dict | tuple | list) and output:
        output = next(iter(output.values())) if isinstance(output, dict) else output[0]
    if isinstance(output, Tensor) and output.grad_fn is not None:
        for hook in hooks:
            output.grad_fn.register_hook(functools.partial(hook, module))


def _run_pre_hooks(module: Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
    for hook in _forward_pre_hooks(module):
        if hook.with_kwargs:
            replaced = hook.function(module, args, kwargs)
            if replaced is None:
                continue
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                    f"got {replaced}."
                )
            args, kwargs = replaced
        else:
            replaced = hook.function(module, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
    return args, kwargs


def _run_forward_hook(hook: Hook, module: Module, args: Any, kwargs: Any, output: Any) -> Any:
    if hook.with_kwargs:
        return hook.function(module, args, kwargs, output)
    return hook.function(module, args, output)


def _run_always_called_hooks(module: Module, args: Any, kwargs: Any, called: set[int]) -> None:
    """Run the ``always_call`` hooks after an error, which takes precedence over theirs."""
    for key, hook in _forward_hooks(module).items():
        if not hook.always_call or key in called:
            continue
        try:
            _run_forward_hook(hook, module, args, kwargs, None)
        except Exception:  # noqa: BLE001 - must not replace the first error
            continue


class BackwardHookFunction(Function):
    """Identity function that gives all inputs, or all outputs, of a module one common node."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*[each for each in tensors if not each.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return grad_outputs


class _BackwardHooks:
    """Backward hooks of one call of a module, for the gradients of its outputs and inputs."""

    def __init__(self, module: Module, pre_hooks: list[Any], hooks: list[Any]) -> None:
        self.module = module
        self.pre_hooks = pre_hooks
        self.hooks = hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        #: number of positional arguments and indices of the tensors; None if none needs gradients
        self.inputs: tuple[int, list[int]] | None = None
        self.argument_count = 0

    @classmethod
    def of(cls, module: Module) -> _BackwardHooks | None:
        pre_hooks = [*_global("backward_pre").values(), *module._backward_pre_hooks.values()]
        hooks = list(_global("backward").values())
        if module._is_full_backward_hook is not False:
            hooks += module._backward_hooks.values()
        return cls(module, pre_hooks, hooks) if pre_hooks or hooks else None

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.argument_count = len(args)
        passed, node, positions = _through_one_node(args)
        if node is not None and self.hooks:
            self.inputs = (len(args), positions)
            node.register_hook(self._inputs_known)
        return passed

    def watch_outputs(self, output: Any) -> Any:
        values = output if isinstance(output, tuple) else (output,)
        passed, node, positions = _through_one_node(values)
        if node is not None:
            count = len(values)
            node.register_prehook(
                lambda grads: self._outputs_known(_gradients_for_all(grads, positions, count))
            )
        if not isinstance(output, tuple):
            return passed[0]
        return passed if type(output) is tuple else type(output)(*passed)

    def _outputs_known(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self.pre_hooks:
            replaced = hook(self.module, grads)
            if replaced is not None:
                grads = _checked(replaced, len(grads), "Backward pre hook", "grad_output")
        self.grad_outputs = grads
        if self.inputs is None and self.hooks:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module "
                "outputs since no inputs require gradients. It is given None for each of them.",
                stacklevel=user_stacklevel(),
            )
            nothing = (None,) * self.argument_count
            for hook in self.hooks:
                replaced = hook(self.module, nothing, grads)
                if replaced is not None and any(each is not None for each in replaced):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always "
                        "return None or None for all gradients."
                    )
            self.grad_outputs = None
        return tuple(each for each in grads if each is not None) if None in grads else grads

    def _inputs_known(self, grad_inputs: tuple[Any, ...], _: Any) -> tuple[Any, ...] | None:
        if self.grad_outputs is None:  # a second derivative, which comes by the inputs alone
            return None
        assert self.inputs is not None
        count, positions = self.inputs
        grads = _gradients_for_all(grad_inputs, positions, count)
        for hook in self.hooks:
            replaced = hook(self.module, grads, self.grad_outputs)
            if replaced is not None:
                grads = _checked(replaced, count, "Backward hook", "grad_input")
        self.grad_outputs = None
        return tuple(grads[position] for position in positions)


def _through_one_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, list[int]]:
    """Return the values with tensors passed through one node, the node, and the positions."""
    positions = [index for index, each in enumerate(values) if isinstance(each, Tensor)]
    if not modes.grad_enabled or not any(values[index].requires_grad for index in positions):
        return values, None, positions
    through = BackwardHookFunction.apply(*[values[index] for index in positions])
    through = through if isinstance(through, tuple) else (through,)
    passed = list(values)
    for index, each in zip(positions, through, strict=True):
        passed[index] = each
    node = next(each.grad_fn for each in through if each.grad_fn is not None)
    return tuple(passed), node, positions


def _gradients_for_all(grads: tuple[Any, ...], positions: list[int], count: int) -> tuple[Any, ...]:
    """Return a tuple of gradients with None for all values that are not tensors."""
    spread: list[Any] = [None] * count
    for index, grad in zip(positions, grads, strict=True):
        spread[index] = grad
    return tuple(spread)


def _checked(replaced: Any, count: int, hook: str, kind: str) -> tuple[Any, ...]:
    values = replaced if isinstance(replaced, tuple) else (replaced,)
    if len(values) != count:
        raise RuntimeError(
            f"{hook} returned an invalid number of {kind}, got {len(values)}, but expected {count}"
        )
    return values
