"""Functions of PyTorch's compiled core whose result is the same without one."""  # noqa: N999 - PyTorch's name

from __future__ import annotations

import importlib
from typing import Any

from pellucid.autograd import modes
from pellucid.autograd.modes import modes as thread
from pellucid.compat import _functorch
from pellucid.compat.absent import constant_function
from pellucid.core.call.overriding import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    disabled_torch_function_impl,
    overridable,
)
from pellucid.device import device as device_class
from pellucid.dtypes import dtype as dtype_class
from pellucid.nn import functional
from pellucid.ops.random.sampling import Generator
from pellucid.tensors import Tensor

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Graph",
    "Value",
    "_functorch",
]

_disabled_torch_function_impl = disabled_torch_function_impl

_get_tracing_state = constant_function(None, "Return None: nothing is being traced.")
_log_api_usage_once = constant_function(None, "Do nothing: no use is logged.")
_jit_set_profiling_executor = _jit_set_profiling_mode = constant_function(False, "Change nothing.")
_jit_set_texpr_fuser_enabled = _jit_set_nvfuser_enabled = constant_function(
    False, "Change nothing."
)
_jit_override_can_fuse_on_cpu = _jit_override_can_fuse_on_gpu = constant_function(
    None, "Change nothing."
)
_jit_can_fuse_on_cpu = _jit_can_fuse_on_gpu = constant_function(
    False, "Return False: nothing is fused."
)


class Value:
    """Placeholder for values of TorchScript's graphs; nothing is an instance."""


class Graph:
    """Placeholder for TorchScript's graphs; nothing is an instance."""


_disabled_torch_dispatch_impl = _disabled_torch_function_impl


def _are_functorch_transforms_active() -> bool:
    """Return whether a function is being transformed, by `vmap`, `grad` or `jvp`."""
    return bool(thread.batch_levels or thread.transforms)


def _is_torch_function_enabled() -> bool:
    """Return whether classes of arguments may take functions over."""
    return thread.overriding is True


def _is_torch_function_mode_enabled() -> bool:
    """Return whether a mode may take functions over."""
    return bool(thread.function_modes)


_len_torch_dispatch_stack = constant_function(0, "Return 0: there are no modes of this kind.")
_get_torch_function_enabled = _is_torch_function_enabled
is_grad_enabled, _set_grad_enabled = modes.is_grad_enabled, modes.set_grad_enabled


@overridable
def _parse_to(
    *args: Any, device: Any = None, dtype: Any = None, non_blocking: bool = False,
    copy: bool = False, memory_format: Any = None,
) -> tuple[Any, Any, bool, Any]:  # fmt: skip
    """Return what the arguments of ``to`` mean: device, dtype, non_blocking and memory format."""
    for each in args:
        if isinstance(each, Tensor):
            device, dtype = each.device, each.dtype
        elif isinstance(each, dtype_class):
            dtype = each
        elif isinstance(each, bool):
            non_blocking = each
        else:
            device = each
    return None if device is None else device_class(device), dtype, non_blocking, memory_format


class _LayerFunctions:
    """The functions of layers under the names of PyTorch's C++ functions."""

    _parse_to = staticmethod(_parse_to)
    nll_loss2d = staticmethod(functional.nll_loss)
    nll_loss_nd = staticmethod(functional.nll_loss)

    @staticmethod
    def reflection_pad1d(input: Any, padding: Any) -> Any:
        return functional.pad(input, padding, "reflect")

    reflection_pad2d = reflection_pad3d = reflection_pad1d

    @staticmethod
    def replication_pad1d(input: Any, padding: Any) -> Any:
        return functional.pad(input, padding, "replicate")

    replication_pad2d = replication_pad3d = replication_pad1d

    def __getattr__(self, name: str) -> Any:
        for home in (functional, importlib.import_module("pellucid")):
            if not name.startswith("__") and hasattr(home, name):
                return getattr(home, name)
        raise AttributeError(f"module 'torch._C._nn' has no attribute {name!r}")


_nn = _LayerFunctions()
