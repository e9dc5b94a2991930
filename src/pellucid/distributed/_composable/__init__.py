"""Functions that spread the training of a module and leave its class and names as they are."""

from __future__ import annotations

from pellucid.distributed._composable.replicate import replicate
from pellucid.distributed.fsdp.fully_shard import fully_shard

__all__ = ["fully_shard", "replicate"]
