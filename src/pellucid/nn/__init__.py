"""Neural networks: modules with parameters, layers, losses and parameter initialization."""

from __future__ import annotations

from pellucid.nn import attention, common_types, functional, grad, init, modules, parallel, utils
from pellucid.nn.lazy_tensors import UninitializedBuffer, UninitializedParameter
from pellucid.nn.modules import *  # noqa: F403 - the layers, as listed in their own __all__
from pellucid.nn.parallel import DataParallel
from pellucid.nn.parameter import Buffer, Parameter

__all__ = [
    "Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter",
    "attention", "common_types", "functional", "grad", "init", "modules", "parallel", "utils",
]  # fmt: skip
__all__ += modules.__all__
