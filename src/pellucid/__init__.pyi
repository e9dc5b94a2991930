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
from typing import Any, Literal, overload

from pellucid import _definitions as _definitions
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
from pellucid import parsing as parsing
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
from pellucid.compat import _functorch as _functorch
from pellucid.compat import _jit_internal as _jit_internal
from pellucid.compat import _utils as _utils
from pellucid.compat import accelerator as accelerator
from pellucid.compat import backends as backends
from pellucid.compat import compiler as compiler
from pellucid.compat import cpu as cpu
from pellucid.compat import cuda as cuda
from pellucid.compat import export as export
from pellucid.compat import flop_counter as flop_counter
from pellucid.compat import foreach as foreach
from pellucid.compat import functorch as functorch
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
from pellucid.func.control_flow import cond as cond
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
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
    use_gelu: _bool = False,
) -> Tensor:
    """Return ``relu`` or ``gelu`` of ``beta * input + alpha * (mat1 @ mat2)``.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        mat1: Matrix ``[n, k]``.
        mat2: Matrix ``[k, m]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.
        use_gelu: Whether the function is ``gelu``.

    >>> torch._addmm_activation(torch.zeros(1), torch.eye(2), torch.tensor([[1.0, -2], [-3, 4]]))
    tensor([[1., 0.],
            [0., 4.]])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def _dirichlet_grad(x: Tensor, alpha: _int | _float | _complex | Tensor, total: Any) -> Tensor:
    """Return by how much shares ``x`` grow, relative to the rest, with their ``alpha``.

    ``total`` is the sum of all concentrations. The marginal distribution of a share is a beta
    distribution with parameters ``alpha`` and ``total - alpha``.

    Defined in ``pellucid/ops/random/gamma_sampling.py``.
    """

def _native_multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: _int | _float | _complex | Tensor,
    embed_dim: _int,
    num_head: _int,
    qkv_weight: Any,
    qkv_bias: Any,
    proj_weight: Any,
    proj_bias: Any,
    mask: Tensor | None = None,
    need_weights: _bool = True,
    average_attn_weights: _bool = True,
    mask_type: _int | None = None,
) -> Tensor:
    """Attend with several heads, with the batch first; return the output and the weights.

    Args:
        query, key, value: Tensors ``[N, L, E]``.
        embed_dim: The width E.
        num_head: How many heads there are.
        qkv_weight, qkv_bias: The three projections in, one after the other.
        proj_weight, proj_bias: The projection out.
        mask: What is left out: ``[L, L]`` for ``mask_type`` 0, ``[N, L]`` for 1,
            ``[N, num_head, L, L]`` for 2.
        need_weights: Whether the weights are returned.
        average_attn_weights: Whether they are the mean over the heads.
        mask_type: What the mask is of.

    Raises:
        RuntimeError: For a mask of no such type.

    >>> x, w, b = torch.zeros(1, 3, 2), torch.ones(6, 2), torch.zeros(6)
    >>> torch._native_multi_head_attention(x, x, x, 2, 1, w, b, torch.eye(2), torch.ones(2))[0]
    tensor([[[1., 1.],
             [1., 1.],
             [1., 1.]]])

    Defined in ``pellucid/ops/nn/multihead.py``.
    """

def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw from Dirichlet distributions whose concentrations lie along the last dimension.

    The samples can be differentiated; see Note [Implicit reparameterization].

    Defined in ``pellucid/ops/random/gamma_sampling.py``.
    """

def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw from gamma distributions with the concentrations in ``input`` and rate 1.

    The samples can be differentiated; see Note [Implicit reparameterization].

    Defined in ``pellucid/ops/random/gamma_sampling.py``.
    """

def _standard_gamma_grad(input: Tensor, output: Any) -> Tensor:
    """Return the derivative of gamma samples ``output`` by their concentrations ``input``.

    Defined in ``pellucid/ops/random/gamma_sampling.py``.
    """

def abs(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the absolute value; that of complex numbers is real.

    Dtypes:
        Booleans are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.abs(torch.tensor([1.0, -2.0]))
    tensor([1., 2.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def abs_(input: Tensor) -> Tensor:
    """In-place version of :func:`abs`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def absolute(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the absolute value; that of complex numbers is real.

    Dtypes:
        Booleans are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.abs(torch.tensor([1.0, -2.0]))
    tensor([1., 2.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def acos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle in [0, pi] that has this cosine; NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.acos(torch.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def acos_(input: Tensor) -> Tensor:
    """In-place version of :func:`acos`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def acosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the positive inverse of the hyperbolic cosine; NaN below 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.acosh(torch.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def acosh_(input: Tensor) -> Tensor:
    """In-place version of :func:`acosh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Average nearly equal windows, as many as ``output_size`` says.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.

    >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def adaptive_max_pool1d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False
) -> tuple[Tensor, ...]:
    """Pool as `adaptive_max_pool1d`, and return the index of each maximum.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        output_size: Size of the result, as a number or one per spatial dimension.
        return_indices: Whether to return the index of each maximum too.

    >>> F = torch.nn.functional
    >>> out, places = F.adaptive_max_pool1d_with_indices(torch.ones(1, 2), 1)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def add(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Add ``alpha`` times the other tensor, with broadcasting.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other``.

    >>> torch.add(torch.ones(2), torch.ones(2), alpha=3)
    tensor([4., 4.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``beta * input`` plus ``alpha`` times the sum of the products of a batch.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        batch1: First batch of matrices ``[B, N, M]``.
        batch2: Second batch of matrices ``[B, M, P]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    >>> torch.addbmm(torch.zeros(1), torch.ones(5, 1, 3), torch.ones(5, 3, 1))
    tensor([[15.]])

    Defined in ``pellucid/ops/linalg/addmm.py``.
    """

def addcdiv(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Add ``value * tensor1 / tensor2``; raise RuntimeError for integers.

    Dtypes:
        ``input``, ``tensor1`` and ``tensor2`` are computed in their common dtype.
        Booleans and integers are refused.

    Args:
        input: Tensor of any shape.
        tensor1: First factor, or the dividend; it broadcasts with ``input``.
        tensor2: Second factor, or the divisor; it broadcasts with ``input``.
        value: Number that multiplies the quotient.

    >>> torch.addcdiv(torch.ones(2), torch.ones(2), torch.tensor([2.0, 4.0]), value=10)
    tensor([6.0000, 3.5000])

    Defined in ``pellucid/ops/elementwise/combined.py``.
    """

def addcmul(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Add ``value * tensor1 * tensor2``.

    Dtypes:
        ``input``, ``tensor1`` and ``tensor2`` are computed in their common dtype.
        Booleans are refused.

    Args:
        input: Tensor of any shape.
        tensor1: First factor, or the dividend; it broadcasts with ``input``.
        tensor2: Second factor, or the divisor; it broadcasts with ``input``.
        value: Number that multiplies the product.

    >>> torch.addcmul(torch.ones(2), torch.ones(2), torch.tensor([2.0, 3.0]), value=10)
    tensor([21., 31.])

    Defined in ``pellucid/ops/elementwise/combined.py``.
    """

def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * (mat1 @ mat2)`` for two matrices.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        mat1: Matrix ``[n, k]``.
        mat2: Matrix ``[k, m]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    Raises:
        RuntimeError: If the matrices have different dtypes or sizes that do not fit.

    >>> torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(3, 2), alpha=2)
    tensor([[7., 7.],
            [7., 7.]])

    Defined in ``pellucid/ops/linalg/addmm.py``.
    """

def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.

    Args:
        input: Vector that broadcasts to ``[n]``.
        mat: Matrix ``[N, M]``.
        vec: Vector ``[M]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    >>> torch.addmv(torch.ones(2), torch.ones(2, 3), torch.ones(3))
    tensor([4., 4.])

    Defined in ``pellucid/ops/linalg/addmm.py``.
    """

def addmv_(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
) -> Tensor:
    """In-place version of :func:`addmv`.

    Args:
        input: Vector that broadcasts to ``[n]``.
        mat: Matrix ``[N, M]``.
        vec: Vector ``[M]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    Defined in ``pellucid/ops/linalg/addmm.py``.
    """

def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * outer(vec1, vec2)``.

    Args:
        input: Matrix that broadcasts to ``[n, m]``.
        vec1: Vector ``[N]``.
        vec2: Vector ``[M]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    Raises:
        RuntimeError: If the input is of integers and ``beta`` or ``alpha`` is not.

    >>> torch.addr(torch.zeros(2, 2), torch.ones(2), torch.ones(2))
    tensor([[1., 1.],
            [1., 1.]])

    Defined in ``pellucid/ops/linalg/addmm.py``.
    """

def adjoint(input: Tensor) -> Tensor:
    """Exchange the last two dimensions and conjugate.

    Args:
        input: Matrices ``[*, n, m]``.

    >>> torch.adjoint(torch.ones(2, 3)).shape
    torch.Size([3, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def alias_copy(input: Tensor) -> Tensor:
    """Return a copy.

    Args:
        input: Tensor of any shape.

    >>> torch.alias_copy(torch.ones(1))
    tensor([1.])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def all(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool: whether all elements are true (not zero), along dimensions or altogether.

    Args:
        input: Tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.tensor([[True, False], [True, True]]).all(dim=1)
    tensor([False,  True])

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def allclose(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool:
    """Return whether all elements differ by no more than ``atol + rtol * abs(other)``.

    Raises RuntimeError for different dtypes.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether two NaNs count as equal.

    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]))
    True

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def alpha_dropout_(input: Tensor, p: _int | _float | _complex, train: _bool) -> Tensor:
    """Apply `alpha_dropout` in place.

    Args:
        input: Tensor to change, of any shape.
        p: Probability of an element to be dropped.
        train: Whether elements are dropped at all.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def amax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the largest elements over dimensions; a gradient is shared equally among ties.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.amax(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), dim=1)
    tensor([3., 2.])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def amin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the smallest elements over dimensions; a gradient is shared equally among ties.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.amin(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), dim=1)
    tensor([1., 0.])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def aminmax(
    input: Tensor,
    *,
    dim: _int | None = None,
    keepdim: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> aminmax_result:
    """Return the smallest and the largest elements together.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    Raises:
        RuntimeError: If there is nothing to reduce.

    >>> torch.aminmax(torch.tensor([1.0, 3.0])).max
    tensor(3.)

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def angle(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle of complex numbers in radians; for real ones 0, or pi where negative.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.angle(torch.tensor([1j, -1 + 0j]))
    tensor([1.5708, 3.1416])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def any(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool: whether any element is true (not zero), along dimensions or altogether.

    Args:
        input: Tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.tensor([[True, False], [False, False]]).any(dim=1)
    tensor([ True, False])

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def arange(
    start: Tensor | _int | _float | _complex | None = None,
    end: Tensor | _int | _float | _complex | None = None,
    step: _int | _float | _complex | Tensor = 1,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Count from ``start`` to just below ``end``; the dtype is int64 if all three are integers.

    Raises RuntimeError for a step of zero or of the wrong sign.

    Args:
        start: First value.
        end: Bound of the values.
        step: Distance from one element to the next.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.arange(1, 2, 0.25)
    tensor([1.0000, 1.2500, 1.5000, 1.7500])

    Defined in ``pellucid/tensors/ranges.py``.
    """

def arccos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle in [0, pi] that has this cosine; NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.acos(torch.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arccos_(input: Tensor) -> Tensor:
    """In-place version of :func:`acos`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arccosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the positive inverse of the hyperbolic cosine; NaN below 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.acosh(torch.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arccosh_(input: Tensor) -> Tensor:
    """In-place version of :func:`acosh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arcsin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle in [-pi/2, pi/2] that has this sine; NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.asin(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arcsin_(input: Tensor) -> Tensor:
    """In-place version of :func:`asin`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arcsinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverse of the hyperbolic sine.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.asinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arcsinh_(input: Tensor) -> Tensor:
    """In-place version of :func:`asinh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arctan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle between -pi/2 and pi/2 that has this tangent.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.atan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arctan2(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the angle of the point with ordinate ``input`` and abscissa ``other``.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.

    Args:
        other: Tensor that broadcasts with ``input``.
        input: Ordinates: real tensor of any shape, or a number.

    >>> torch.atan2(torch.tensor([1.0]), torch.tensor([-1.0]))
    tensor([2.3562])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def arctan_(input: Tensor) -> Tensor:
    """In-place version of :func:`atan`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arctanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverse of the hyperbolic tangent; NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.atanh(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def arctanh_(input: Tensor) -> Tensor:
    """In-place version of :func:`atanh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def argmax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the index (int64) of the first largest element, along a dimension or of all elements.

    Args:
        input: Real tensor of any shape, not of booleans.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.argmax(torch.tensor([[1, 3], [2, 0]]), dim=1)
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def argmin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the index (int64) of the first smallest element; see `argmax`.

    Args:
        input: Real tensor of any shape, not of booleans.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.argmin(torch.tensor([[1, 3], [2, 0]]), dim=1)
    tensor([0, 1])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def argsort(
    input: Tensor, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False
) -> Tensor:
    """Return the indices (int64) that sort a tensor along a dimension.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to sort along.
        descending: Whether the largest element comes first.
        stable: Whether equal elements keep their order.

    >>> torch.argsort(torch.tensor([3, 1, 2]))
    tensor([1, 2, 0])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def argwhere(input: Tensor) -> Tensor:
    """Return the indices (int64) of the elements that are not zero, one row for each.

    Args:
        input: Tensor of any shape with ``d`` dimensions; the result is ``[count, d]``.

    >>> torch.argwhere(torch.tensor([0, 5, 6]))
    tensor([[1],
            [2]])

    Defined in ``pellucid/ops/index/masked.py``.
    """

def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor:
    """Return a view of a tensor's memory with any sizes and strides, counted in elements.

    The offset counts from the start of the memory, by default the tensor's own. Raises RuntimeError
    for negative strides and where the view would leave the memory.

    Args:
        input: Tensor of any shape.
        size: Sizes of the result.
        stride: Distance in memory between elements, one per dimension.
        storage_offset: Index in the storage of the first element.

    >>> torch.arange(4).as_strided((2, 2), (1, 1))
    tensor([[0, 1],
            [1, 2]])

    Defined in ``pellucid/ops/shape/strided.py``.
    """

def as_strided_(
    self: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor:
    """Give the tensor other sizes and strides over its memory, in place.

    Args:
        self: Tensor to change.
        size: New shape.
        stride: Steps in memory along each dimension, in elements.
        storage_offset: Where the first element lies in the memory; as before if None.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def as_strided_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.as_strided``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.as_strided``.
        kwargs: Its keyword arguments.

    >>> torch.as_strided_copy(torch.arange(4), (2, 2), (1, 1))
    tensor([[0, 1],
            [1, 2]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def as_strided_scatter(
    input: Tensor,
    src: Tensor | _int | _float | _complex,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int],
    storage_offset: _int | None = None,
) -> Tensor:
    """Return a copy with other values in a strided part of the memory.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        size: Sizes of ``src``.
        stride: Steps in memory along the dimensions of ``src``.
        storage_offset: Index in the storage of the first element.

    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/index/slice_scatter.py``.
    """

def as_tensor(
    data: Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None
) -> Tensor:
    """Return the data as a tensor, sharing memory with a tensor or array of that dtype.

    Args:
        data: Number, nested sequence, array or tensor.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.

    >>> x = torch.ones(2)
    >>> torch.as_tensor(x) is x
    True

    Defined in ``pellucid/tensors/creation.py``.
    """

def asarray(
    obj: Any,
    *,
    dtype: _dtype | None = None,
    device: _device | _str | _int | None = None,
    copy: _bool | None = None,
    requires_grad: _bool | None = None,
) -> Tensor:
    """Return the object as a tensor; share its memory unless ``copy=True``.

    What has the buffer protocol alone (``bytearray``, ``memoryview``, ``array.array``) is read as
    the bytes of elements of ``dtype``, by default of the default dtype. Raises ValueError for
    ``copy=False`` where sharing is impossible.

    Args:
        obj: Any object.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.
        copy: Whether to copy: ``True``, ``False`` (never) or ``None`` (only if needed).
        requires_grad: Whether operations on the result are recorded; None, with a warning, as
            those on ``obj``.

    >>> torch.asarray([1, 2], dtype=torch.float32)
    tensor([1., 2.])

    Defined in ``pellucid/tensors/creation.py``.
    """

def asin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle in [-pi/2, pi/2] that has this sine; NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.asin(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def asin_(input: Tensor) -> Tensor:
    """In-place version of :func:`asin`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def asinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverse of the hyperbolic sine.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.asinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def asinh_(input: Tensor) -> Tensor:
    """In-place version of :func:`asinh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def atan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the angle between -pi/2 and pi/2 that has this tangent.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.atan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def atan2(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the angle of the point with ordinate ``input`` and abscissa ``other``.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.

    Args:
        other: Tensor that broadcasts with ``input``.
        input: Ordinates: real tensor of any shape, or a number.

    >>> torch.atan2(torch.tensor([1.0]), torch.tensor([-1.0]))
    tensor([2.3562])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def atan_(input: Tensor) -> Tensor:
    """In-place version of :func:`atan`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def atanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverse of the hyperbolic tangent; NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.atanh(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def atanh_(input: Tensor) -> Tensor:
    """In-place version of :func:`atanh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Give tensors without dimensions one.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_1d(torch.tensor(1.0))
    tensor([1.])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Give tensors with fewer than two dimensions leading ones.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_2d(torch.ones(2))
    tensor([[1., 1.]])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Give tensors with fewer than three dimensions a trailing one, and leading ones.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_3d(torch.ones(2)).shape
    torch.Size([1, 2, 1])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor:
    """Average each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        ceil_mode: Whether the last, incomplete window counts too.
        count_include_pad: Whether padded zeros count in the average.

    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _int | _float | _complex | Tensor = 1,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * bmm(batch1, batch2)``.

    Args:
        input: Tensor that broadcasts to ``[B, n, m]``.
        batch1: First batch of matrices ``[B, N, M]``.
        batch2: Second batch of matrices ``[B, M, P]``.
        beta: Number that multiplies ``input``.
        alpha: Number that multiplies the product.

    >>> torch.baddbmm(torch.ones(2), torch.ones(5, 2, 3), torch.ones(5, 3, 2)).shape
    torch.Size([5, 2, 2])

    Defined in ``pellucid/ops/linalg/addmm.py``.
    """

def bernoulli(
    input: Tensor,
    p: _int | _float | _complex | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Draw ones with the probabilities in ``input`` (or ``p`` for all), zeros otherwise.

    Args:
        input: Probabilities: floating-point tensor of any shape.
        p: Probability of a one, in place of the values of ``input``.
        generator: Generator to draw from; by default the global one.
        out: Tensor of any dtype that the draws are written into.

    >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
    tensor([0., 1.])

    Defined in ``pellucid/ops/random/sampling.py``.
    """

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``x1 @ weight[o] @ x2`` for each output ``o``, plus the bias.

    Shapes: ``[*, n]``, ``[*, m]``, weight ``[out, n, m]``, bias ``[out]``.

    Args:
        input1: Tensor ``[*, in1]``.
        input2: Tensor ``[*, in2]``.
        weight: Tensor ``[out, in1, in2]``.
        bias: Vector ``[out]``, or ``None``.

    Raises:
        RuntimeError: If the inputs differ in the number of dimensions or in dtype.

    >>> torch.nn.functional.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    tensor([[6., 6., 6., 6.]])

    Defined in ``pellucid/ops/linalg/contract.py``.
    """

def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """Count how often each non-negative integer occurs, or sum the weights of its occurrences.

    Args:
        input: Vector of integers, not negative.
        weights: Weight of each element, or ``None``.
        minlength: Smallest number of bins.

    Raises:
        RuntimeError: If the input is not a vector of integers that are not negative, or the weights
            differ in length.

    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Tensor:
    """Draw how many of ``count`` trials succeed, each with probability ``prob``.

    Both are of one dtype, and so is the result; their shapes broadcast.

    Args:
        count: Number of trials, a tensor.
        prob: Probability of success.
        generator: Generator to draw from; by default the global one.

    Raises:
        RuntimeError: If ``count`` and ``prob`` have different dtypes.

    >>> torch.binomial(torch.tensor([5.0, 7.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 7.])

    Defined in ``pellucid/ops/random/sampling.py``.
    """

def bitwise_and(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the bits that both integers, or truth values, have.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Floating-point numbers and complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.bitwise_and(torch.tensor([6]), 3)
    tensor([2])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def bitwise_left_shift(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Shift bits to the left: multiply by a power of 2.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, floating-point numbers and complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.bitwise_left_shift(torch.tensor([3]), 2)
    tensor([12])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def bitwise_not(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the bits that an integer, or truth value, has not.

    Dtypes:
        Floating-point numbers and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.bitwise_not(torch.tensor([0, 5]))
    tensor([-1, -6])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def bitwise_or(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the bits that at least one of the integers, or truth values, has.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Floating-point numbers and complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.bitwise_or(torch.tensor([6]), 3)
    tensor([7])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def bitwise_right_shift(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Shift bits to the right: divide by a power of 2, rounding down.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, floating-point numbers and complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.bitwise_right_shift(torch.tensor([12]), 2)
    tensor([3])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def bitwise_xor(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the bits that just one of the integers, or truth values, has.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Floating-point numbers and complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.bitwise_xor(torch.tensor([6]), 3)
    tensor([5])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Make a matrix that has matrices along its diagonal, zeros elsewhere.

    Args:
        *tensors: Tensors to join.

    Raises:
        RuntimeError: If a tensor has more than two dimensions.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply two batches of as many matrices.

    Args:
        input: Batch of matrices ``[B, N, M]``.
        mat2: Batch of matrices ``[B, M, P]``.

    Raises:
        RuntimeError: If the batches or the inner sizes differ.

    >>> torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)).shape
    torch.Size([5, 2, 4])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Stretch tensors to the shape that they have together.

    Args:
        *tensors: Tensors to combine.

    >>> a, b = torch.broadcast_tensors(torch.ones(2, 1), torch.ones(3))
    >>> a.shape, b.shape
    (torch.Size([2, 3]), torch.Size([2, 3]))

    Defined in ``pellucid/ops/shape/broadcasting.py``.
    """

def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor:
    """Stretch a tensor to a shape; the same as `expand`.

    Args:
        input: Tensor of any shape.
        size: Sizes of the result; -1 leaves a size or follows from the others.

    >>> torch.broadcast_to(torch.ones(1), (3,))
    tensor([1., 1., 1.])

    Defined in ``pellucid/ops/shape/broadcasting.py``.
    """

def bucketize(
    input: Tensor | _float,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the index (int64) of the bucket between sorted boundaries that each value is in.

    Args:
        input: Values: real tensor of any shape, or a number.
        boundaries: Vector in increasing order.
        out_int32: Whether indices are int32 rather than int64.
        right: Whether equal elements are passed to their right side.

    Raises:
        RuntimeError: If the boundaries are not a vector.

    >>> torch.bucketize(torch.tensor([2, 9]), torch.tensor([1, 3, 5]))
    tensor([1, 3])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return all choices of one element from each vector, one per row.

    Args:
        *tensors: Tensors to join.

    Raises:
        RuntimeError: If a tensor is not a vector.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3]))
    tensor([[1, 3],
            [2, 3]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def cat(
    tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors end to end along a dimension; their other sizes must agree.

    Different dtypes meet in a common one. Raises RuntimeError where sizes do not agree.

    Args:
        tensors: Tensors of the same shape but for ``dim``; a vector without elements is left out.
        dim: Dimension along which to join.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def cdist(
    x1: Tensor, x2: Tensor, p: _int | _float | _complex = 2.0, compute_mode: _str | None = None
) -> Tensor:
    """Return the distances of all pairs of rows: ``[*B, n, d], [*B, m, d]`` to ``[*B, n, m]``.

    Args:
        x1: Points ``[*, P, D]``.
        x2: Points ``[*, R, D]``.
        p: Order of the norm.
        compute_mode: Whether matrix products may be used; it changes nothing here.

    Raises:
        RuntimeError: If a tensor is not floating point.

    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])

    Defined in ``pellucid/ops/linalg/distances.py``.
    """

def ceil(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Round up; the gradient is 0.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.ceil(torch.tensor([1.5, -1.5]))
    tensor([ 2., -1.])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def ceil_(input: Tensor) -> Tensor:
    """In-place version of :func:`ceil`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def celu(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """Return the input where positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere.

    Raises RuntimeError for ``alpha`` = 0. Barron, "Continuously Differentiable Exponential Linear
    Units" (2017).

    Args:
        input: Floating point tensor of any shape.
        alpha: Scale of the exponential for negative inputs.

    >>> torch.celu(torch.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """Apply `celu` in place.

    Args:
        input: Tensor to change, of any shape.
        alpha: Scale of the exponential below zero.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def chain_matmul(
    *matrices: _int | Sequence[_int], out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Multiply matrices one after the other, from the left.

    Args:
        *matrices: Matrices to multiply, in order.

    Raises:
        RuntimeError: If there is no matrix, or a tensor is none.

    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)).shape
    torch.Size([2, 1])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Distribute the channels of ``[N, C, *S]`` to groups in turn.

    Args:
        input: Tensor ``[*, C, H, W]``.
        groups: Number of groups of channels.

    Raises:
        RuntimeError: If the number of channels is not a multiple of ``groups``.

    >>> torch.nn.functional.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def cholesky(
    input: Tensor, upper: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the Cholesky factors of positive-definite matrices; see `linalg.cholesky`.

    Args:
        input: Hermitian positive-definite matrices ``[*, n, n]``.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> torch.cholesky(torch.eye(2))
    tensor([[1., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def cholesky_inverse(
    L: Tensor, upper: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the inverse of ``A`` from its Cholesky factor.

    Args:
        L: Cholesky factor ``[*, N, N]``.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> torch.cholesky_inverse(torch.eye(1) * 2)
    tensor([[0.2500]])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def cholesky_solve(
    B: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Solve ``A X = B`` with the Cholesky factor ``L`` of ``A``.

    Args:
        B: Right-hand side: vectors or matrices that fit ``A``.
        L: Cholesky factor ``[*, N, N]``.
        upper: Whether the upper triangle is meant rather than the lower.

    >>> torch.cholesky_solve(torch.ones(1, 1), torch.eye(1) * 2)
    tensor([[0.2500]])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along a dimension, into at most ``chunks`` parts of equal size.

    Args:
        input: Tensor of at least one dimension.
        chunks: Number of parts.
        dim: Dimension to cut.

    Raises:
        RuntimeError: If the tensor has no dimensions, or ``chunks`` is not positive.

    >>> torch.arange(5).chunk(2)
    (tensor([0, 1, 2]), tensor([3, 4]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def clamp(
    input: Tensor,
    min: Tensor | _int | _float | _complex | None = None,
    max: Tensor | _int | _float | _complex | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Replace what is below ``min`` by ``min`` and then what is above ``max`` by ``max``.

    Bounds are numbers or tensors. Raises RuntimeError without any bound.

    Dtypes:
        ``input``, ``min`` and ``max`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number, a tensor that broadcasts, or ``None``.
        max: Upper bound: a number, a tensor that broadcasts, or ``None``.

    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clamp_(
    input: Tensor,
    min: Tensor | _int | _float | _complex | None = None,
    max: Tensor | _int | _float | _complex | None = None,
) -> Tensor:
    """In-place version of :func:`clamp`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number, a tensor that broadcasts, or ``None``.
        max: Upper bound: a number, a tensor that broadcasts, or ``None``.

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clamp_max(
    input: Tensor,
    max: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Replace what is above ``max``, a number or a tensor, by ``max``.

    Dtypes:
        ``input`` and ``max`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        max: Upper bound: a number or a tensor that broadcasts.

    >>> torch.clamp_max(torch.tensor([-2.0, 3.0]), 0)
    tensor([-2.,  0.])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clamp_max_(input: Tensor, max: Tensor | _int | _float | _complex) -> Tensor:
    """In-place version of :func:`clamp_max`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        max: Upper bound: a number or a tensor that broadcasts.

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clamp_min(
    input: Tensor,
    min: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Replace what is below ``min``, a number or a tensor, by ``min``.

    Dtypes:
        ``input`` and ``min`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number or a tensor that broadcasts.

    >>> torch.clamp_min(torch.tensor([-2.0, 3.0]), 0)
    tensor([0., 3.])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clamp_min_(input: Tensor, min: Tensor | _int | _float | _complex) -> Tensor:
    """In-place version of :func:`clamp_min`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number or a tensor that broadcasts.

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clip(
    input: Tensor,
    min: Tensor | _int | _float | _complex | None = None,
    max: Tensor | _int | _float | _complex | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Replace what is below ``min`` by ``min`` and then what is above ``max`` by ``max``.

    Bounds are numbers or tensors. Raises RuntimeError without any bound.

    Dtypes:
        ``input``, ``min`` and ``max`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number, a tensor that broadcasts, or ``None``.
        max: Upper bound: a number, a tensor that broadcasts, or ``None``.

    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clip_(
    input: Tensor,
    min: Tensor | _int | _float | _complex | None = None,
    max: Tensor | _int | _float | _complex | None = None,
) -> Tensor:
    """In-place version of :func:`clamp`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        min: Lower bound: a number, a tensor that broadcasts, or ``None``.
        max: Upper bound: a number, a tensor that broadcasts, or ``None``.

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """Return a copy in memory of its own.

    Args:
        input: Tensor of any shape.
        memory_format: Order of the elements in memory.

    >>> torch.ones(2).clone()
    tensor([1., 1.])

    Defined in ``pellucid/ops/shape/copying.py``.
    """

def column_stack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors side by side, vectors as columns.

    Args:
        tensors: Tensors to join.

    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """Return all combinations of ``r`` elements of a vector, one per row.

    Args:
        input: Vector ``[N]``.
        r: Number of elements in a combination.
        with_replacement: Whether an element may occur more than once.

    Raises:
        RuntimeError: If the input is not a vector.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def complex(
    real: Tensor, imag: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Make complex numbers of their real and imaginary parts.

    float32 parts give complex64, float64 parts complex128.

    Raises RuntimeError unless both are floating-point numbers of one dtype.

    Args:
        real: Real parts, floating point.
        imag: Imaginary parts, of the dtype of ``real``.

    >>> torch.complex(torch.tensor([1.0]), torch.tensor([2.0]))
    tensor([1.+2.j])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def concat(
    tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors end to end along a dimension; their other sizes must agree.

    Different dtypes meet in a common one. Raises RuntimeError where sizes do not agree.

    Args:
        tensors: Tensors of the same shape but for ``dim``; a vector without elements is left out.
        dim: Dimension along which to join.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def concatenate(
    tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors end to end along a dimension; their other sizes must agree.

    Different dtypes meet in a common one. Raises RuntimeError where sizes do not agree.

    Args:
        tensors: Tensors of the same shape but for ``dim``; a vector without elements is left out.
        dim: Dimension along which to join.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor is returned itself.

    Args:
        input: Tensor of any shape.

    >>> torch.conj(torch.tensor([1 + 2j]))
    tensor([1.-2.j])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def conj_physical(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the complex conjugate.

    Args:
        input: Tensor of any shape.

    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def conj_physical_(input: Tensor) -> Tensor:
    """In-place version of :func:`conj_physical`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """Correlate signals ``[N, C, L]`` with filters ``[O, C / groups, K]``.

    One signal may come alone; ``padding`` is a number or "same" or "valid". Raises RuntimeError
    where channels, dtypes or sizes do not fit.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        weight: Filters ``[O, C / groups, K]``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        groups: Number of groups of channels that are processed apart.

    >>> torch.nn.functional.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 3))
    tensor([[[3., 3.]]])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """Correlate images ``[N, C, H, W]`` with filters ``[O, C / groups, kH, kW]``.

    One image may come alone; ``padding`` is one or two numbers, or "same" or "valid". Raises
    RuntimeError where channels, dtypes or sizes do not fit.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        groups: Number of groups of channels that are processed apart.
        weight: Filters ``[O, C / groups, kH, kW]``.

    >>> images, filters = torch.ones(2, 3, 8, 8), torch.ones(4, 3, 3, 3)
    >>> torch.nn.functional.conv2d(images, filters, padding="same").shape
    torch.Size([2, 4, 8, 8])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """Correlate volumes ``[N, C, D, H, W]`` with filters ``[O, C / groups, kD, kH, kW]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        groups: Number of groups of channels that are processed apart.
        weight: Filters ``[O, C / groups, kD, kH, kW]``.

    >>> volumes, filters = torch.ones(2, 3, 4, 4, 4), torch.ones(5, 3, 2, 2, 2)
    >>> torch.nn.functional.conv3d(volumes, filters, stride=2).shape
    torch.Size([2, 5, 2, 2, 2])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """Convolve sequences ``[T, N, in]`` with filters ``[k, in, out]``: ``[T', N, out]``.

    ``bias`` is ``[out]``; ``pad`` zeros are put at both ends of time. Raises RuntimeError for
    shapes that do not match.

    Args:
        input: Sequences ``[T, N, C]``.
        weight: Filters ``[K, C, O]``.
        bias: Vector ``[O]``.
        pad: Zeros added at both ends in time.

    >>> F = torch.nn.functional
    >>> F.conv_tbc(torch.ones(4, 2, 3), torch.ones(2, 3, 5), torch.zeros(5)).shape
    torch.Size([3, 2, 5])

    Defined in ``pellucid/ops/nn/conv_time.py``.
    """

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """Apply the transpose of `conv1d`: ``[N, C, L]`` with filters ``[C, O / groups, K]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        groups: Number of groups of channels that are processed apart.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        weight: Filters ``[C, O / groups, K]``.
        output_padding: Size added to one side of the result.

    >>> torch.nn.functional.conv_transpose1d(torch.ones(1, 1, 2), torch.ones(1, 1, 3), stride=2)
    tensor([[[1., 1., 2., 1., 1.]]])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """Apply the transpose of `conv2d`: ``[N, C, H, W]`` with filters ``[C, O / groups, kH, kW]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_padding: Size added to one side of the result.
        groups: Number of groups of channels that are processed apart.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        weight: Filters ``[C, O / groups, kH, kW]``.

    >>> images, filters = torch.ones(1, 3, 4, 4), torch.ones(3, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose2d(images, filters, stride=2).shape
    torch.Size([1, 2, 8, 8])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """Apply the transpose of `conv3d`.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        bias: Vector ``[O]`` added to each channel of the result, or ``None``.
        stride: Step between windows, as a number or one per spatial dimension.
        padding: Zeros added on both sides, as a number or one per spatial dimension.
        output_padding: Size added to one side of the result.
        groups: Number of groups of channels that are processed apart.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        weight: Filters ``[C, O / groups, kD, kH, kW]``.

    >>> volumes, filters = torch.ones(1, 3, 2, 2, 2), torch.ones(3, 1, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose3d(volumes, filters).shape
    torch.Size([1, 1, 3, 3, 3])

    Defined in ``pellucid/ops/nn/conv.py``.
    """

def copysign(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the absolute value of ``input`` with the sign of ``other``.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.

    Args:
        other: Tensor or number that broadcasts with ``input``.
        input: Magnitudes: real tensor of any shape, or a number.

    >>> torch.copysign(torch.tensor([1.0, -2.0]), -3.0)
    tensor([-1., -2.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def corrcoef(input: Tensor) -> Tensor:
    """Return the correlations of variables, one per row: ``[v, n]`` to ``[v, v]``.

    Args:
        input: Variables by observations ``[V, N]``, or one variable ``[N]``.

    Raises:
        RuntimeError: If the input has more than two dimensions.

    >>> torch.corrcoef(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])

    Defined in ``pellucid/ops/reduce/covariance.py``.
    """

def cos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the cosine of angles in radians.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.cos(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def cos_(input: Tensor) -> Tensor:
    """In-place version of :func:`cos`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def cosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the hyperbolic cosine.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.cosh(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def cosh_(input: Tensor) -> Tensor:
    """In-place version of :func:`cosh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """Return the cosine of the angle between vectors along a dimension, no norm less than ``eps``.

    Args:
        x1: Tensor of any shape.
        x2: Tensor that broadcasts with ``x1``.
        dim: Dimension or dimensions to reduce; all by default.
        eps: Small number that keeps a divisor from 0.

    Raises:
        RuntimeError: If the common dtype is not floating point, or ``eps`` is negative.

    >>> x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> torch.nn.functional.cosine_similarity(x, y)
    tensor([0.7071])

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Count the elements that are not zero (int64), along dimensions or altogether.

    Args:
        input: Tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.

    >>> torch.count_nonzero(torch.tensor([0, 1, 2]))
    tensor(2)

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def cov(
    input: Tensor,
    *,
    correction: _int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariances of variables, one per row, with ``correction`` off the count.

    Shapes: ``[v, n]`` to ``[v, v]``. ``fweights`` says how often each observation occurs,
    ``aweights`` how much it counts. Raises RuntimeError for more than two dimensions.

    Args:
        input: Variables by observations ``[V, N]``, or one variable ``[N]``.
        correction: What is subtracted from the number of elements in the divisor.
        fweights: How often each observation counts (integers).
        aweights: Weight of each observation.

    >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])

    Defined in ``pellucid/ops/reduce/covariance.py``.
    """

def cross(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    dim: _int | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the cross product along a dimension, by default the first of size 3.

    Args:
        input: Tensor with a dimension of size 3.
        other: Tensor of vectors of three elements, of the shape of ``input``.
        dim: Dimension to work along; a negative one counts from the end.

    Raises:
        RuntimeError: If no dimension has size 3.

    >>> torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def cummax(
    input: Tensor, dim: _int | Sequence[_int], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> cummax_result:
    """Return running maxima along a dimension, and the indices (int64) where they occur.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.cummax(torch.tensor([1, 3, 2]), dim=0).values
    tensor([1, 3, 3])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def cummin(
    input: Tensor, dim: _int | Sequence[_int], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> cummin_result:
    """Return running minima along a dimension, and the indices (int64) where they occur.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.cummin(torch.tensor([3, 1, 2]), dim=0).values
    tensor([3, 1, 1])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def cumprod(
    input: Tensor,
    dim: _int | Sequence[_int],
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return running products along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.cumprod(torch.tensor([1, 2, 3]), dim=0)
    tensor([1, 2, 6])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def cumsum(
    input: Tensor,
    dim: _int | Sequence[_int],
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return running sums along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.cumsum(torch.tensor([1, 2, 3]), dim=0)
    tensor([1, 3, 6])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def cumulative_trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
) -> Tensor:
    """Integrate samples along a dimension up to each but the first, by the trapezoidal rule.

    Args:
        y: Samples.
        x: Coordinates of the samples.
        dx: Distance between neighbouring samples.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])

    Defined in ``pellucid/ops/reduce/integrate.py``.
    """

def deg2rad(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Convert degrees to radians.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.deg2rad(torch.tensor([180.0, 90.0]))
    tensor([3.1416, 1.5708])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def deg2rad_(input: Tensor) -> Tensor:
    """In-place version of :func:`deg2rad`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def det(A: Tensor) -> Tensor:
    """Return the determinants of square matrices: ``[*, n, n]`` to ``[*]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)

    Defined in ``pellucid/ops/linalg/determinants.py``.
    """

def detach(input: Tensor) -> Tensor:
    """Return a tensor with the same memory and no history.

    Args:
        input: Tensor of any shape.

    >>> torch.detach(torch.ones(1, requires_grad=True)).requires_grad
    False

    Defined in ``pellucid/tensors/dlpack.py``.
    """

def detach_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.detach``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.detach``.
        kwargs: Its keyword arguments.

    >>> torch.detach_copy(torch.ones(1))
    tensor([1.])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def diag(
    input: Tensor, diagonal: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return a matrix's diagonal, or a matrix with a vector on its diagonal.

    Raises RuntimeError for other numbers of dimensions.

    Args:
        input: Vector ``[n]`` or matrix ``[n, m]``.
        diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

    >>> torch.diag(torch.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Make matrices that have the vectors of the last dimension on a diagonal, zeros elsewhere.

    Args:
        input: Vectors ``[*, n]``.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.

    Raises:
        RuntimeError: If ``dim1`` and ``dim2`` are the same dimension.

    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """Make a matrix with all elements on a diagonal.

    Args:
        input: Tensor of any shape.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.

    >>> torch.diagflat(torch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """Return a view of a diagonal of two dimensions, as the last dimension.

    Args:
        input: Tensor of at least two dimensions.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.

    >>> torch.arange(4).view(2, 2).diagonal()
    tensor([0, 3])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def diagonal_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.diagonal``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.diagonal``.
        kwargs: Its keyword arguments.

    >>> torch.diagonal_copy(torch.eye(2))
    tensor([1., 1.])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def diagonal_scatter(
    input: Tensor,
    src: Tensor | _int | _float | _complex,
    offset: _int = 0,
    dim1: _int = 0,
    dim2: _int = 1,
) -> Tensor:
    """Return a copy with other values on a diagonal.

    Args:
        input: Tensor of at least two dimensions.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dim1: First of the two dimensions.
        dim2: Second of the two dimensions.
        src: Tensor with the values to write.

    Raises:
        RuntimeError: If ``src`` does not have the shape of the diagonal.

    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/index/slice_scatter.py``.
    """

def diff(
    input: Tensor,
    n: Tensor | _int | _float | _complex = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the differences of neighbours along a dimension, taken ``n`` times.

    ``prepend`` and ``append`` are joined to the input first; ``n`` = 0 copies the input alone.
    Raises RuntimeError for a negative ``n``, and where what is joined has other dimensions.

    Args:
        input: Tensor of at least one dimension.
        n: How often to take differences.
        dim: Dimension to work along; a negative one counts from the end.
        prepend: Tensor put before ``input`` along ``dim``.
        append: Tensor put after ``input`` along ``dim``.

    >>> torch.diff(torch.tensor([1, 3, 6]))
    tensor([2, 3])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def digamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the derivative of `lgamma`.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def dist(
    input: Tensor, other: Tensor | _int | _float | _complex, p: _int | _float | _complex = 2
) -> Tensor:
    """Return the p-norm of the difference.

    Args:
        input: Floating point or complex tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.
        p: Order of the norm.

    >>> torch.dist(torch.tensor([3.0, 4.0]), torch.zeros(2))
    tensor(5.)

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def div(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    rounding_mode: Literal["trunc", "floor"] | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Divide element by element, with broadcasting.

    Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
    RuntimeError for integers divided by zero in such a mode.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
            down.

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def divide(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    rounding_mode: Literal["trunc", "floor"] | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Divide element by element, with broadcasting.

    Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
    RuntimeError for integers divided by zero in such a mode.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
            down.

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply two vectors element by element and add up.

    Args:
        input: Vector ``[N]``.
        tensor: Vector ``[N]``.

    Raises:
        RuntimeError: If a tensor is not a vector, or the lengths differ.

    >>> torch.dot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def dropout_(input: Tensor, p: _int | _float | _complex, train: _bool) -> Tensor:
    """Apply `dropout` in place.

    Args:
        input: Tensor to change, of any shape.
        p: Probability of an element to become zero.
        train: Whether elements are dropped at all.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply two matrices; raise RuntimeError for anything else.

    Args:
        input: Matrix ``[N, M]``.
        mat2: Matrix ``[M, P]``.

    >>> torch.mm(torch.ones(2, 3), torch.ones(3, 1))
    tensor([[3.],
            [3.]])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def dsplit(
    input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor
) -> tuple[Tensor, ...]:
    """Split a tensor along dimension 2.

    Args:
        input: Tensor of at least three dimensions.
        indices_or_sections: Number of equal parts, or the indices at which to cut.

    >>> [part.shape for part in torch.dsplit(torch.ones(1, 1, 2), 2)]
    [torch.Size([1, 1, 1]), torch.Size([1, 1, 1])]

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def dstack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors along dimension 2.

    Args:
        tensors: Tensors to join.

    >>> torch.dstack([torch.tensor([1]), torch.tensor([2])])
    tensor([[[1, 2]]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def einsum(*args: _str | Tensor | Sequence[_int] | Sequence[Tensor]) -> Tensor:
    """Sum products of the operands' elements over the indices that the output lacks.

    ``einsum("ij,jk->ik", a, b)``, or ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. ``...`` stands for
    dimensions that broadcast; without an output, the indices that occur once come in order.

    Args:
        *args: The equation, then the tensors.

    Raises:
        RuntimeError: If the equation does not fit the number or the shapes of the operands.

    >>> torch.einsum("ij,j->i", torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])

    Defined in ``pellucid/ops/linalg/contract.py``.
    """

def embedding_renorm_(
    input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float
) -> Tensor:
    """Shorten those rows of a table that are looked up to ``max_norm``, in place.

    Raises IndexError for rows that are not there, and RuntimeError for indices that are no
    integers.

    Args:
        input: Indices (int64) of any shape.
        indices: Indices (int64).
        max_norm: Rows with a larger norm are scaled down to it, in place.
        norm_type: Order of the norm.

    >>> torch.embedding_renorm_(torch.tensor([[3.0, 4.0]]), torch.tensor([0]), 1.0, 2.0)
    tensor([[0.6000, 0.8000]])

    Defined in ``pellucid/ops/nn/embedding.py``.
    """

def empty(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make a tensor without setting its values.

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        memory_format: Order of the elements in memory.

    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])

    Defined in ``pellucid/tensors/creation.py``.
    """

def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor with the shape and dtype of another, without setting its values.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        memory_format: Order of the elements in memory.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.empty_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])

    Defined in ``pellucid/tensors/creation.py``.
    """

def empty_permuted(
    size: _int | Sequence[_int],
    physical_layout: Any,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor whose dimensions lie in memory in a given order, without setting its values.

    Args:
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        physical_layout: The dimensions from the outermost in memory to the innermost.

    Raises:
        RuntimeError: If these are not the dimensions, each of them once.

    >>> torch.empty_permuted((2, 3, 5), (1, 0, 2)).stride()
    (5, 10, 1)

    Defined in ``pellucid/tensors/creation.py``.
    """

def empty_strided(
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor of the given strides without setting its values.

    Args:
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        stride: Steps in memory along each dimension.

    Raises:
        RuntimeError: If there are not as many strides as sizes.

    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)

    Defined in ``pellucid/tensors/creation.py``.
    """

def eq(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the elements are equal.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.eq(torch.tensor([1, 2]), 2)
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def equal(input: Tensor, other: Tensor | _int | _float | _complex) -> _bool:
    """Return whether two tensors have the same shape and equal elements.

    Args:
        input: Tensor of any shape.
        other: Tensor of any shape.

    Raises:
        TypeError: If an argument is not a tensor.

    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def erf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the error function.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.erf(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def erf_(input: Tensor) -> Tensor:
    """In-place version of :func:`erf`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def erfc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``1 - erf(input)``, exact also where that is small.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.erfc(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def erfc_(input: Tensor) -> Tensor:
    """In-place version of :func:`erfc`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def erfinv(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverse of the error function, NaN beyond -1 and 1.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.erfinv(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def exp(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return e to the power of the elements.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.exp(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def exp2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return 2 to the power of the elements.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.exp2(torch.tensor([0.0, 3.0]))
    tensor([1., 8.])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def exp2_(input: Tensor) -> Tensor:
    """In-place version of :func:`exp2`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def exp_(input: Tensor) -> Tensor:
    """In-place version of :func:`exp`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def expand_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.expand``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.expand``.
        kwargs: Its keyword arguments.

    >>> torch.expand_copy(torch.ones(1), (2,))
    tensor([1., 1.])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def expm1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``exp(input) - 1``, exact also near 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.expm1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def expm1_(input: Tensor) -> Tensor:
    """In-place version of :func:`expm1`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def eye(
    n: Tensor | _int | _float | _complex,
    m: _int | None = None,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make a matrix with ones on the diagonal and zeros elsewhere.

    Args:
        n: Number of rows.
        m: Number of columns; by default ``n``.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    Raises:
        RuntimeError: If a size is negative.

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])

    Defined in ``pellucid/tensors/creation.py``.
    """

def feature_alpha_dropout_(input: Tensor, p: _int | _float | _complex, train: _bool) -> Tensor:
    """Apply `feature_alpha_dropout` in place.

    Args:
        input: Tensor to change, with the channels as its second dimension.
        p: Probability of a channel to be dropped.
        train: Whether channels are dropped at all.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def feature_dropout(input: Tensor, p: _int | _float | _complex, train: _bool) -> Tensor:
    """Zero whole channels of ``[N, C, *]`` with probability ``p`` if ``train``.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        train: Whether to draw; in evaluation the input is returned.

    >>> torch.feature_dropout(torch.ones(1, 2, 3), 1.0, True).sum()
    tensor(0.)

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def feature_dropout_(input: Tensor, p: _int | _float | _complex, train: _bool) -> Tensor:
    """Apply `feature_dropout` in place.

    Args:
        input: Floating point tensor of any shape.
        p: Probability with which an element (or channel) becomes 0.
        train: Whether to draw; in evaluation the input is returned.

    >>> torch.feature_dropout_(torch.ones(1, 2, 3), 1.0, True).sum()
    tensor(0.)

    Defined in ``pellucid/ops/nn/dropout.py``.
    """

def fill_(self: Tensor, value: _int | _float | _complex | Tensor) -> Tensor:
    """Write one value, a number or a 0-d tensor, over all elements.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def fix(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Round towards zero; the gradient is 0.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.trunc(torch.tensor([1.5, -1.5]))
    tensor([ 1., -1.])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def fix_(input: Tensor) -> Tensor:
    """In-place version of :func:`trunc`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Join the dimensions from ``start_dim`` to ``end_dim`` into one.

    Args:
        input: Tensor of any shape.
        start_dim: First dimension to flatten.
        end_dim: Last dimension to flatten.

    Raises:
        RuntimeError: If ``start_dim`` comes after ``end_dim``.

    >>> torch.ones(2, 3, 4).flatten(1).shape
    torch.Size([2, 12])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def flip(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """Reverse the order along dimensions; always a copy.

    Args:
        input: Tensor of any shape.
        dims: Dimensions to work on.

    >>> torch.flip(torch.tensor([1, 2, 3]), (0,))
    tensor([3, 2, 1])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def fliplr(input: Tensor) -> Tensor:
    """Reverse the order along dimension 1.

    Args:
        input: Tensor of at least two dimensions.

    Raises:
        RuntimeError: If the tensor has fewer than two dimensions.

    >>> torch.fliplr(torch.tensor([[1, 2]]))
    tensor([[2, 1]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def flipud(input: Tensor) -> Tensor:
    """Reverse the order along dimension 0.

    Args:
        input: Tensor of at least one dimension.

    Raises:
        RuntimeError: If the tensor has no dimensions.

    >>> torch.flipud(torch.tensor([1, 2]))
    tensor([2, 1])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def float_power(
    input: Tensor | _complex,
    exponent: Tensor | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Raise to a power in double precision; either operand may be a number.

    Args:
        input: Base: a tensor or a number.
        exponent: Tensor or number; the base broadcasts with it.

    >>> torch.float_power(torch.tensor([1, 2, 3]), 2)
    tensor([1., 4., 9.], dtype=torch.float64)

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def floor(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Round down; the gradient is 0.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.floor(torch.tensor([1.5, -1.5]))
    tensor([ 1., -2.])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def floor_(input: Tensor) -> Tensor:
    """In-place version of :func:`floor`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def floor_divide(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Divide and round down.

    Raises RuntimeError for integers divided by zero, and on the way back: as in PyTorch, there is
    no derivative; ``div`` with ``rounding_mode="floor"`` has one.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def fmax(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the greater of two elements; where one is NaN, the other.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.fmax(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
    tensor([3., 2.])

    Defined in ``pellucid/ops/elementwise/extrema.py``.
    """

def fmin(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the smaller of two elements; where one is NaN, the other.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.fmin(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])

    Defined in ``pellucid/ops/elementwise/extrema.py``.
    """

def fmod(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return what is left by a division rounded towards zero; it has the sign of the dividend.

    Raises RuntimeError for integers divided by zero.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.fmod(torch.tensor([7.0, -7.0]), 4)
    tensor([ 3., -3.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def frac(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return what rounding towards zero leaves.

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.frac(torch.tensor([1.5, -1.5]))
    tensor([ 0.5000, -0.5000])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def frac_(input: Tensor) -> Tensor:
    """In-place version of :func:`frac`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def frexp(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> frexp_result:
    """Return mantissas of size in [0.5, 1) and int32 exponents, with ``mantissa * 2 ** exponent``.

    Zeros, infinities and NaN are their own mantissas. Raises RuntimeError for what is not of a real
    floating-point dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.frexp(torch.tensor([3.0])).mantissa
    tensor([0.7500])

    Defined in ``pellucid/ops/elementwise/floating.py``.
    """

def frobenius_norm(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor:
    """Return the root of the sum of the squared absolute values over dimensions.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.frobenius_norm(torch.eye(4), (0, 1))
    tensor(2.)

    Defined in ``pellucid/ops/linalg/matrix_norms.py``.
    """

def from_dlpack(
    ext_tensor: Any, *, device: _device | _str | _int | None = None, copy: _bool | None = None
) -> Tensor:
    """Return a tensor over the memory of an array of another library, by the DLPack protocol.

    Raises RuntimeError for what does not speak it, and BufferError for values of other kinds.

    Args:
        ext_tensor: Object with ``__dlpack__``, or a DLPack capsule.
        device: Device of the result: the CPU or ``meta``.
        copy: Whether to copy: ``True``, ``False`` (never) or ``None`` (only if needed).

    >>> import numpy as np
    >>> torch.from_dlpack(np.ones(2))
    tensor([1., 1.], dtype=torch.float64)

    Defined in ``pellucid/tensors/dlpack.py``.
    """

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
) -> Tensor:
    """Return a vector over the memory of a file, whose parts are read as they are needed.

    Args:
        filename: Path of the file.
        shared: Whether what is written to the tensor is written to the file, which is then made,
            or made longer, as needed.
        size: Number of elements.
        dtype: Dtype of the elements; the default dtype if None.
        layout: Accepted and not used.
        device: Device of the result: the CPU or ``meta``.
        pin_memory: Accepted and not used.
        requires_grad: Whether the tensor wants a gradient.

    Raises:
        ShapeError: If the file is too short and not shared (a ``RuntimeError``).

    >>> import pathlib, tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "numbers")
    ...     np.array([1.0, 2.0, 3.0], np.float32).tofile(path)
    ...     torch.from_file(str(path), size=2)
    tensor([1., 2.])

    Defined in ``pellucid/tensors/shared_memory.py``.
    """

def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor that shares memory with a NumPy array.

    Raises TypeError for anything else and for dtypes that tensors do not have, ValueError for
    negative strides.

    Args:
        ndarray: NumPy array; the result shares its memory.

    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> torch.from_numpy(a).fill_(1.0)
    tensor([1., 1.], dtype=torch.float64)
    >>> a
    array([1., 1.])

    Defined in ``pellucid/tensors/creation.py``.
    """

def frombuffer(
    buffer: Any,
    *,
    dtype: _dtype | None,
    count: _int = -1,
    offset: _int = 0,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor without dimensions beyond one that shares memory with a Python buffer.

    Args:
        buffer: Object with the buffer protocol; the result shares its memory.
        dtype: Dtype of the result; by default that of the values.
        count: Number of elements to read; -1 for all.
        offset: Number of bytes to skip.
        requires_grad: Whether operations on the result are recorded.

    Raises:
        ValueError: If the object has no buffer, or nothing is to be read.

    >>> torch.frombuffer(bytearray([1, 2]), dtype=torch.uint8)
    tensor([1, 2], dtype=torch.uint8)

    Defined in ``pellucid/tensors/creation.py``.
    """

def full(
    size: _int | Sequence[_int],
    fill_value: _int | _float | _complex,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make a tensor of one value; its kind gives the dtype unless ``dtype`` does.

    Args:
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        fill_value: Value of every element.

    Raises:
        TypeError: If ``size`` is not a tuple of ints.

    >>> torch.full((2,), 7)
    tensor([7, 7])

    Defined in ``pellucid/tensors/creation.py``.
    """

def full_like(
    input: Tensor,
    fill_value: _int | _float | _complex,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor of one value with the shape and dtype of another.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        memory_format: Order of the elements in memory.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        fill_value: Value of every element.

    >>> torch.full_like(torch.zeros(2), 3)
    tensor([3., 3.])

    Defined in ``pellucid/tensors/creation.py``.
    """

def gather(
    input: Tensor,
    dim: _int | Sequence[_int],
    index: Tensor,
    *,
    sparse_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Read ``input[index[i][j]][j]`` (for ``dim=0``): one element along ``dim`` per index.

    ``index`` has as many dimensions as ``input`` and, but for ``dim``, is no larger. Raises
    RuntimeError for an index that is out of bounds.

    Args:
        input: Tensor with as many dimensions as ``index``.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``; the result has their shape.
        sparse_grad: Whether the gradient would be sparse; here it is dense.

    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])

    Defined in ``pellucid/ops/index/scatter.py``.
    """

def gcd(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the greatest common divisors of integers; that of 0 and 0 is 0.

    Raises NotImplementedError for booleans, floating-point and complex numbers.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, floating-point numbers and complex numbers are refused.

    Args:
        input: Integer tensor of any shape.
        other: Integer tensor or number that broadcasts with ``input``.

    >>> torch.gcd(torch.tensor([12, -18]), torch.tensor([18, 12]))
    tensor([6, 6])

    Defined in ``pellucid/ops/elementwise/integers.py``.
    """

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """In-place version of :func:`gcd`: write the result into the first operand.

    Args:
        input: Integer tensor of any shape.
        other: Integer tensor or number that broadcasts with ``input``.

    Defined in ``pellucid/ops/elementwise/integers.py``.
    """

def ge(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is at least the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def geqrf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> geqrf_result:
    """Return a QR decomposition as LAPACK leaves it: ``R`` above, reflections below, their factors.

    Args:
        input: Matrices ``[*, m, n]``, float32, float64 or complex.

    >>> torch.geqrf(torch.eye(2)).tau
    tensor([0., 0.])

    Defined in ``pellucid/ops/linalg/householder.py``.
    """

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply every element of one vector by every element of another: ``[n], [m]`` to ``[n, m]``.

    Args:
        input: Vector ``[N]``.
        vec2: Vector ``[M]``.

    Raises:
        RuntimeError: If a tensor is not a vector.

    >>> torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def get_rng_state() -> Tensor:
    """Return the state of the shared stream as a tensor of bytes.

    >>> torch.get_rng_state().shape
    torch.Size([5056])

    Defined in ``pellucid/random.py``.
    """

def gradient(
    input: Tensor,
    *,
    spacing: Any = 1,
    dim: _int | Sequence[_int] | None = None,
    edge_order: _int = 1,
) -> tuple[Tensor, ...]:
    """Estimate the slopes of a sampled function along each dimension, by central differences.

    ``spacing`` is a distance for all dimensions, one for each, or for each a vector of coordinates.
    ``edge_order`` is 1 or 2: how exact the slopes at the ends are. Raises RuntimeError for less
    than ``edge_order + 1`` samples.

    Args:
        input: Tensor of any shape.
        spacing: Distances between samples, or their coordinates.
        dim: Dimension or dimensions to differentiate along; all by default.
        edge_order: Order of the differences at the ends: 1 or 2.

    >>> torch.gradient(torch.tensor([1.0, 2.0, 4.0]))[0]
    tensor([1.0000, 1.5000, 2.0000])

    Defined in ``pellucid/ops/reduce/integrate.py``.
    """

def greater(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is greater than the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.gt(torch.tensor([2, 3]), 2)
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def greater_equal(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is at least the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def gt(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is greater than the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.gt(torch.tensor([2, 3]), 2)
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def hardshrink(input: Tensor, lambd: _int | _float | _complex | Tensor = 0.5) -> Tensor:
    """Replace what lies between ``-lambd`` and ``lambd`` by 0.

    Dtypes:
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        lambd: Half the width of the interval that becomes 0.

    >>> torch.nn.functional.hardshrink(torch.tensor([0.2, -2.0]))
    tensor([ 0., -2.])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def hash_tensor(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    mode: _int | _float | _complex | Tensor = 0,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a hash of the elements, as uint64, along dimensions or altogether.

    Elements are widened to 64 bits, as int64 or float64, and their bits combined by exclusive or.

    Args:
        input, dim, keepdim: As for `sum`.
        mode: Which hash; 0 is the only one.

    Raises:
        NotImplementedError: If the elements are complex, or unsigned integers of more than 8 bits.

    >>> torch.hash_tensor(torch.tensor([[1, 2], [4, 4]]), dim=1)
    tensor([3, 0], dtype=torch.uint64)

    Defined in ``pellucid/ops/reduce/hashing.py``.
    """

def heaviside(
    input: Tensor, values: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return 0 for negative elements and NaN, 1 for positive ones, and ``values`` at 0.

    Raises RuntimeError for different dtypes, for complex numbers, and on the way back: as in
    PyTorch, there is no derivative.

    Dtypes:
        ``input`` and ``values`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        values: Result where ``input`` is 0; it broadcasts.

    >>> torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def histc(
    input: Tensor,
    bins: _int = 100,
    min: _int | _float | _complex | Tensor = 0,
    max: _int | _float | _complex | Tensor = 0,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Count the elements in each of ``bins`` equal intervals from ``min`` to ``max``.

    With ``min == max`` the interval is that of the elements.

    Args:
        input: Floating-point tensor of any shape.
        bins: Number of bins, or their edges.
        min: Lower edge of the histogram.
        max: Upper edge of the histogram.

    Raises:
        RuntimeError: If the input is not floating point, ``bins`` is not positive, or ``max`` is
            below ``min``.

    >>> torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=2, min=0, max=3)
    tensor([2., 1.])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def histogram(
    input: Tensor,
    bins: _int | Tensor = 100,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> histogram_result:
    """Count the elements in bins; return the counts and the edges of the bins.

    ``bins`` is how many there are of equal width over ``range`` (from the smallest element to the
    largest, if it is not given), or a vector of edges that rise. ``weight`` has the shape of the
    input; ``density`` makes the integral over the bins 1. As in PyTorch there is no derivative.
    Raises RuntimeError for bins, ranges and weights that do not fit.

    Args:
        input: Floating point tensor of any shape.
        bins: Number of bins, or their edges.
        range: Lowest and highest edge of the bins.
        weight: Weight of each element, or ``None``.
        density: Whether the counts are scaled to a probability density.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])

    Defined in ``pellucid/ops/reduce/histograms.py``.
    """

def histogramdd(
    input: Tensor,
    bins: _int | Sequence[Any],
    range: Any = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> histogramdd_result:
    """Count rows of coordinates ``[*, N]`` in N-dimensional bins; return counts and N edges.

    ``bins`` is one number for all dimensions, one for each, or a list of vectors of edges.
    ``range`` gives the smallest and the largest coordinate of each dimension one after the other.
    As in PyTorch there is no derivative. Raises RuntimeError for bins, ranges and weights that do
    not fit.

    Args:
        input: Floating point tensor of any shape.
        bins: Number of bins, or their edges.
        range: Lowest and highest edge of the bins.
        weight: Weight of each element, or ``None``.
        density: Whether the counts are scaled to a probability density.

    >>> points = torch.tensor([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> torch.histogramdd(points, bins=[2, 1]).hist
    tensor([[1.],
            [2.]])

    Defined in ``pellucid/ops/reduce/histograms.py``.
    """

def hsmm(input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply two matrices; raise RuntimeError for anything else.

    Args:
        input: Matrix ``[N, M]``.
        mat2: Matrix ``[M, P]``.

    >>> torch.mm(torch.ones(2, 3), torch.ones(3, 1))
    tensor([[3.],
            [3.]])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def hsplit(
    input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor
) -> tuple[Tensor, ...]:
    """Split a tensor along dimension 1, or along dimension 0 of a vector.

    Args:
        input: Tensor of at least one dimension.
        indices_or_sections: Number of equal parts, or the indices at which to cut.

    >>> torch.hsplit(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def hstack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors side by side: along dimension 1, or 0 for vectors.

    Args:
        tensors: Tensors to join.

    >>> torch.hstack([torch.tensor([1, 2]), torch.tensor(3)])
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def hypot(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the length of the hypotenuse over two legs.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans and integers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.hypot(torch.tensor([3.0]), torch.tensor([4.0]))
    tensor([5.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def i0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind, of order 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.special.i0(torch.tensor([1.0]))
    tensor([1.2661])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def i0_(input: Tensor) -> Tensor:
    """In-place version of :func:`i0`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def igamma(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the regularized lower incomplete gamma function with parameter ``input``.

    Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.igamma(torch.tensor([1.0]), torch.tensor([1.0]))
    tensor([0.6321])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def igammac(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the regularized upper incomplete gamma function with parameter ``input``.

    Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.igammac(torch.tensor([1.0]), torch.tensor([1.0]))
    tensor([0.3679])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def imag(input: Tensor) -> Tensor:
    """Return the imaginary part, sharing memory; raise RuntimeError for a real tensor.

    Args:
        input: Tensor of any shape.

    >>> torch.imag(torch.tensor([1 + 2j]))
    tensor([2.])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def index_add(
    input: Tensor,
    dim: _int | Sequence[_int],
    index: Tensor,
    source: Tensor,
    *,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a copy with ``alpha`` times the slices of ``source`` added at a vector of indices.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.
        source: Slices to add: the shape of ``input``, with one slice per index along ``dim``.
        alpha: Number that multiplies ``source``.

    Raises:
        RuntimeError: If the dtypes of ``input`` and ``source`` differ.

    >>> torch.index_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
    tensor([0., 2.])

    Defined in ``pellucid/ops/index/index_slices.py``.
    """

def index_copy(
    input: Tensor,
    dim: _int | Sequence[_int],
    index: Tensor,
    source: Tensor,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a copy with the slices of ``source`` at a vector of indices.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.
        source: Slices to write: the shape of ``input``, with one slice per index along ``dim``.

    Raises:
        RuntimeError: If the dtypes of ``input`` and ``source`` differ.

    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([1]), torch.ones(1))
    tensor([0., 1., 0.])

    Defined in ``pellucid/ops/index/index_slices.py``.
    """

def index_fill(
    input: Tensor, dim: _int, index: Tensor, value: _int | _float | _complex | Tensor
) -> Tensor:
    """Return a copy with one number in the slices at a vector of indices.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.
        value: Number to write.

    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 7)
    tensor([7., 0., 7.])

    Defined in ``pellucid/ops/index/index_slices.py``.
    """

def index_put(
    input: Tensor,
    indices: Tensor,
    values: Tensor | _int | _float | _complex,
    accumulate: _bool = False,
) -> Tensor:
    """Return a copy with ``values`` at the indices; with ``accumulate`` they are added.

    Args:
        input: Tensor of any shape.
        indices: One tensor of indices or booleans for each indexed dimension.
        values: Tensor with the values to write.
        accumulate: Whether values are added to what is there rather than written over it.

    >>> torch.index_put(torch.zeros(3), (torch.tensor([1]),), torch.ones(1))
    tensor([0., 1., 0.])

    Defined in ``pellucid/ops/index/indexing.py``.
    """

def index_put_(
    self: Tensor,
    indices: Tensor,
    values: Tensor | _int | _float | _complex,
    accumulate: _bool = False,
) -> Tensor:
    """Write ``values`` at the indices; with ``accumulate`` they are added, repeated ones too.

    Defined in ``pellucid/ops/index/indexing.py``.
    """

def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: _str,
    *,
    include_self: _bool = True,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a copy with the slices of ``source`` reduced into it at a vector of indices.

    ``reduce`` is prod, mean, amax or amin; without ``include_self`` what was there does not count.
    Raises RuntimeError for another name, and IndexError for indices that are not there.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension to work along; a negative one counts from the end.
        index: Indices (int64) along ``dim``.
        source: Tensor with the values to read.
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the values that are there take part.

    >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
    >>> torch.index_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])

    Defined in ``pellucid/ops/index/index_misc.py``.
    """

def index_select(
    input: Tensor,
    dim: _int | Sequence[_int],
    index: Tensor,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the slices at a vector of indices along a dimension.

    Raises IndexError for indices that are not there, negative ones among them.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension that ``index`` counts along.
        index: Vector of indices (int64) along ``dim``.

    >>> torch.index_select(torch.tensor([5, 6, 7]), 0, torch.tensor([2, 2, 0]))
    tensor([7, 7, 5])

    Defined in ``pellucid/ops/index/index_slices.py``.
    """

def initial_seed() -> _int:
    """Return the seed that the shared stream was started with.

    >>> _ = torch.manual_seed(7)
    >>> torch.initial_seed()
    7

    Defined in ``pellucid/random.py``.
    """

def inner(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Sum products over the last dimension of both: ``[*A, k], [*B, k]`` to ``[*A, *B]``.

    Args:
        input: Tensor ``[*A, k]``, or without dimensions.
        other: Tensor with a last dimension of the same size, or without dimensions.

    Raises:
        RuntimeError: If the sizes of the last dimensions differ.

    >>> torch.inner(torch.ones(2, 3), torch.ones(4, 3)).shape
    torch.Size([2, 4])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def inverse(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the inverses of square matrices; see `linalg.inv`.

    Args:
        input: Square matrices ``[*, n, n]``, floating point or complex.

    >>> torch.inverse(torch.eye(1) * 2)
    tensor([[0.5000]])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def is_complex(input: Tensor) -> _bool:
    """Return whether the dtype is complex.

    Args:
        input: Tensor of any shape.

    >>> torch.is_complex(torch.ones(1))
    False

    Defined in ``pellucid/tensors/properties.py``.
    """

def is_conj(input: Tensor) -> _bool:
    """Return False: the conjugate and the negative are always computed at once.

    Args:
        input: Tensor of any shape and dtype.

    >>> torch.tensor(1j).conj().is_conj()
    False

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def is_distributed(input: Tensor) -> _bool:
    """Return False: no tensor is spread over several processes.

    Args:
        input: Tensor of any shape.

    >>> torch.is_distributed(torch.ones(1))
    False

    Defined in ``pellucid/tensors/dlpack.py``.
    """

def is_floating_point(input: Tensor) -> _bool:
    """Return whether the dtype is one of floating point.

    Args:
        input: Tensor of any shape.

    >>> torch.is_floating_point(torch.ones(1))
    True

    Defined in ``pellucid/tensors/properties.py``.
    """

def is_inference(self: Tensor) -> _bool:
    """Return whether the tensor was made in inference mode.

    Args:
        self: Tensor of any shape and dtype.

    >>> torch.is_inference(torch.ones(2))
    False

    Defined in ``pellucid/tensors/properties.py``.
    """

def is_neg(input: Tensor) -> _bool:
    """Return False: the conjugate and the negative are always computed at once.

    Args:
        input: Tensor of any shape and dtype.

    >>> torch.tensor(1j).conj().is_conj()
    False

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def is_nonzero(input: Tensor) -> _bool:
    """Return whether the one element is not zero; raise RuntimeError if there is not just one.

    Args:
        input: Tensor of any shape.

    >>> torch.is_nonzero(torch.tensor([0.5]))
    True

    Defined in ``pellucid/tensors/properties.py``.
    """

def is_same_size(input: Tensor, other: Tensor | _int | _float | _complex) -> _bool:
    """Return whether two tensors have the same shape.

    Args:
        input: Tensor of any shape.
        other: Tensor of any shape.

    Raises:
        TypeError: If an argument is not a tensor.

    >>> torch.is_same_size(torch.ones(2), torch.zeros(2))
    True

    Defined in ``pellucid/tensors/dlpack.py``.
    """

def is_signed(self: Tensor) -> _bool:
    """Return whether the dtype has negative numbers.

    Args:
        self: Tensor of any shape and dtype.

    >>> torch.is_signed(torch.ones(2)), torch.is_signed(torch.ones(2, dtype=torch.uint8))
    (True, False)

    Defined in ``pellucid/tensors/properties.py``.
    """

def is_storage(obj: Any) -> _bool:
    """Return whether an object is the memory behind a tensor.

    Args:
        obj: Any object.

    >>> torch.is_storage(torch.ones(1).untyped_storage())
    True

    Defined in ``pellucid/tensors/dlpack.py``.
    """

def is_tensor(obj: Any) -> _bool:
    """Return whether an object is a tensor.

    Args:
        obj: Any object.

    >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1.0])
    (True, False)

    Defined in ``pellucid/tensors/creation.py``.
    """

def isclose(
    input: Tensor,
    other: Tensor,
    rtol: _int | _float | _complex | Tensor = 1e-05,
    atol: _int | _float | _complex | Tensor = 1e-08,
    equal_nan: _bool = False,
) -> Tensor:
    """Return a bool tensor, True where the difference is at most ``atol + rtol * abs(other)``.

    Raises RuntimeError for different dtypes and for negative tolerances.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether two NaNs count as equal.

    >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def isfinite(input: Tensor) -> Tensor:
    """Return a bool tensor, True where the elements are neither infinite nor NaN.

    Args:
        input: Tensor of any shape.

    >>> torch.isfinite(torch.tensor([1.0, torch.inf, torch.nan]))
    tensor([ True, False, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def isin(
    elements: Tensor | _int | _float | _complex | None = None,
    test_elements: Tensor | _int | _float | _complex | None = None,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    element: Tensor | _int | _float | _complex | None = None,
    test_element: Tensor | _int | _float | _complex | None = None,
) -> Tensor:
    """Return which elements occur among the test elements; one of both may be a number.

    ``assume_unique`` says that no element occurs twice in either; ``invert`` turns the answer
    round. Raises RuntimeError for booleans and complex numbers.

    Args:
        elements: Elements to look up.
        test_elements: Elements to look among.
        assume_unique: Accepted as PyTorch does; it changes nothing.
        invert: Whether the answer is turned round.
        element: Elements to look up.
        test_element: Elements to look among.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])

    Defined in ``pellucid/ops/index/index_misc.py``.
    """

def isinf(input: Tensor) -> Tensor:
    """Return a bool tensor, True where the elements are infinite, of either sign.

    Args:
        input: Tensor of any shape.

    >>> torch.isinf(torch.tensor([1.0, -torch.inf]))
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def isnan(input: Tensor) -> Tensor:
    """Return a bool tensor, True where the elements are NaN.

    Args:
        input: Tensor of any shape.

    >>> torch.isnan(torch.tensor([1.0, torch.nan]))
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def isneginf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return a bool tensor, True where the elements are minus infinity; not for complex numbers.

    Args:
        input: Tensor of any shape.

    >>> torch.isneginf(torch.tensor([-torch.inf, torch.inf]))
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def isposinf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return a bool tensor, True where the elements are plus infinity; not for complex numbers.

    Args:
        input: Tensor of any shape.

    >>> torch.isposinf(torch.tensor([-torch.inf, torch.inf]))
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def isreal(input: Tensor) -> Tensor:
    """Return a bool tensor, True where the elements have no imaginary part.

    Args:
        input: Tensor of any shape.

    >>> torch.isreal(torch.tensor([1 + 0j, 1j]))
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

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
) -> Tensor:
    """Undo `stft`: add up the windows, divided by the sum of the squares of their weights.

    Shapes: ``[*, frequencies, windows]`` to ``[*, L]``, cut or lengthened to ``length``. Raises
    RuntimeError where the windows leave a sample out.

    Args:
        input: Spectrum ``[*, F, T]``, complex.
        n_fft: Length of a Fourier transform.
        hop_length: Distance between frames; by default a quarter of ``n_fft``.
        win_length: Length of the window; by default ``n_fft``.
        window: Window ``[win_length]``; by default all ones.
        center: Whether the frames were centred.
        normalized: Whether the transforms are divided by the square root of their length.
        onesided: Whether only the non-negative frequencies are kept.
        length: Number of elements to keep.
        return_complex: Whether the result is complex.

    >>> spectra = torch.stft(torch.arange(8.0), n_fft=4, return_complex=True)
    >>> torch.istft(spectra, n_fft=4).shape
    torch.Size([8])

    Defined in ``pellucid/ops/signal/spectrogram.py``.
    """

def kron(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the Kronecker product: blocks of ``other``, each scaled by an element of ``input``.

    Args:
        input: Tensor of any shape.
        other: Tensor of any shape.

    >>> torch.kron(torch.eye(2), torch.ones(1, 2))
    tensor([[1., 1., 0., 0.],
            [0., 0., 1., 1.]])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def kthvalue(
    input: Tensor,
    k: _int,
    dim: _int | Sequence[_int] = -1,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> kthvalue_result:
    """Return the ``k``-th smallest element along a dimension, counted from 1, and its index.

    Args:
        input: Tensor of any shape, not of booleans.
        k: Which element in increasing order, counted from 1.
        dim: Dimension to sort along.
        keepdim: Whether reduced dimensions stay, with size 1.

    Raises:
        RuntimeError: If ``k`` is out of range, or the tensor is of booleans.

    >>> torch.kthvalue(torch.tensor([3, 1, 2]), 2).values
    tensor(2)

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def lcm(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the least common multiples of integers; that of 0 and anything is 0.

    Raises NotImplementedError for booleans, floating-point and complex numbers.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, floating-point numbers and complex numbers are refused.

    Args:
        input: Integer tensor of any shape.
        other: Integer tensor or number that broadcasts with ``input``.

    >>> torch.lcm(torch.tensor([4, -6]), torch.tensor([6, 4]))
    tensor([12, 12])

    Defined in ``pellucid/ops/elementwise/integers.py``.
    """

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """In-place version of :func:`lcm`: write the result into the first operand.

    Args:
        input: Integer tensor of any shape.
        other: Integer tensor or number that broadcasts with ``input``.

    Defined in ``pellucid/ops/elementwise/integers.py``.
    """

def ldexp(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return ``input * 2 ** other``; integers and booleans give the default dtype.

    Raises NotImplementedError for boolean exponents of floating-point numbers.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([2, -1]))
    tensor([4.0000, 1.5000])

    Defined in ``pellucid/ops/elementwise/floating.py``.
    """

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """In-place version of :func:`ldexp`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    Defined in ``pellucid/ops/elementwise/floating.py``.
    """

def le(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is at most the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def lerp(
    input: Tensor,
    end: Tensor,
    weight: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Go from ``input`` towards ``end`` by the fraction ``weight``, a number or a tensor.

    Raises RuntimeError unless all are of one floating-point or complex dtype.

    Dtypes:
        ``input``, ``end`` and ``weight`` are computed in their common dtype.
        Booleans and integers are refused.

    Args:
        input: Tensor of any shape.
        end: Tensor of end points that broadcasts with ``input``.
        weight: Share of the way from ``input`` to ``end``: a number, or a tensor that
            broadcasts.

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.25)
    tensor([ 2.5000, 12.5000])

    Defined in ``pellucid/ops/elementwise/combined.py``.
    """

def less(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is less than the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.lt(torch.tensor([1, 2]), 2)
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def less_equal(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is at most the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def lgamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the natural logarithm of the absolute value of the gamma function.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.lgamma(torch.tensor([1.0, 5.0]))
    tensor([0.0000, 3.1781])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def linspace(
    start: Tensor | _int | _float | _complex,
    end: Tensor | _int | _float | _complex,
    steps: _int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make ``steps`` evenly spaced numbers from ``start`` to ``end``, both included.

    Args:
        start: First value.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        end: Last value.
        steps: Number of elements.

    Raises:
        TypeError: If ``steps`` is not an int.

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])

    Defined in ``pellucid/tensors/ranges.py``.
    """

def load_file(path: Any) -> Tensor:
    """Return the tensors of a file in the format safetensors by name.

    Args:
        path: Path of the file.

    Raises:
        RuntimeError: If the library safetensors is not installed, or cannot read the file.
        TypeError: If the path is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     torch.save_file({"x": torch.ones(2)}, f"{folder}/model.safetensors")
    ...     torch.load_file(f"{folder}/model.safetensors")
    {'x': tensor([1., 1.])}

    Defined in ``pellucid/interop/safetensors_files.py``.
    """

def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Any = None,
    n: Tensor | _int | _float | _complex | None = None,
    iK: Any = None,
    niter: _int | None = None,
    tol: Tensor | _int | _float | _complex | None = None,
    largest: _bool | None = None,
    method: _str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> tuple[Tensor, ...]:
    """Return the ``k`` largest (or smallest) eigenvalues of ``A x = e B x`` and their vectors.

    ``A`` is symmetric, ``[*, m, m]``, and ``B`` positive definite; the results are ``[*, k]`` and
    ``[*, m, k]``. ``X`` is where to start, by default ``n`` random vectors; ``iK`` approximates the
    inverse of ``A``; the search ends after ``niter`` steps or with residuals below ``tol`` times
    the norm of ``A``. Every ``method`` is SciPy's, which has no need of the ``ortho_`` parameters.

    There is a derivative by ``A``, of first and second order, where ``B`` is not given; as in
    PyTorch it takes the matrix for symmetric. It needs the whole spectrum. Raises RuntimeError for
    matrices that do not fit, ValueError where m is less than 3 n, and NotImplementedError for a
    ``tracker``.

    Knyazev, "Toward the Optimal Preconditioned Eigensolver", SIAM J. Sci. Comput. 23, 2001.

    Args:
        A: Symmetric matrix ``[*, M, M]``.
        k: Number of eigenpairs.
        B: Positive definite matrix of the generalized problem, or ``None``.
        X: First guess of the eigenvectors ``[M, K]``.
        n: Number of eigenpairs, by default the columns of ``X``.
        iK: Preconditioner.
        niter: Largest number of iterations.
        tol: Tolerance below which values count as 0.
        largest: Whether the largest are looked for rather than the smallest.
        method: Name of the variant; there is one.
        tracker: Function called after each iteration.
        ortho_iparams: Accepted as PyTorch does; not used.
        ortho_fparams: Accepted as PyTorch does; not used.
        ortho_bparams: Accepted as PyTorch does; not used.

    >>> values, vectors = torch.lobpcg(torch.diag(torch.arange(1.0, 10.0)), k=2)
    >>> values
    tensor([9., 8.])

    Defined in ``pellucid/ops/linalg/lobpcg.py``.
    """

def log(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the natural logarithm, NaN for negative numbers.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.log(torch.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log10(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the logarithm to base 10, NaN for negative numbers.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.log10(torch.tensor([1.0, 50.0]))
    tensor([0.0000, 1.6990])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log10_(input: Tensor) -> Tensor:
    """In-place version of :func:`log10`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log1p(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``log(1 + input)``, exact also near 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.log1p(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log1p_(input: Tensor) -> Tensor:
    """In-place version of :func:`log1p`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the logarithm to base 2, NaN for negative numbers.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.log2(torch.tensor([1.0, 8.0]))
    tensor([0., 3.])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log2_(input: Tensor) -> Tensor:
    """In-place version of :func:`log2`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log_(input: Tensor) -> Tensor:
    """In-place version of :func:`log`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def log_softmax(
    input: Tensor,
    dim: _int | Sequence[_int],
    dtype: _dtype | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the logarithm of `softmax`, exact where probabilities vanish.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def logaddexp(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return ``log(exp(input) + exp(other))`` without overflow.

    Of complex numbers too.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans and integers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.logaddexp(torch.tensor([1000.0]), torch.tensor([1000.0]))
    tensor([1000.6932])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def logaddexp2(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the logarithm to base 2 of ``2**input + 2**other`` without overflow.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.logaddexp2(torch.tensor([1000.0]), torch.tensor([1000.0]))
    tensor([1001.])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def logcumsumexp(
    input: Tensor, dim: _int | Sequence[_int], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the logarithms of the running sums of exponentials, without overflow.

    Args:
        input: Floating-point or complex tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.logcumsumexp(torch.zeros(2), dim=0)
    tensor([0.0000, 0.6931])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def logdet(input: Tensor) -> Tensor:
    """Return the logarithms of determinants, NaN where they are negative.

    Args:
        input: Square matrices ``[*, n, n]``, floating point or complex.

    >>> torch.logdet(torch.eye(2))
    tensor(0.)

    Defined in ``pellucid/ops/linalg/determinants.py``.
    """

def logical_and(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return a bool tensor, True where both elements are true, that is, not 0.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.logical_and(torch.tensor([0, 1]), torch.tensor([2, 3]))
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def logical_not(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return a bool tensor, True where elements are 0.

    Args:
        input: Tensor of any shape.

    >>> torch.logical_not(torch.tensor([0, 3]))
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def logical_or(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return a bool tensor, True where at least one element is true, that is, not 0.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.logical_or(torch.tensor([0, 1]), torch.tensor([0, 0]))
    tensor([False,  True])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def logical_xor(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return a bool tensor, True where just one element is true, that is, not 0.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.logical_xor(torch.tensor([1, 1]), torch.tensor([0, 2]))
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/logic.py``.
    """

def logit(
    input: Tensor,
    eps: _int | _float | _complex | Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``log(input / (1 - input))``; with ``eps`` of the input clamped to [eps, 1 - eps].

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        eps: Inputs are clamped to ``[eps, 1 - eps]``; ``None`` does not clamp.

    >>> torch.logit(torch.tensor([0.25, 0.5]))
    tensor([-1.0986,  0.0000])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def logit_(input: Tensor, eps: _int | _float | _complex | Tensor | None = None) -> Tensor:
    """In-place version of :func:`logit`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        eps: Inputs are clamped to ``[eps, 1 - eps]``; ``None`` does not clamp.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def logspace(
    start: Tensor | _int | _float | _complex,
    end: Tensor | _int | _float | _complex,
    steps: _int,
    base: _float = 10.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make ``steps`` numbers from ``base ** start`` to ``base ** end``, with even ratios.

    Args:
        start: First exponent.
        end: Last exponent.
        steps: Number of elements.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.
        base: Base of the powers.

    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])

    Defined in ``pellucid/tensors/ranges.py``.
    """

def logsumexp(
    input: Tensor,
    dim: _int | Sequence[_int],
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the logarithm of the sum of the exponentials over dimensions, without overflow.

    Args:
        input: Tensor of any shape; integers are computed in floating point.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    Raises:
        RuntimeError: If ``dim`` names no dimension of a tensor that has some.

    >>> torch.logsumexp(torch.zeros(2), dim=0)
    tensor(0.6931)

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def lt(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the first is less than the second.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.lt(torch.tensor([1, 2]), 2)
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def lu(
    A: Tensor,
    pivot: _bool = True,
    get_infos: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> lu_result:
    """Return an LU factorization in one matrix with its pivots; see `linalg.lu_factor`.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.
        get_infos: Whether to return ``info`` too.

    >>> torch.lu(torch.eye(1) * 2).LU
    tensor([[2.]])

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def lu_solve(
    b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Solve ``A X = b`` with the LU factorization of ``A``; see `linalg.lu_solve`.

    Args:
        b: Right-hand sides ``[*, N, K]``.
        LU_data: Packed factors ``[*, M, N]``, as `lu_factor` returns them.
        LU_pivots: Row exchanges (int32), as `lu_factor` returns them.

    >>> torch.lu_solve(torch.ones(1, 1), *torch.linalg.lu_factor(torch.eye(1) * 4))
    tensor([[0.2500]])

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> lu_unpack_result:
    """Return ``P``, ``L`` and ``U`` of a factorization; empty tensors for what is not unpacked.

    Args:
        LU_data: Packed factors ``[*, M, N]``, as `lu_factor` returns them.
        LU_pivots: Row exchanges (int32), as `lu_factor` returns them.
        unpack_data: Whether to unpack ``L`` and ``U``.
        unpack_pivots: Whether to unpack the permutation.

    Raises:
        RuntimeError: If the pivots are not int32, or out of range.

    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.eye(1) * 2)).U
    tensor([[2.]])

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def manual_seed(seed: _int) -> Generator:
    """Start the shared stream that belongs to a seed; return its generator.

    Args:
        seed: Integer from -2**63 to 2**64 - 1.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])

    Defined in ``pellucid/random.py``.
    """

def masked_fill(
    input: Tensor | _int | _float | _complex,
    mask: Tensor | _int | _float | _complex,
    value: Tensor | _int | _float | _complex,
) -> Tensor:
    """Put a number, or the value of a 0-d tensor, where the mask holds; the dtype stays.

    Raises RuntimeError for a mask that is not boolean, and for a value with dimensions.

    Dtypes:
        The other operands are converted to the dtype of ``input``.

    Args:
        input: Tensor of any shape.
        mask: Boolean tensor that broadcasts with ``input``.
        value: Number, or 0-d tensor, to write where ``mask`` is true.

    >>> torch.ones(3).masked_fill(torch.tensor([True, False, True]), 0)
    tensor([0., 1., 0.])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a copy with the elements of ``source``, one after the other, where the mask is true.

    Args:
        input: Tensor of any shape.
        mask: Boolean tensor that broadcasts with ``input``.
        source: Tensor with the values to read.

    Raises:
        RuntimeError: If ``source`` has fewer elements than the mask has True.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked_scatter(torch.zeros(3), mask, torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])

    Defined in ``pellucid/ops/index/masked.py``.
    """

def masked_select(
    input: Tensor, mask: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the elements where the mask is true, as a vector.

    Args:
        input: Tensor that broadcasts with ``mask``.
        mask: Boolean tensor that broadcasts with ``input``.

    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])

    Defined in ``pellucid/ops/index/masked.py``.
    """

def matmul(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Multiply matrices; a vector counts as a row on the left and as a column on the right.

    Dimensions before the last two are a batch, and broadcast. Raises RuntimeError where the inner
    sizes or the dtypes differ.

    Args:
        input: Tensor ``[n]`` or ``[*, n, k]``, of any dtype but bool.
        other: Tensor of at least one dimension that fits.

    >>> torch.matmul(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponentials of square matrices.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

def matrix_power(
    A: Tensor,
    n: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Multiply square matrices ``n`` times with themselves; a negative ``n`` inverts them first.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        n: Exponent, an integer.

    Raises:
        TypeError: If ``n`` is not an int.
        RuntimeError: If a matrix is not square, or is singular and ``n`` negative.

    >>> torch.linalg.matrix_power(torch.eye(2) * 2, 3)
    tensor([[8., 0.],
            [0., 8.]])

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

@overload
def max(input: Tensor) -> Tensor:
    """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

    ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
    ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
    the element that the index names.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False) -> max_result:
    """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

    ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
    ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
    the element that the index names.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def max(input: Tensor, other: Tensor) -> Tensor:
    """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

    ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
    ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
    the element that the index names.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool1d(
    input: Tensor,
    *,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, L]`` or ``[C, L]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, ...]:
    """Pool as `max_pool1d`, and return the index of each maximum.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> out, places = torch.nn.functional.max_pool1d_with_indices(torch.ones(1, 2), 2)
    >>> places.flatten()
    tensor([0])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool2d(
    input: Tensor,
    *,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, H, W]`` or ``[C, H, W]``.

    With ``return_indices``, return also the indices of these elements in the flattened images.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool3d(
    input: Tensor,
    *,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[True],
) -> tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | _str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Take the largest element of each window of ``[N, C, D, H, W]`` or ``[C, D, H, W]``.

    Args:
        input: Tensor ``[N, C, *S]``, or ``[C, *S]`` without a batch, with the spatial
            dimensions ``S``.
        kernel_size: Size of a window, as a number or one per spatial dimension.
        stride: Step between windows, by default ``kernel_size``.
        padding: Padding on both sides, at most half the window.
        dilation: Distance between neighbours in a window, as a number or one per spatial
            dimension.
        ceil_mode: Whether the last, incomplete window counts too.
        return_indices: Whether to return the index of each maximum too.

    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])

    Defined in ``pellucid/ops/nn/pool.py``.
    """

def maximum(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the greater of two elements; NaN where one is NaN. Equal ones share the gradient.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.maximum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([3., 4.])

    Defined in ``pellucid/ops/elementwise/extrema.py``.
    """

def mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Average the elements, of the given dimensions or of all.

    Raises RuntimeError for integers, unless ``dtype`` says in what to compute.

    Args:
        input: Floating-point or complex tensor of any shape, or any with ``dtype``.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.tensor([[1.0, 3.0], [5.0, 7.0]]).mean(dim=1)
    tensor([2., 6.])

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

@overload
def median(input: Tensor) -> Tensor:
    """Return the median, the lower of two; along a dimension also its index (int64).

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.median(torch.tensor([3, 1, 2, 4]))
    tensor(2)

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False) -> median_result:
    """Return the median, the lower of two; along a dimension also its index (int64).

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.median(torch.tensor([3, 1, 2, 4]))
    tensor(2)

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: _str | None = None
) -> tuple[Tensor, ...]:
    """Make the coordinates of a grid from vectors of coordinates, one per dimension.

    ``indexing="ij"`` gives result i the direction i; ``"xy"`` exchanges the first two. Raises
    RuntimeError for another value.

    Args:
        *tensors: Tensors to combine.
        indexing: ``"ij"`` for matrix order, ``"xy"`` for Cartesian order.

    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]), indexing="ij")
    >>> y
    tensor([[3, 4],
            [3, 4]])

    Defined in ``pellucid/ops/shape/broadcasting.py``.
    """

@overload
def min(input: Tensor) -> Tensor:
    """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

    The forms are those of `max`.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False) -> min_result:
    """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

    The forms are those of `max`.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def min(input: Tensor, other: Tensor) -> Tensor:
    """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

    The forms are those of `max`.

    Args:
        input: Real tensor of any shape.
        *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
            by element.
        **keywords: The arguments by name.

    >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
    tensor([1, 0])

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def minimum(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the smaller of two elements; NaN where one is NaN. Equal ones share the gradient.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.minimum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])

    Defined in ``pellucid/ops/elementwise/extrema.py``.
    """

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply two matrices; raise RuntimeError for anything else.

    Args:
        input: Matrix ``[N, M]``.
        mat2: Matrix ``[M, P]``.

    >>> torch.mm(torch.ones(2, 3), torch.ones(3, 1))
    tensor([[3.],
            [3.]])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def mode(
    input: Tensor,
    dim: _int | Sequence[_int] = -1,
    keepdim: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> mode_result:
    """Return the most frequent value along a dim, the smallest of several, and its index.

    Args:
        input: Tensor of any shape and real dtype.
        dim: The dim to search along.
        keepdim: Whether the result keeps ``dim``, with size 1.

    Returns:
        A named tuple: values, of the input's dtype, and indices, int64.

    >>> torch.mode(torch.tensor([1, 2, 2])).values
    tensor(2)

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def moveaxis(
    input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]
) -> Tensor:
    """Move dimensions to other positions; the rest keep their order.

    Args:
        input: Tensor of any shape.
        source: Dimensions to move.
        destination: Where the dimensions go.

    Raises:
        RuntimeError: If there are not as many sources as destinations, or one occurs twice.

    >>> torch.ones(2, 3, 4).movedim(0, -1).shape
    torch.Size([3, 4, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def movedim(
    input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]
) -> Tensor:
    """Move dimensions to other positions; the rest keep their order.

    Args:
        input: Tensor of any shape.
        source: Dimensions to move.
        destination: Where the dimensions go.

    Raises:
        RuntimeError: If there are not as many sources as destinations, or one occurs twice.

    >>> torch.ones(2, 3, 4).movedim(0, -1).shape
    torch.Size([3, 4, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def msort(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Sort along the first dimension.

    Args:
        input: Real tensor of any shape.

    >>> torch.msort(torch.tensor([3, 1, 2]))
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def mul(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Multiply element by element, with broadcasting.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Draw indices, of each row, with probabilities proportional to the weights in ``input``.

    Raises RuntimeError for weights that are negative, not finite or all zero, and for more samples
    than there are categories without replacement.

    Args:
        input: Weights ``[N]`` or ``[M, N]``, not negative.
        num_samples: Number of draws.
        replacement: Whether an element may be drawn more than once.
        generator: Generator to draw from; by default the global one.

    >>> torch.multinomial(torch.tensor([0.0, 3.0]), 1)
    tensor([1])

    Defined in ``pellucid/ops/random/sampling.py``.
    """

def multiply(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Multiply element by element, with broadcasting.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def mv(input: Tensor, vec: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply a matrix and a vector.

    Args:
        input: Matrix ``[N, M]``.
        vec: Vector ``[M]``.

    Raises:
        RuntimeError: If the sizes of matrix and vector do not fit.

    >>> torch.mv(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def mvlgamma(
    input: Tensor, p: _int | _float | _complex, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Args:
        input: Real tensor of any shape.
        p: Dimension.

    Raises:
        RuntimeError: If ``p`` is less than 1 or unreasonably large.

    >>> torch.special.multigammaln(torch.tensor([2.0]), 1)
    tensor([0.])

    Defined in ``pellucid/ops/elementwise/special_functions.py``.
    """

def nan_to_num(
    input: Tensor,
    nan: _int | _float | _complex | Tensor | None = None,
    posinf: _int | _float | _complex | Tensor | None = None,
    neginf: _int | _float | _complex | Tensor | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Replace NaN, infinity and minus infinity: by 0 and the largest finite numbers, or as given.

    Args:
        input: Tensor of any shape.
        nan: What replaces NaN.
        posinf: What replaces positive infinity; by default the largest finite number.
        neginf: What replaces negative infinity; by default the smallest finite number.

    >>> torch.nan_to_num(torch.tensor([torch.nan, 1.0]), nan=2.0)
    tensor([2., 1.])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def nan_to_num_(
    input: Tensor,
    nan: _int | _float | _complex | Tensor | None = None,
    posinf: _int | _float | _complex | Tensor | None = None,
    neginf: _int | _float | _complex | Tensor | None = None,
) -> Tensor:
    """In-place version of :func:`nan_to_num`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        nan: What replaces NaN.
        posinf: What replaces positive infinity; by default the largest finite number.
        neginf: What replaces negative infinity; by default the smallest finite number.

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def nanmean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Average the elements that are not NaN.

    Raises RuntimeError for integers, and for an integer ``dtype``.

    Args:
        input: Floating-point or complex tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.tensor([1.0, 3.0, torch.nan]).nanmean()
    tensor(2.)

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

@overload
def nanmedian(input: Tensor) -> Tensor:
    """Return the median of the elements that are not NaN; along a dimension also its index (int64).

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.nanmedian(torch.tensor([3.0, 1.0, torch.nan]))
    tensor(1.)

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False) -> nanmedian_result:
    """Return the median of the elements that are not NaN; along a dimension also its index (int64).

    Args:
        input: Real tensor of any shape.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.nanmedian(torch.tensor([3.0, 1.0, torch.nan]))
    tensor(1.)

    Defined in ``pellucid/ops/reduce/extremes.py``.
    """

def nanquantile(
    input: Tensor,
    q: _float | Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the quantiles at the fractions ``q`` of the elements that are not NaN.

    See `quantile`.

    Args:
        input: float32 or float64 tensor of any shape.
        q: Quantiles: a number or vector of numbers from 0 to 1.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        interpolation: Between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
            ``"midpoint"`` or ``"nearest"``.

    >>> torch.nanquantile(torch.tensor([3.0, torch.nan, 2.0]), 0.5)
    tensor(2.5000)

    Defined in ``pellucid/ops/reduce/quantiles.py``.
    """

def nansum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Add up the elements that are not NaN.

    Args:
        input: Real tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.tensor([1.0, torch.nan]).nansum()
    tensor(1.)

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor:
    """Return a view of ``length`` elements along a dimension, from ``start`` on.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension to cut.
        start: First position to keep, an int or a 0-d integer tensor.
        length: Number of positions to keep.

    Raises:
        RuntimeError: If the part is not within the dimension.
        IndexError: If ``start`` is out of range.

    >>> torch.arange(5).narrow(0, 1, 3)
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def narrow_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.narrow``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.narrow``.
        kwargs: Its keyword arguments.

    >>> torch.narrow_copy(torch.arange(4), 0, 1, 2)
    tensor([1, 2])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Shuffle channels as `channel_shuffle` does; this is its name next to the kernels.

    Args:
        input: Tensor ``[*, C, H, W]``.
        groups: Number of groups of channels.

    >>> F = torch.nn.functional
    >>> F.native_channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def ne(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the elements differ.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.ne(torch.tensor([1, 2]), 2)
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def neg(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Change the sign; raise RuntimeError for a boolean tensor.

    Args:
        input: Tensor of any shape, or a number.

    >>> torch.neg(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def neg_(input: Tensor) -> Tensor:
    """In-place version of :func:`neg`: write the result into the first operand.

    Args:
        input: Tensor of any shape, or a number.

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def negative(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Change the sign; raise RuntimeError for a boolean tensor.

    Args:
        input: Tensor of any shape, or a number.

    >>> torch.neg(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def negative_(input: Tensor) -> Tensor:
    """In-place version of :func:`neg`: write the result into the first operand.

    Args:
        input: Tensor of any shape, or a number.

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def nextafter(
    input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Return the next number that the dtype has, from ``input`` on the way to ``other``.

    As in PyTorch, the slope is 1 by the input, 0 where both are equal, and 0 by the other.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Booleans, integers and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        other: Tensor that broadcasts with ``input``.

    >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) > 1
    tensor([True])

    Defined in ``pellucid/ops/elementwise/floating.py``.
    """

@overload
def nonzero(
    input: Tensor,
    *,
    as_tuple: Literal[False] = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

    Args:
        input: Tensor of any shape.
        as_tuple: Whether to return one tensor of indices per dimension.

    >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
    (tensor([1, 2]),)

    Defined in ``pellucid/ops/index/masked.py``.
    """

@overload
def nonzero(
    input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None, as_tuple: Literal[True]
) -> tuple[Tensor, ...]:
    """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

    Args:
        input: Tensor of any shape.
        as_tuple: Whether to return one tensor of indices per dimension.

    >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
    (tensor([1, 2]),)

    Defined in ``pellucid/ops/index/masked.py``.
    """

@overload
def nonzero(
    input: Tensor, *, as_tuple: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

    Args:
        input: Tensor of any shape.
        as_tuple: Whether to return one tensor of indices per dimension.

    >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
    (tensor([1, 2]),)

    Defined in ``pellucid/ops/index/masked.py``.
    """

def nonzero_static(
    input: Tensor, *, size: _int | Sequence[_int], fill_value: _int | _float | _complex = -1
) -> Tensor:
    """Return the indices of the first ``size`` elements that are not zero, one row for each.

    Where there are fewer, rows of ``fill_value`` follow. Raises RuntimeError for a negative size.

    Args:
        input: Tensor of any shape.
        size: Number of indices to return; missing ones are ``fill_value``.
        fill_value: Value of every element.

    >>> torch.nonzero_static(torch.tensor([1, 0, 3]), size=3)
    tensor([[ 0],
            [ 2],
            [-1]])

    Defined in ``pellucid/ops/index/index_misc.py``.
    """

def norm(
    input: Tensor,
    p: _int | _float | _complex | _str = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the p-norm of the elements over dimensions; "fro" is the norm of order 2.

    "nuc" is the sum of the singular values of matrices.

    Args:
        input: Floating point or complex tensor of any shape.
        p: Order of the norm.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        RuntimeError: If the order is a name other than "fro" and "nuc".

    >>> torch.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor:
    """Return the norm over all dimensions but one, those with size 1; over all where dim is -1.

    Args:
        v: Floating-point or complex tensor of any shape.
        pow: Order of the norm.
        dim: Dimension to work along; a negative one counts from the end.

    Raises:
        RuntimeError: If the tensor is neither floating point nor complex.
        IndexError: If ``dim`` is out of range.

    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), 2, 0)
    tensor([[ 5.],
            [10.]])

    Defined in ``pellucid/ops/linalg/distances.py``.
    """

def normal(
    mean: Tensor | _int | _float | _complex = 0.0,
    std: Tensor | _int | _float | _complex = 1.0,
    size: _int | Sequence[_int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Draw from normal distributions of the given means and standard deviations.

    These are tensors, or numbers together with a size.

    Args:
        mean: Mean: a number, or a tensor with one for each element.
        std: Standard deviation: a number, or a tensor with one for each element.
        size: Shape of the result.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Has no effect: there is no device to copy to.
        out: Tensor that the draws are written into, which are made in its dtype.

    Raises:
        RuntimeError: If a standard deviation is negative.

    >>> torch.normal(torch.tensor([1.0, 2.0]), 0.0)
    tensor([1., 2.])

    Defined in ``pellucid/random.py``.
    """

def not_equal(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return a bool tensor, True where the elements differ.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.ne(torch.tensor([1, 2]), 2)
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def nuclear_norm(input: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
    """Return the sums of the singular values of matrices.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.nuclear_norm(torch.eye(3))
    tensor(3.)

    Defined in ``pellucid/ops/linalg/matrix_norms.py``.
    """

def numel(input: Tensor) -> _int:
    """Return the number of elements.

    Args:
        input: Tensor of any shape.

    >>> torch.numel(torch.ones(2, 3))
    6

    Defined in ``pellucid/tensors/properties.py``.
    """

def ones(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make a tensor of ones; the sizes come one by one or as a sequence.

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.ones(3, dtype=torch.int64)
    tensor([1, 1, 1])

    Defined in ``pellucid/tensors/creation.py``.
    """

def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor of ones with the shape and dtype of another.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        memory_format: Order of the elements in memory.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.ones_like(torch.zeros(2))
    tensor([1., 1.])

    Defined in ``pellucid/tensors/creation.py``.
    """

def orgqr(A: Tensor, tau: Tensor) -> Tensor:
    """Return the first columns of a product of Householder reflections, as `geqrf` leaves them.

    Shapes: ``A`` is ``[*, m, n]`` with ``m >= n``, ``tau`` is ``[*, k]`` with ``k <= n``; the
    result is ``[*, m, n]``.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        tau: Scale factors of the reflections, as `geqrf` returns them.

    Raises:
        RuntimeError: If the shapes of ``A`` and ``tau`` do not fit.

    >>> torch.linalg.householder_product(torch.zeros(2, 1), torch.zeros(1))
    tensor([[1.],
            [0.]])

    Defined in ``pellucid/ops/linalg/householder.py``.
    """

def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor | _int | _float | _complex,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Multiply ``other`` by the whole product of the reflections that `geqrf` returned.

    Args:
        input: Reflections ``[*, m, k]``, as `geqrf` returns them.
        tau: Scale factors of the reflections, as `geqrf` returns them.
        other: Matrix, or batch of matrices, to multiply.
        left: Whether Q is multiplied from the left.
        transpose: Whether the transposed matrix is used.

    Raises:
        RuntimeError: If the shapes do not fit.

    >>> torch.ormqr(torch.zeros(2, 1), torch.zeros(1), torch.ones(2, 1))
    tensor([[1.],
            [1.]])

    Defined in ``pellucid/ops/linalg/householder.py``.
    """

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Multiply every element of one vector by every element of another: ``[n], [m]`` to ``[n, m]``.

    Args:
        input: Vector ``[N]``.
        vec2: Vector ``[M]``.

    Raises:
        RuntimeError: If a tensor is not a vector.

    >>> torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def pairwise_distance(
    x1: Tensor,
    x2: Tensor,
    p: _int | _float | _complex = 2.0,
    eps: _float = 1e-06,
    keepdim: _bool = False,
) -> Tensor:
    """Return the p-norm of the differences of corresponding rows, ``eps`` added to each difference.

    Args:
        x1: Points ``[N, D]`` or ``[D]``.
        x2: Points that broadcast with ``x1``.
        p: Order of the norm.
        eps: Small number that keeps a divisor from 0.
        keepdim: Whether reduced dimensions stay, with size 1.

    >>> torch.nn.functional.pairwise_distance(torch.ones(2, 4), torch.zeros(2, 4), eps=0.0)
    tensor([2., 2.])

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2
) -> tuple[Tensor, ...]:
    """Return about the ``q`` first principal components of rows of samples: ``U``, ``S``, ``V``.

    The columns of ``V`` are the directions, and ``S ** 2 / (m - 1)`` the variances along them;
    ``center`` takes the mean of the samples off. By default ``q`` is ``min(6, m, n)``. Raises
    ValueError for a ``q`` or ``niter`` out of range.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``.
        q: Number of singular values to find.
        center: Whether the columns are centred first.
        niter: Largest number of iterations.

    >>> samples = torch.tensor([[0.0, 1.0], [2.0, 1.0]])
    >>> torch.pca_lowrank(samples, q=1)[2].abs()
    tensor([[1.],
            [0.]])

    Defined in ``pellucid/ops/linalg/low_rank.py``.
    """

def pdist(input: Tensor, p: _int | _float | _complex = 2.0) -> Tensor:
    """Return the p-norm distances of all pairs of rows: ``[n, d]`` to ``[n * (n - 1) / 2]``.

    The pairs are in the order (0, 1), (0, 2), ..., (1, 2), ... Raises RuntimeError for what is not
    a matrix of real floating-point numbers, and for a negative ``p``.

    Args:
        input: Floating-point matrix ``[n, d]`` of rows.
        p: Order of the norm.

    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000, 4.2426])

    Defined in ``pellucid/ops/linalg/distances.py``.
    """

def permute(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """Put the dimensions in another order.

    Args:
        input: Tensor of any shape.
        dims: The dimensions in their new order.

    Raises:
        RuntimeError: If ``dims`` do not name each dimension once.

    >>> torch.ones(2, 3, 4).permute(2, 0, 1).shape
    torch.Size([4, 2, 3])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def permute_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.permute``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.permute``.
        kwargs: Its keyword arguments.

    >>> torch.permute_copy(torch.ones(1, 2), (1, 0))
    tensor([[1.],
            [1.]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """Return the pseudoinverses of matrices; see `linalg.pinv`.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        rcond: Singular values below this share of the largest count as 0.

    >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])

    Defined in ``pellucid/ops/linalg/matrix_functions.py``.
    """

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Turn channels into pixels: ``[*, C * r * r, H, W]`` to ``[*, C, H * r, W * r]``.

    Args:
        input: Tensor ``[*, C, H, W]``.
        upscale_factor: Factor by which height and width grow.

    Raises:
        RuntimeError: If the number of channels is not a multiple of the square of the factor.

    >>> torch.nn.functional.pixel_shuffle(torch.ones(1, 8, 2, 2), 2).shape
    torch.Size([1, 2, 4, 4])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Turn pixels into channels: ``[*, C, H * r, W * r]`` to ``[*, C * r * r, H, W]``.

    Args:
        input: Tensor ``[*, C, H, W]``.
        downscale_factor: Factor by which height and width shrink.

    Raises:
        RuntimeError: If height or width is not a multiple of the factor.

    >>> torch.nn.functional.pixel_unshuffle(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 2, 2])

    Defined in ``pellucid/ops/nn/channels.py``.
    """

def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw counts from Poisson distributions with the rates in ``input``.

    The result has the shape and dtype of ``input``. Raises RuntimeError for a negative rate.

    Args:
        input: Rates: floating-point tensor of any shape, not negative.
        generator: Generator to draw from; by default the global one.

    >>> torch.poisson(torch.zeros(3))
    tensor([0., 0., 0.])

    Defined in ``pellucid/ops/random/sampling.py``.
    """

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Make complex numbers of their absolute values and angles.

    Args:
        abs: Absolute values, floating point.
        angle: Angles in radians, of the dtype of ``abs``.

    >>> torch.polar(torch.tensor([2.0]), torch.tensor([0.0]))
    tensor([2.+0.j])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def polygamma(
    n: Tensor | _int | _float | _complex,
    input: Tensor,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the ``n``-th derivative of `digamma`; for n = 0 that function itself.

    Raises ValueError for an ``n`` that is negative or does not fit int64.

    Args:
        n: Order of the derivative, not negative.
        input: Tensor of any shape.

    >>> torch.polygamma(1, torch.tensor([1.0, 2.0]))
    tensor([1.6449, 0.6449])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def positive(input: Tensor) -> Tensor:
    """Return the tensor itself; raise RuntimeError if it is boolean.

    Args:
        input: Tensor of any shape, or a number.

    >>> torch.positive(torch.tensor([1.0, -2.0]))
    tensor([ 1., -2.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def pow(
    input: Tensor | _int | _float | _complex,
    exponent: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Raise to a power; either operand may be a number.

    Raises RuntimeError for integers to a negative number, and to one beyond their dtype.

    Dtypes:
        ``input`` and ``exponent`` are computed in their common dtype.

    Args:
        input: Base: a tensor or a number.
        exponent: Tensor or number; the base broadcasts with it.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply negative elements by a slope, one for all or one for each channel (dimension 1).

    Source: He et al., "Delving Deep into Rectifiers", 2015.

    Raises RuntimeError if the number of slopes is another.

    Args:
        input: Floating point tensor of any shape.
        weight: Slope for negative inputs: one, or one per channel.

    >>> torch.prelu(torch.tensor([[-1.0, -1.0]]), torch.tensor([0.1, 0.2]))
    tensor([[-0.1000, -0.2000]])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def prod(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Multiply the elements, along one dimension or all.

    Booleans and integers give int64 unless ``dtype`` is given.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        TypeError: If ``dim`` is not an int.

    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).prod(dim=1)
    tensor([ 2., 12.])

    Defined in ``pellucid/ops/reduce/scan.py``.
    """

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """Return a copy with other elements at indices into the flattened tensor.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.
        source: Tensor with the values to read.
        accumulate: Whether values are added to what is there rather than written over it.

    Raises:
        RuntimeError: If ``source`` does not have as many elements as ``index``.

    >>> torch.put(torch.zeros(2, 2), torch.tensor([3]), torch.ones(1))
    tensor([[0., 0.],
            [0., 1.]])

    Defined in ``pellucid/ops/index/take.py``.
    """

def qr(
    input: Tensor, some: _bool = True, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> qr_result:
    """Return a QR decomposition, complete unless ``some``; see `linalg.qr`.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        some: Whether to return the reduced form.

    >>> torch.qr(torch.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def quantile(
    input: Tensor,
    q: _float | Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: _str = "linear",
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the quantiles of the elements at the fractions ``q``; NaN if an element is NaN.

    With a vector ``q`` the result's first dimension is that of the fractions. Between two elements
    ``interpolation`` takes a weighted mean (linear), one of them (lower, higher, nearest) or the
    middle (midpoint). Raises RuntimeError for fractions outside [0, 1] and for what is not of
    dtype float32 or float64.

    Args:
        input: float32 or float64 tensor of any shape.
        q: Quantiles: a number or vector of numbers from 0 to 1.
        dim: Dimension to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        interpolation: Between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
            ``"midpoint"`` or ``"nearest"``.

    >>> torch.quantile(torch.tensor([3.0, 1.0, 2.0]), 0.75)
    tensor(2.5000)

    Defined in ``pellucid/ops/reduce/quantiles.py``.
    """

def rad2deg(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Convert radians to degrees.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.rad2deg(torch.tensor([0.0, 1.0]))
    tensor([ 0.0000, 57.2958])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def rad2deg_(input: Tensor) -> Tensor:
    """In-place version of :func:`rad2deg`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def rand(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Draw numbers uniformly from [0, 1).

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape of the result.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.rand(2, 3).shape
    torch.Size([2, 3])

    Defined in ``pellucid/random.py``.
    """

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
) -> Tensor:
    """Draw uniformly from [0, 1), in the shape and dtype of another tensor.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Has no effect: there is no device to copy to.
        memory_format: Order of the elements in memory.

    >>> torch.rand_like(torch.ones(2)).shape
    torch.Size([2])

    Defined in ``pellucid/random.py``.
    """

def randint(
    *args: _int | Sequence[_int],
    low: _int | None = None,
    high: _int | None = None,
    size: _int | Sequence[_int] | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Draw integers from [low, high): ``randint(high, size)`` or ``randint(low, high, size)``.

    Args:
        *args: The arguments by position.
        low: Smallest value that can be drawn.
        high: One more than the largest value that can be drawn.
        size: Shape of the result.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    Raises:
        TypeError: If neither of the two forms is given.
        RuntimeError: If ``low`` is not less than ``high``.

    >>> torch.randint(5, 6, (3,))
    tensor([5, 5, 5])

    Defined in ``pellucid/random.py``.
    """

def randint_like(
    input: Tensor,
    *args: _int | Sequence[_int],
    low: _int | None = None,
    high: _int | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """Draw integers from [low, high), in the shape and dtype of another tensor.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        *args: The arguments by position.
        low: Smallest value that can be drawn.
        high: One more than the largest value that can be drawn.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        memory_format: Order of the elements in memory.
        pin_memory: Has no effect: there is no device to copy to.

    >>> torch.randint_like(torch.ones(2), 3, 4)
    tensor([3., 3.])

    Defined in ``pellucid/random.py``.
    """

def randn(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] | None = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Draw numbers from the normal distribution of mean 0 and variance 1.

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape of the result.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.randn(2, 3).shape
    torch.Size([2, 3])

    Defined in ``pellucid/random.py``.
    """

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
) -> Tensor:
    """Draw from the standard normal distribution, in the shape and dtype of another tensor.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Has no effect: there is no device to copy to.
        memory_format: Order of the elements in memory.

    >>> torch.randn_like(torch.ones(2)).shape
    torch.Size([2])

    Defined in ``pellucid/random.py``.
    """

def randperm(
    n: Tensor | _int | _float | _complex,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return 0, 1, ..., n - 1 in random order.

    Args:
        n: Number of elements.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.randperm(3).sum()
    tensor(3)

    Defined in ``pellucid/random.py``.
    """

def range(
    start: Tensor | _int | _float | _complex = 0,
    end: Tensor | _int | _float | _complex | None = None,
    step: _int | _float | _complex | Tensor = 1,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Count from ``start`` to ``end``, both included; `arange` is to be preferred.

    Args:
        start: First value.
        end: Bound of the values.
        step: Distance from one element to the next.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.

    Raises:
        RuntimeError: If ``step`` is 0, or leads away from ``end``.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])

    Defined in ``pellucid/tensors/ranges.py``.
    """

def ravel(input: Tensor) -> Tensor:
    """Return the elements in one dimension.

    Args:
        input: Tensor of any shape.

    >>> torch.eye(2).ravel()
    tensor([1., 0., 0., 1.])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def real(input: Tensor) -> Tensor:
    """Return the real part, sharing memory; a real tensor is returned itself.

    Args:
        input: Tensor of any shape.

    >>> torch.real(torch.tensor([1 + 2j]))
    tensor([1.])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def reciprocal(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``1 / input``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.reciprocal(torch.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def reciprocal_(input: Tensor) -> Tensor:
    """In-place version of :func:`reciprocal`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def relu(input: Tensor) -> Tensor:
    """Replace negative elements by 0.

    Raises RuntimeError for booleans and for complex numbers.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def relu_(input: Tensor) -> Tensor:
    """In-place version of :func:`relu`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def remainder(
    input: Tensor | _float,
    other: Tensor | _float,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return what is left by a division rounded down; it has the sign of the divisor.

    The dividend may be a number: then backward raises RuntimeError, as in PyTorch.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.remainder(torch.tensor([7.0, -7.0]), 4)
    tensor([3., 1.])
    >>> torch.remainder(7, torch.tensor([4]))
    tensor([3])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def renorm(
    input: Tensor,
    p: _int | _float | _complex,
    dim: _int,
    maxnorm: _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Scale the slices along a dimension down to a p-norm of ``maxnorm`` where theirs is greater.

    Raises RuntimeError for less than two dimensions, for a ``p`` that is not positive and for a
    negative ``maxnorm``.

    Args:
        input: Tensor of at least two dimensions, floating point or complex.
        p: Order of the norm.
        dim: Dimension whose slices are scaled.
        maxnorm: Largest norm that is kept.

    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])

    Defined in ``pellucid/ops/linalg/distances.py``.
    """

def repeat_interleave(
    input: Tensor,
    repeats: _int | Tensor | None = None,
    dim: _int | None = None,
    *,
    output_size: _int | None = None,
) -> Tensor:
    """Repeat each element, or each slice along ``dim``, as often as its count says.

    Raises RuntimeError for negative counts and where there are not as many counts as slices.

    Args:
        input: Tensor of any shape.
        repeats: How often to repeat.
        dim: Dimension to work along; a negative one counts from the end.
        output_size: Sum of the counts, if it is known.

    >>> torch.repeat_interleave(torch.tensor([7, 8]), torch.tensor([1, 2]))
    tensor([7, 8, 8])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor:
    """Return the elements in another shape: a view where that is possible, else a copy.

    Raises RuntimeError where the number of elements does not fit.

    Args:
        input: Tensor of any shape.
        shape: Sizes of the result; one of them may be -1.

    >>> torch.reshape(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def resize_as_(
    self: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None
) -> Tensor:
    """Give a tensor the sizes of another, as ``resize_`` does.

    Args:
        self: Tensor to change.
        the_template: Tensor with the wanted shape.
        memory_format: Order of the elements in memory.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: conjugates are always computed at once.

    Args:
        input: Tensor of any shape.

    >>> torch.resolve_conj(torch.tensor([1.0]))
    tensor([1.])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor itself: conjugates are always computed at once.

    Args:
        input: Tensor of any shape.

    >>> torch.resolve_conj(torch.tensor([1.0]))
    tensor([1.])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    eps: _float | None = None,
) -> Tensor:
    """Divide by the root of the mean square over the last dimensions, then scale.

    ``x / sqrt(mean(x ** 2) + eps) * weight``. Source: Zhang and Sennrich, "Root Mean Square Layer
    Normalization", 2019.

    Args:
        input: Tensor ``[*, *normalized_shape]``.
        normalized_shape: Sizes of the last dimensions, over which to normalize.
        weight: Factor of each channel or normalized element, or ``None``.
        eps: Small number that keeps a divisor from 0.

    Raises:
        ValueError: If the input has fewer dimensions than ``normalized_shape``.

    >>> torch.nn.functional.rms_norm(torch.tensor([[3.0, 3.0]]), (2,))
    tensor([[1., 1.]])

    Defined in ``pellucid/ops/nn/norm.py``.
    """

def roll(
    input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
) -> Tensor:
    """Shift the elements along dimensions; what leaves at one end comes in at the other.

    Without ``dims`` the elements are shifted through the whole tensor. Raises RuntimeError where
    there are not as many shifts as dimensions.

    Args:
        input: Tensor of any shape.
        shifts: How far to shift, one for each of ``dims``.
        dims: Dimensions to shift; without them the flattened tensor is shifted.

    >>> torch.roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor:
    """Rotate by 90 degrees ``k`` times, from the first of two dimensions to the second.

    Args:
        input: Tensor of at least two dimensions.
        k: Number of quarter turns.
        dims: Dimensions to work on.

    Raises:
        RuntimeError: If ``dims`` are not two different dimensions of the tensor.
        IndexError: If one of ``dims`` is out of range.

    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def round(
    input: Tensor, *, decimals: _int = 0, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Round to the nearest integer, halves to the even one, or to ``decimals`` places.

    The gradient is 0. Raises RuntimeError for integers with ``decimals``.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        decimals: Number of digits after the decimal point; may be negative.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.4]))
    tensor([0., 2., 2.])
    >>> torch.round(torch.tensor([1.234]), decimals=1)
    tensor([1.2000])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """In-place version of :func:`round`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        decimals: Number of digits after the decimal point; may be negative.

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def row_stack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors one below the other, vectors as rows.

    Args:
        tensors: Tensors to join.

    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def rsqrt(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``1 / sqrt(input)``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.rsqrt(torch.tensor([4.0, 16.0]))
    tensor([0.5000, 0.2500])

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def rsqrt_(input: Tensor) -> Tensor:
    """In-place version of :func:`rsqrt`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def rsub(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    alpha: _int | _float | _complex | Tensor = 1,
) -> Tensor:
    """Subtract ``alpha`` times the first tensor from the other.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other`` before it is used.

    >>> torch.rsub(torch.ones(2), 3)
    tensor([2., 2.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def save_file(tensors: Tensor | Sequence[Tensor], path: Any, metadata: Any = None) -> None:
    """Write tensors by name in the format safetensors; an interrupted call leaves the old file.

    Args:
        tensors: Tensors of any shape and of the dtypes that the format has, by name.
        path: Path of the file.
        metadata: Texts by name that are stored beside them.

    Raises:
        TypeError: If there is no mapping, or a value is not a tensor.
        RuntimeError: If the library safetensors is not installed, or knows no such dtype.

    >>> import tempfile
    >>> model = torch.nn.Linear(1, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     torch.save_file(model.state_dict(), f"{folder}/model.safetensors")
    ...     model.load_state_dict(torch.load_file(f"{folder}/model.safetensors"))
    <All keys matched successfully>

    Defined in ``pellucid/interop/safetensors_files.py``.
    """

def scalar_tensor(
    s: _int | _float | _complex,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor without dimensions from a number, of the default dtype.

    Args:
        s: Number that the tensor holds.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.scalar_tensor(2)
    tensor(2.)

    Defined in ``pellucid/tensors/creation.py``.
    """

def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor | _int | _float | _complex | None = None,
    *,
    value: _int | _float | _complex | Tensor | None = None,
    reduce: _bool | None = None,
) -> Tensor:
    """Return a copy with the elements of ``src``, or one number, written at indices along ``dim``.

    Which element stays where several meet is not said. Raises RuntimeError for indices that are not
    there and where sizes or dtypes do not fit.

    Args:
        input: Tensor of any shape.
        dim: Dimension that ``index`` counts along; all of the elements in a row if None.
        index: Indices (int64) along ``dim``.
        src: Tensor with the values to write.
        value: Number to write.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; for `scatter`
            ``"add"`` or ``"multiply"``.

    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])

    Defined in ``pellucid/ops/index/scatter.py``.
    """

def scatter_add(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
    """Return a copy with the elements of ``src`` added at the indices along a dimension.

    Args:
        input: Tensor with as many dimensions as ``index``.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
        src: Values to add, with as many dimensions as ``index``.

    Raises:
        RuntimeError: If the dtypes of ``input`` and ``src`` differ.

    >>> torch.scatter_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
    tensor([0., 2.])

    Defined in ``pellucid/ops/index/scatter.py``.
    """

def scatter_reduce(
    input: Tensor,
    dim: _int | Sequence[_int],
    index: Tensor,
    src: Tensor,
    reduce: _str,
    *,
    include_self: _bool = True,
) -> Tensor:
    """Return a copy with the elements of ``src`` reduced into it at indices along a dimension.

    ``reduce`` is sum, prod, mean, amax or amin; without ``include_self`` what was there does not
    count. Raises RuntimeError for another name.

    Args:
        input: Tensor with as many dimensions as ``index``.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
        src: Values to reduce, with as many dimensions as ``index``.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: Whether the values that are there take part.

    >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
    >>> torch.scatter_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])

    Defined in ``pellucid/ops/index/scatter.py``.
    """

def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | _float,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: _str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the indices at which values would be inserted to keep each row of a sequence sorted.

    Equal values go before (``right=False``) or after. Raises RuntimeError where the first
    dimensions differ.

    Args:
        sorted_sequence: Tensor whose last dimension is in increasing order.
        input: Values ``[*, m]`` to look for, with the leading sizes of the sequence; or a number.
        out_int32: Whether indices are int32 rather than int64.
        right: Whether equal elements are passed to their right side.
        side: ``"left"`` or ``"right"``: the same as ``right``.
        sorter: Indices that put ``sorted_sequence`` in order.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]))
    tensor([1, 2])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def seed() -> _int:
    """Start a shared stream that nobody can foresee; return its seed.

    >>> torch.seed() == torch.initial_seed()
    True

    Defined in ``pellucid/random.py``.
    """

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
) -> Tensor:
    """Reduce each of the segments that a dimension is cut into.

    Args:
        data: Floating-point tensor of any shape.
        reduce: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"prod"``.
        lengths: Lengths of the segments (integers) ``[*, S]``; what stands before S are the
            dimensions of ``data`` before ``axis``.
        indices: Not supported, as in PyTorch.
        offsets: Where the segments begin and the last one ends, ``[*, S + 1]``.
        axis: The dimension that is cut: the last one of ``lengths``.
        unsafe: Whether lengths need not add up to the size of the dimension.
        initial: What every segment starts with. Empty ones are NaN for means without it.

    Returns:
        A tensor with S in place of the size of the dimension.

    Raises:
        RuntimeError: If lengths and offsets are missing, or do not fit.

    >>> import pellucid as torch
    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 5.0]), "sum", lengths=torch.tensor([2, 1]))
    tensor([3., 5.])

    Defined in ``pellucid/ops/reduce/segments.py``.
    """

def select(input: Tensor, dim: _int | Sequence[_int], index: _int) -> Tensor:
    """Return a view of one slice along a dimension, without that dimension.

    Raises IndexError for an index that is out of range.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension to cut.
        index: Position along ``dim``; a negative one counts from the end.

    >>> torch.arange(6).view(2, 3).select(1, 0)
    tensor([0, 3])

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def select_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.select``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.select``.
        kwargs: Its keyword arguments.

    >>> torch.select_copy(torch.arange(4), 0, 1)
    tensor(1)

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def select_scatter(
    input: Tensor, src: Tensor | _int | _float | _complex, dim: _int, index: _int
) -> Tensor:
    """Return a copy with other values at one index of a dimension.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        dim: Dimension that ``index`` counts along.
        index: Indices (int64) along ``dim``.

    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])

    Defined in ``pellucid/ops/index/slice_scatter.py``.
    """

def selu(input: Tensor) -> Tensor:
    """Return the `elu` that keeps mean 0 and variance 1 through layers.

    Klambauer et al., "Self-Normalizing Neural Networks" (2017).

    Args:
        input: Floating point tensor of any shape.

    >>> torch.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def selu_(input: Tensor) -> Tensor:
    """Apply `selu` in place.

    Args:
        input: Tensor to change, of any shape.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def set_printoptions(
    precision: _int | None = None,
    threshold: _float | None = None,
    edgeitems: _int | None = None,
    linewidth: _int | None = None,
    profile: _str | None = None,
    sci_mode: _bool | None = None,
) -> None:
    """Set how tensors are printed.

    ``precision``: digits after the point; ``threshold``: the number of elements above which only
    the edges are shown, with ``edgeitems`` of them at each end; ``linewidth``: characters per line;
    ``profile``: "default", "short" or "full", which the other arguments refine, or "summary", one
    line with shape, mean, deviation, range, zeros and NaN. What is not given
    stays as it is, except ``sci_mode``: True or False asks for or forbids scientific notation, and
    leaving it out lets the values decide. Another profile is ignored, as in PyTorch.

    Args:
        precision: Number of digits after the decimal point.
        threshold: Number of elements from which on the text is shortened.
        edgeitems: Number of elements shown at each end of a dimension.
        linewidth: Number of characters in a line.
        profile: ``"default"``, ``"short"``, ``"full"`` or ``"summary"``.
        sci_mode: Whether to use scientific notation; ``None`` decides by the values.

    >>> set_printoptions(precision=2)
    >>> print_options.precision
    2
    >>> set_printoptions(profile="default")

    Defined in ``pellucid/tensors/print_options.py``.
    """

def set_rng_state(new_state: Any) -> None:
    """Set the state of the global generator.

    Args:
        new_state: State as `get_rng_state` returns it.

    >>> state = torch.get_rng_state()
    >>> x = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.rand(2).tolist() == x.tolist()
    True

    Defined in ``pellucid/random.py``.
    """

def sgn(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the sign, for a complex number ``z / abs(z)``; 0 stays 0.

    Args:
        input: Tensor of any shape.

    >>> torch.sgn(torch.tensor([3 + 4j]))
    tensor([0.6000+0.8000j])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def sigmoid(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``1 / (1 + exp(-input))``.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def sigmoid_(input: Tensor) -> Tensor:
    """In-place version of :func:`sigmoid`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def sign(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return -1, 0 or 1; raise RuntimeError for complex numbers.

    Args:
        input: Tensor of any shape.

    >>> torch.sign(torch.tensor([3.0, 0.0, -2.0]))
    tensor([ 1.,  0., -1.])

    Defined in ``pellucid/ops/elementwise/signs.py``.
    """

def signbit(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return a bool tensor, True where the sign bit is set: negative or minus zero; not complex.

    Args:
        input: Tensor of any shape.

    Raises:
        RuntimeError: For complex numbers.

    >>> torch.signbit(torch.tensor([-0.0, 1.0]))
    tensor([ True, False])

    Defined in ``pellucid/ops/elementwise/compare.py``.
    """

def sin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the sine of angles in radians.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sin(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def sin_(input: Tensor) -> Tensor:
    """In-place version of :func:`sin`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def sinc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return ``sin(pi * input) / (pi * input)``, and 1 at 0.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sinc(torch.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def sinc_(input: Tensor) -> Tensor:
    """In-place version of :func:`sinc`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def sinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the hyperbolic sine.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def sinh_(input: Tensor) -> Tensor:
    """In-place version of :func:`sinh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def slice_copy(
    input: Tensor,
    dim: _int = 0,
    start: Tensor | _int | _float | _complex | None = None,
    end: _int | None = None,
    step: _int = 1,
) -> Tensor:
    """Return a copy of the elements from ``start`` to below ``end`` along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        start: Start of the range.
        end: End of the range.
        step: Distance from one element to the next.

    >>> torch.slice_copy(torch.arange(5), 0, 1, 4, 2)
    tensor([1, 3])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def slice_scatter(
    input: Tensor,
    src: Tensor | _int | _float | _complex,
    dim: _int = 0,
    start: Tensor | _int | _float | _complex | None = None,
    end: _int | None = None,
    step: _int = 1,
) -> Tensor:
    """Return a copy with other values in a slice along a dimension.

    Args:
        input: Tensor of any shape.
        src: Tensor with the values to write.
        dim: Dimension that ``index`` counts along.
        start: Index of the first slice.
        end: Index after the last slice.
        step: Distance from one element to the next.

    Raises:
        IndexError: If the tensor has no dimensions.

    >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1)
    tensor([0., 1., 1.])

    Defined in ``pellucid/ops/index/slice_scatter.py``.
    """

def slogdet(A: Tensor) -> linalg_slogdet_result:
    """Return the signs (for complex numbers: units) of determinants, and the logarithms of sizes.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

    >>> torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sign
    tensor(-1.)

    Defined in ``pellucid/ops/linalg/determinants.py``.
    """

def softmax(
    input: Tensor,
    dim: _int | Sequence[_int],
    dtype: _dtype | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Divide exponentials by their sum along a dimension; ``dtype`` is converted to beforehand.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])

    Defined in ``pellucid/ops/nn/softmax.py``.
    """

def sort(
    input: Tensor,
    dim: _int | Sequence[_int] = -1,
    descending: _bool = False,
    stable: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> sort_result:
    """Sort along a dimension; return the values and their indices (int64) in the input.

    Args:
        input: Real tensor of any shape.
        dim: Dimension to sort along.
        descending: Whether the largest element comes first.
        stable: Whether equal elements keep their order.

    >>> torch.sort(torch.tensor([3, 1, 2])).values
    tensor([1, 2, 3])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def split(
    tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0
) -> tuple[Tensor, ...]:
    """Take a tensor apart along a dimension: in parts of one size, or of the given sizes.

    The last part may be smaller. Raises RuntimeError where given sizes do not add up.

    Args:
        tensor: Tensor to cut.
        split_size_or_sections: Size of each part, or the list of all sizes.
        dim: Dimension to cut.

    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def split_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> tuple[Tensor, ...]:
    """Return a copy of the result of ``Tensor.split``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.split``.
        kwargs: Its keyword arguments.

    >>> torch.split_copy(torch.arange(3), 2)
    (tensor([0, 1]), tensor([2]))

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0
) -> tuple[Tensor, ...]:
    """Split a tensor along a dimension, into parts of the given sizes.

    Raises RuntimeError where the sizes do not add up.

    Args:
        input: Tensor of at least one dimension.
        split_sizes: Size of each part.
        dim: Dimension to cut.

    >>> torch.split_with_sizes(torch.arange(5), [2, 3])
    (tensor([0, 1]), tensor([2, 3, 4]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def split_with_sizes_copy(
    input: Tensor, *args: _int | Sequence[_int], **kwargs: Any
) -> tuple[Tensor, ...]:
    """Return a copy of the result of ``Tensor.split_with_sizes``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.split_with_sizes``.
        kwargs: Its keyword arguments.

    >>> torch.split_with_sizes_copy(torch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2]))

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def sqrt(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the square root, NaN for negative numbers.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.sqrt(torch.tensor([4.0, 9.0]))
    tensor([2., 3.])

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def sqrt_(input: Tensor) -> Tensor:
    """In-place version of :func:`sqrt`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def square(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the square.

    Args:
        input: Tensor of any shape.

    >>> torch.square(torch.tensor([2.0, -3.0]))
    tensor([4., 9.])

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def square_(input: Tensor) -> Tensor:
    """In-place version of :func:`square`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/powers.py``.
    """

def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Return a view without dimensions of size 1: all, one, or those in a tuple.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.ones(1, 2, 1).squeeze().shape, torch.ones(1, 2, 1).squeeze(0).shape
    (torch.Size([2]), torch.Size([2, 1]))

    Defined in ``pellucid/ops/shape/views.py``.
    """

def squeeze_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.squeeze``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.squeeze``.
        kwargs: Its keyword arguments.

    >>> torch.squeeze_copy(torch.ones(1, 2))
    tensor([1., 1.])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def stack(
    tensors: Sequence[Tensor],
    dim: _int | Sequence[_int] = 0,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Join tensors of one shape along a new dimension.

    Raises RuntimeError where the shapes differ.

    Args:
        tensors: Tensors of one shape.
        dim: Dimension along which to join.

    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def std(
    input: Tensor,
    dim: _int | Sequence[_int] | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the standard deviation over dimensions.

    Args:
        input: Floating point or complex tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
        keepdim: Whether reduced dimensions stay, with size 1.
        correction: What is subtracted from the number of elements in the divisor.

    >>> torch.std(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def std_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, ...]:
    """Return the standard deviation and the mean.

    Args:
        input: Floating point or complex tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
        keepdim: Whether reduced dimensions stay, with size 1.
        correction: What is subtracted from the number of elements in the divisor.

    >>> torch.std_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

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
) -> Tensor:
    """Return the spectra of windows of ``n_fft`` samples, ``hop_length`` apart.

    Shapes: ``[L]`` or ``[B, L]`` to ``[*, frequencies, windows]``. With ``center`` the signal is
    lengthened at both ends, so that each window lies around its time. A real signal gives half of
    the frequencies unless ``onesided=False``, and needs ``return_complex``; with False the real and
    imaginary parts form a last dimension.

    Args:
        input: Signal ``[*, L]``.
        n_fft: Length of a Fourier transform.
        hop_length: Distance between frames; by default a quarter of ``n_fft``.
        win_length: Length of the window; by default ``n_fft``.
        window: Window ``[win_length]``; by default all ones.
        center: Whether the signal is padded so that frames are centred.
        pad_mode: How the signal is padded if it is centred; see `pad`.
        normalized: Whether the transforms are divided by the square root of their length.
        onesided: Whether only the non-negative frequencies are kept.
        return_complex: Whether the result is complex.
        align_to_window: Accepted as PyTorch does where frames are not centred.

    Raises:
        RuntimeError: If a size is out of range, or the dtype is neither floating point nor complex.

    >>> torch.stft(torch.ones(8), n_fft=4, return_complex=True).shape
    torch.Size([3, 9])

    Defined in ``pellucid/ops/signal/spectrogram.py``.
    """

def sub(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Subtract ``alpha`` times the other tensor, with broadcasting.

    Raises RuntimeError for boolean tensors.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other`` before it is used.

    >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
    tensor([-2., -2.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def subtract(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    alpha: _int | _float | _complex | Tensor = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Subtract ``alpha`` times the other tensor, with broadcasting.

    Raises RuntimeError for boolean tensors.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.
        alpha: Number that multiplies ``other`` before it is used.

    >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
    tensor([-2., -2.])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Add up the elements, of the given dimensions or of all.

    Booleans and integers give int64 unless ``dtype`` is given.

    Args:
        input: Tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    >>> torch.ones(2, 3).sum(dim=1)
    tensor([3., 3.])

    Defined in ``pellucid/ops/reduce/reductions.py``.
    """

def svd(
    input: Tensor,
    some: _bool = True,
    compute_uv: _bool = True,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> svd_result:
    """Return ``U``, ``S`` and ``V`` with ``input = U diag(S) V^H``; see `linalg.svd`.

    Without ``compute_uv``, ``U`` and ``V`` are square matrices of zeros.

    Args:
        input: Matrices ``[*, m, n]``, floating point or complex.
        some: Whether ``U`` and ``V`` are reduced.
        compute_uv: Whether singular vectors are wanted.

    >>> torch.svd(torch.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])

    Defined in ``pellucid/ops/linalg/decompositions.py``.
    """

def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Any = None
) -> tuple[Tensor, ...]:
    """Return about the ``q`` largest singular values of ``A - M``: ``U``, ``S`` and ``V``.

    Shapes: ``A`` is ``[*, m, n]`` and ``M`` broadcasts to it; ``U`` is ``[*, m, q]``, ``S``
    ``[*, q]`` and ``V`` ``[*, n, q]``. The subspace is found by ``niter`` steps of iteration from
    random vectors: seed the generator to get the same again. Halko, Martinsson and Tropp, "Finding
    structure with randomness", SIAM Review 53, 2011, algorithms 4.4 and 5.1.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``.
        q: Number of singular values to find.
        niter: Largest number of iterations.
        M: Matrix subtracted from ``A``, or ``None``.

    >>> U, S, V = torch.svd_lowrank(torch.ones(3, 4), q=1)
    >>> S
    tensor([3.4641])

    Defined in ``pellucid/ops/linalg/low_rank.py``.
    """

def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Exchange two dimensions, as `transpose` does.

    Args:
        input: Tensor of any shape.
        axis0: First of the two dimensions.
        axis1: Second of the two dimensions.

    >>> torch.ones(2, 3).swapaxes(0, 1).shape
    torch.Size([3, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Exchange two dimensions.

    Args:
        input: Tensor of any shape.
        dim0: First of the two dimensions.
        dim1: Second of the two dimensions.

    >>> torch.ones(2, 3).transpose(0, 1).shape
    torch.Size([3, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def t(input: Tensor) -> Tensor:
    """Transpose a matrix; a vector stays as it is.

    Raises RuntimeError for more than two dimensions.

    Args:
        input: Tensor of at most two dimensions.

    >>> torch.ones(2, 3).t().shape
    torch.Size([3, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def t_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.t``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.t``.
        kwargs: Its keyword arguments.

    >>> torch.t_copy(torch.ones(1, 2))
    tensor([[1.],
            [1.]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def take(input: Tensor, index: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Read the elements at indices into the flattened tensor.

    Args:
        input: Tensor of any shape.
        index: Indices (int64) along ``dim``.

    >>> torch.take(torch.tensor([[4, 5], [6, 7]]), torch.tensor([3, 0]))
    tensor([7, 4])

    Defined in ``pellucid/ops/index/take.py``.
    """

def take_along_dim(
    input: Tensor,
    indices: Tensor,
    dim: _int | None = None,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Read elements at indices along a dimension; the other dimensions broadcast.

    Along a dimension, indices beyond its size, or negative, begin again at its other end. Without
    one, they raise RuntimeError.

    Args:
        input: Tensor of any shape.
        indices: Indices (int64; without ``dim`` int32 too).
        dim: Dimension that ``index`` counts along; all of the elements in a row if None.

    >>> x = torch.tensor([[10, 30, 20]])
    >>> torch.take_along_dim(x, torch.tensor([[0, 2, 1]]), dim=1)
    tensor([[10, 20, 30]])

    Defined in ``pellucid/ops/index/scatter.py``.
    """

def tan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the tangent of angles in radians.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.tan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def tan_(input: Tensor) -> Tensor:
    """In-place version of :func:`tan`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def tanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Return the hyperbolic tangent.

    Dtypes:
        Integers and booleans are computed in the default floating dtype.

    Args:
        input: Tensor of any shape.

    >>> torch.tanh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def tanh_(input: Tensor) -> Tensor:
    """In-place version of :func:`tanh`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/trigonometric.py``.
    """

def tensor(
    data: Any,
    *,
    dtype: _dtype | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor with a copy of the data: a number, nested sequences, or an array.

    Without ``dtype``, Python floats give the default dtype, integers int64, booleans bool; arrays
    keep theirs. Raises ValueError for ragged sequences and TypeError or RuntimeError for what is no
    number.

    Args:
        data: Number, nested sequence, array or tensor.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])

    Defined in ``pellucid/tensors/creation.py``.
    """

def tensor_split(
    input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor, dim: _int = 0
) -> tuple[Tensor, ...]:
    """Split a tensor into nearly equal parts, or before the given indices.

    Args:
        input: Tensor of at least one dimension.
        indices_or_sections: Number of equal parts, or the indices at which to cut.
        dim: Dimension to cut.

    Raises:
        RuntimeError: If the tensor has no dimensions, or the number of sections is not positive.

    >>> torch.arange(5).tensor_split(3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def tensordot(
    a: Tensor,
    b: Tensor,
    dims: _int | Sequence[_int] = 2,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Sum products over dimensions of both tensors.

    ``dims`` is how many of the last of ``a`` and the first of ``b``, or a list for each.

    Args:
        a: First tensor.
        b: Second tensor.
        dims: Number of dimensions to contract, or two lists of dimensions.

    Raises:
        RuntimeError: If the dtypes differ, or the sizes of the dimensions that are summed over.

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(3, 4, 5)).shape
    torch.Size([2, 5])

    Defined in ``pellucid/ops/linalg/contract.py``.
    """

def threshold(
    input: Tensor,
    threshold: _int | _float | _complex | Tensor,
    value: _int | _float | _complex | Tensor,
) -> Tensor:
    """Replace what is not above the threshold by a value.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.
        threshold: Inputs above this pass unchanged.
        value: What replaces inputs that are not above ``threshold``.

    >>> torch.threshold(torch.tensor([0.5, 2.0]), 1.0, -1.0)
    tensor([-1.,  2.])

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def threshold_(
    input: Tensor,
    threshold: _int | _float | _complex | Tensor,
    value: _int | _float | _complex | Tensor,
) -> Tensor:
    """In-place version of :func:`threshold`: write the result into the first operand.

    Args:
        input: Tensor of any shape.
        threshold: Inputs above this pass unchanged.
        value: What replaces inputs that are not above ``threshold``.

    Defined in ``pellucid/ops/nn/activation.py``.
    """

def tile(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """Repeat a tensor along each dimension; fewer counts than dimensions repeat the last ones.

    Args:
        input: Tensor of any shape.
        dims: How often to repeat along each dimension.

    Raises:
        TypeError: If ``dims`` is neither a tuple of ints nor ints.

    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def topk(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: Any = True,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> topk_result:
    """Return the ``k`` largest (or smallest) elements along a dimension, and their indices (int64).

    Args:
        input: Real tensor of any shape.
        k: Number of elements.
        dim: Dimension to sort along.
        largest: Whether the largest are looked for rather than the smallest.
        sorted: Whether the result is in order.

    Raises:
        RuntimeError: If ``k`` is out of range, or the tensor is complex.

    >>> torch.topk(torch.tensor([3, 1, 2]), 2).values
    tensor([3, 2])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def trace(input: Tensor) -> Tensor:
    """Add up the diagonal of a matrix; raise RuntimeError for other numbers of dimensions.

    Args:
        input: Matrix ``[n, m]``.

    >>> torch.trace(torch.eye(3))
    tensor(3.)

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Exchange two dimensions.

    Args:
        input: Tensor of any shape.
        dim0: First of the two dimensions.
        dim1: Second of the two dimensions.

    >>> torch.ones(2, 3).transpose(0, 1).shape
    torch.Size([3, 2])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def transpose_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.transpose``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.transpose``.
        kwargs: Its keyword arguments.

    >>> torch.transpose_copy(torch.ones(1, 2), 0, 1)
    tensor([[1.],
            [1.]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
) -> Tensor:
    """Integrate samples along a dimension by the trapezoidal rule.

    ``x`` are the coordinates of the samples, or ``dx`` the distance between them, 1 by default.

    Args:
        y: Samples.
        x: Coordinates of the samples.
        dx: Distance between neighbouring samples.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)

    Defined in ``pellucid/ops/reduce/integrate.py``.
    """

def trapz(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: Tensor | _int | _float | _complex | None = None,
    dim: _int = -1,
) -> Tensor:
    """Integrate samples along a dimension by the trapezoidal rule.

    ``x`` are the coordinates of the samples, or ``dx`` the distance between them, 1 by default.

    Args:
        y: Samples.
        x: Coordinates of the samples.
        dx: Distance between neighbouring samples.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)

    Defined in ``pellucid/ops/reduce/integrate.py``.
    """

def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> triangular_solve_result:
    """Solve ``A X = input`` reading one triangle of ``A``; return the solution and a copy of ``A``.

    Args:
        input: Right-hand sides ``[*, n, k]``, of the dtype of ``A``.
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        upper: Whether the upper triangle is meant rather than the lower.
        transpose: Whether the transposed matrix is used.
        unitriangular: Whether the diagonal is taken to be all ones.

    >>> torch.triangular_solve(torch.ones(1, 1), torch.eye(1) * 4).solution
    tensor([[0.2500]])

    Defined in ``pellucid/ops/linalg/solving.py``.
    """

def tril(
    input: Tensor, diagonal: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Keep the lower triangle of matrices, up to a diagonal; put zeros above.

    Args:
        input: Matrices ``[*, n, m]``.
        diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

    >>> torch.tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

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
) -> Tensor:
    """Return the indices of a lower triangle: rows in the first line, columns in the second.

    Args:
        row: Number of rows.
        col: Number of columns.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.
        layout: Memory layout; only ``torch.strided`` is there.
        requires_grad: Whether operations on the result are recorded; integers cannot.
        pin_memory: Has no effect: there is no device to copy to.

    Raises:
        RuntimeError: If a size is negative.

    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def triu(
    input: Tensor, diagonal: _int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Keep the upper triangle of matrices, from a diagonal on; put zeros below.

    Args:
        input: Matrices ``[*, n, m]``.
        diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

    >>> torch.triu(torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

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
) -> Tensor:
    """Return the indices of an upper triangle: rows in the first line, columns in the second.

    Args:
        row: Number of rows.
        col: Number of columns.
        offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
            ones below.
        dtype: Dtype of the result; by default that of the values.
        device: Device of the result: the CPU or ``meta``.
        layout: Memory layout; only ``torch.strided`` is there.
        requires_grad: Whether operations on the result are recorded; integers cannot.
        pin_memory: Has no effect: there is no device to copy to.

    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])

    Defined in ``pellucid/ops/shape/diagonal.py``.
    """

def true_divide(
    input: Tensor | _complex,
    other: Tensor | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Divide element by element, with broadcasting; integers give floating-point quotients.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.true_divide(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])

    Defined in ``pellucid/ops/elementwise/arithmetic.py``.
    """

def trunc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Round towards zero; the gradient is 0.

    Dtypes:
        Booleans and complex numbers are refused.

    Args:
        input: Tensor of any shape.

    >>> torch.trunc(torch.tensor([1.5, -1.5]))
    tensor([ 1., -1.])

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def trunc_(input: Tensor) -> Tensor:
    """In-place version of :func:`trunc`: write the result into the first operand.

    Args:
        input: Tensor of any shape.

    Defined in ``pellucid/ops/elementwise/rounding.py``.
    """

def unbind(input: Tensor, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Split a tensor into its slices along a dimension, without that dimension.

    Args:
        input: Tensor of at least one dimension.
        dim: Dimension to cut.

    Raises:
        IndexError: If the tensor has no dimensions.

    >>> torch.tensor([1, 2]).unbind()
    (tensor(1), tensor(2))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def unbind_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> tuple[Tensor, ...]:
    """Return a copy of the result of ``Tensor.unbind``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.unbind``.
        kwargs: Its keyword arguments.

    >>> torch.unbind_copy(torch.arange(2))
    (tensor(0), tensor(1))

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def unflatten(input: Tensor, dim: _int, sizes: _int | Sequence[_int]) -> Tensor:
    """Split a dimension into several; one size may be -1.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.
        sizes: Sizes of the new dimensions.

    Raises:
        RuntimeError: If the sizes do not multiply up to that of the dimension.

    >>> torch.ones(6).unflatten(0, (2, -1)).shape
    torch.Size([2, 3])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def unfold_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.unfold``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.unfold``.
        kwargs: Its keyword arguments.

    >>> torch.unfold_copy(torch.arange(3), 0, 2, 1)
    tensor([[0, 1],
            [1, 2]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_counts: _bool = False,
    dim: _int | None = None,
    return_inverse: Literal[True],
) -> tuple[Tensor, ...]:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_inverse: _bool = False,
    dim: _int | None = None,
    return_counts: Literal[True],
) -> tuple[Tensor, ...]:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor:
    """Return the elements (or slices) that differ from the one before.

    Args:
        input: Real tensor of any shape.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    Raises:
        NotImplementedError: For complex numbers.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Return one tensor of indices per dimension, for indices into a flattened tensor of a shape.

    Raises TypeError for indices that are not integers and for sizes that are none, and ValueError
    for negative sizes.

    Args:
        indices: Indices (int64).
        shape: Shape, as a tuple of sizes.

    >>> torch.unravel_index(torch.tensor([7, 2]), (3, 4))
    (tensor([1, 0]), tensor([3, 2]))

    Defined in ``pellucid/ops/index/index_misc.py``.
    """

def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Take a tensor apart as `chunk` does, into parts as those of `unsafe_split`.

    Raises RuntimeError if the tensor has no dimensions, or ``chunks`` is not positive.

    Args:
        input: Tensor of at least one dimension.
        chunks: Number of parts.
        dim: Dimension to cut.

    >>> torch.arange(3).unsafe_chunk(2)
    (tensor([0, 1]), tensor([2]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Take a tensor apart as `split` does, into parts that autograd takes for independent tensors.

    They may be changed in place, as long as the input and the other parts are not used then.
    Raises RuntimeError if the tensor has no dimensions, or for a negative size.

    Args:
        input: Tensor of at least one dimension.
        split_size: Size of each part.
        dim: Dimension to cut.

    >>> torch.arange(3).unsafe_split(2)
    (tensor([0, 1]), tensor([2]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def unsqueeze(input: Tensor, dim: _int | Sequence[_int]) -> Tensor:
    """Return a view with one more dimension, of size 1, at a position.

    Args:
        input: Tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.ones(3).unsqueeze(1).shape
    torch.Size([3, 1])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def unsqueeze_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.unsqueeze``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.unsqueeze``.
        kwargs: Its keyword arguments.

    >>> torch.unsqueeze_copy(torch.arange(2), 0)
    tensor([[0, 1]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """Return the powers of the elements of a vector, by default from the highest: ``[n, N]``.

    Integers and booleans give int64. Raises RuntimeError for more dimensions and a negative ``N``.

    Args:
        x: Vector ``[n]``.
        N: Number of columns; by default that of the rows.
        increasing: Whether powers grow from left to right.

    >>> torch.vander(torch.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])

    Defined in ``pellucid/ops/linalg/products.py``.
    """

def var(
    input: Tensor,
    dim: _int | Sequence[_int] | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the variance over dimensions: squared deviations over ``count - correction``.

    Args:
        input: Floating point or complex tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
        keepdim: Whether reduced dimensions stay, with size 1.
        correction: What is subtracted from the number of elements in the divisor.

    >>> torch.var(torch.tensor([1.0, 2.0, 3.0]))
    tensor(1.)

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def var_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | _bool | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, ...]:
    """Return the variance and the mean.

    Args:
        input: Floating point or complex tensor of any shape.
        dim: Dimension or dimensions to reduce; all by default.
        unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
        keepdim: Whether reduced dimensions stay, with size 1.
        correction: What is subtracted from the number of elements in the divisor.

    >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def vdot(
    input: Tensor,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the dot product with the first vector conjugated.

    Args:
        input: Vector ``[N]``.
        other: Vector ``[N]``.

    >>> torch.vdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def view_as_complex(input: Tensor) -> Tensor:
    """View pairs of real numbers, in a last dimension of size 2, as complex numbers.

    Raises RuntimeError for another size, for numbers that are not floating-point, and where the
    pairs are not next to each other in memory.

    Args:
        input: float32 or float64 tensor ``[*, 2]``; the result is complex64 or complex128 ``[*]``.

    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def view_as_complex_copy(input: Tensor) -> Tensor:
    """Return complex numbers made of pairs of real ones, with memory of their own.

    Args:
        input: Real tensor ``[*, 2]``.

    >>> torch.view_as_complex_copy(torch.tensor([1.0, 2.0]))
    tensor(1.+2.j)

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def view_as_real(input: Tensor) -> Tensor:
    """View complex numbers as pairs of real numbers, in a new last dimension of size 2.

    Raises RuntimeError for a real tensor.

    Args:
        input: complex64 or complex128 tensor ``[*]``; the result is float32 or float64 ``[*, 2]``.

    >>> torch.view_as_real(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])

    Defined in ``pellucid/ops/elementwise/complexes.py``.
    """

def view_as_real_copy(input: Tensor) -> Tensor:
    """Return complex numbers as pairs of real ones, with memory of their own.

    Args:
        input: Complex tensor ``[*]``.

    >>> torch.view_as_real_copy(torch.tensor(1 + 2j))
    tensor([1., 2.])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def view_copy(input: Tensor, *args: _int | Sequence[_int], **kwargs: Any) -> Tensor:
    """Return a copy of the result of ``Tensor.view``, with memory of its own.

    Args:
        input: Tensor of any shape and dtype.
        args: The arguments of ``Tensor.view``.
        kwargs: Its keyword arguments.

    >>> torch.view_copy(torch.arange(2), (2, 1))
    tensor([[0],
            [1]])

    Defined in ``pellucid/ops/shape/view_copies.py``.
    """

def vsplit(
    input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor
) -> tuple[Tensor, ...]:
    """Split a tensor along dimension 0.

    Args:
        input: Tensor of at least two dimensions.
        indices_or_sections: Number of equal parts, or the indices at which to cut.

    >>> torch.vsplit(torch.eye(2), 2)
    (tensor([[1., 0.]]), tensor([[0., 1.]]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def vstack(
    tensors: Tensor | Sequence[Tensor], *, out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Join tensors one below the other, vectors as rows.

    Args:
        tensors: Tensors to join.

    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

@overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """Take ``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    With the condition alone, return the indices of the elements where it holds, one tensor per
    dimension. Raises RuntimeError for a condition that is not boolean.

    Args:
        condition: Boolean tensor: where it is true the result is from ``input``.
        input: Tensor of any shape.
        other: Tensor or number: the result where ``condition`` is false.

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0)
    tensor([1., 0.])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

@overload
def where(
    condition: Tensor,
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
) -> Tensor:
    """Take ``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    With the condition alone, return the indices of the elements where it holds, one tensor per
    dimension. Raises RuntimeError for a condition that is not boolean.

    Args:
        condition: Boolean tensor: where it is true the result is from ``input``.
        input: Tensor of any shape.
        other: Tensor or number: the result where ``condition`` is false.

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0)
    tensor([1., 0.])

    Defined in ``pellucid/ops/elementwise/conditional.py``.
    """

def xlogy(
    input: Tensor | _int | _float | _complex,
    other: Tensor | _int | _float | _complex,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return ``input * log(other)``, and 0 where ``input`` is 0.

    Dtypes:
        ``input`` and ``other`` are computed in their common dtype.
        Integers and booleans are computed in the default floating dtype.
        Complex numbers are refused.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 0.])

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def xlogy_(
    input: Tensor | _int | _float | _complex, other: Tensor | _int | _float | _complex
) -> Tensor:
    """In-place version of :func:`xlogy`: write the result into the first operand.

    Args:
        input: Tensor of any shape, or a number.
        other: Tensor or number that broadcasts with ``input``.

    Defined in ``pellucid/ops/elementwise/exponential.py``.
    """

def zero_(self: Tensor) -> Tensor:
    """Write zeros over all elements.

    Defined in ``pellucid/tensors/inplace_methods.py``.
    """

def zeros(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Make a tensor of zeros; the sizes come one by one or as a sequence.

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape, as numbers or as one sequence.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.zeros(2, 1)
    tensor([[0.],
            [0.]])

    Defined in ``pellucid/tensors/creation.py``.
    """

def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | _str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """Make a tensor of zeros with the shape and dtype of another.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        dtype: Dtype of the result; by default that of the values.
        layout: ``torch.strided``, or a sparse one for a tensor without elements.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        memory_format: Order of the elements in memory.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.zeros_like(torch.ones(2))
    tensor([0., 0.])

    Defined in ``pellucid/tensors/creation.py``.
    """
