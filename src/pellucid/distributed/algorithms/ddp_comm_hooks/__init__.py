"""Ways of exchanging gradients, for `DistributedDataParallel.register_comm_hook`."""

from __future__ import annotations

import enum
import functools
from typing import Any

from pellucid.distributed.algorithms.ddp_comm_hooks import (
    debugging_hooks,
    default_hooks,
    post_localSGD_hook,
    powerSGD_hook,
    quantization_hooks,
)
from pellucid.nn.parallel.reducer import CommHook

__all__ = [
    "DDPCommHookType", "debugging_hooks", "default_hooks", "post_localSGD_hook", "powerSGD_hook",
    "quantization_hooks", "register_ddp_comm_hook",
]  # fmt: skip


def _register(model: Any, state: Any, hook: CommHook) -> None:
    model.register_comm_hook(state, hook)


def _register_power(model: Any, state: Any, rank: int) -> None:
    made = powerSGD_hook.PowerSGDState(state, matrix_approximation_rank=rank)
    model.register_comm_hook(made, powerSGD_hook.powerSGD_hook)


class DDPCommHookType(enum.Enum):
    """Hooks by name; the value registers one on a model."""

    ALLREDUCE = functools.partial(_register, hook=default_hooks.allreduce_hook)
    FP16_COMPRESS = functools.partial(_register, hook=default_hooks.fp16_compress_hook)
    BF16_COMPRESS = functools.partial(_register, hook=default_hooks.bf16_compress_hook)
    QUANTIZE_PER_TENSOR = functools.partial(
        _register, hook=quantization_hooks.quantization_pertensor_hook
    )
    QUANTIZE_PER_CHANNEL = functools.partial(
        _register, hook=quantization_hooks.quantization_perchannel_hook
    )
    POWER_SGD = functools.partial(_register_power, rank=1)
    POWER_SGD_RANK2 = functools.partial(_register_power, rank=2)
    NOOP = functools.partial(_register, hook=debugging_hooks.noop_hook)


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register a hook on a `DistributedDataParallel`.

    Args:
        comm_hook_type: Which one.
        model: The model.
        state: The process group; the default one if None.
    """
    comm_hook_type.value(model=model, state=state)
