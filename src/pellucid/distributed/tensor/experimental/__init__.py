"""What PyTorch has here: ordinary tensors that count as replicated."""

from __future__ import annotations

from pellucid.distributed.tensor.dispatch import implicit_replication

__all__ = ["implicit_replication"]
