"""Ranks with different numbers of batches, for any objects that exchange."""

from __future__ import annotations

from pellucid.processes.join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
