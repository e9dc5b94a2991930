"""pellucid: PyTorch's dynamic computation graph, rebuilt so that people can see through it."""

from __future__ import annotations

import importlib
from typing import Any

# One block per module below; names are sorted into ``__all__`` at the end.
from pellucid.autograd.modes import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from pellucid.device import device
from pellucid.dtypes import can_cast, dtype, get_default_dtype, promote_types, set_default_dtype
from pellucid.ops.arithmetic import add, mul, sub
from pellucid.ops.copying import clone
from pellucid.ops.reduce import sum
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensor import Tensor

__version__ = "0.1.0"

#: loaded when first asked for, so that ``import pellucid`` stays quick
_SUBMODULES = frozenset(
    {"functional", "inspect", "interop", "linalg", "nn", "optim", "testing", "utils"}
)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"pellucid.{name}")
    raise AttributeError(f"module 'pellucid' has no attribute '{name}'")
