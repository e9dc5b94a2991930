"""Functions of PyTorch's compiled core whose result is the same without one."""  # noqa: N999 - PyTorch's name

from __future__ import annotations

from pellucid.compat.absent import constant_function
from pellucid.ops.random.sampling import Generator

__all__ = ["Generator", "Graph", "Value"]

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
