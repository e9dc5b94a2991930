"""Other meanings of an op call: forward mode, autocast, vmap."""

from __future__ import annotations

from pellucid.interpreters import forward_mode

__all__ = ["forward_mode"]
