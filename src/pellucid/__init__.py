"""pellucid: PyTorch's dynamic computation graph, rebuilt so that people can see through it."""

from __future__ import annotations

import importlib
from typing import Any

# One block per module below; names are sorted into ``__all__`` at the end.
from pellucid.autograd.modes import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from pellucid.creation import (
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    empty_strided,
    eye,
    from_numpy,
    frombuffer,
    full,
    full_like,
    is_tensor,
    linspace,
    logspace,
    ones,
    ones_like,
    range,
    scalar_tensor,
    tensor,
    zeros,
    zeros_like,
)
from pellucid.device import device
from pellucid.dtypes import (
    bool_ as bool,
    can_cast,
    complex64,
    complex64 as cfloat,
    complex128,
    complex128 as cdouble,
    dtype,
    float16,
    float16 as half,
    float32,
    float32 as float,
    float64,
    float64 as double,
    get_default_dtype,
    int8,
    int16,
    int16 as short,
    int32,
    int32 as int,
    int64,
    int64 as long,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from pellucid.ops.arithmetic import add, mul, sub
from pellucid.ops.copying import clone
from pellucid.ops.formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from pellucid.ops.index import index_put
from pellucid.ops.protocol import is_complex, is_floating_point, is_nonzero, numel
from pellucid.ops.reduce import sum
from pellucid.ops.views import (
    adjoint,
    as_strided,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_tensors,
    broadcast_to,
    chunk,
    dsplit,
    flatten,
    hsplit,
    meshgrid,
    movedim,
    movedim as moveaxis,
    narrow,
    permute,
    ravel,
    reshape,
    select,
    split,
    squeeze,
    t,
    tensor_split,
    transpose,
    transpose as swapaxes,
    transpose as swapdims,
    unbind,
    unflatten,
    unsqueeze,
    vsplit,
)
from pellucid.random import (
    Generator,
    bernoulli,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    multinomial,
    normal,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensor import Tensor

__version__ = "0.1.0"

#: loaded when first asked for, so that ``import pellucid`` stays quick
_SUBMODULES = frozenset(
    {"functional", "inspect", "interop", "linalg", "nn", "optim", "testing", "utils"}
)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"pellucid.{name}")
    raise AttributeError(f"module 'pellucid' has no attribute '{name}'")
