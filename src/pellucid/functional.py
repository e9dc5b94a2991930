"""Functions made of several operations: the functions of ``torch.functional``."""

from __future__ import annotations

import typing as _typing

from pellucid.shapes import broadcast_shapes as broadcast_shapes
from pellucid.tensors.public_functions import PublicFunctions

if _typing.TYPE_CHECKING:  # where editors find what the stub beside this file declares
    from pellucid._definitions.functional import *  # noqa: F403

_functions = PublicFunctions(globals(), "broadcast_shapes")
__all__ = list(_functions.names())
__getattr__ = _functions.get
__dir__ = _functions.names
