"""The scaling of losses where ranks have different gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.amp.grad_scaler import GradScaler
from pellucid.processes.groups import resolved

__all__ = ["ShardedGradScaler"]


class ShardedGradScaler(GradScaler):
    """`GradScaler` whose ranks all leave out a step if one of them has an infinite gradient.

    Gradients that are `DTensor` are looked at as a whole by `GradScaler` itself.

    Args:
        device: The kind of device; "cpu".
        init_scale, growth_factor, backoff_factor, growth_interval, enabled: As for `GradScaler`.
        process_group: The ranks; all if None.

    >>> from pellucid.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> scaler = ShardedGradScaler(init_scale=2.0)
    >>> scaler.scale(torch.ones(1))
    tensor([2.])
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, device: str = "cpu", init_scale: float = 2.0**16, backoff_factor: float = 0.5,
        growth_factor: float = 2.0, growth_interval: int = 2000, enabled: bool = True,
        process_group: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            device, init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )
        self.process_group = resolved(process_group)

    def unscale_(self, optimizer: Any) -> None:
        """Divide the optimizer's gradients by the scale; all ranks learn if one is infinite.

        Args:
            optimizer: The optimizer.

        Raises:
            RuntimeError: If this has been done since the last `update`.
        """
        super().unscale_(optimizer)
        if not self._enabled:
            return
        state = self._per_optimizer_states[id(optimizer)]
        found = np.array([state["found_inf"] is not None, bool(state["found_inf"])], np.int64)
        some, infinite = self.process_group.summed(found, "ShardedGradScaler.unscale_")
        state["found_inf"] = bool(infinite) if some else None
