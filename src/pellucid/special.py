"""Special functions: the functions of ``torch.special``."""

from __future__ import annotations

from pellucid.tensors.faces import Door

_door = Door(globals())
__all__ = list(_door.names())
__getattr__ = _door.get
__dir__ = _door.names
