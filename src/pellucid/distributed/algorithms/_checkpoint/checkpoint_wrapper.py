"""Wrappers of modules whose activations are computed again in backward, or kept elsewhere."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any

from pellucid.autograd.graph import save_on_cpu
from pellucid.distributed.fsdp.wrap import lambda_auto_wrap_policy, wrap_inside
from pellucid.nn.modules.module import Module
from pellucid.utils.checkpoint import checkpoint

__all__ = [
    "ActivationWrapper", "CheckpointImpl", "CheckpointWrapper", "OffloadWrapper",
    "apply_activation_checkpointing", "checkpoint_wrapper", "offload_wrapper",
]  # fmt: skip

_PREFIX = "_checkpoint_wrapped_module."


class CheckpointImpl(enum.Enum):
    """The two ways of `torch.utils.checkpoint`."""

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module):
    """Wrapper that has the parameters of its module under the module's own names.

    Args:
        mod: The module.
    """

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(_without_prefix)
        self.register_load_state_dict_pre_hook(_with_prefix)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_checkpoint_wrapped_module"), name)

    def __getitem__(self, key: int) -> Any:
        inside: Any = self._checkpoint_wrapped_module
        return inside[key]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Return the parameters with the names that the module gives them.

        Args:
            *args: Those of `Module.named_parameters`.
            **kwargs: Like ``args``.
        """
        for name, param in super().named_parameters(*args, **kwargs):
            yield name.replace(_PREFIX, ""), param


def _without_prefix(module: Any, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    _rename(state_dict, prefix + _PREFIX, prefix)


def _with_prefix(module: Any, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    _rename(state_dict, prefix, prefix + _PREFIX)


def _rename(state_dict: dict[str, Any], old: str, new: str) -> None:
    for key in [each for each in state_dict if each.startswith(old)]:
        state_dict[new + key.removeprefix(old)] = state_dict.pop(key)


class OffloadWrapper(ActivationWrapper):
    """Wrapper that keeps what backward needs on the CPU."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with save_on_cpu():
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """Wrapper that runs its module again in backward, in place of keeping activations.

    Args:
        mod: The module.
        checkpoint_impl: Which way.
        checkpoint_fn: A function of one's own, in place of `torch.utils.checkpoint.checkpoint`.
        **checkpoint_fn_kwargs: Further arguments of that function.
    """

    def __init__(
        self, mod: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            is_reentrant = checkpoint_impl is CheckpointImpl.REENTRANT
            checkpoint_fn = functools.partial(checkpoint, use_reentrant=is_reentrant)
        self.checkpoint_fn = functools.partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        inside = self._checkpoint_wrapped_module
        if self.checkpoint_impl is not CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(inside, *args, **kwargs)
        names = list(kwargs)

        def by_position(*values: Any) -> Any:
            count = len(values) - len(names)
            return inside(*values[:count], **dict(zip(names, values[count:], strict=True)))

        return self.checkpoint_fn(by_position, *args, *kwargs.values())


def checkpoint_wrapper(
    module: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
) -> CheckpointWrapper:  # fmt: skip
    """Return a module that is run again in backward, in place of keeping its activations.

    Args:
        module: The module.
        checkpoint_impl: Which of the two ways of `torch.utils.checkpoint`.
        checkpoint_fn: A function of one's own, in place of `torch.utils.checkpoint.checkpoint`.
        **checkpoint_fn_kwargs: Further arguments of that function.

    >>> from pellucid.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    ...     checkpoint_wrapper,
    ... )
    >>> net = checkpoint_wrapper(torch.nn.Linear(2, 1))
    >>> net(torch.ones(1, 2)).sum().backward()
    >>> net.weight.grad, list(net.state_dict())
    (tensor([[1., 1.]]), ['weight', 'bias'])
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def offload_wrapper(module: Module) -> OffloadWrapper:
    """Return a module that keeps what backward needs on the CPU.

    Args:
        module: The module.
    """
    return OffloadWrapper(module)


def apply_activation_checkpointing(
    model: Module, checkpoint_wrapper_fn: Callable[[Module], Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True, auto_wrap_policy: Any = None,
) -> None:  # fmt: skip
    """Wrap modules inside a model, in place.

    Args:
        model: The model, which is not wrapped itself.
        checkpoint_wrapper_fn: Returns a wrapped module.
        check_fn: Whether a module is wrapped.
        auto_wrap_policy: A policy of `torch.distributed.fsdp.wrap`, in place of ``check_fn``.

    >>> from pellucid.distributed.algorithms._checkpoint import checkpoint_wrapper as wrappers
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    >>> wrappers.apply_activation_checkpointing(
    ...     net, check_fn=lambda each: isinstance(each, torch.nn.Linear)
    ... )
    >>> [type(each).__name__ for each in net]
    ['CheckpointWrapper', 'ReLU']
    """
    policy = auto_wrap_policy
    if policy is None:
        policy = functools.partial(lambda_auto_wrap_policy, lambda_fn=check_fn)
    wrap_inside(model, policy, checkpoint_wrapper_fn, {})
