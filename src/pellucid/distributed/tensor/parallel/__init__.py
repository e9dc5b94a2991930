"""Tensor parallelism: each layer of a module spread over the ranks in the way that suits it."""

from __future__ import annotations

from pellucid.distributed.tensor.parallel.loss import loss_parallel
from pellucid.distributed.tensor.parallel.plans import parallelize_module
from pellucid.distributed.tensor.parallel.styles import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
)

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput",
    "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel", "loss_parallel",
    "parallelize_module",
]  # fmt: skip
