"""Tools around training: data loading, checkpointing, logs."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.tensors.swapping import swap_tensors
from pellucid.utils import data

__all__ = ["data", "swap_tensors"]

_LATER = frozenset(
    {
        "_foreach_utils", "benchmark", "checkpoint", "deterministic", "dlpack", "flop_counter",
        "hooks", "model_zoo", "tensorboard", "weak",
    }
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module(f"pellucid.utils.{name}")
    raise AttributeError(f"module 'pellucid.utils' has no attribute '{name}'")
