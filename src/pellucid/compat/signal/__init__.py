"""Signals: ``torch.signal``."""

from __future__ import annotations

from pellucid.compat.signal import windows

__all__ = ["windows"]
