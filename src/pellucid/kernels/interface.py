"""What the body of an op may call: the interface of a set of kernels, ``be`` in op bodies.

Kernels take and return arrays; they know nothing of tensors or derivatives. They accept any layout
and leave their arguments unchanged; results are new arrays, or views where NumPy's function of
that name returns one. Shapes, dtypes and errors of the library's own kernels stand with the
reference, in `pellucid.kernels.numpy`; the others are NumPy's and SciPy's functions, with their
contracts. Another set of kernels may replace any of them and inherits the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

Kernel = Callable[..., Any]


class Kernels(Protocol):
    """The kernels that op bodies call."""

    # pellucid.kernels.numpy.activations
    complex_logcumsumexp: Kernel
    cross_entropy_rows: Kernel
    elu: Kernel
    elu_backward: Kernel
    exponential_cumsum: Kernel
    gelu: Kernel
    gelu_slope: Kernel
    gelu_tanh_backward: Kernel
    hardswish: Kernel
    hardswish_backward: Kernel
    hardtanh_backward: Kernel
    huber: Kernel
    huber_backward: Kernel
    leaky_relu: Kernel
    leaky_relu_backward: Kernel
    log_sigmoid: Kernel
    log_softmax: Kernel
    logaddexp: Kernel
    logsumexp: Kernel
    mish: Kernel
    probability_errors: Kernel
    sigmoid: Kernel
    sigmoid_backward: Kernel
    silu: Kernel
    silu_backward: Kernel
    softmax: Kernel
    softplus: Kernel
    softplus_backward: Kernel

    # pellucid.kernels.numpy.attention
    attention: Kernel

    # pellucid.kernels.numpy.convolution
    convolve: Kernel
    convolve_to_input: Kernel
    convolve_to_weight: Kernel

    # pellucid.kernels.numpy.division
    cast: Kernel
    floor_divide: Kernel
    fmod: Kernel
    remainder: Kernel
    trunc_divide: Kernel

    # pellucid.kernels.numpy.elementwise
    addcdiv: Kernel
    addcmul: Kernel
    clip: Kernel
    frac: Kernel
    lerp: Kernel
    relu: Kernel
    relu_backward: Kernel
    replace_special: Kernel
    rsqrt: Kernel
    sign: Kernel
    where: Kernel

    # pellucid.kernels.numpy.error_function
    erf: Kernel
    erfc: Kernel
    erfcx: Kernel
    ndtr: Kernel

    # pellucid.kernels.numpy.fractional_pooling
    fractional_max_pool: Kernel

    # pellucid.kernels.numpy.gamma
    gammaln: Kernel

    # pellucid.kernels.numpy.gather_scatter
    all_within: Kernel
    embedding_to_weight: Kernel
    index_add: Kernel
    index_put_add: Kernel
    scatter: Kernel
    scatter_add_along: Kernel
    scatter_reduce: Kernel
    take_along: Kernel
    take_grid: Kernel

    # pellucid.kernels.numpy.grid_sampling
    grid_sample: Kernel
    grid_sample_to_input: Kernel

    # pellucid.kernels.numpy.matrices
    cholesky: Kernel
    cofactors: Kernel
    determinant: Kernel
    eigenpairs: Kernel
    eigenvalues: Kernel
    householder_vectors: Kernel
    inverse: Kernel
    lu_factor: Kernel
    matrix_exp: Kernel
    pseudoinverse: Kernel
    solve: Kernel
    solve_triangular: Kernel

    # pellucid.kernels.numpy.moments
    squared_deviations: Kernel

    # pellucid.kernels.numpy.normalization
    batch_norm: Kernel
    batch_norm_inference: Kernel
    layer_norm: Kernel
    normalisation_to_input: Kernel
    normalisation_to_weight: Kernel

    # pellucid.kernels.numpy.ordering
    argsort: Kernel
    cummax: Kernel
    cummin: Kernel
    kthvalue: Kernel
    max_along: Kernel
    median: Kernel
    min_along: Kernel
    nanmedian: Kernel
    sort: Kernel
    topk: Kernel
    unique: Kernel
    unique_consecutive: Kernel

    # pellucid.kernels.numpy.pooling
    adaptive_avg_pool: Kernel
    adaptive_avg_pool_to_input: Kernel
    adaptive_max_pool: Kernel
    avg_pool: Kernel
    avg_pool_to_input: Kernel
    max_pool: Kernel
    max_pool_to_input: Kernel
    take_spatial: Kernel

    # pellucid.kernels.numpy.recurrent
    gru_cell: Kernel
    gru_cell_to_input: Kernel
    lstm: Kernel
    lstm_cell: Kernel
    lstm_cell_to_cell: Kernel
    lstm_cell_to_input: Kernel

    # pellucid.kernels.numpy.reduction
    cumprod: Kernel
    cumsum: Kernel
    product: Kernel
    total: Kernel
    total_of_squares: Kernel

    # pellucid.kernels.numpy.resizing
    resize: Kernel
    resize_to_input: Kernel

    # pellucid.kernels.numpy.rounding
    sinc: Kernel

    # pellucid.kernels.numpy.special
    airy_ai: Kernel
    airy_ai_slope: Kernel
    polynomial: Kernel
    trigamma: Kernel

    # SciPy's special functions
    digamma: Kernel
    entr: Kernel
    erfinv: Kernel
    gammainc: Kernel
    gammaincc: Kernel
    i0: Kernel
    i0e: Kernel
    i1: Kernel
    i1e: Kernel
    j0: Kernel
    j1: Kernel
    k0: Kernel
    k0e: Kernel
    k1: Kernel
    k1e: Kernel
    log_ndtr: Kernel
    logit: Kernel
    ndtri: Kernel
    xlog1py: Kernel
    xlogy: Kernel
    y0: Kernel
    y1: Kernel
    zeta: Kernel

    # NumPy's functions and ufuncs
    abs: Kernel
    absolute: Kernel
    add: Kernel
    angle: Kernel
    any: Kernel
    arange: Kernel
    arccos: Kernel
    arccosh: Kernel
    arcsin: Kernel
    arcsinh: Kernel
    arctan: Kernel
    arctan2: Kernel
    arctanh: Kernel
    argwhere: Kernel
    array: Kernel
    asarray: Kernel
    ascontiguousarray: Kernel
    bincount: Kernel
    bitwise_and: Kernel
    bitwise_or: Kernel
    bitwise_xor: Kernel
    broadcast_shapes: Kernel
    broadcast_to: Kernel
    ceil: Kernel
    concatenate: Kernel
    conjugate: Kernel
    copy: Kernel
    copysign: Kernel
    copyto: Kernel
    cos: Kernel
    cosh: Kernel
    count_nonzero: Kernel
    divide: Kernel
    empty: Kernel
    equal: Kernel
    exp: Kernel
    exp2: Kernel
    expm1: Kernel
    flip: Kernel
    floor: Kernel
    fmax: Kernel
    fmin: Kernel
    frexp: Kernel
    full: Kernel
    gcd: Kernel
    greater: Kernel
    greater_equal: Kernel
    histogram: Kernel
    hypot: Kernel
    int64: Kernel
    invert: Kernel
    isclose: Kernel
    isfinite: Kernel
    isin: Kernel
    isinf: Kernel
    isnan: Kernel
    isposinf: Kernel
    isreal: Kernel
    lcm: Kernel
    ldexp: Kernel
    left_shift: Kernel
    less: Kernel
    less_equal: Kernel
    linspace: Kernel
    log: Kernel
    log10: Kernel
    log1p: Kernel
    log2: Kernel
    logaddexp2: Kernel
    logical_and: Kernel
    logical_not: Kernel
    logical_or: Kernel
    logical_xor: Kernel
    matmul: Kernel
    maximum: Kernel
    meshgrid: Kernel
    minimum: Kernel
    moveaxis: Kernel
    multiply: Kernel
    nan_to_num: Kernel
    ndarray: Kernel
    ndim: Kernel
    negative: Kernel
    nextafter: Kernel
    not_equal: Kernel
    ones: Kernel
    power: Kernel
    put_along_axis: Kernel
    reciprocal: Kernel
    right_shift: Kernel
    roll: Kernel
    round: Kernel
    searchsorted: Kernel
    signbit: Kernel
    sin: Kernel
    sinh: Kernel
    sqrt: Kernel
    square: Kernel
    stack: Kernel
    subtract: Kernel
    take: Kernel
    take_along_axis: Kernel
    tan: Kernel
    tanh: Kernel
    tile: Kernel
    trace: Kernel
    tril: Kernel
    triu: Kernel
    trunc: Kernel
    zeros: Kernel
    zeros_like: Kernel

    # NumPy's constants
    inf: Any
    nan: Any
    pi: Any

    # NumPy's and SciPy's modules
    arrays: ModuleType
    fft: ModuleType
    lib: ModuleType
    linalg: ModuleType
