"""pellucid: PyTorch's dynamic computation graph, rebuilt so that people can see through it."""

import importlib
from math import e, inf, nan, pi
from types import ModuleType as _Module
from typing import Any as _Any

# ruff: noqa: F401 - what is imported is public, or declares what is
from pellucid import autograd, compat, interpreters, random, torch_overloads
from pellucid.autograd.modes import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from pellucid.core.memory_formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    strided,
)
from pellucid.device import device
from pellucid.dtypes import (
    bfloat16,
    can_cast,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from pellucid.dtypes import bool_ as bool
from pellucid.random import Generator, default_generator
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensors import Tensor
from pellucid.tensors.creation import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from pellucid.tensors.faces import Door as _Door
from pellucid.tensors.limits import finfo, iinfo
from pellucid.testing.gradcheck import gradcheck as _gradcheck
from pellucid.testing.gradcheck import gradgradcheck as _gradgradcheck
from pellucid.tracebacks import get_traceback, set_traceback
from pellucid.tracebacks import install as _install_tracebacks

half, float, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
short, int, long = int16, int32, int64
newaxis = None
detach_ = Tensor.detach_

__version__ = "0.1.0"

# These come from the top layer, but are known as torch.autograd.gradcheck and gradgradcheck.
autograd.gradcheck = _gradcheck
autograd.gradgradcheck = _gradgradcheck

_install_tracebacks()

#: modules that are loaded when first asked for, so that ``import pellucid`` stays quick
_SUBMODULES = frozenset(
    {
        "alias", "amp", "distributed", "distributions", "fft", "func", "functional", "futures",
        "inspect", "interop", "linalg", "multiprocessing", "nn", "optim", "serialization",
        "settings", "sparse", "special", "testing", "utils", "vision",
    }
)  # fmt: skip
#: names that are known here and defined in such a module
_NAMES_OF = {
    "alias": "install_as_torch uninstall_as_torch",
    "amp": """
        autocast autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache
        get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype
        is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
        set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled
    """,
    "compiler": "compile",
    "cuda": "OutOfMemoryError",
    "func": "vmap",
    "futures": "Future",
    "guards": """
        SymBool SymFloat SymInt _assert _assert_async _check _check_index _check_is_size
        _check_not_implemented _check_tensor_all _check_type _check_value sym_float sym_int
        sym_ite sym_max sym_min sym_not sym_sum
    """,
    "ops.random.gamma_sampling": """
        _dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad
    """,
    "serialization": "load save",
    "settings": """
        are_deterministic_algorithms_enabled get_default_device get_deterministic_debug_mode
        get_float32_matmul_precision get_num_interop_threads get_num_threads
        is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled
        set_default_device set_default_tensor_type set_deterministic_debug_mode
        set_float32_matmul_precision set_flush_denormal set_num_interop_threads
        set_num_threads set_warn_always show_config typename use_deterministic_algorithms
    """,
    "sparse": "sparse_coo_tensor spmm",
    "storage": """
        BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage
        ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage
        ShortStorage TypedStorage UntypedStorage
    """,
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}


_here = [name for name, value in globals().items() if not isinstance(value, _Module)]
_door = _Door(globals(), *_here, *_MODULE_OF)
__all__ = [name for name in _door.names() if not name.startswith("_")]


def __getattr__(name: str) -> _Any:
    if name in _SUBMODULES or name in compat.PUBLIC:
        return importlib.import_module(f"pellucid.{name}")
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"pellucid.{_MODULE_OF[name]}"), name)
    if name.startswith("_foreach_"):
        return importlib.import_module("pellucid.compat.foreach").foreach(name)
    return _door.get(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
