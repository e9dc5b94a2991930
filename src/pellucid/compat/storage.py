"""The memory behind tensors: the module ``torch.storage``."""

from __future__ import annotations

from typing import Any

from pellucid.tensors.storages import LEGACY_STORAGES, TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def __getattr__(name: str) -> Any:
    if name in LEGACY_STORAGES:
        return LEGACY_STORAGES[name]
    raise AttributeError(f"module 'pellucid.storage' has no attribute '{name}'")
