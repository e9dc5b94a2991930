"""Sets of array kernels, one per kind of device, which know nothing of derivatives.

Beside them are the modules of PyTorch's name, by which programs set switches of libraries that are
not here: ``torch.backends.cudnn`` and its like. They are loaded when asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

_SWITCHES = frozenset(
    {"cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum"}
)


def __getattr__(name: str) -> Any:
    if name in _SWITCHES:
        return importlib.import_module(f"pellucid.backends.{name}")
    raise AttributeError(f"module 'pellucid.backends' has no attribute '{name}'")
