"""The parts of the data loader, by the names under which PyTorch keeps them."""

from __future__ import annotations

from pellucid.utils.data._utils import collate, fetch, worker

__all__ = ["collate", "fetch", "worker"]
