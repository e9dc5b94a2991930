"""What PyTorch would do for nothing, or at length, in many of the tests."""

from __future__ import annotations

import os
from typing import Any

# Here compile() gives the function as it is; PyTorch's would call a C++ compiler for some tests.
os.environ["TORCH_COMPILE_DISABLE"] = "1"

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]


def _seed_no_device(seed: Any) -> None:
    """Do nothing: the devices are not there, and PyTorch would remember the stack of each call."""


if torch is not None:
    for device in (torch.cuda, torch.xpu, torch.mtia):
        device.manual_seed_all = _seed_no_device  # type: ignore[assignment]
