"""Passes over graphs: ``torch.fx.passes``."""

from __future__ import annotations

from pellucid.compat.fx.passes import shape_prop

__all__ = ["shape_prop"]
