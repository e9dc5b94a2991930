"""Optimizers whose state is spread over the ranks of a group."""

from __future__ import annotations

from pellucid.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
