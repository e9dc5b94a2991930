"""The version, and what it was built with: no CUDA, no ROCm."""

from __future__ import annotations

import importlib

cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
debug = False
#: known only of a checkout, which nobody asks
git_version = "Unknown"


def __getattr__(name: str) -> str:
    if name == "__version__":
        return importlib.import_module("pellucid").__version__
    raise AttributeError(f"module 'pellucid.version' has no attribute '{name}'")
