"""Ways to exchange less, or otherwise, than plain data-parallel training does."""

from __future__ import annotations

from pellucid.distributed.algorithms.join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
