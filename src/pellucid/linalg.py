"""Linear algebra: the functions of ``torch.linalg``."""

from __future__ import annotations

import typing as _typing

from pellucid.errors import LinAlgError as LinAlgError
from pellucid.tensors.public_functions import PublicFunctions

if _typing.TYPE_CHECKING:  # where editors find what the stub beside this file declares
    from pellucid._definitions.linalg import *  # noqa: F403

_functions = PublicFunctions(globals(), "LinAlgError")
__all__ = list(_functions.names())
__getattr__ = _functions.get
__dir__ = _functions.names
