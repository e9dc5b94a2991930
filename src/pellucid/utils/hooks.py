"""Handles of hooks."""

from __future__ import annotations

from pellucid.autograd.node import RemovableHandle

__all__ = ["RemovableHandle"]
