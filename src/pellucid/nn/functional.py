"""Functions for neural networks: ``torch.nn.functional``."""

from __future__ import annotations

import typing as _typing

from pellucid.nn import inplace_activations as _inplace_activations  # noqa: F401 - it declares functions
from pellucid.ops.nn import all_operations as _all_operations  # noqa: F401 - it does so too
from pellucid.tensors.public_functions import PublicFunctions

if _typing.TYPE_CHECKING:  # where editors find what the stub beside this file declares
    from pellucid._definitions.nn_functional import *  # noqa: F403

_functions = PublicFunctions(globals())
__all__ = list(_functions.names())
__getattr__ = _functions.get
__dir__ = _functions.names
