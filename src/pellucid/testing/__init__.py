"""Checking derivatives, and comparing results, for tests of one's own."""

from __future__ import annotations

import importlib
from typing import Any


__all__ = ["assert_close", "make_tensor"]  # noqa: F822 - both are loaded when asked for


def __getattr__(name: str) -> Any:
    if name == "assert_close":
        return importlib.import_module("pellucid.testing.close").assert_close
    if name == "make_tensor":
        return importlib.import_module("pellucid.testing.making").make_tensor
    raise AttributeError(f"module 'pellucid.testing' has no attribute '{name}'")
