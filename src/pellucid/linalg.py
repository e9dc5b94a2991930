"""Linear algebra: the functions of ``torch.linalg``."""

from __future__ import annotations

from pellucid.errors import LinAlgError as LinAlgError
from pellucid.tensors.faces import Door

_door = Door(globals(), "LinAlgError")
__all__ = list(_door.names())
__getattr__ = _door.get
__dir__ = _door.names
