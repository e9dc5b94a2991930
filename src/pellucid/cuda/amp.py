"""Mixed precision under its older names: there is no CUDA device, so nothing is cast or scaled."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from pellucid import amp
from pellucid.autograd.sites import user_stacklevel
from pellucid.dtypes import dtype, float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _deprecated(name: str, instead: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. "
        f"Please use `torch.amp.{instead}` instead.",
        FutureWarning,
        stacklevel=user_stacklevel(),
    )


class autocast(amp.autocast):  # noqa: N801 - PyTorch's name
    """Do as `pellucid.amp.autocast` does for "cuda": warn, and do nothing."""

    def __init__(
        self, enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True
    ) -> None:
        _deprecated("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """Do as `pellucid.amp.GradScaler` does for "cuda": warn, and scale nothing."""

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler", "GradScaler('cuda', args...)")
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: dtype | None = None) -> Any:
    """Do as `pellucid.amp.custom_fwd` does for "cuda"."""
    _deprecated("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """Do as `pellucid.amp.custom_bwd` does for "cuda"."""
    _deprecated("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
