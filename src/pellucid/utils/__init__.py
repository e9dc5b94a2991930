"""Tools around training: data loading."""

from __future__ import annotations

from pellucid.utils import data

__all__ = ["data"]
