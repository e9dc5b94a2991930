"""Automatic mixed precision for CUDA devices, by its old name: see `pellucid.amp`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid import amp
from pellucid.amp.old_names import warn_of_old_name
from pellucid.dtypes import dtype, float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):  # noqa: N801 - PyTorch's name
    """The former name of ``torch.amp.autocast("cuda", ...)``."""

    def __init__(
        self, enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True
    ) -> None:
        warn_of_old_name("cuda.amp.autocast", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """The former name of ``torch.amp.GradScaler("cuda", ...)``."""

    def __init__(self, *args: Any, **options: Any) -> None:
        warn_of_old_name("cuda.amp.GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", *args, **options)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: dtype | None = None) -> Any:
    """Decorate as ``torch.amp.custom_fwd(..., device_type="cuda")``, its present name."""
    warn_of_old_name("cuda.amp.custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """Decorate as ``torch.amp.custom_bwd(..., device_type="cuda")``, its present name."""
    warn_of_old_name("cuda.amp.custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
