"""Checking derivatives, and comparing results, for tests of one's own."""

from __future__ import annotations

import importlib
from typing import Any

#: functions that are loaded when they are asked for, and the modules that have them
_PLACES = {"assert_close": "close", "assert_trains": "training", "make_tensor": "making"}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f"pellucid.testing.{_PLACES[name]}"), name)
    if name == "__all__":
        return sorted(_PLACES)
    raise AttributeError(f"module 'pellucid.testing' has no attribute '{name}'")
