"""Switches of libraries that are not here: ``torch.backends.cudnn`` and its like.

They are loaded when they are asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

_SWITCHES = frozenset(
    {"cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum"}
)


def __getattr__(name: str) -> Any:
    if name in _SWITCHES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'pellucid.backends' has no attribute '{name}'")
