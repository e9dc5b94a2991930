"""Ranks laid out in a grid."""

from __future__ import annotations

from pellucid.processes.mesh import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]
