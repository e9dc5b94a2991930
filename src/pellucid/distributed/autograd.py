"""Backward passes over calls of other processes, which are not here, as `rpc` is not."""

from __future__ import annotations

from pellucid.distributed.rpc import is_available

__all__ = ["is_available"]
