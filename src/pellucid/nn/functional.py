"""Functions for neural networks: ``torch.nn.functional``."""

from __future__ import annotations

from pellucid.nn import activations as _activations  # noqa: F401 - it declares functions
from pellucid.tensors.faces import Door

_door = Door(globals())
__all__ = list(_door.names())
__getattr__ = _door.get
__dir__ = _door.names
