"""Tools around training: data loading, checkpointing, logs."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.utils import data

__all__ = ["data"]

_LATER = frozenset({"checkpoint", "dlpack", "hooks", "tensorboard"})


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module(f"pellucid.utils.{name}")
    raise AttributeError(f"module 'pellucid.utils' has no attribute '{name}'")
