"""Functions made of several operations: the functions of ``torch.functional``."""

from __future__ import annotations

from pellucid.shapes import broadcast_shapes as broadcast_shapes
from pellucid.tensors.faces import Door

_door = Door(globals(), "broadcast_shapes")
__all__ = list(_door.names())
__getattr__ = _door.get
__dir__ = _door.names
