"""Optimizers whose state, or whose steps, are spread over the ranks of a group."""

from __future__ import annotations

from pellucid.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer
from pellucid.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]
