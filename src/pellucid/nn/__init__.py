"""Networks: modules with parameters, layers, losses, first values."""

from __future__ import annotations

from pellucid.nn import functional, init, modules, utils
from pellucid.nn.lazy_tensors import UninitializedBuffer, UninitializedParameter
from pellucid.nn.modules import *  # noqa: F403 - the layers, as listed in their own __all__
from pellucid.nn.parameter import Buffer, Parameter

__all__ = [
    "Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init",
    "modules", "utils",
]  # fmt: skip
__all__ += modules.__all__
