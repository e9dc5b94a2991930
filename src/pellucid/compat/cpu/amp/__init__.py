"""Automatic mixed precision on the CPU, by its old name: see `pellucid.amp`."""

from __future__ import annotations

from typing import Any

from pellucid import amp
from pellucid.amp.old_names import warn_of_old_name
from pellucid.dtypes import bfloat16, dtype

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):  # noqa: N801 - PyTorch's name
    """The former name of ``torch.amp.autocast("cpu", ...)``."""

    def __init__(
        self, enabled: bool = True, dtype: dtype = bfloat16, cache_enabled: bool = True
    ) -> None:
        warn_of_old_name("cpu.amp.autocast", "autocast('cpu', args...)")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """The former name of ``torch.amp.GradScaler("cpu", ...)``."""

    def __init__(self, *args: Any, **options: Any) -> None:
        warn_of_old_name("cpu.amp.GradScaler", "GradScaler('cpu', args...)")
        super().__init__("cpu", *args, **options)
