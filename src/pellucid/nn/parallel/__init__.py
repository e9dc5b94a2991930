"""Modules trained by several processes, or on several devices, of which there is one here."""

from __future__ import annotations

from pellucid.nn.parallel.data_parallel import DataParallel, data_parallel
from pellucid.nn.parallel.distributed import DistributedDataParallel, DistributedDataParallelCPU
from pellucid.nn.parallel.scatter_gather import gather, parallel_apply, replicate, scatter

__all__ = [
    "DataParallel", "DistributedDataParallel", "DistributedDataParallelCPU", "data_parallel",
    "gather", "parallel_apply", "replicate", "scatter",
]  # fmt: skip
