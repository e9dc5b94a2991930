"""Automatic mixed precision on the CPU, by its old name: see `pellucid.amp`."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid import amp
from pellucid.autograd.sites import user_stacklevel
from pellucid.dtypes import bfloat16, dtype

__all__ = ["GradScaler", "autocast"]


def _warn(name: str) -> None:
    warnings.warn(
        f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', "
        "args...)` instead.",
        FutureWarning,
        stacklevel=user_stacklevel(),
    )


class autocast(amp.autocast):  # noqa: N801 - PyTorch's name
    """Do as ``torch.amp.autocast("cpu", ...)`` does, which is its name now."""

    def __init__(
        self, enabled: bool = True, dtype: dtype = bfloat16, cache_enabled: bool = True
    ) -> None:
        _warn("autocast")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """Do as ``torch.amp.GradScaler("cpu", ...)`` does, which is its name now."""

    def __init__(self, *args: Any, **options: Any) -> None:
        _warn("GradScaler")
        super().__init__("cpu", *args, **options)
