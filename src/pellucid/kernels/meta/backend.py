"""The kernels for arrays without values: each gives the shape, dtype and order of its result."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from pellucid.kernels.meta.arrays import MetaArray, NoValues, as_meta, elementwise, empty
from pellucid.kernels.numpy.backend import NumpyBackend
from pellucid.kernels.numpy.pooling import pooled_size
from pellucid.kernels.numpy.precision import floating_dtype, working_dtype

Shape = tuple[int, ...]


def _no_values(*args: Any, **options: Any) -> Any:
    raise NoValues


def _like(x: Any, *args: Any, **options: Any) -> Any:
    return np.empty_like(x)


def _of_shape(g: Any, *args: Any) -> MetaArray:
    """Return an array of the first argument that is a shape."""
    return empty(next(each for each in args if isinstance(each, tuple)), g.dtype)


def _reduced(shape: Shape, axis: Any, keepdims: bool) -> Shape:
    if not shape:
        return ()
    axes = axis if isinstance(axis, tuple) else range(len(shape)) if axis is None else (axis,)
    summed = {each % len(shape) for each in axes}
    kept = enumerate(shape)
    if keepdims:
        return tuple(1 if dim in summed else size for dim, size in kept)
    return tuple(size for dim, size in kept if dim not in summed)


# ---- activations --------------------------------------------------------------------------------


def _softmax(x: Any, axis: Any) -> Any:
    return np.empty_like(x, floating_dtype(x.dtype))


def _logsumexp(x: Any, axis: Any, keepdims: bool = False) -> MetaArray:
    return empty(_reduced(x.shape, axis, keepdims), floating_dtype(x.dtype))


def _complex_logcumsumexp(x: Any, axis: int) -> MetaArray:
    return MetaArray(x.shape, x.dtype)


def _exponential_cumsum(x: Any, before: Any, after: Any, *args: Any) -> MetaArray:
    return empty(np.broadcast_shapes(x.shape, before.shape, after.shape), x.dtype)


def _cross_entropy_rows(rows: Any, target: Any) -> MetaArray:
    return empty(rows.shape[:1], rows.dtype)


# ---- attention, convolution and pooling ---------------------------------------------------------


def _attention(query: Any, key: Any, value: Any, *args: Any) -> MetaArray:
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    return empty((*batch, query.shape[-2], value.shape[-1]), query.dtype)


def _attention_to_inputs(grad: Any, query: Any, key: Any, value: Any, *args: Any) -> Any:
    batch = grad.shape[:-2]
    return tuple(empty((*batch, *each.shape[-2:]), each.dtype) for each in (query, key, value))


def _convolve(
    x: Any, w: Any, stride: Shape, padding: Shape, dilation: Shape, groups: int, bias: Any = None
) -> MetaArray:
    sizes = zip(x.shape[2:], w.shape[2:], stride, padding, dilation, strict=True)
    spatial = [(s + 2 * p - d * (k - 1) - 1) // step + 1 for s, k, step, p, d in sizes]
    return empty((x.shape[0], w.shape[0], *spatial), np.result_type(x.dtype, w.dtype))


def _pooled(x: Any, kernel: Shape, windows: Any) -> Shape:
    return (*x.shape[: x.ndim - len(kernel)], *windows)


def _max_pool(
    x: Any, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool = False
) -> Any:
    sizes = zip(x.shape[-len(kernel) :], kernel, stride, padding, dilation, strict=True)
    shape = _pooled(x, kernel, (pooled_size(*each, ceil_mode) for each in sizes))
    return empty(shape, x.dtype), empty(shape, np.int64)


def _avg_pool(
    x: Any, kernel: Shape, stride: Shape, padding: Shape, ceil_mode: bool = False, *args: Any
) -> MetaArray:
    return _max_pool(x, kernel, stride, padding, (1,) * len(kernel), ceil_mode)[0]


def _adaptive_avg_pool(x: Any, output_size: Shape) -> MetaArray:
    return empty(_pooled(x, output_size, output_size), x.dtype)


def _adaptive_max_pool(x: Any, output_size: Shape) -> Any:
    shape = _pooled(x, output_size, output_size)
    return empty(shape, x.dtype), empty(shape, np.int64)


def _fractional_max_pool(x: Any, samples: Any, kernel: Shape, output_size: Shape) -> Any:
    return _adaptive_max_pool(x, output_size)


def _take_spatial(x: Any, indices: Any) -> MetaArray:
    return empty(indices.shape, x.dtype)


def _take_grid(x: Any, positions: Any) -> MetaArray:
    return empty((*x.shape[: x.ndim - len(positions)], *map(len, positions)), x.dtype)


def _resize(x: Any, plan: Any) -> MetaArray:
    return empty((*x.shape[:2], *(arguments[2] for arguments in plan)), x.dtype)


def _resize_to_input(g: Any, plan: Any) -> MetaArray:
    return empty((*g.shape[:2], *(arguments[1] for arguments in plan)), g.dtype)


def _grid_sample(x: Any, grid: Any, *args: Any) -> MetaArray:
    return empty((*x.shape[:2], *grid.shape[1:-1]), x.dtype)


def _grid_sample_to_input(g: Any, grid: Any, size: Shape, *args: Any) -> MetaArray:
    return empty((*g.shape[:2], *size), g.dtype)


# ---- reductions and normalisation ---------------------------------------------------------------


def _total(x: Any, axes: Any, keepdims: bool) -> Any:
    return np.add.reduce(x, axes, keepdims=keepdims)


def _column_sums(rows: Any) -> MetaArray:
    return empty(rows.shape[1:], rows.dtype)


def _product(x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
    return np.multiply.reduce(x, axis, dtype, keepdims=keepdims)


def _squared_deviations(x: Any, axes: tuple[int, ...]) -> Any:
    return empty(_reduced(x.shape, axes, True), x.dtype)


def _layer_norm(x: Any, ndim: int, *args: Any) -> Any:
    kept = (*x.shape[: x.ndim - ndim], *(1,) * ndim)
    dtype = working_dtype(x.dtype)
    return empty(x.shape, x.dtype), empty(kept, dtype), empty(kept, dtype)


def _batch_norm(x: Any, *args: Any) -> Any:
    dtype = working_dtype(x.dtype)
    return (np.empty_like(x), *(empty(x.shape[1:2], dtype) for _ in range(3)))


def _normalisation_to_input(g: Any, x: Any, *args: Any) -> MetaArray:
    return np.empty_like(x)


def _normalisation_to_weight(g: Any, x: Any, mean: Any, rstd: Any, axes: Any) -> MetaArray:
    return empty(_reduced(x.shape, tuple(axes), False), x.dtype)


# ---- gathering, scattering and sorting ----------------------------------------------------------


def _all_within(index: Any, size: int) -> bool:
    return True  # nobody can know otherwise


def _take_along(x: Any, index: Any, dim: int) -> MetaArray:
    return empty(index.shape, x.dtype)


def _scatter_add_along(shape: Shape, index: Any, src: Any, dim: int) -> MetaArray:
    return empty(shape, src.dtype)


def _scatter(x: Any, *args: Any, **options: Any) -> MetaArray:
    return empty(x.shape, x.dtype)


def _embedding_to_weight(g: Any, indices: Any, num_rows: int) -> MetaArray:
    return empty((num_rows, *g.shape[indices.ndim :]), g.dtype)


def _index_put_add(shape: Shape, dtype: Any, index: Any, values: Any) -> MetaArray:
    return empty(shape, dtype)


def _sort(x: Any, *args: Any, **options: Any) -> Any:
    return np.empty_like(x), np.empty_like(x, np.int64)


def _argsort(x: Any, *args: Any, **options: Any) -> Any:
    return np.empty_like(x, np.int64)


def _topk(x: Any, k: int, axis: int = -1, *args: Any, **options: Any) -> Any:
    shape = list(x.shape)
    if shape:
        shape[axis] = k
    return empty(shape, x.dtype), empty(shape, np.int64)


def _along(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    shape = _reduced(x.shape, axis, keepdims)
    return empty(shape, x.dtype), empty(shape, np.int64)


def _kthvalue(x: Any, k: int, axis: int = -1, keepdims: bool = False) -> Any:
    return _along(x, axis, keepdims)


# ---- matrices -----------------------------------------------------------------------------------


def _with_infos(x: Any, a: Any) -> Any:
    return x, empty(a.shape[:-2], np.int32)


def _inverse(a: Any, *args: Any) -> Any:
    return _with_infos(np.empty_like(a), a)


def _solve(a: Any, b: Any) -> Any:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return _with_infos(empty((*batch, *b.shape[-2:]), b.dtype), a)


def _solve_triangular(a: Any, b: Any, *args: Any) -> MetaArray:
    return _solve(a, b)[0]


def _lu_factor(a: Any) -> Any:
    least = min(a.shape[-2:])
    pivots, infos = empty((*a.shape[:-2], least), np.int32), empty(a.shape[:-2], np.int32)
    return np.empty_like(a), pivots, infos


def _householder_vectors(a: Any) -> Any:
    return np.empty_like(a), empty((*a.shape[:-2], min(a.shape[-2:])), a.dtype)


def _eigenpairs(a: Any) -> Any:
    return np.linalg.eigvals(a), empty(a.shape, np.result_type(a.dtype, np.complex64))


def _pseudoinverse(a: Any, *args: Any) -> MetaArray:
    return empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)


# ---- recurrent cells ----------------------------------------------------------------------------


def _lstm(x: Any, h_first: Any, c_first: Any, *args: Any) -> Any:
    shape = (*x.shape[:2], c_first.shape[-1])
    return empty(shape, x.dtype), empty(shape, x.dtype), np.empty_like(x)


def _lstm_to_input(gates: Any, c: Any, c_first: Any, *args: Any) -> Any:
    return np.empty_like(gates), np.empty_like(c_first)


def _lstm_cell(x: Any, c_before: Any) -> Any:
    return np.empty_like(c_before), np.empty_like(c_before), np.empty_like(x)


def _lstm_cell_to_cell(gates: Any, c: Any, *args: Any) -> MetaArray:
    return np.empty_like(c)


def _gru_cell(x: Any, recurrent: Any, h_before: Any) -> Any:
    return np.empty_like(h_before), np.empty_like(x)


# ---- Fourier transforms -------------------------------------------------------------------------


def _complex(dtype: Any) -> Any:
    return np.result_type(floating_dtype(dtype), np.complex64)


def _c2c(x: Any, dims: Any, forward: bool, normalization: int) -> MetaArray:
    return empty(x.shape, _complex(x.dtype))


def _with_size(x: Any, dim: int, size: int) -> list[int]:
    return [size if axis == dim % x.ndim else each for axis, each in enumerate(x.shape)]


def _r2c(x: Any, dims: Any, forward: bool, normalization: int) -> MetaArray:
    return empty(_with_size(x, dims[-1], x.shape[dims[-1]] // 2 + 1), _complex(x.dtype))


def _c2r(x: Any, dims: Any, size: int, forward: bool, normalization: int) -> MetaArray:
    return empty(_with_size(x, dims[-1], size), np.empty(0, x.dtype).real.dtype)


_fft = SimpleNamespace(c2c=_c2c, r2c=_r2c, c2r=_c2r)


def _new(shape: Any, dtype: Any = np.float64, **options: Any) -> MetaArray:
    return empty(shape, dtype)


def _full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> MetaArray:
    return empty(shape, np.asarray(fill_value).dtype if dtype is None else dtype)


def _as_strided(x: Any, *args: Any, **options: Any) -> MetaArray:
    return as_meta(np.lib.stride_tricks.as_strided(x, *args, **options))


def _ndarray(*args: Any) -> MetaArray:
    return as_meta(np.ndarray(*args))


def _array(x: Any, dtype: Any = None, *, order: Any = "K", **options: Any) -> MetaArray:
    return x.astype(x.dtype if dtype is None else dtype, order=order)


def _asarray(x: Any, dtype: Any = None, *, order: Any = None) -> Any:
    if not isinstance(x, np.ndarray):
        return as_meta(np.asarray(x, dtype))
    fits = order != "C" or x.flags.c_contiguous
    return x if fits and dtype in (None, x.dtype) else _array(x, dtype, order=order or "K")


class MetaKernels(NumpyBackend):
    """The kernels of arrays without values; one without a rule here works element by element."""

    all_within = staticmethod(_all_within)
    adaptive_avg_pool = staticmethod(_adaptive_avg_pool)
    adaptive_avg_pool_to_input = avg_pool_to_input = staticmethod(_of_shape)
    adaptive_max_pool = staticmethod(_adaptive_max_pool)
    array = staticmethod(_array)
    asarray = staticmethod(_asarray)
    argsort = staticmethod(_argsort)
    attention = staticmethod(_attention)
    attention_to_inputs = staticmethod(_attention_to_inputs)
    avg_pool = staticmethod(_avg_pool)
    batch_norm = staticmethod(_batch_norm)
    batch_norm_inference = staticmethod(_like)
    cholesky = staticmethod(_inverse)
    cofactors = matrix_exp = staticmethod(_like)
    determinant = staticmethod(np.linalg.det)
    column_sums = staticmethod(_column_sums)
    convolve = staticmethod(_convolve)
    convolve_to_input = convolve_to_weight = staticmethod(
        lambda g, w, shape, *args: empty(shape, np.result_type(g.dtype, w.dtype))
    )
    cross_entropy_rows = staticmethod(_cross_entropy_rows)
    cumsum = cumprod = staticmethod(_like)
    cummax = cummin = sort = staticmethod(_sort)
    empty = ones = zeros = staticmethod(_new)
    eigenpairs = staticmethod(_eigenpairs)
    eigenvalues = staticmethod(np.linalg.eigvals)
    embedding_to_weight = staticmethod(_embedding_to_weight)
    complex_logcumsumexp = staticmethod(_complex_logcumsumexp)
    exponential_cumsum = staticmethod(_exponential_cumsum)
    fft = _fft
    full = staticmethod(_full)
    floor_divide = trunc_divide = staticmethod(elementwise(np.floor_divide))
    fmod = staticmethod(elementwise(np.fmod))
    fractional_max_pool = staticmethod(_fractional_max_pool)
    grid_sample = staticmethod(_grid_sample)
    grid_sample_to_input = staticmethod(_grid_sample_to_input)
    gru_cell = staticmethod(_gru_cell)
    gru_cell_to_input = lstm_cell_to_input = staticmethod(_like)
    householder_vectors = staticmethod(_householder_vectors)
    index_add = scatter_reduce = scatter = staticmethod(_scatter)
    index_put_add = staticmethod(_index_put_add)
    inverse = staticmethod(_inverse)
    kthvalue = staticmethod(_kthvalue)
    layer_norm = staticmethod(_layer_norm)
    lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=_as_strided))
    logsumexp = staticmethod(_logsumexp)
    lstm = staticmethod(_lstm)
    lstm_cell = staticmethod(_lstm_cell)
    lstm_cell_to_cell = staticmethod(_lstm_cell_to_cell)
    lstm_to_input = staticmethod(_lstm_to_input)
    lu_factor = staticmethod(_lu_factor)
    max_along = min_along = median = mode = nanmedian = staticmethod(_along)
    max_pool = staticmethod(_max_pool)
    max_pool_to_input = staticmethod(_of_shape)
    squared_deviations = staticmethod(_squared_deviations)
    ndarray = staticmethod(_ndarray)
    normalisation_to_input = staticmethod(_normalisation_to_input)
    normalisation_to_weight = staticmethod(_normalisation_to_weight)
    probability_errors = staticmethod(_like)
    product = staticmethod(_product)
    pseudoinverse = staticmethod(_pseudoinverse)
    remainder = staticmethod(elementwise(np.remainder))
    resize = staticmethod(_resize)
    resize_to_input = staticmethod(_resize_to_input)
    scatter_add_along = staticmethod(_scatter_add_along)
    softmax = log_softmax = staticmethod(_softmax)
    solve = staticmethod(_solve)
    solve_triangular = staticmethod(_solve_triangular)
    take_along = staticmethod(_take_along)
    take_grid = staticmethod(_take_grid)
    take_spatial = staticmethod(_take_spatial)
    topk = staticmethod(_topk)
    total = total_of_squares = staticmethod(_total)
    unique = unique_consecutive = staticmethod(_no_values)

    #: kernels that give what they give for any arrays
    _AS_THEY_ARE = frozenset({"cast", "pooled_size", "zero_like"})

    def __init__(self) -> None:
        for name, kernel in vars(NumpyBackend).items():
            of_library = isinstance(kernel, staticmethod) and name not in self._AS_THEY_ARE
            if of_library and name not in vars(MetaKernels) and not name.endswith("_step"):
                setattr(self, name, elementwise(kernel.__func__))

    def __getattr__(self, name: str) -> Any:
        kernel = super().__getattr__(name)
        if not isinstance(kernel, np.ufunc) and getattr(np, name, None) is not kernel:
            kernel = elementwise(kernel)
            setattr(self, name, kernel)
        return kernel


meta_kernels = MetaKernels()
