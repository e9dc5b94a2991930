"""The reference backend: NumPy's own functions, and the kernels that NumPy lacks.

Kernels take and return arrays and know nothing of tensors or derivatives. Linear kernels come with
their transposes. Half precision is accumulated in single precision.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from pellucid.kernels.numpy import (
    activations,
    convolution,
    division,
    elementwise,
    fractional_pooling,
    gather_scatter,
    grid_sampling,
    matrices,
    moments,
    normalization,
    ordering,
    pooling,
    recurrent,
    reduction,
    resizing,
)
from pellucid.kernels.numpy.attention import attention, attention_to_inputs
from pellucid.kernels.numpy.error_function import erf, erfc, erfcx, ndtr
from pellucid.kernels.numpy.gamma import gammaln
from pellucid.kernels.numpy.rounding import ROUNDED_UFUNCS, sinc
from pellucid.kernels.numpy.special import (
    SPECIAL_FUNCTIONS,
    airy_ai,
    airy_ai_slope,
    polynomial,
    special,
    trigamma,
    zeta,
)
from pellucid.kernels.random.single_precision import grouped_normals

_ADAPTING_BLOCK = 31 << 20


def no_step(*_: Any) -> Any:
    """Decline to step: the optimizer's own formula does it, with NumPy's functions."""
    return NotImplemented


class NumpyBackend:
    """A set of kernels for arrays in main memory.

    A name that is defined here is that kernel; a special function is SciPy's, and so are Fourier
    transforms; any other name is NumPy's. It is looked up once and then kept on the instance.
    """

    arrays: ModuleType = np

    attention = staticmethod(attention)
    attention_to_inputs = staticmethod(attention_to_inputs)

    convolve = staticmethod(convolution.convolve)
    convolve_to_input = staticmethod(convolution.convolve_to_input)
    convolve_to_weight = staticmethod(convolution.convolve_to_weight)

    pooled_size = staticmethod(pooling.pooled_size)
    max_pool = staticmethod(pooling.max_pool)
    max_pool_to_input = staticmethod(pooling.max_pool_to_input)
    take_spatial = staticmethod(pooling.take_spatial)
    avg_pool = staticmethod(pooling.avg_pool)
    avg_pool_to_input = staticmethod(pooling.avg_pool_to_input)
    adaptive_avg_pool = staticmethod(pooling.adaptive_avg_pool)
    adaptive_avg_pool_to_input = staticmethod(pooling.adaptive_avg_pool_to_input)
    adaptive_max_pool = staticmethod(pooling.adaptive_max_pool)

    fractional_max_pool = staticmethod(fractional_pooling.fractional_max_pool)
    grid_sample = staticmethod(grid_sampling.grid_sample)
    grid_sample_to_input = staticmethod(grid_sampling.grid_sample_to_input)
    multiply_along = staticmethod(resizing.multiply_along)
    resize = staticmethod(resizing.resize)
    resize_to_input = staticmethod(resizing.resize_to_input)

    where = staticmethod(elementwise.where)
    zero_like = staticmethod(elementwise.zero_like)
    relu = staticmethod(elementwise.relu)
    relu_backward = staticmethod(elementwise.relu_backward)
    clip = staticmethod(elementwise.clip)
    sign = staticmethod(elementwise.sign)
    rsqrt = staticmethod(elementwise.rsqrt)
    frac = staticmethod(elementwise.frac)
    lerp = staticmethod(elementwise.lerp)
    addcmul = staticmethod(elementwise.addcmul)
    addcdiv = staticmethod(elementwise.addcdiv)
    replace_special = staticmethod(elementwise.replace_special)

    total = staticmethod(reduction.total)
    total_of_squares = staticmethod(reduction.total_of_squares)
    column_sums = staticmethod(reduction.column_sums)
    squared_deviations = staticmethod(moments.squared_deviations)
    product = staticmethod(reduction.product)
    cumsum = staticmethod(reduction.cumsum)
    cumprod = staticmethod(reduction.cumprod)

    all_within = staticmethod(gather_scatter.all_within)
    take_grid = staticmethod(gather_scatter.take_grid)
    take_along = staticmethod(gather_scatter.take_along)
    scatter_add_along = staticmethod(gather_scatter.scatter_add_along)
    scatter = staticmethod(gather_scatter.scatter)
    scatter_reduce = staticmethod(gather_scatter.scatter_reduce)
    index_add = staticmethod(gather_scatter.index_add)
    index_put_add = staticmethod(gather_scatter.index_put_add)
    embedding_to_weight = staticmethod(gather_scatter.embedding_to_weight)

    softmax = staticmethod(activations.softmax)
    log_softmax = staticmethod(activations.log_softmax)
    cross_entropy_rows = staticmethod(activations.cross_entropy_rows)
    probability_errors = staticmethod(activations.probability_errors)
    logsumexp = staticmethod(activations.logsumexp)
    logaddexp = staticmethod(activations.logaddexp)
    complex_logcumsumexp = staticmethod(activations.complex_logcumsumexp)
    exponential_cumsum = staticmethod(activations.exponential_cumsum)
    sigmoid = staticmethod(activations.sigmoid)
    silu = staticmethod(activations.silu)
    log_sigmoid = staticmethod(activations.log_sigmoid)
    softplus = staticmethod(activations.softplus)
    mish = staticmethod(activations.mish)
    leaky_relu = staticmethod(activations.leaky_relu)
    elu = staticmethod(activations.elu)
    hardswish = staticmethod(activations.hardswish)
    gelu = staticmethod(activations.gelu)
    gelu_slope = staticmethod(activations.gelu_slope)
    sigmoid_backward = staticmethod(activations.sigmoid_backward)
    silu_backward = staticmethod(activations.silu_backward)
    gelu_tanh_backward = staticmethod(activations.gelu_tanh_backward)
    leaky_relu_backward = staticmethod(activations.leaky_relu_backward)
    hardswish_backward = staticmethod(activations.hardswish_backward)
    hardtanh_backward = staticmethod(activations.hardtanh_backward)
    softplus_backward = staticmethod(activations.softplus_backward)
    elu_backward = staticmethod(activations.elu_backward)
    huber = staticmethod(activations.huber)
    huber_backward = staticmethod(activations.huber_backward)

    sinc = staticmethod(sinc)
    erf = staticmethod(erf)
    erfc = staticmethod(erfc)
    erfcx = staticmethod(erfcx)
    ndtr = staticmethod(ndtr)
    gammaln = staticmethod(gammaln)
    trigamma = staticmethod(trigamma)
    airy_ai = staticmethod(airy_ai)
    zeta = staticmethod(zeta)
    airy_ai_slope = staticmethod(airy_ai_slope)
    polynomial = staticmethod(polynomial)

    floor_divide = staticmethod(division.floor_divide)
    trunc_divide = staticmethod(division.trunc_divide)
    true_divide = staticmethod(division.true_divide)
    remainder = staticmethod(division.remainder)
    fmod = staticmethod(division.fmod)
    cast = staticmethod(division.cast)

    sort = staticmethod(ordering.sort)
    argsort = staticmethod(ordering.argsort)
    topk = staticmethod(ordering.topk)
    kthvalue = staticmethod(ordering.kthvalue)
    median = staticmethod(ordering.median)
    nanmedian = staticmethod(ordering.nanmedian)
    max_along = staticmethod(ordering.max_along)
    min_along = staticmethod(ordering.min_along)
    cummax = staticmethod(ordering.cummax)
    cummin = staticmethod(ordering.cummin)
    mode = staticmethod(ordering.mode)
    unique = staticmethod(ordering.unique)
    unique_consecutive = staticmethod(ordering.unique_consecutive)

    cholesky = staticmethod(matrices.cholesky)
    lu_factor = staticmethod(matrices.lu_factor)
    inverse = staticmethod(matrices.inverse)
    solve = staticmethod(matrices.solve)
    solve_triangular = staticmethod(matrices.solve_triangular)
    householder_vectors = staticmethod(matrices.householder_vectors)
    eigenpairs = staticmethod(matrices.eigenpairs)
    eigenvalues = staticmethod(matrices.eigenvalues)
    pseudoinverse = staticmethod(matrices.pseudoinverse)
    cofactors = staticmethod(matrices.cofactors)
    determinant = staticmethod(matrices.determinant)
    matrix_exp = staticmethod(matrices.matrix_exp)

    grouped_normals = staticmethod(grouped_normals)

    adam_step = staticmethod(no_step)
    sgd_step = staticmethod(no_step)
    adadelta_step = staticmethod(no_step)
    rmsprop_step = staticmethod(no_step)

    lstm = staticmethod(recurrent.lstm)
    lstm_to_input = staticmethod(recurrent.lstm_to_input)
    lstm_cell = staticmethod(recurrent.lstm_cell)
    lstm_cell_to_input = staticmethod(recurrent.lstm_cell_to_input)
    lstm_cell_to_cell = staticmethod(recurrent.lstm_cell_to_cell)
    gru_cell = staticmethod(recurrent.gru_cell)
    gru_cell_to_input = staticmethod(recurrent.gru_cell_to_input)

    layer_norm = staticmethod(normalization.layer_norm)
    batch_norm = staticmethod(normalization.batch_norm)
    batch_norm_inference = staticmethod(normalization.batch_norm_inference)
    normalisation_to_input = staticmethod(normalization.normalisation_to_input)
    normalisation_to_weight = staticmethod(normalization.normalisation_to_weight)

    def has_kernel(self, name: str) -> bool:
        """Whether there is a kernel of this name; nothing is imported to find out."""
        known = name in ROUNDED_UFUNCS or name in SPECIAL_FUNCTIONS
        return known or hasattr(type(self), name) or hasattr(self.arrays, name)

    def __getattr__(self, name: str) -> Any:
        if name in ROUNDED_UFUNCS:
            kernel = ROUNDED_UFUNCS[name]
        elif name in SPECIAL_FUNCTIONS:
            kernel = special(name)
        else:
            kernel = fourier_transforms() if name == "fft" else getattr(self.arrays, name)
        setattr(self, name, kernel)
        return kernel


def fourier_transforms() -> ModuleType:
    """Return the Fourier transforms, which load a part of SciPy."""
    from pellucid.kernels.numpy import fourier

    return fourier


def _keep_freed_memory() -> None:
    """Make the C library reuse the memory of arrays instead of returning it after each one.

    glibc raises its thresholds to the largest block freed so far, up to 32 MiB. This one is never
    written, so it costs nothing; without it every array above 128 KiB can mean fresh pages from
    the system, which takes longer than the arithmetic.
    """
    np.empty(_ADAPTING_BLOCK, np.uint8)


_keep_freed_memory()
