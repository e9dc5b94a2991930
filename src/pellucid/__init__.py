"""pellucid: PyTorch's dynamic computation graph, rebuilt so that people can see through it."""

from __future__ import annotations

import importlib
from math import e, inf, nan, pi
from typing import Any as _Any

# One block per module below; names are sorted into ``__all__`` at the end.
from pellucid import autograd, compat, interpreters  # noqa: F401 - they install themselves
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
from pellucid.core.out import public_functions
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
from pellucid.dtypes import (
    bool_ as bool,
)
from pellucid.dtypes import (
    complex64 as cfloat,
)
from pellucid.dtypes import (
    complex128 as cdouble,
)
from pellucid.dtypes import (
    float16 as half,
)
from pellucid.dtypes import (
    float32 as float,
)
from pellucid.dtypes import (
    float64 as double,
)
from pellucid.dtypes import (
    int16 as short,
)
from pellucid.dtypes import (
    int32 as int,
)
from pellucid.dtypes import (
    int64 as long,
)
from pellucid.ops.elementwise.arithmetic import (
    abs,
    add,
    addcdiv,
    addcmul,
    atan2,
    copysign,
    div,
    float_power,
    floor_divide,
    fmax,
    fmin,
    fmod,
    hypot,
    lerp,
    maximum,
    minimum,
    mul,
    neg,
    positive,
    pow,
    reciprocal,
    rsqrt,
    rsub,
    sgn,
    sign,
    sqrt,
    square,
    sub,
    true_divide,
)
from pellucid.ops.elementwise.arithmetic import (
    abs as absolute,
)
from pellucid.ops.elementwise.arithmetic import (
    atan2 as arctan2,
)
from pellucid.ops.elementwise.arithmetic import (
    div as divide,
)
from pellucid.ops.elementwise.arithmetic import (
    mul as multiply,
)
from pellucid.ops.elementwise.arithmetic import (
    neg as negative,
)
from pellucid.ops.elementwise.arithmetic import (
    remainder_of as remainder,
)
from pellucid.ops.elementwise.arithmetic import (
    sub as subtract,
)
from pellucid.ops.elementwise.compare import (
    allclose,
    eq,
    equal,
    ge,
    gt,
    heaviside,
    isclose,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    le,
    lt,
    ne,
    signbit,
)
from pellucid.ops.elementwise.compare import (
    ge as greater_equal,
)
from pellucid.ops.elementwise.compare import (
    gt as greater,
)
from pellucid.ops.elementwise.compare import (
    le as less_equal,
)
from pellucid.ops.elementwise.compare import (
    lt as less,
)
from pellucid.ops.elementwise.compare import (
    ne as not_equal,
)
from pellucid.ops.elementwise.complexes import (
    angle,
    complex,
    conj,
    conj_physical,
    imag,
    polar,
    real,
    resolve_conj,
    view_as_complex,
    view_as_real,
)
from pellucid.ops.elementwise.complexes import never as is_conj
from pellucid.ops.elementwise.complexes import never as is_neg
from pellucid.ops.elementwise.complexes import resolve_conj as resolve_neg
from pellucid.ops.elementwise.conditional import (
    clamp,
    clamp_max,
    clamp_min,
    masked_fill,
    nan_to_num,
)
from pellucid.ops.elementwise.conditional import (
    clamp as clip,
)
from pellucid.ops.elementwise.conditional import (
    where_or_indices as where,
)
from pellucid.ops.elementwise.exponential import (
    digamma,
    erf,
    erfc,
    erfinv,
    exp,
    exp2,
    expm1,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    logit,
    polygamma,
    xlogy,
)
from pellucid.ops.elementwise.floating import frexp, ldexp, nextafter
from pellucid.ops.elementwise.integers import gcd, lcm
from pellucid.ops.elementwise.logic import (
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from pellucid.ops.elementwise.rounding import (
    ceil,
    floor,
    frac,
    round,
    trunc,
)
from pellucid.ops.elementwise.rounding import (
    trunc as fix,
)
from pellucid.ops.elementwise.special_functions import i0, igamma, igammac
from pellucid.ops.elementwise.special_functions import multigammaln as mvlgamma
from pellucid.ops.elementwise.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    deg2rad,
    rad2deg,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)
from pellucid.ops.elementwise.trigonometric import (
    acos as arccos,
)
from pellucid.ops.elementwise.trigonometric import (
    acosh as arccosh,
)
from pellucid.ops.elementwise.trigonometric import (
    asin as arcsin,
)
from pellucid.ops.elementwise.trigonometric import (
    asinh as arcsinh,
)
from pellucid.ops.elementwise.trigonometric import (
    atan as arctan,
)
from pellucid.ops.elementwise.trigonometric import (
    atanh as arctanh,
)
from pellucid.ops.index.index_misc import index_reduce, isin, nonzero_static, unravel_index
from pellucid.ops.index.indexing import index_put
from pellucid.ops.index.scatter import (
    argwhere,
    as_strided_scatter,
    gather,
    index_add,
    index_copy,
    index_fill,
    index_select,
    masked_scatter,
    masked_select,
    nonzero,
    put,
    scatter,
    scatter_add,
    scatter_reduce,
    select_scatter,
    slice_scatter,
    take,
    take_along_dim,
)
from pellucid.ops.linalg.contract import (
    bilinear,
    einsum,
    tensordot,
)
from pellucid.ops.linalg.decompositions import cholesky, qr, svd
from pellucid.ops.linalg.distances import norm_except_dim, pdist, renorm
from pellucid.ops.linalg.lobpcg import lobpcg
from pellucid.ops.linalg.low_rank import pca_lowrank, svd_lowrank
from pellucid.ops.linalg.matmul import (
    addbmm,
    addmm,
    addmv,
    addr,
    baddbmm,
    bmm,
    chain_matmul,
    dot,
    inner,
    kron,
    matmul,
    mm,
    mv,
    outer,
    vdot,
)
from pellucid.ops.linalg.matmul import (
    outer as ger,
)
from pellucid.ops.linalg.matrix_functions import (
    cross,
    frobenius_norm,
    geqrf,
    nuclear_norm,
    ormqr,
    pinverse,
    vander,
)
from pellucid.ops.linalg.matrix_functions import (
    linalg_householder_product as orgqr,
)
from pellucid.ops.linalg.matrix_functions import (
    linalg_matrix_exp as matrix_exp,
)
from pellucid.ops.linalg.matrix_functions import (
    linalg_matrix_power as matrix_power,
)
from pellucid.ops.linalg.solving import (
    cholesky_inverse,
    cholesky_solve,
    inverse,
    logdet,
    lu,
    lu_solve,
    lu_unpack,
    triangular_solve,
)
from pellucid.ops.linalg.solving import (
    linalg_det as det,
)
from pellucid.ops.linalg.solving import (
    linalg_slogdet as slogdet,
)
from pellucid.ops.nn.activation import (
    celu,
    hardshrink,
    prelu,
    relu,
    selu,
    sigmoid,
    threshold,
)
from pellucid.ops.nn.channels import (
    channel_shuffle,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
)
from pellucid.ops.nn.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from pellucid.ops.nn.conv_time import conv_tbc
from pellucid.ops.nn.dropout import feature_dropout, feature_dropout_
from pellucid.ops.nn.embedding import (
    embedding_bag,
    embedding_renorm_,
)
from pellucid.ops.nn.norm import (
    batch_norm,
    group_norm,
    layer_norm,
    rms_norm,
)
from pellucid.ops.nn.pool import (
    adaptive_avg_pool1d,
    avg_pool1d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool3d,
)
from pellucid.ops.nn.pool import (
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d,
)
from pellucid.ops.nn.softmax import (
    log_softmax,
    softmax,
)
from pellucid.ops.reduce.covariance import corrcoef, cov
from pellucid.ops.reduce.extremes import (
    amax,
    amin,
    aminmax,
    argmax,
    argmin,
    max,
    median,
    min,
    mode,
    nanmedian,
)
from pellucid.ops.reduce.histograms import histogram, histogramdd
from pellucid.ops.reduce.integrate import cumulative_trapezoid, gradient, trapezoid
from pellucid.ops.reduce.integrate import trapezoid as trapz
from pellucid.ops.reduce.quantiles import nanquantile, quantile
from pellucid.ops.reduce.reductions import (
    all,
    any,
    count_nonzero,
    logsumexp,
    mean,
    nanmean,
    nansum,
    sum,
)
from pellucid.ops.reduce.scan import (
    cummax,
    cummin,
    cumprod,
    cumsum,
    diff,
    logcumsumexp,
    prod,
)
from pellucid.ops.reduce.sort import (
    argsort,
    bincount,
    bucketize,
    histc,
    kthvalue,
    msort,
    searchsorted,
    sort,
    topk,
    unique,
    unique_consecutive,
)
from pellucid.ops.reduce.statistics import (
    cdist,
    cosine_similarity,
    dist,
    norm,
    pairwise_distance,
    std,
    std_mean,
    var,
    var_mean,
)
from pellucid.ops.shape.copying import clone
from pellucid.ops.shape.diagonal import (
    diag,
    diag_embed,
    diagflat,
    diagonal,
    diagonal_scatter,
    flip,
    fliplr,
    flipud,
    repeat_interleave,
    roll,
    rot90,
    tile,
    trace,
    tril,
    tril_indices,
    triu,
    triu_indices,
)
from pellucid.ops.shape.join import (
    block_diag,
    cartesian_prod,
    cat,
    column_stack,
    combinations,
    dstack,
    hstack,
    stack,
    vstack,
)
from pellucid.ops.shape.join import cat as concat
from pellucid.ops.shape.join import cat as concatenate
from pellucid.ops.shape.join import vstack as row_stack
from pellucid.ops.shape.splitting import (
    chunk,
    dsplit,
    hsplit,
    narrow,
    select,
    split,
    split_with_sizes,
    tensor_split,
    unbind,
    vsplit,
)
from pellucid.ops.shape.view_copies import (
    alias_copy,
    copies,
    slice_copy,
    view_as_complex_copy,
    view_as_real_copy,
)
from pellucid.ops.shape.views import (
    adjoint,
    as_strided,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_tensors,
    broadcast_to,
    flatten,
    meshgrid,
    movedim,
    permute,
    ravel,
    reshape,
    squeeze,
    t,
    transpose,
    unflatten,
    unsqueeze,
)
from pellucid.ops.shape.views import (
    movedim as moveaxis,
)
from pellucid.ops.shape.views import (
    transpose as swapaxes,
)
from pellucid.ops.shape.views import (
    transpose as swapdims,
)
from pellucid.ops.signal.spectrogram import istft, stft
from pellucid.random import (
    Generator,
    bernoulli,
    binomial,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    multinomial,
    normal,
    poisson,
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
from pellucid.tensors import Tensor
from pellucid.tensors.conversions import (
    is_complex,
    is_floating_point,
    is_inference,
    is_nonzero,
    is_signed,
    numel,
)
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
    arange,
    as_tensor,
    asarray,
    bartlett_window,
    blackman_window,
    empty,
    empty_like,
    empty_strided,
    eye,
    from_numpy,
    frombuffer,
    full,
    full_like,
    hamming_window,
    hann_window,
    is_tensor,
    kaiser_window,
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
from pellucid.tensors.dlpack import detach, from_dlpack, is_distributed, is_same_size, is_storage
from pellucid.tensors.formatting import set_printoptions
from pellucid.tensors.inplace_methods import (
    METHODS_KNOWN_AS_FUNCTIONS,
    alpha_dropout_,
    celu_,
    dropout_,
    feature_alpha_dropout_,
    resize_as_,
    selu_,
    threshold_,
)
from pellucid.tensors.limits import finfo, iinfo, result_type
from pellucid.testing.gradcheck import gradcheck, gradgradcheck
from pellucid.torch_overloads import (
    alpha_dropout,
    binary_cross_entropy_with_logits,
    constant_pad_nd,
    cosine_embedding_loss,
    ctc_loss,
    dropout,
    embedding,
    feature_alpha_dropout,
    fill,
    hinge_embedding_loss,
    instance_norm,
    kl_div,
    margin_ranking_loss,
    poisson_nll_loss,
    rrelu,
    rrelu_,
    triplet_margin_loss,
)

globals().update(
    public_functions(
        globals(), __name__, apart_from=("tensor", "as_tensor", "from_numpy", "manual_seed")
    )
)
del public_functions

globals().update(copies)
del copies

globals().update((name, getattr(Tensor, name)) for name in METHODS_KNOWN_AS_FUNCTIONS)
del METHODS_KNOWN_AS_FUNCTIONS

newaxis = None


# many of these names are made when they are asked for, and so unknown to a type checker
# pyright: reportUnsupportedDunderAll=false
__all__ = [
    "BFloat16Storage", "BFloat16Tensor", "BoolStorage", "BoolTensor", "ByteStorage",
    "ByteTensor", "CharStorage", "CharTensor", "ComplexDoubleStorage", "ComplexFloatStorage",
    "DoubleStorage", "DoubleTensor", "FloatStorage", "FloatTensor", "Future", "Generator",
    "HalfStorage", "HalfTensor", "IntStorage", "IntTensor", "LongStorage", "LongTensor",
    "OutOfMemoryError", "ShortStorage", "ShortTensor", "Size", "SymBool", "SymFloat", "SymInt",
    "Tensor", "TypedStorage", "UntypedStorage", "abs", "abs_", "absolute", "acos", "acos_",
    "acosh", "acosh_", "adaptive_avg_pool1d", "adaptive_max_pool1d", "add", "addbmm", "addcdiv",
    "addcmul", "addmm", "addmv", "addmv_", "addr", "adjoint", "alias_copy", "all", "allclose",
    "alpha_dropout", "alpha_dropout_", "amax", "amin", "aminmax", "angle", "any", "arange",
    "arccos", "arccos_", "arccosh", "arccosh_", "arcsin", "arcsin_", "arcsinh", "arcsinh_",
    "arctan", "arctan2", "arctan_", "arctanh", "arctanh_",
    "are_deterministic_algorithms_enabled", "argmax", "argmin", "argsort", "argwhere",
    "as_strided", "as_strided_", "as_strided_copy", "as_strided_scatter", "as_tensor",
    "asarray", "asin", "asin_", "asinh", "asinh_", "atan", "atan2", "atan_", "atanh", "atanh_",
    "atleast_1d", "atleast_2d", "atleast_3d", "autocast", "autocast_decrement_nesting",
    "autocast_increment_nesting", "avg_pool1d", "baddbmm", "bartlett_window", "batch_norm",
    "bernoulli", "bfloat16", "bilinear", "binary_cross_entropy_with_logits", "bincount",
    "binomial", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "blackman_window", "block_diag", "bmm", "bool",
    "broadcast_shapes", "broadcast_tensors", "broadcast_to", "bucketize", "can_cast",
    "cartesian_prod", "cat", "cdist", "cdouble", "ceil", "ceil_", "celu", "celu_", "cfloat",
    "chain_matmul", "channel_shuffle", "channels_last", "channels_last_3d", "cholesky",
    "cholesky_inverse", "cholesky_solve", "chunk", "clamp", "clamp_", "clamp_max", "clamp_max_",
    "clamp_min", "clamp_min_", "clear_autocast_cache", "clip", "clip_", "clone", "column_stack",
    "combinations", "compile", "complex", "complex128", "complex64", "concat", "concatenate",
    "conj", "conj_physical", "conj_physical_", "constant_pad_nd", "contiguous_format", "conv1d",
    "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "copysign", "corrcoef", "cos", "cos_", "cosh", "cosh_", "cosine_embedding_loss",
    "cosine_similarity", "count_nonzero", "cov", "cross", "ctc_loss", "cummax", "cummin",
    "cumprod", "cumsum", "cumulative_trapezoid", "default_generator", "deg2rad", "deg2rad_",
    "det", "detach", "detach_", "detach_copy", "device", "diag", "diag_embed", "diagflat",
    "diagonal", "diagonal_copy", "diagonal_scatter", "diff", "digamma", "dist", "div", "divide",
    "dot", "double", "dropout", "dropout_", "dsplit", "dstack", "dtype", "e", "einsum",
    "embedding", "embedding_bag", "embedding_renorm_", "empty", "empty_like", "empty_strided",
    "enable_grad", "eq", "equal", "erf", "erf_", "erfc", "erfc_", "erfinv", "exp", "exp2",
    "exp2_", "exp_", "expand_copy", "expm1", "expm1_", "eye", "feature_alpha_dropout",
    "feature_alpha_dropout_", "feature_dropout", "feature_dropout_", "fill", "fill_", "finfo",
    "fix", "fix_", "flatten", "flip", "fliplr", "flipud", "float", "float16", "float32",
    "float64", "float_power", "floor", "floor_", "floor_divide", "fmax", "fmin", "fmod", "frac",
    "frac_", "frexp", "frobenius_norm", "from_dlpack", "from_numpy", "frombuffer", "full",
    "full_like", "gather", "gcd", "gcd_", "ge", "geqrf", "ger", "get_autocast_cpu_dtype",
    "get_autocast_dtype", "get_autocast_gpu_dtype", "get_default_device", "get_default_dtype",
    "get_deterministic_debug_mode", "get_float32_matmul_precision", "get_num_interop_threads",
    "get_num_threads", "get_rng_state", "gradient", "greater", "greater_equal", "group_norm",
    "gt", "half", "hamming_window", "hann_window", "hardshrink", "heaviside",
    "hinge_embedding_loss", "histc", "histogram", "histogramdd", "hsplit", "hstack", "hypot",
    "i0", "i0_", "igamma", "igammac", "iinfo", "imag", "index_add", "index_copy", "index_fill",
    "index_put", "index_put_", "index_reduce", "index_select", "inf", "inference_mode",
    "initial_seed", "inner", "install_as_torch", "instance_norm", "int", "int16", "int32",
    "int64", "int8", "inverse", "is_anomaly_enabled", "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled", "is_autocast_enabled", "is_complex", "is_conj",
    "is_deterministic_algorithms_warn_only_enabled", "is_distributed", "is_floating_point",
    "is_grad_enabled", "is_inference", "is_inference_mode_enabled", "is_neg", "is_nonzero",
    "is_same_size", "is_signed", "is_storage", "is_tensor", "is_warn_always_enabled", "isclose",
    "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "istft",
    "kaiser_window", "kl_div", "kron", "kthvalue", "layer_norm", "layout", "lcm", "lcm_",
    "ldexp", "ldexp_", "le", "lerp", "less", "less_equal", "lgamma", "linspace", "load",
    "lobpcg", "log", "log10", "log10_", "log1p", "log1p_", "log2", "log2_", "log_",
    "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "logit_", "logspace", "logsumexp",
    "long", "lt", "lu", "lu_solve", "lu_unpack", "manual_seed", "margin_ranking_loss",
    "masked_fill", "masked_scatter", "masked_select", "matmul", "matrix_exp", "matrix_power",
    "max", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "maximum",
    "mean", "median", "memory_format", "meshgrid", "min", "minimum", "mm", "mode", "moveaxis",
    "movedim", "msort", "mul", "multinomial", "multiply", "mv", "mvlgamma", "nan", "nan_to_num",
    "nan_to_num_", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "narrow_copy",
    "native_channel_shuffle", "ne", "neg", "neg_", "negative", "negative_", "newaxis",
    "nextafter", "no_grad", "nonzero", "nonzero_static", "norm", "norm_except_dim", "normal",
    "not_equal", "nuclear_norm", "numel", "ones", "ones_like", "orgqr", "ormqr", "outer",
    "pairwise_distance", "pca_lowrank", "pdist", "permute", "permute_copy", "pi", "pinverse",
    "pixel_shuffle", "pixel_unshuffle", "poisson", "poisson_nll_loss", "polar", "polygamma",
    "positive", "pow", "prelu", "preserve_format", "prod", "promote_types", "put", "qr",
    "quantile", "rad2deg", "rad2deg_", "rand", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "randperm", "range", "ravel", "real", "reciprocal", "reciprocal_", "relu",
    "relu_", "remainder", "renorm", "repeat_interleave", "reshape", "resize_as_",
    "resolve_conj", "resolve_neg", "result_type", "rms_norm", "roll", "rot90", "round",
    "round_", "row_stack", "rrelu", "rrelu_", "rsqrt", "rsqrt_", "rsub", "save",
    "scalar_tensor", "scatter", "scatter_add", "scatter_reduce", "searchsorted", "seed",
    "select", "select_copy", "select_scatter", "selu", "selu_", "set_autocast_cache_enabled",
    "set_autocast_dtype", "set_autocast_enabled", "set_default_device", "set_default_dtype",
    "set_default_tensor_type", "set_deterministic_debug_mode", "set_float32_matmul_precision",
    "set_flush_denormal", "set_grad_enabled", "set_num_interop_threads", "set_num_threads",
    "set_printoptions", "set_rng_state", "set_warn_always", "sgn", "short", "show_config",
    "sigmoid", "sigmoid_", "sign", "signbit", "sin", "sin_", "sinc", "sinc_", "sinh", "sinh_",
    "slice_copy", "slice_scatter", "slogdet", "softmax", "sort", "sparse_coo",
    "sparse_coo_tensor", "split", "split_copy", "split_with_sizes", "split_with_sizes_copy",
    "spmm", "sqrt", "sqrt_", "square", "square_", "squeeze", "squeeze_copy", "stack", "std",
    "std_mean", "stft", "strided", "sub", "subtract", "sum", "svd", "svd_lowrank", "swapaxes",
    "swapdims", "sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sum",
    "t", "t_copy", "take", "take_along_dim", "tan", "tan_", "tanh", "tanh_", "tensor",
    "tensor_split", "tensordot", "threshold", "threshold_", "tile", "topk", "trace",
    "transpose", "transpose_copy", "trapezoid", "trapz", "triangular_solve", "tril",
    "tril_indices", "triplet_margin_loss", "triu", "triu_indices", "true_divide", "trunc",
    "trunc_", "typename", "uint16", "uint32", "uint64", "uint8", "unbind", "unbind_copy",
    "unflatten", "unfold_copy", "uninstall_as_torch", "unique", "unique_consecutive",
    "unravel_index", "unsqueeze", "unsqueeze_copy", "use_deterministic_algorithms", "vander",
    "var", "var_mean", "vdot", "view_as_complex", "view_as_complex_copy", "view_as_real",
    "view_as_real_copy", "view_copy", "vmap", "vsplit", "vstack", "where", "xlogy", "xlogy_",
    "zero_", "zeros", "zeros_like",
]  # fmt: skip

__version__ = "0.1.0"

# These come from the top layer, but are known as torch.autograd.gradcheck and gradgradcheck.
autograd.gradcheck = gradcheck
autograd.gradgradcheck = gradgradcheck
del gradcheck, gradgradcheck

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


def __getattr__(name: str) -> _Any:
    if name in _SUBMODULES or name in compat.PUBLIC:
        return importlib.import_module(f"pellucid.{name}")
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"pellucid.{_MODULE_OF[name]}"), name)
    if name.startswith("_foreach_"):
        found = importlib.import_module("pellucid.compat.foreach")
        if name in found.NAMES:
            return found.foreach(name)
    raise AttributeError(f"module 'pellucid' has no attribute '{name}'")
