"""How CUDA devices compute: there are none, and the switches are only remembered."""

from __future__ import annotations

from typing import Any

from pellucid.compat.absent import NullContext, constant_function

is_built = constant_function(False, "Return False: this was not built with CUDA.")


class _MatmulSwitches:
    """The switches for matrix products on CUDA devices."""

    def __init__(self) -> None:
        self.allow_tf32 = False
        self.allow_fp16_reduced_precision_reduction = True
        self.allow_bf16_reduced_precision_reduction = True
        self.fp32_precision = "none"


matmul = _MatmulSwitches()
preferred_linalg_library = preferred_blas_library = constant_function(
    "default", "Return 'default': no library of a device is chosen."
)
_kernels = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def flash_sdp_enabled() -> bool:
    """Return whether the kernel "flash" of attention would be used on a CUDA device."""
    return _kernels["flash"]


def mem_efficient_sdp_enabled() -> bool:
    """Return whether the kernel "mem_efficient" of attention would be used on a CUDA device."""
    return _kernels["mem_efficient"]


def math_sdp_enabled() -> bool:
    """Return whether the plain formula of attention would be used on a CUDA device."""
    return _kernels["math"]


def cudnn_sdp_enabled() -> bool:
    """Return whether the kernel "cudnn" of attention would be used on a CUDA device."""
    return _kernels["cudnn"]


def enable_flash_sdp(enabled: bool) -> None:
    """Switch the kernel "flash" of attention on CUDA devices on or off."""
    _kernels["flash"] = enabled


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Switch the kernel "mem_efficient" of attention on CUDA devices on or off."""
    _kernels["mem_efficient"] = enabled


def enable_math_sdp(enabled: bool) -> None:
    """Switch the plain formula of attention on CUDA devices on or off."""
    _kernels["math"] = enabled


def enable_cudnn_sdp(enabled: bool) -> None:
    """Switch the kernel "cudnn" of attention on CUDA devices on or off."""
    _kernels["cudnn"] = enabled


class sdp_kernel(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager that chooses an attention kernel for CUDA; it changes nothing here."""

    def __init__(self, *switches: Any, **named: Any) -> None:
        super().__init__()
