"""Functions made of several operations: the functions of ``torch.functional``."""

from __future__ import annotations

from pellucid.shapes import broadcast_shapes as broadcast_shapes
from pellucid.tensors.public_functions import PublicFunctions

_functions = PublicFunctions(globals(), "broadcast_shapes")
__all__ = list(_functions.names())
__getattr__ = _functions.get
__dir__ = _functions.names
