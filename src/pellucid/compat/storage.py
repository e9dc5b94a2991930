"""The memory behind tensors: the module ``torch.storage``."""

from __future__ import annotations

from typing import Any

from pellucid import dtypes
from pellucid.tensors.storages import LEGACY_STORAGES, STORAGE_NAMES, TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def _dtype_to_storage_type_map() -> dict[dtypes.dtype, str]:
    """Return the name of the class of storages of each dtype."""
    return {each: STORAGE_NAMES[each.name] for each in dtypes.ALL if each.name in STORAGE_NAMES}


def __getattr__(name: str) -> Any:
    if name in LEGACY_STORAGES:
        return LEGACY_STORAGES[name]
    raise AttributeError(f"module 'pellucid.storage' has no attribute '{name}'")
