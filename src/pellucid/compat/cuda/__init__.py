"""CUDA devices: there are none, and every function says so as PyTorch without CUDA does.

What asks is answered (`is_available`, `device_count`, `memory_allocated`), what has nothing to do
does nothing (`manual_seed`, `empty_cache`), and what needs a device raises AssertionError.
"""

from __future__ import annotations

import importlib
from collections import OrderedDict
from typing import Any

from pellucid.compat.absent import NullContext, constant_function, unavailable
from pellucid.core.definition.public import public
from pellucid.errors import ArgumentTypeError, DeviceError

_MISSING = "Torch not compiled with CUDA enabled"
_NO_NVTX = "NVTX functions not installed. Are you sure you have a CUDA build?"
_refused = unavailable(
    f"{_MISSING}: pellucid computes on the CPU. Ask torch.cuda.is_available() first."
)
_NONE = "Do nothing: there is no CUDA device."
_ZERO = "Return 0: there is no CUDA device."
_FALSE = "Return False: there is no CUDA device."

_initialized = False

is_available = is_initialized = is_bf16_supported = constant_function(False, _FALSE)
is_tf32_supported = is_current_stream_capturing = is_available
device_count = memory_allocated = max_memory_allocated = constant_function(0, _ZERO)
memory_reserved = max_memory_reserved = memory_cached = max_memory_cached = device_count
empty_cache = manual_seed = manual_seed_all = seed = seed_all = constant_function(None, _NONE)
set_rng_state_all = empty_cache

current_device = synchronize = init = initial_seed = _refused
get_rng_state = set_rng_state = mem_get_info = reset_peak_memory_stats = _refused
reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = _refused
get_device_name = get_device_capability = get_device_properties = _refused
current_stream = default_stream = set_stream = ipc_collect = can_device_access_peer = _refused
set_per_process_memory_fraction = current_blas_handle = memory_summary = _refused
utilization = temperature = power_draw = clock_rate = memory_usage = _refused


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """Return nothing: no memory of a CUDA device is in use."""
    return OrderedDict()


def get_rng_state_all() -> list[Any]:
    """Return the states of the generators of all CUDA devices: of none."""
    return []


def get_arch_list() -> list[str]:
    """Return which kinds of CUDA devices there is code for: none."""
    return []


def set_device(device: Any) -> None:
    """Raise AssertionError: no CUDA device can be chosen, but a negative one, which means none."""
    if not isinstance(device, int) or device >= 0:
        _refused()


class device(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager that raises AssertionError for any CUDA device but ``None``."""

    def __init__(self, device: Any = None) -> None:
        self._wanted = device

    def __enter__(self) -> None:
        if self._wanted is not None and self._wanted != -1:
            _refused()


class device_of(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager that selects the device of a tensor: the CPU, so nothing changes."""


class stream(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager that selects a stream; without CUDA there is only ``None``."""


StreamContext = stream


class Stream:
    """Placeholder for streams, which cannot be made without CUDA."""

    def __init__(self, *args: Any, **options: Any) -> None:
        raise DeviceError("torch.cuda.Stream requires CUDA support")


class Event:
    """Placeholder for events, which cannot be made without CUDA."""

    def __init__(self, *args: Any, **options: Any) -> None:
        raise DeviceError("Tried to instantiate dummy base class Event: it requires CUDA support")


class CUDAGraph:
    """Placeholder for graphs of kernels, which cannot be made without CUDA."""

    def __init__(self, *args: Any, **options: Any) -> None:
        raise DeviceError("Tried to instantiate dummy base class CUDAGraph: it requires CUDA")


class graph:  # noqa: N801 - PyTorch's name
    """Placeholder for the capture of kernels in a graph, which cannot be made without CUDA."""

    def __init__(self, *args: Any, **options: Any) -> None:
        _refused()


ExternalStream = MemPool = Stream
make_graphed_callables = graph_pool_handle = _refused
has_magma = has_half = False
AcceleratorError = CudaError = DeviceError


@public("OutOfMemoryError")
class OutOfMemoryError(RuntimeError):
    """What PyTorch raises when a CUDA device is out of memory: never raised here."""


class nvtx:  # noqa: N801 - a module in PyTorch
    """The functions that mark ranges for NVIDIA's profiler: all raise."""

    range_push = range_pop = range_start = range_end = mark = range = staticmethod(
        unavailable(_NO_NVTX)
    )


class AbsentType:
    """A class of tensors on CUDA devices: it makes none, and nothing is an instance."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise ArgumentTypeError(
            f"type torch.cuda.{self.__name__} not available. {_MISSING}. Make a torch."
            f"{self.__name__} instead."
        )

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<class 'torch.cuda.{self.__name__}'>"


FloatTensor, DoubleTensor = AbsentType("FloatTensor"), AbsentType("DoubleTensor")
HalfTensor, BFloat16Tensor = AbsentType("HalfTensor"), AbsentType("BFloat16Tensor")
ByteTensor, CharTensor = AbsentType("ByteTensor"), AbsentType("CharTensor")
ShortTensor, IntTensor = AbsentType("ShortTensor"), AbsentType("IntTensor")
LongTensor, BoolTensor = AbsentType("LongTensor"), AbsentType("BoolTensor")


def __getattr__(name: str) -> Any:
    if name in ("amp", "memory", "random"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'pellucid.cuda' has no attribute '{name}'")
