"""Modules whose parameters are spread over the ranks of a group."""

from __future__ import annotations

from pellucid.distributed.fsdp.fully_shard import FSDPModule, fully_shard
from pellucid.distributed.fsdp.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy

__all__ = [
    "CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "fully_shard",
]  # fmt: skip
