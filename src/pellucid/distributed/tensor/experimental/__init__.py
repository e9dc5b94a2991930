"""What PyTorch has here: ordinary tensors among spread ones."""

from __future__ import annotations

from pellucid.distributed.tensor.dispatch import implicit_replication
from pellucid.distributed.tensor.experimental.local_map import local_map

__all__ = ["implicit_replication", "local_map"]
