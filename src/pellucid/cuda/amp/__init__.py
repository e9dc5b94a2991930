"""Automatic mixed precision for CUDA devices, by its old name: see `pellucid.amp`."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid import amp
from pellucid.amp import custom_bwd, custom_fwd
from pellucid.dtypes import float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):  # noqa: N801 - PyTorch's name
    """Do as ``torch.amp.autocast("cuda", ...)`` does, which is its name now."""

    def __init__(
        self, enabled: bool = True, dtype: Any = float16, cache_enabled: bool = True
    ) -> None:
        _warn("autocast")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """Do as ``torch.amp.GradScaler("cuda", ...)`` does, which is its name now."""

    def __init__(self, *args: Any, **options: Any) -> None:
        _warn("GradScaler")
        super().__init__("cuda", *args, **options)


def _warn(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', "
        "args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )
