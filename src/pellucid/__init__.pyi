"""The functions and classes of ``torch``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import Any, Literal, TypeAlias, overload

from pellucid import alias as alias
from pellucid import amp as amp
from pellucid import array_api as array_api
from pellucid import autograd as autograd
from pellucid import blocks as blocks
from pellucid import commands as commands
from pellucid import compat as compat
from pellucid import core as core
from pellucid import define as define
from pellucid import distributed as distributed
from pellucid import distributions as distributions
from pellucid import docstrings as docstrings
from pellucid import dtypes as dtypes
from pellucid import errors as errors
from pellucid import fft as fft
from pellucid import func as func
from pellucid import functional as functional
from pellucid import futures as futures
from pellucid import inspect as inspect
from pellucid import interop as interop
from pellucid import interpreters as interpreters
from pellucid import kernels as kernels
from pellucid import linalg as linalg
from pellucid import masked as masked
from pellucid import multiprocessing as multiprocessing
from pellucid import nn as nn
from pellucid import observe as observe
from pellucid import onnx as onnx
from pellucid import ops as ops
from pellucid import optim as optim
from pellucid import outbuildings as outbuildings
from pellucid import processes as processes
from pellucid import profiler as profiler
from pellucid import random as random
from pellucid import ranks as ranks
from pellucid import serialization as serialization
from pellucid import settings as settings
from pellucid import shapes as shapes
from pellucid import sharing as sharing
from pellucid import sparse as sparse
from pellucid import special as special
from pellucid import tensors as tensors
from pellucid import testing as testing
from pellucid import torch_overloads as torch_overloads
from pellucid import tracebacks as tracebacks
from pellucid import utils as utils
from pellucid import vision as vision
from pellucid.alias.installing import install_as_torch as install_as_torch
from pellucid.alias.installing import uninstall_as_torch as uninstall_as_torch
from pellucid.amp.autocast_mode import autocast as autocast
from pellucid.amp.autocast_mode import autocast_decrement_nesting as autocast_decrement_nesting
from pellucid.amp.autocast_mode import autocast_increment_nesting as autocast_increment_nesting
from pellucid.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from pellucid.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from pellucid.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from pellucid.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from pellucid.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from pellucid.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from pellucid.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from pellucid.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from pellucid.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from pellucid.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from pellucid.autograd.modes import enable_grad as enable_grad
from pellucid.autograd.modes import inference_mode as inference_mode
from pellucid.autograd.modes import is_anomaly_enabled as is_anomaly_enabled
from pellucid.autograd.modes import is_grad_enabled as is_grad_enabled
from pellucid.autograd.modes import is_inference_mode_enabled as is_inference_mode_enabled
from pellucid.autograd.modes import no_grad as no_grad
from pellucid.autograd.modes import set_grad_enabled as set_grad_enabled
from pellucid.compat import _C as _C
from pellucid.compat import __config__ as __config__
from pellucid.compat import __future__ as __future__
from pellucid.compat import _dynamo as _dynamo
from pellucid.compat import _jit_internal as _jit_internal
from pellucid.compat import _utils as _utils
from pellucid.compat import accelerator as accelerator
from pellucid.compat import backends as backends
from pellucid.compat import compiler as compiler
from pellucid.compat import cpu as cpu
from pellucid.compat import cuda as cuda
from pellucid.compat import flop_counter as flop_counter
from pellucid.compat import foreach as foreach
from pellucid.compat import fx as fx
from pellucid.compat import guards as guards
from pellucid.compat import hub as hub
from pellucid.compat import jit as jit
from pellucid.compat import library as library
from pellucid.compat import mps as mps
from pellucid.compat import overrides as overrides
from pellucid.compat import quasirandom as quasirandom
from pellucid.compat import return_types as return_types
from pellucid.compat import signal as signal
from pellucid.compat import storage as storage
from pellucid.compat import torch_version as torch_version
from pellucid.compat import types as types
from pellucid.compat import version as version
from pellucid.compat import xpu as xpu
from pellucid.compat.compiler import compile as compile
from pellucid.compat.cuda import OutOfMemoryError as OutOfMemoryError
from pellucid.compat.guards import SymBool as SymBool
from pellucid.compat.guards import SymFloat as SymFloat
from pellucid.compat.guards import SymInt as SymInt
from pellucid.compat.guards import _assert as _assert
from pellucid.compat.guards import _assert_async as _assert_async
from pellucid.compat.guards import _check as _check
from pellucid.compat.guards import _check_index as _check_index
from pellucid.compat.guards import _check_is_size as _check_is_size
from pellucid.compat.guards import _check_not_implemented as _check_not_implemented
from pellucid.compat.guards import _check_tensor_all as _check_tensor_all
from pellucid.compat.guards import _check_type as _check_type
from pellucid.compat.guards import _check_value as _check_value
from pellucid.compat.guards import sym_float as sym_float
from pellucid.compat.guards import sym_int as sym_int
from pellucid.compat.guards import sym_ite as sym_ite
from pellucid.compat.guards import sym_max as sym_max
from pellucid.compat.guards import sym_min as sym_min
from pellucid.compat.guards import sym_not as sym_not
from pellucid.compat.guards import sym_sum as sym_sum
from pellucid.compat.retired import eig as eig
from pellucid.compat.retired import lstsq as lstsq
from pellucid.compat.retired import matrix_rank as matrix_rank
from pellucid.compat.retired import solve as solve
from pellucid.compat.retired import symeig as symeig
from pellucid.compat.streams import Event as Event
from pellucid.compat.streams import Stream as Stream
from pellucid.compat.streams import get_device_module as get_device_module
from pellucid.core.memory.memory_formats import channels_last as channels_last
from pellucid.core.memory.memory_formats import channels_last_3d as channels_last_3d
from pellucid.core.memory.memory_formats import contiguous_format as contiguous_format
from pellucid.core.memory.memory_formats import jagged as jagged
from pellucid.core.memory.memory_formats import layout as _layout
from pellucid.core.memory.memory_formats import layout as layout
from pellucid.core.memory.memory_formats import memory_format as _memory_format
from pellucid.core.memory.memory_formats import memory_format as memory_format
from pellucid.core.memory.memory_formats import preserve_format as preserve_format
from pellucid.core.memory.memory_formats import sparse_bsc as sparse_bsc
from pellucid.core.memory.memory_formats import sparse_bsr as sparse_bsr
from pellucid.core.memory.memory_formats import sparse_coo as sparse_coo
from pellucid.core.memory.memory_formats import sparse_csc as sparse_csc
from pellucid.core.memory.memory_formats import sparse_csr as sparse_csr
from pellucid.core.memory.memory_formats import strided as strided
from pellucid.device import device as _device
from pellucid.device import device as device
from pellucid.dtypes import bfloat16 as bfloat16
from pellucid.dtypes import bits1x8 as bits1x8
from pellucid.dtypes import bits2x4 as bits2x4
from pellucid.dtypes import bits4x2 as bits4x2
from pellucid.dtypes import bits8 as bits8
from pellucid.dtypes import bits16 as bits16
from pellucid.dtypes import can_cast as can_cast
from pellucid.dtypes import complex32 as complex32
from pellucid.dtypes import complex64 as complex64
from pellucid.dtypes import complex128 as complex128
from pellucid.dtypes import dtype as _dtype
from pellucid.dtypes import dtype as dtype
from pellucid.dtypes import float4_e2m1fn_x2 as float4_e2m1fn_x2
from pellucid.dtypes import float8_e4m3fn as float8_e4m3fn
from pellucid.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from pellucid.dtypes import float8_e5m2 as float8_e5m2
from pellucid.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from pellucid.dtypes import float8_e8m0fnu as float8_e8m0fnu
from pellucid.dtypes import float16 as float16
from pellucid.dtypes import float32 as float32
from pellucid.dtypes import float64 as float64
from pellucid.dtypes import get_default_dtype as get_default_dtype
from pellucid.dtypes import int1 as int1
from pellucid.dtypes import int2 as int2
from pellucid.dtypes import int3 as int3
from pellucid.dtypes import int4 as int4
from pellucid.dtypes import int5 as int5
from pellucid.dtypes import int6 as int6
from pellucid.dtypes import int7 as int7
from pellucid.dtypes import int8 as int8
from pellucid.dtypes import int16 as int16
from pellucid.dtypes import int32 as int32
from pellucid.dtypes import int64 as int64
from pellucid.dtypes import promote_types as promote_types
from pellucid.dtypes import qint8 as qint8
from pellucid.dtypes import qint32 as qint32
from pellucid.dtypes import quint2x4 as quint2x4
from pellucid.dtypes import quint4x2 as quint4x2
from pellucid.dtypes import quint8 as quint8
from pellucid.dtypes import set_default_dtype as set_default_dtype
from pellucid.dtypes import uint1 as uint1
from pellucid.dtypes import uint2 as uint2
from pellucid.dtypes import uint3 as uint3
from pellucid.dtypes import uint4 as uint4
from pellucid.dtypes import uint5 as uint5
from pellucid.dtypes import uint6 as uint6
from pellucid.dtypes import uint7 as uint7
from pellucid.dtypes import uint8 as uint8
from pellucid.dtypes import uint16 as uint16
from pellucid.dtypes import uint32 as uint32
from pellucid.dtypes import uint64 as uint64
from pellucid.func.mapping import vmap as vmap
from pellucid.futures import Future as Future
from pellucid.inspect.layer_table import summary as summary
from pellucid.ops.random.sampling import Generator as Generator
from pellucid.random import default_generator as default_generator
from pellucid.serialization import load as load
from pellucid.serialization import save as save
from pellucid.settings import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
)
from pellucid.settings import get_default_device as get_default_device
from pellucid.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from pellucid.settings import get_float32_matmul_precision as get_float32_matmul_precision
from pellucid.settings import get_num_interop_threads as get_num_interop_threads
from pellucid.settings import get_num_threads as get_num_threads
from pellucid.settings import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from pellucid.settings import is_warn_always_enabled as is_warn_always_enabled
from pellucid.settings import set_default_device as set_default_device
from pellucid.settings import set_default_tensor_type as set_default_tensor_type
from pellucid.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from pellucid.settings import set_float32_matmul_precision as set_float32_matmul_precision
from pellucid.settings import set_flush_denormal as set_flush_denormal
from pellucid.settings import set_num_interop_threads as set_num_interop_threads
from pellucid.settings import set_num_threads as set_num_threads
from pellucid.settings import set_warn_always as set_warn_always
from pellucid.settings import show_config as show_config
from pellucid.settings import typename as typename
from pellucid.settings import use_deterministic_algorithms as use_deterministic_algorithms
from pellucid.shapes import Size as Size
from pellucid.shapes import broadcast_shapes as broadcast_shapes
from pellucid.sparse.creation import sparse_bsc_tensor as sparse_bsc_tensor
from pellucid.sparse.creation import sparse_bsr_tensor as sparse_bsr_tensor
from pellucid.sparse.creation import sparse_compressed_tensor as sparse_compressed_tensor
from pellucid.sparse.creation import sparse_coo_tensor as sparse_coo_tensor
from pellucid.sparse.creation import sparse_csc_tensor as sparse_csc_tensor
from pellucid.sparse.creation import sparse_csr_tensor as sparse_csr_tensor
from pellucid.sparse.products import hspmm as hspmm
from pellucid.sparse.products import smm as smm
from pellucid.sparse.products import spmm as spmm
from pellucid.sparse.products import sspaddmm as sspaddmm
from pellucid.tensors import Tensor as Tensor
from pellucid.tensors import creation as creation
from pellucid.tensors import ranges as ranges
from pellucid.tensors.creation import LegacyType as _LegacyType
from pellucid.tensors.limits import finfo as finfo
from pellucid.tensors.limits import iinfo as iinfo
from pellucid.tensors.limits import result_type as result_type
from pellucid.tensors.methods import (
    aminmax_result,
    cummax_result,
    cummin_result,
    frexp_result,
    geqrf_result,
    histogram_result,
    histogramdd_result,
    kthvalue_result,
    linalg_slogdet_result,
    lu_result,
    lu_unpack_result,
    max_result,
    median_result,
    min_result,
    mode_result,
    nanmedian_result,
    qr_result,
    sort_result,
    svd_result,
    topk_result,
    triangular_solve_result,
)
from pellucid.tensors.storages import TypedStorage as TypedStorage
from pellucid.tensors.storages import UntypedStorage as UntypedStorage
from pellucid.tensors.windows import bartlett_window as bartlett_window
from pellucid.tensors.windows import blackman_window as blackman_window
from pellucid.tensors.windows import hamming_window as hamming_window
from pellucid.tensors.windows import hann_window as hann_window
from pellucid.tensors.windows import kaiser_window as kaiser_window
from pellucid.torch_overloads import alpha_dropout as alpha_dropout
from pellucid.torch_overloads import batch_norm as batch_norm
from pellucid.torch_overloads import (
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
)
from pellucid.torch_overloads import constant_pad_nd as constant_pad_nd
from pellucid.torch_overloads import cosine_embedding_loss as cosine_embedding_loss
from pellucid.torch_overloads import ctc_loss as ctc_loss
from pellucid.torch_overloads import dropout as dropout
from pellucid.torch_overloads import embedding as embedding
from pellucid.torch_overloads import embedding_bag as embedding_bag
from pellucid.torch_overloads import feature_alpha_dropout as feature_alpha_dropout
from pellucid.torch_overloads import fill as fill
from pellucid.torch_overloads import group_norm as group_norm
from pellucid.torch_overloads import hinge_embedding_loss as hinge_embedding_loss
from pellucid.torch_overloads import instance_norm as instance_norm
from pellucid.torch_overloads import kl_div as kl_div
from pellucid.torch_overloads import layer_norm as layer_norm
from pellucid.torch_overloads import margin_ranking_loss as margin_ranking_loss
from pellucid.torch_overloads import poisson_nll_loss as poisson_nll_loss
from pellucid.torch_overloads import rrelu as rrelu
from pellucid.torch_overloads import rrelu_ as rrelu_
from pellucid.torch_overloads import triplet_margin_loss as triplet_margin_loss
from pellucid.tracebacks import explain as explain
from pellucid.tracebacks import get_traceback as get_traceback
from pellucid.tracebacks import set_traceback as set_traceback

_Number: TypeAlias = _int | _float | _bool | _complex
_Ints: TypeAlias = _int | Sequence[_int]

__version__: _str
BFloat16Storage: type[TypedStorage]
BFloat16Tensor: _LegacyType
BoolStorage: type[TypedStorage]
BoolTensor: _LegacyType
ByteStorage: type[TypedStorage]
ByteTensor: _LegacyType
CharStorage: type[TypedStorage]
CharTensor: _LegacyType
ComplexDoubleStorage: type[TypedStorage]
ComplexFloatStorage: type[TypedStorage]
DoubleStorage: type[TypedStorage]
DoubleTensor: _LegacyType
FloatStorage: type[TypedStorage]
FloatTensor: _LegacyType
HalfStorage: type[TypedStorage]
HalfTensor: _LegacyType
IntStorage: type[TypedStorage]
IntTensor: _LegacyType
LongStorage: type[TypedStorage]
LongTensor: _LegacyType
ShortStorage: type[TypedStorage]
ShortTensor: _LegacyType
bit: _dtype
cdouble: _dtype
cfloat: _dtype
chalf: _dtype
detach_: Any
double: _dtype
float: _dtype
half: _dtype
int: _dtype
long: _dtype
newaxis: None
short: _dtype

def _addmm_activation(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
    use_gelu: _bool = False,
) -> Tensor: ...
def _dirichlet_grad(x: Tensor, alpha: _Number | Tensor, total: Any) -> Tensor: ...
def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor: ...
def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor: ...
def _standard_gamma_grad(input: Tensor, output: Any) -> Tensor: ...
def abs(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def abs_(input: Tensor) -> Tensor: ...
def absolute(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def acos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def acos_(input: Tensor) -> Tensor: ...
def acosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def acosh_(input: Tensor) -> Tensor: ...
def adaptive_avg_pool1d(input: Tensor, output_size: _Ints) -> Tensor: ...
def adaptive_max_pool1d(
    input: Tensor, output_size: _Ints, return_indices: _bool = False
) -> tuple[Tensor, ...]: ...
def add(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def addcdiv(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def addcmul(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def addmv_(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
) -> Tensor: ...
def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def adjoint(input: Tensor) -> Tensor: ...
def alias_copy(input: Tensor) -> Tensor: ...
def all(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def allclose(
    input: Tensor,
    other: Tensor | _Number,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool: ...
def alpha_dropout_(input: Tensor, p: _Number, train: _bool) -> Tensor: ...
def amax(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def amin(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def aminmax(
    input: Tensor,
    *,
    dim: _int | None = None,
    keepdim: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> aminmax_result: ...
def angle(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def any(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def arange(
    start: Tensor | _Number | None = None,
    end: Tensor | _Number | None = None,
    step: _Number | Tensor = 1,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def arccos_(input: Tensor) -> Tensor: ...
def arccosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def arccosh_(input: Tensor) -> Tensor: ...
def arcsin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def arcsin_(input: Tensor) -> Tensor: ...
def arcsinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def arcsinh_(input: Tensor) -> Tensor: ...
def arctan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def arctan2(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def arctan_(input: Tensor) -> Tensor: ...
def arctanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def arctanh_(input: Tensor) -> Tensor: ...
def argmax(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def argmin(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def argsort(
    input: Tensor, dim: _Ints = -1, descending: _bool = False, stable: _bool = False
) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor: ...
def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_strided_(
    self: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_strided_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def as_strided_scatter(
    input: Tensor,
    src: Tensor | _Number,
    size: _Ints,
    stride: _Ints,
    storage_offset: _int | None = None,
) -> Tensor: ...
def as_tensor(
    data: Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None
) -> Tensor: ...
def asarray(
    obj: Any,
    *,
    dtype: _dtype | None = None,
    device: _device | _str | _int | None = None,
    copy: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def asin_(input: Tensor) -> Tensor: ...
def asinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def asinh_(input: Tensor) -> Tensor: ...
def atan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def atan2(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def atan_(input: Tensor) -> Tensor: ...
def atanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def atanh_(input: Tensor) -> Tensor: ...
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def avg_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor: ...
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Number | Tensor = 1,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def bernoulli(
    input: Tensor,
    p: _Number | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def bilinear(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None
) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor: ...
def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Tensor: ...
def bitwise_and(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def bitwise_left_shift(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def bitwise_or(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def bitwise_right_shift(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def bitwise_xor(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def bmm(
    input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor: ...
def bucketize(
    input: Tensor | _float,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor: ...
def cat(
    tensors: Sequence[Tensor], dim: _Ints = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def cdist(x1: Tensor, x2: Tensor, p: _Number = 2.0, compute_mode: _str | None = None) -> Tensor: ...
def ceil(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def ceil_(input: Tensor) -> Tensor: ...
def celu(input: Tensor, alpha: _float = 1.0) -> Tensor: ...
def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor: ...
def chain_matmul(*matrices: _Ints, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def channel_shuffle(input: Tensor, groups: _int) -> Tensor: ...
def cholesky(
    input: Tensor, upper: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def cholesky_inverse(
    L: Tensor, upper: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def cholesky_solve(
    B: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def clamp(
    input: Tensor | _Number,
    min: Tensor | _Number | None = None,
    max: Tensor | _Number | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def clamp_(
    input: Tensor | _Number,
    min: Tensor | _Number | None = None,
    max: Tensor | _Number | None = None,
) -> Tensor: ...
def clamp_max(
    input: Tensor, max: _Number | Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def clamp_max_(self: Tensor, max: _Number | Tensor) -> Tensor: ...
def clamp_min(
    input: Tensor, min: _Number | Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def clamp_min_(self: Tensor, min: _Number | Tensor) -> Tensor: ...
def clip(
    input: Tensor | _Number,
    min: Tensor | _Number | None = None,
    max: Tensor | _Number | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def clip_(
    input: Tensor | _Number,
    min: Tensor | _Number | None = None,
    max: Tensor | _Number | None = None,
) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def column_stack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor: ...
def complex(
    real: Tensor, imag: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def concat(
    tensors: Sequence[Tensor], dim: _Ints = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def concatenate(
    tensors: Sequence[Tensor], dim: _Ints = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def conj(input: Tensor) -> Tensor: ...
def conj_physical(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def conj_physical_(input: Tensor) -> Tensor: ...
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor: ...
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | _str = 0,
    output_padding: _Ints = 0,
    groups: _int = 1,
    dilation: _Ints = 1,
) -> Tensor: ...
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | _str = 0,
    output_padding: _Ints = 0,
    groups: _int = 1,
    dilation: _Ints = 1,
) -> Tensor: ...
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | _str = 0,
    output_padding: _Ints = 0,
    groups: _int = 1,
    dilation: _Ints = 1,
) -> Tensor: ...
def copysign(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def corrcoef(input: Tensor) -> Tensor: ...
def cos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def cos_(input: Tensor) -> Tensor: ...
def cosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def cosh_(input: Tensor) -> Tensor: ...
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor: ...
def count_nonzero(input: Tensor, dim: _Ints | None = None) -> Tensor: ...
def cov(
    input: Tensor,
    *,
    correction: _int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor: ...
def cross(
    input: Tensor,
    other: Tensor | _Number,
    dim: _int | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def cummax(
    input: Tensor, dim: _Ints, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> cummax_result: ...
def cummin(
    input: Tensor, dim: _Ints, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> cummin_result: ...
def cumprod(
    input: Tensor,
    dim: _Ints,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def cumsum(
    input: Tensor,
    dim: _Ints,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Tensor | _Number | None = None, dim: _int = -1
) -> Tensor: ...
def deg2rad(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def deg2rad_(input: Tensor) -> Tensor: ...
def det(A: Tensor) -> Tensor: ...
def detach(input: Tensor) -> Tensor: ...
def detach_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def diag(
    input: Tensor, diagonal: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def diagflat(input: Tensor, offset: _int = 0) -> Tensor: ...
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diagonal_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def diagonal_scatter(
    input: Tensor, src: Tensor | _Number, offset: _int = 0, dim1: _int = 0, dim2: _int = 1
) -> Tensor: ...
def diff(
    input: Tensor,
    n: Tensor | _Number = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def digamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def dist(input: Tensor, other: Tensor | _Number, p: _Number = 2) -> Tensor: ...
def div(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    rounding_mode: Literal["trunc", "floor"] | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def divide(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    rounding_mode: Literal["trunc", "floor"] | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def dot(
    input: Tensor, tensor: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def dropout_(input: Tensor, p: _Number, train: _bool) -> Tensor: ...
def dsmm(
    input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def dsplit(input: Tensor, indices_or_sections: _Ints | Tensor) -> tuple[Tensor, ...]: ...
def dstack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def einsum(*args: _str | Tensor | Sequence[_int] | Sequence[Tensor]) -> Tensor: ...
def embedding_renorm_(
    input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float
) -> Tensor: ...
def empty(
    *sizes: _Ints,
    size: _Ints | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def empty_permuted(
    size: _Ints,
    physical_layout: Any,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def empty_strided(
    size: _Ints,
    stride: _Ints,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def eq(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def equal(input: Tensor, other: Tensor | _Number) -> _bool: ...
def erf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def erf_(input: Tensor) -> Tensor: ...
def erfc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def erfc_(input: Tensor) -> Tensor: ...
def erfinv(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def exp(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def exp2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def exp2_(input: Tensor) -> Tensor: ...
def exp_(input: Tensor) -> Tensor: ...
def expand_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def expm1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def expm1_(input: Tensor) -> Tensor: ...
def eye(
    n: Tensor | _Number,
    m: _int | None = None,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def feature_alpha_dropout_(input: Tensor, p: _Number, train: _bool) -> Tensor: ...
def feature_dropout(input: Tensor, p: _Number, train: _bool) -> Tensor: ...
def feature_dropout_(input: Tensor, p: _Number, train: _bool) -> Tensor: ...
def fill_(self: Tensor, value: _Number | Tensor) -> Tensor: ...
def fix(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def fix_(input: Tensor) -> Tensor: ...
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor: ...
def flip(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: ...
def flipud(input: Tensor) -> Tensor: ...
def float_power(
    input: Tensor | _complex,
    exponent: Tensor | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def floor_(input: Tensor) -> Tensor: ...
def floor_divide(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def fmax(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def fmin(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def fmod(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def frac(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def frac_(input: Tensor) -> Tensor: ...
def frexp(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> frexp_result: ...
def frobenius_norm(input: Tensor, dim: _Ints, keepdim: _bool = False) -> Tensor: ...
def from_dlpack(
    ext_tensor: Any, *, device: _device | _str | _int | None = None, copy: _bool | None = None
) -> Tensor: ...
def from_file(
    filename: _str,
    shared: _bool | None = None,
    size: _int = 0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = ...,
    device: _device | _str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def from_numpy(ndarray: Any) -> Tensor: ...
def frombuffer(
    buffer: Any,
    *,
    dtype: _dtype | None,
    count: _int = -1,
    offset: _int = 0,
    requires_grad: _bool = False,
) -> Tensor: ...
def full(
    size: _Ints,
    fill_value: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def full_like(
    input: Tensor,
    fill_value: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def gather(
    input: Tensor,
    dim: _Ints,
    index: Tensor,
    *,
    sparse_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def gcd(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def gcd_(input: Tensor, other: Tensor) -> Tensor: ...
def ge(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def geqrf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> geqrf_result: ...
def ger(
    input: Tensor, vec2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def get_rng_state() -> Tensor: ...
def gradient(
    input: Tensor, *, spacing: Any = 1, dim: _Ints | None = None, edge_order: _int = 1
) -> tuple[Tensor, ...]: ...
def greater(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def greater_equal(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def gt(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def hardshrink(input: Tensor, lambd: _Number | Tensor = 0.5) -> Tensor: ...
def heaviside(
    input: Tensor, values: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def histc(
    input: Tensor,
    bins: _int = 100,
    min: _Number | Tensor = 0,
    max: _Number | Tensor = 0,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def histogram(
    input: Tensor,
    bins: _int | Tensor = 100,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> histogram_result: ...
def histogramdd(
    input: Tensor,
    bins: _int | Sequence[Any],
    range: Any = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> histogramdd_result: ...
def hsmm(
    input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def hsplit(input: Tensor, indices_or_sections: _Ints | Tensor) -> tuple[Tensor, ...]: ...
def hstack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def hypot(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def i0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def i0_(input: Tensor) -> Tensor: ...
def igamma(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def igammac(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def imag(input: Tensor) -> Tensor: ...
def index_add(
    input: Tensor,
    dim: _Ints,
    index: Tensor,
    source: Tensor,
    *,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def index_copy(
    input: Tensor,
    dim: _Ints,
    index: Tensor,
    source: Tensor,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def index_fill(input: Tensor, dim: _int, index: Tensor, value: _Number | Tensor) -> Tensor: ...
def index_put(
    input: Tensor, indices: Tensor, values: Tensor | _Number, accumulate: _bool = False
) -> Tensor: ...
def index_put_(
    self: Tensor, indices: Tensor, values: Tensor | _Number, accumulate: _bool = False
) -> Tensor: ...
def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: _str,
    *,
    include_self: _bool = True,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def index_select(
    input: Tensor, dim: _Ints, index: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def initial_seed() -> _int: ...
def inner(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def inverse(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def is_complex(input: Tensor) -> _bool: ...
def is_conj(input: Tensor) -> _bool: ...
def is_distributed(input: Tensor) -> _bool: ...
def is_floating_point(input: Tensor) -> _bool: ...
def is_inference(self: Tensor) -> _bool: ...
def is_neg(input: Tensor) -> _bool: ...
def is_nonzero(input: Tensor) -> _bool: ...
def is_same_size(input: Tensor, other: Tensor | _Number) -> _bool: ...
def is_signed(self: Tensor) -> _bool: ...
def is_storage(obj: Any) -> _bool: ...
def is_tensor(obj: Any) -> _bool: ...
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: _Number | Tensor = 1e-05,
    atol: _Number | Tensor = 1e-08,
    equal_nan: _bool = False,
) -> Tensor: ...
def isfinite(input: Tensor) -> Tensor: ...
def isin(
    elements: Tensor | _Number | None = None,
    test_elements: Tensor | _Number | None = None,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    element: Tensor | _Number | None = None,
    test_element: Tensor | _Number | None = None,
) -> Tensor: ...
def isinf(input: Tensor) -> Tensor: ...
def isnan(input: Tensor) -> Tensor: ...
def isneginf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def isposinf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def isreal(input: Tensor) -> Tensor: ...
def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor: ...
def kron(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def kthvalue(
    input: Tensor,
    k: _int,
    dim: _Ints = -1,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> kthvalue_result: ...
def lcm(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def lcm_(input: Tensor, other: Tensor) -> Tensor: ...
def ldexp(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def ldexp_(input: Tensor, other: Tensor) -> Tensor: ...
def le(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def lerp(
    input: Tensor,
    end: Tensor,
    weight: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def less(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def less_equal(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def lgamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def linspace(
    start: Tensor | _Number,
    end: Tensor | _Number,
    steps: _int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def load_file(path: Any) -> Tensor: ...
def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Any = None,
    n: Tensor | _Number | None = None,
    iK: Any = None,
    niter: _int | None = None,
    tol: Tensor | _Number | None = None,
    largest: _bool | None = None,
    method: _str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> tuple[Tensor, ...]: ...
def log(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def log10(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def log10_(input: Tensor) -> Tensor: ...
def log1p(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def log1p_(input: Tensor) -> Tensor: ...
def log2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def log2_(input: Tensor) -> Tensor: ...
def log_(input: Tensor) -> Tensor: ...
def log_softmax(
    input: Tensor,
    dim: _Ints,
    dtype: _dtype | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def logaddexp(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def logaddexp2(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def logcumsumexp(
    input: Tensor, dim: _Ints, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def logdet(input: Tensor) -> Tensor: ...
def logical_and(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def logical_not(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def logical_or(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def logical_xor(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def logit(
    input: Tensor,
    eps: _Number | Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def logit_(input: Tensor, eps: _Number | Tensor | None = None) -> Tensor: ...
def logspace(
    start: Tensor | _Number,
    end: Tensor | _Number,
    steps: _int,
    base: _float = 10.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def logsumexp(
    input: Tensor,
    dim: _Ints,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def lt(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def lu(
    A: Tensor,
    pivot: _bool = True,
    get_infos: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> lu_result: ...
def lu_solve(
    b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> lu_unpack_result: ...
def manual_seed(seed: _int) -> Generator: ...
def masked_fill(
    input: Tensor | _Number, mask: Tensor | _Number, value: Tensor | _Number
) -> Tensor: ...
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor: ...
def masked_select(
    input: Tensor, mask: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def matmul(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def matrix_exp(A: Tensor) -> Tensor: ...
def matrix_power(
    A: Tensor, n: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False) -> max_result: ...
@overload
def max(input: Tensor, other: Tensor) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    *,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, ...]: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor,
    *,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool3d(
    input: Tensor,
    *,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints | _str = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]: ...
def maximum(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def mean(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False) -> median_result: ...
def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: _str | None = None
) -> tuple[Tensor, ...]: ...
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False) -> min_result: ...
@overload
def min(input: Tensor, other: Tensor) -> Tensor: ...
def minimum(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def mm(
    input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def mode(
    input: Tensor,
    dim: _Ints = -1,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> mode_result: ...
def moveaxis(input: Tensor, source: _Ints, destination: _Ints) -> Tensor: ...
def movedim(input: Tensor, source: _Ints, destination: _Ints) -> Tensor: ...
def msort(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def mul(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def multiply(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def mv(input: Tensor, vec: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def mvlgamma(
    input: Tensor, p: _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def nan_to_num(
    input: Tensor,
    nan: _Number | Tensor | None = None,
    posinf: _Number | Tensor | None = None,
    neginf: _Number | Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def nan_to_num_(
    input: Tensor,
    nan: _Number | Tensor | None = None,
    posinf: _Number | Tensor | None = None,
    neginf: _Number | Tensor | None = None,
) -> Tensor: ...
def nanmean(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False) -> nanmedian_result: ...
def nanquantile(
    input: Tensor,
    q: _float | Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def nansum(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor: ...
def narrow_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor: ...
def ne(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def neg(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def neg_(input: Tensor) -> Tensor: ...
def negative(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def negative_(input: Tensor) -> Tensor: ...
def nextafter(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
@overload
def nonzero(
    input: Tensor,
    *,
    as_tuple: Literal[False] = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
@overload
def nonzero(
    input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None, as_tuple: Literal[True]
) -> tuple[Tensor, ...]: ...
@overload
def nonzero(
    input: Tensor, *, as_tuple: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor | tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: _Ints, fill_value: _Number = -1) -> Tensor: ...
def norm(
    input: Tensor,
    p: _Number | _str = "fro",
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor: ...
def normal(
    mean: Tensor | _Number = 0.0,
    std: Tensor | _Number = 1.0,
    size: _Ints | None = None,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def not_equal(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def nuclear_norm(input: Tensor, dim: _Ints = ..., keepdim: _bool = False) -> Tensor: ...
def numel(input: Tensor) -> _int: ...
def ones(
    *sizes: _Ints,
    size: _Ints | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def orgqr(A: Tensor, tau: Tensor) -> Tensor: ...
def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor | _Number,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def outer(
    input: Tensor, vec2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: _Number = 2.0, eps: _float = 1e-06, keepdim: _bool = False
) -> Tensor: ...
def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2
) -> tuple[Tensor, ...]: ...
def pdist(input: Tensor, p: _Number = 2.0) -> Tensor: ...
def permute(input: Tensor, dims: _Ints) -> Tensor: ...
def permute_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor: ...
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor: ...
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor: ...
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor: ...
def polar(
    abs: Tensor, angle: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def polygamma(
    n: Tensor | _Number, input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def positive(input: Tensor) -> Tensor: ...
def pow(
    input: Tensor | _Number,
    exponent: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
def prod(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...
def qr(
    input: Tensor, some: _bool = True, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> qr_result: ...
def quantile(
    input: Tensor,
    q: _float | Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def rad2deg(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def rad2deg_(input: Tensor) -> Tensor: ...
def rand(
    *sizes: _Ints,
    size: _Ints | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def randint(
    *args: _Ints,
    low: _int | None = None,
    high: _int | None = None,
    size: _Ints | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def randint_like(
    input: Tensor,
    *args: _Ints,
    low: _int | None = None,
    high: _int | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def randn(
    *sizes: _Ints,
    size: _Ints | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def randperm(
    n: Tensor | _Number,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def range(
    start: Tensor | _Number = 0,
    end: Tensor | _Number | None = None,
    step: _Number | Tensor = 1,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def ravel(input: Tensor) -> Tensor: ...
def real(input: Tensor) -> Tensor: ...
def reciprocal(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def reciprocal_(input: Tensor) -> Tensor: ...
def relu(input: Tensor) -> Tensor: ...
def relu_(input: Tensor) -> Tensor: ...
def remainder(
    input: Tensor | _float,
    other: Tensor | _float,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def renorm(
    input: Tensor,
    p: _Number,
    dim: _int,
    maxnorm: _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def repeat_interleave(
    input: Tensor,
    repeats: _int | Tensor | None = None,
    dim: _int | None = None,
    *,
    output_size: _int | None = None,
) -> Tensor: ...
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor: ...
def resize_as_(
    self: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None
) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor: ...
def resolve_neg(input: Tensor) -> Tensor: ...
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    eps: _float | None = None,
) -> Tensor: ...
def roll(input: Tensor, shifts: _Ints, dims: _Ints | None = None) -> Tensor: ...
def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor: ...
def round(
    input: Tensor, *, decimals: _int = 0, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor: ...
def row_stack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor: ...
def rsub(input: Tensor, other: Tensor | _Number, *, alpha: _Number | Tensor = 1) -> Tensor: ...
def save_file(tensors: Tensor | Sequence[Tensor], path: Any, metadata: Any = None) -> None: ...
def scalar_tensor(
    s: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor | _Number | None = None,
    *,
    value: _Number | Tensor | None = None,
    reduce: _bool | None = None,
) -> Tensor: ...
def scatter_add(input: Tensor, dim: _Ints, index: Tensor, src: Tensor) -> Tensor: ...
def scatter_reduce(
    input: Tensor,
    dim: _Ints,
    index: Tensor,
    src: Tensor,
    reduce: _str,
    *,
    include_self: _bool = True,
) -> Tensor: ...
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | _float,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: _str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def seed() -> _int: ...
def segment_reduce(
    data: Tensor,
    reduce: _str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: _int = 0,
    unsafe: _bool = False,
    initial: _float | None = None,
) -> Tensor: ...
def select(input: Tensor, dim: _Ints, index: _int) -> Tensor: ...
def select_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def select_scatter(input: Tensor, src: Tensor | _Number, dim: _int, index: _int) -> Tensor: ...
def selu(input: Tensor) -> Tensor: ...
def selu_(input: Tensor) -> Tensor: ...
def set_printoptions(
    precision: _int | None = None,
    threshold: _float | None = None,
    edgeitems: _int | None = None,
    linewidth: _int | None = None,
    profile: _str | None = None,
    sci_mode: _bool | None = None,
) -> None: ...
def set_rng_state(new_state: Any) -> None: ...
def sgn(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sigmoid(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sigmoid_(input: Tensor) -> Tensor: ...
def sign(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def signbit(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sin_(input: Tensor) -> Tensor: ...
def sinc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sinc_(input: Tensor) -> Tensor: ...
def sinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sinh_(input: Tensor) -> Tensor: ...
def slice_copy(
    input: Tensor,
    dim: _int = 0,
    start: Tensor | _Number | None = None,
    end: _int | None = None,
    step: _int = 1,
) -> Tensor: ...
def slice_scatter(
    input: Tensor,
    src: Tensor | _Number,
    dim: _int = 0,
    start: Tensor | _Number | None = None,
    end: _int | None = None,
    step: _int = 1,
) -> Tensor: ...
def slogdet(A: Tensor) -> linalg_slogdet_result: ...
def softmax(
    input: Tensor,
    dim: _Ints,
    dtype: _dtype | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def sort(
    input: Tensor,
    dim: _Ints = -1,
    descending: _bool = False,
    stable: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> sort_result: ...
def split(tensor: Tensor, split_size_or_sections: _Ints, dim: _int = 0) -> tuple[Tensor, ...]: ...
def split_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> tuple[Tensor, ...]: ...
def split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0
) -> tuple[Tensor, ...]: ...
def split_with_sizes_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> tuple[Tensor, ...]: ...
def sqrt(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def sqrt_(input: Tensor) -> Tensor: ...
def square(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def square_(input: Tensor) -> Tensor: ...
def squeeze(input: Tensor, dim: _Ints | None = None) -> Tensor: ...
def squeeze_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def stack(
    tensors: Sequence[Tensor], dim: _Ints = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def std(
    input: Tensor,
    dim: _Ints | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def std_mean(
    input: Tensor,
    dim: _Ints | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, ...]: ...
def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: _str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
def sub(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def subtract(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    alpha: _Number | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def sum(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def svd(
    input: Tensor,
    some: _bool = True,
    compute_uv: _bool = True,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> svd_result: ...
def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Any = None
) -> tuple[Tensor, ...]: ...
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor: ...
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def t(input: Tensor) -> Tensor: ...
def t_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def take(
    input: Tensor, index: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def take_along_dim(
    input: Tensor,
    indices: Tensor,
    dim: _int | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def tan_(input: Tensor) -> Tensor: ...
def tanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor: ...
def tensor(
    data: Any,
    *,
    dtype: _dtype | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def tensor_split(
    input: Tensor, indices_or_sections: _Ints | Tensor, dim: _int = 0
) -> tuple[Tensor, ...]: ...
def tensordot(
    a: Tensor, b: Tensor, dims: _Ints = 2, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def threshold(input: Tensor, threshold: _Number | Tensor, value: _Number | Tensor) -> Tensor: ...
def threshold_(input: Tensor, threshold: _Number | Tensor, value: _Number | Tensor) -> Tensor: ...
def tile(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def topk(
    input: Tensor,
    k: _int,
    dim: _Ints = -1,
    largest: _bool = True,
    sorted: Any = True,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> topk_result: ...
def trace(input: Tensor) -> Tensor: ...
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def transpose_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Tensor | _Number | None = None, dim: _int = -1
) -> Tensor: ...
def trapz(
    y: Tensor, x: Tensor | None = None, *, dx: Tensor | _Number | None = None, dim: _int = -1
) -> Tensor: ...
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> triangular_solve_result: ...
def tril(
    input: Tensor, diagonal: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: _device | _str | _int | None = None,
    layout: _layout | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def triu(
    input: Tensor, diagonal: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: _device | _str | _int | None = None,
    layout: _layout | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def true_divide(
    input: Tensor | _complex,
    other: Tensor | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def trunc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor: ...
def trunc_(input: Tensor) -> Tensor: ...
def unbind(input: Tensor, dim: _Ints = 0) -> tuple[Tensor, ...]: ...
def unbind_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> tuple[Tensor, ...]: ...
def unflatten(input: Tensor, dim: _int, sizes: _Ints) -> Tensor: ...
def unfold_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_counts: _bool = False,
    dim: _int | None = None,
    return_inverse: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_inverse: _bool = False,
    dim: _int | None = None,
    return_counts: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor | tuple[Tensor, ...]: ...
def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor: ...
def unravel_index(indices: Tensor, shape: _Ints) -> tuple[Tensor, ...]: ...
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsqueeze(input: Tensor, dim: _Ints) -> Tensor: ...
def unsqueeze_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor: ...
def var(
    input: Tensor,
    dim: _Ints | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def var_mean(
    input: Tensor,
    dim: _Ints | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, ...]: ...
def vdot(
    input: Tensor, other: Tensor | _Number, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
def view_as_complex(input: Tensor) -> Tensor: ...
def view_as_complex_copy(input: Tensor) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor: ...
def view_as_real_copy(input: Tensor) -> Tensor: ...
def view_copy(input: Tensor, *args: _Ints, **kwargs: Any) -> Tensor: ...
def vsplit(input: Tensor, indices_or_sections: _Ints | Tensor) -> tuple[Tensor, ...]: ...
def vstack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: Tensor | _Number, other: Tensor | _Number) -> Tensor: ...
def xlogy(
    input: Tensor | _Number,
    other: Tensor | _Number,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def xlogy_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor: ...
def zero_(self: Tensor) -> Tensor: ...
def zeros(
    *sizes: _Ints,
    size: _Ints | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor: ...
