"""`replicate`: what `DistributedDataParallel` does, without a wrapper around the module."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from pellucid.errors import ArgumentError
from pellucid.nn.modules.module import Module
from pellucid.nn.parallel.distributed import DistributedDataParallel


class DDP:
    """What `replicate` adds to a module."""

    _replica: DistributedDataParallel

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._replica.run(super().forward, args, kwargs)  # type: ignore[misc]

    def set_requires_gradient_sync(self, requires_gradient_sync: bool) -> None:
        """Set whether backward averages gradients, or adds them up on each rank.

        Args:
            requires_gradient_sync: Whether gradients are averaged.
        """
        self._replica.require_backward_grad_sync = requires_gradient_sync

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Register a hook that exchanges the gradients of each bucket.

        Args:
            state: First argument of the hook.
            hook: As for `DistributedDataParallel`.
        """
        self._replica.register_comm_hook(state, hook)


@functools.cache
def _replicated_class(cls: type[Any]) -> type[Any]:
    return type(f"DDP{cls.__name__}", (DDP, cls), {})


def replicate(
    module: Module, ignored_modules: Iterable[Module] | None = None, **kwargs: Any
) -> Any:
    """Train a module in all processes of a group; in place, its parameters keep their names.

    Args:
        module: The module; its class gets the methods of `DDP`.
        ignored_modules: Modules inside whose parameters are not averaged.
        **kwargs: Those of `DistributedDataParallel`.

    Returns:
        The module.

    Raises:
        ValueError: If the module is replicated already.

    >>> from pellucid.distributed._composable import replicate
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> net = replicate(torch.nn.Linear(2, 1))
    >>> net(torch.ones(3, 2)).sum().backward()
    >>> net.bias.grad, [name for name, _ in net.named_parameters()]
    (tensor([3.]), ['weight', 'bias'])
    >>> torch.distributed.destroy_process_group()
    """
    if isinstance(module, DDP):
        raise ArgumentError("replicate has already been called on this module")
    inside = {id(param) for each in ignored_modules or () for param in each.parameters()}
    ignored = [name for name, param in module.named_parameters() if id(param) in inside]
    if ignored:
        DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(module, ignored)
    vars(module)["_replica"] = DistributedDataParallel(module, **kwargs)
    module.__class__ = _replicated_class(type(module))
    return module
