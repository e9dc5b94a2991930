"""The reference backend: NumPy's own functions, and the kernels that NumPy lacks.

Kernels take and return arrays and know nothing of tensors or derivatives. Linear kernels come with
their transposes. Half precision is accumulated in single precision.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from pellucid.backends import (
    _convolution,
    _division,
    _grid,
    _matrices,
    _moments,
    _normalization,
    _ordering,
    _pooling,
    _pooling_at_random,
    _reduction,
    _resize,
    _scatter,
    _select,
    _softmax,
)
from pellucid.backends._error_function import erf, erfc, erfcx, ndtr
from pellucid.backends._gamma import gammaln
from pellucid.backends._rounding import ROUNDED_UFUNCS, sinc
from pellucid.backends._special import (
    SPECIAL_FUNCTIONS,
    airy_ai,
    airy_ai_slope,
    polynomial,
    special,
)

_ADAPTING_BLOCK = 31 << 20


class NumpyBackend:
    """A set of kernels for arrays in main memory.

    A name that is defined here is that kernel; a special function is SciPy's, and so are Fourier
    transforms; any other name is NumPy's. It is looked up once and then kept on the instance.
    """

    arrays: ModuleType = np

    convolve = staticmethod(_convolution.convolve)
    convolve_to_input = staticmethod(_convolution.convolve_to_input)
    convolve_to_weight = staticmethod(_convolution.convolve_to_weight)

    pooled_size = staticmethod(_pooling.pooled_size)
    max_pool = staticmethod(_pooling.max_pool)
    max_pool_to_input = staticmethod(_pooling.max_pool_to_input)
    take_spatial = staticmethod(_pooling.take_spatial)
    avg_pool = staticmethod(_pooling.avg_pool)
    avg_pool_to_input = staticmethod(_pooling.avg_pool_to_input)
    adaptive_avg_pool = staticmethod(_pooling.adaptive_avg_pool)
    adaptive_avg_pool_to_input = staticmethod(_pooling.adaptive_avg_pool_to_input)
    adaptive_max_pool = staticmethod(_pooling.adaptive_max_pool)

    fractional_max_pool = staticmethod(_pooling_at_random.fractional_max_pool)
    grid_sample = staticmethod(_grid.grid_sample)
    grid_sample_to_input = staticmethod(_grid.grid_sample_to_input)
    resize = staticmethod(_resize.resize)
    resize_to_input = staticmethod(_resize.resize_to_input)

    where = staticmethod(_select.where)
    zero_like = staticmethod(_select.zero_like)
    relu = staticmethod(_select.relu)
    clip = staticmethod(_select.clip)
    sign = staticmethod(_select.sign)

    total = staticmethod(_reduction.total)
    column_sums = staticmethod(_reduction.column_sums)
    moments = staticmethod(_moments.moments)
    product = staticmethod(_reduction.product)

    take_along = staticmethod(_scatter.take_along)
    scatter_add_along = staticmethod(_scatter.scatter_add_along)
    scatter = staticmethod(_scatter.scatter)
    scatter_reduce = staticmethod(_scatter.scatter_reduce)
    index_add = staticmethod(_scatter.index_add)
    index_put_add = staticmethod(_scatter.index_put_add)
    embedding_to_weight = staticmethod(_scatter.embedding_to_weight)

    softmax = staticmethod(_softmax.softmax)
    log_softmax = staticmethod(_softmax.log_softmax)
    row_exponentials = staticmethod(_softmax.row_exponentials)
    logsumexp = staticmethod(_softmax.logsumexp)
    logaddexp = staticmethod(_softmax.logaddexp)
    exponential_cumsum = staticmethod(_softmax.exponential_cumsum)
    sigmoid = staticmethod(_softmax.sigmoid)
    log_sigmoid = staticmethod(_softmax.log_sigmoid)
    softplus = staticmethod(_softmax.softplus)
    mish = staticmethod(_softmax.mish)
    gelu = staticmethod(_softmax.gelu)

    sinc = staticmethod(sinc)
    erf = staticmethod(erf)
    erfc = staticmethod(erfc)
    erfcx = staticmethod(erfcx)
    ndtr = staticmethod(ndtr)
    gammaln = staticmethod(gammaln)
    airy_ai = staticmethod(airy_ai)
    airy_ai_slope = staticmethod(airy_ai_slope)
    polynomial = staticmethod(polynomial)

    floor_divide = staticmethod(_division.floor_divide)
    trunc_divide = staticmethod(_division.trunc_divide)
    true_divide = staticmethod(_division.true_divide)
    remainder = staticmethod(_division.remainder)
    fmod = staticmethod(_division.fmod)
    cast = staticmethod(_division.cast)

    sort = staticmethod(_ordering.sort)
    argsort = staticmethod(_ordering.argsort)
    topk = staticmethod(_ordering.topk)
    kthvalue = staticmethod(_ordering.kthvalue)
    median = staticmethod(_ordering.median)
    nanmedian = staticmethod(_ordering.nanmedian)
    max_along = staticmethod(_ordering.max_along)
    min_along = staticmethod(_ordering.min_along)
    cummax = staticmethod(_ordering.cummax)
    cummin = staticmethod(_ordering.cummin)
    mode = staticmethod(_ordering.mode)
    unique = staticmethod(_ordering.unique)
    unique_consecutive = staticmethod(_ordering.unique_consecutive)

    cholesky = staticmethod(_matrices.cholesky)
    lu_factor = staticmethod(_matrices.lu_factor)
    inverse = staticmethod(_matrices.inverse)
    solve = staticmethod(_matrices.solve)
    solve_triangular = staticmethod(_matrices.solve_triangular)
    householder_vectors = staticmethod(_matrices.householder_vectors)
    eigenpairs = staticmethod(_matrices.eigenpairs)
    eigenvalues = staticmethod(_matrices.eigenvalues)
    pseudoinverse = staticmethod(_matrices.pseudoinverse)
    cofactors = staticmethod(_matrices.cofactors)
    matrix_exp = staticmethod(_matrices.matrix_exp)

    layer_norm = staticmethod(_normalization.layer_norm)
    batch_norm = staticmethod(_normalization.batch_norm)
    batch_norm_inference = staticmethod(_normalization.batch_norm_inference)
    normalisation_to_input = staticmethod(_normalization.normalisation_to_input)
    normalisation_to_weight = staticmethod(_normalization.normalisation_to_weight)

    def __getattr__(self, name: str) -> Any:
        if name in ROUNDED_UFUNCS:
            kernel = ROUNDED_UFUNCS[name]
        elif name in SPECIAL_FUNCTIONS:
            kernel = special(name)
        else:
            kernel = scipy_fft() if name == "fft" else getattr(self.arrays, name)
        setattr(self, name, kernel)
        return kernel


def scipy_fft() -> ModuleType:
    """Return SciPy's Fourier transforms, which are faster than NumPy's in single precision."""
    import scipy.fft

    return scipy.fft


def _keep_freed_memory() -> None:
    """Let the C library reuse the memory of arrays instead of returning it after each one.

    glibc raises its thresholds to the largest block freed so far, up to 32 MiB. This one is never
    written, so it costs nothing; without it every array above 128 KiB can mean fresh pages from
    the system, which takes longer than the arithmetic.
    """
    np.empty(_ADAPTING_BLOCK, np.uint8)


_keep_freed_memory()
cpu = NumpyBackend()
