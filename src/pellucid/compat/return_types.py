"""The named tuples that operations with several outputs return, by name: ``return_types.max``."""

from __future__ import annotations

import sys
from typing import Any

from pellucid.core.definition.result_types import RESULT_TYPES, result_type


def _load() -> None:
    sys.modules["pellucid"].__all__  # noqa: B018 - loads every declaration


def __getattr__(name: str) -> Any:
    if name == "__all__":
        _load()
        return sorted(each for each in RESULT_TYPES if not each.startswith("_"))
    if name not in RESULT_TYPES and not name.startswith("__"):
        _load()
    fields = RESULT_TYPES.get(name)
    if fields is None:
        raise AttributeError(f"module 'pellucid.return_types' has no attribute {name!r}")
    return result_type(name, *fields)


def __dir__() -> list[str]:
    return __getattr__("__all__")
