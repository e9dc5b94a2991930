"""Handles of hooks."""

from __future__ import annotations

from pellucid.autograd.node_extra import RemovableHandle

__all__ = ["RemovableHandle"]
