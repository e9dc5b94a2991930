"""Other meanings of an op call: forward mode, autocast, vmap, tensors without values."""

from __future__ import annotations

from pellucid.interpreters import forward_mode, meta

__all__ = ["forward_mode", "meta"]
