"""``torch.autograd``: the graph, its engine, and the ways to ask for derivatives.

It knows no arrays and no operations. ``functional``, and ``gradcheck`` and ``gradgradcheck``, which
come from the top layer, are loaded when first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pellucid.autograd import forward_ad, function, graph
from pellucid.autograd.backward import backward, grad
from pellucid.autograd.function import Function
from pellucid.autograd.legacy import Variable
from pellucid.autograd.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_multithreading_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)
from pellucid.autograd.saved import SavedTensor

if TYPE_CHECKING:
    from pellucid.autograd import functional

#: compare derivatives with finite differences; see `pellucid.testing.gradcheck`
gradcheck: Callable[..., bool]
gradgradcheck: Callable[..., bool]

__all__ = [
    "Function", "SavedTensor", "Variable", "backward", "detect_anomaly", "enable_grad",
    "forward_ad", "function", "functional", "grad", "gradcheck", "gradgradcheck", "graph",
    "inference_mode", "is_anomaly_enabled", "is_multithreading_enabled", "no_grad",
    "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled",
]  # fmt: skip
