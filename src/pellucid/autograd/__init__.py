"""``torch.autograd``: the graph, its engine, and the ways to ask for derivatives.

It knows no arrays and no operations. ``gradcheck`` and ``gradgradcheck``, which compute with both,
come from the top layer, which puts them here.
"""

from __future__ import annotations

from collections.abc import Callable

from pellucid.autograd import forward_ad, function, functional, graph
from pellucid.autograd.backward import backward, grad
from pellucid.autograd.function import Function
from pellucid.autograd.legacy import Variable
from pellucid.autograd.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

#: compare derivatives with finite differences; see `pellucid.testing.gradcheck`
gradcheck: Callable[..., bool]
gradgradcheck: Callable[..., bool]

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_anomaly_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
