"""Linear algebra: the functions of ``torch.linalg``."""

from __future__ import annotations

from pellucid.errors import LinAlgError as LinAlgError
from pellucid.tensors.public_functions import PublicFunctions

_functions = PublicFunctions(globals(), "LinAlgError")
__all__ = list(_functions.names())
__getattr__ = _functions.get
__dir__ = _functions.names
