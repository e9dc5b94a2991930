"""The functions behind the layers, under the path that they have in PyTorch."""

from __future__ import annotations

from typing import Any

from pellucid import functional

__all__ = [name for name in vars(functional) if not name.startswith("_")]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    return getattr(functional, name)


def __dir__() -> list[str]:
    return dir(functional)
