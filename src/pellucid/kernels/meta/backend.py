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


def _adaptive_max_pool(x: Any, output_size: Shape) -> Any:
    shape = _pooled(x, output_size, output_size)
    return empty(shape, x.dtype), empty(shape, np.int64)


# ---- reductions and normalisation ---------------------------------------------------------------


def _layer_norm(x: Any, ndim: int, *args: Any) -> Any:
    kept = (*x.shape[: x.ndim - ndim], *(1,) * ndim)
    dtype = working_dtype(x.dtype)
    return empty(x.shape, x.dtype), empty(kept, dtype), empty(kept, dtype)


def _batch_norm(x: Any, *args: Any) -> Any:
    dtype = working_dtype(x.dtype)
    return (np.empty_like(x), *(empty(x.shape[1:2], dtype) for _ in range(3)))


# ---- gathering, scattering and sorting ----------------------------------------------------------


def _topk(x: Any, k: int, axis: int = -1, *args: Any, **options: Any) -> Any:
    shape = list(x.shape)
    if shape:
        shape[axis] = k
    return empty(shape, x.dtype), empty(shape, np.int64)


def _along(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    shape = _reduced(x.shape, axis, keepdims)
    return empty(shape, x.dtype), empty(shape, np.int64)


# ---- matrices -----------------------------------------------------------------------------------


def _with_infos(x: Any, a: Any) -> Any:
    return x, empty(a.shape[:-2], np.int32)


def _inverse(a: Any, *args: Any) -> Any:
    return _with_infos(np.empty_like(a), a)


def _solve(a: Any, b: Any) -> Any:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return _with_infos(empty((*batch, *b.shape[-2:]), b.dtype), a)


def _lu_factor(a: Any) -> Any:
    least = min(a.shape[-2:])
    pivots, infos = empty((*a.shape[:-2], least), np.int32), empty(a.shape[:-2], np.int32)
    return np.empty_like(a), pivots, infos


# ---- recurrent cells ----------------------------------------------------------------------------


def _lstm(x: Any, h_first: Any, c_first: Any, *args: Any) -> Any:
    shape = (*x.shape[:2], c_first.shape[-1])
    return empty(shape, x.dtype), empty(shape, x.dtype), np.empty_like(x)


def _gru(x: Any, h_first: Any, *args: Any) -> Any:
    steps, rows, size = (*x.shape[:2], h_first.shape[-1])
    return empty((steps, rows, size), x.dtype), empty((steps, rows, 4 * size), x.dtype)


def _gru_to_input(gates: Any, h: Any, h_first: Any, *args: Any) -> Any:
    shape = (*h.shape[:2], 3 * h.shape[-1])
    return empty(shape, h.dtype), empty(shape, h.dtype), np.empty_like(h_first)


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

    all_within = staticmethod(lambda index, size: True)  # nobody can know otherwise
    adaptive_avg_pool = staticmethod(
        lambda x, output_size: empty(_pooled(x, output_size, output_size), x.dtype)
    )
    adaptive_avg_pool_to_input = avg_pool_to_input = staticmethod(_of_shape)
    adaptive_max_pool = staticmethod(_adaptive_max_pool)
    array = staticmethod(_array)
    asarray = staticmethod(_asarray)
    argsort = staticmethod(lambda x, *args, **options: np.empty_like(x, np.int64))
    attention = staticmethod(_attention)
    attention_to_inputs = staticmethod(_attention_to_inputs)
    avg_pool = staticmethod(
        lambda x, kernel, stride, padding, ceil_mode=False, *args: _max_pool(
            x, kernel, stride, padding, (1,) * len(kernel), ceil_mode
        )[0]
    )
    batch_norm = staticmethod(_batch_norm)
    batch_norm_gradients = staticmethod(
        lambda g, x, weight, mean, var, eps: (
            np.empty_like(x),
            empty((x.shape[1],), x.dtype),
            empty((x.shape[1],), x.dtype),
        )
    )
    batch_norm_inference = staticmethod(_like)
    cholesky = staticmethod(_inverse)
    cofactors = matrix_exp = staticmethod(_like)
    determinant = staticmethod(np.linalg.det)
    column_sums = staticmethod(lambda rows: empty(rows.shape[1:], rows.dtype))
    convolve = staticmethod(_convolve)
    convolve_to_input = convolve_to_weight = staticmethod(
        lambda g, w, shape, *args: empty(shape, np.result_type(g.dtype, w.dtype))
    )
    cross_entropy_rows = staticmethod(lambda rows, target: empty(rows.shape[:1], rows.dtype))
    cumsum = cumprod = staticmethod(_like)
    cummax = cummin = sort = staticmethod(
        lambda x, *args, **options: (np.empty_like(x), np.empty_like(x, np.int64))
    )
    empty = ones = zeros = staticmethod(
        lambda shape, dtype=np.float64, **options: empty(shape, dtype)
    )
    eigenpairs = staticmethod(
        lambda a: (np.linalg.eigvals(a), empty(a.shape, np.result_type(a.dtype, np.complex64)))
    )
    eigenvalues = staticmethod(np.linalg.eigvals)
    embedding_to_weight = staticmethod(
        lambda g, indices, num_rows: empty((num_rows, *g.shape[indices.ndim :]), g.dtype)
    )
    logcumsumexp = staticmethod(lambda x, axis: MetaArray(x.shape, x.dtype))
    exponential_cumsum = staticmethod(
        lambda x, before, after, *args: empty(
            np.broadcast_shapes(x.shape, before.shape, after.shape), x.dtype
        )
    )
    fft = _fft
    full = staticmethod(
        lambda shape, fill_value, dtype=None, **options: empty(
            shape, np.asarray(fill_value).dtype if dtype is None else dtype
        )
    )
    floor_divide = trunc_divide = staticmethod(elementwise(np.floor_divide))
    fmod = staticmethod(elementwise(np.fmod))
    fractional_max_pool = staticmethod(
        lambda x, samples, kernel, output_size: _adaptive_max_pool(x, output_size)
    )
    grid_sample = staticmethod(
        lambda x, grid, *args: empty((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    )
    grid_sample_to_input = staticmethod(
        lambda g, grid, size, *args: empty((*g.shape[:2], *size), g.dtype)
    )
    gru = staticmethod(_gru)
    gru_cell = staticmethod(
        lambda x, recurrent, h_before: (np.empty_like(h_before), np.empty_like(x))
    )
    gru_cell_to_input = lstm_cell_to_input = staticmethod(_like)
    gru_to_input = staticmethod(_gru_to_input)
    householder_vectors = staticmethod(
        lambda a: (np.empty_like(a), empty((*a.shape[:-2], min(a.shape[-2:])), a.dtype))
    )
    index_add = scatter_reduce = scatter = staticmethod(
        lambda x, *args, **options: empty(x.shape, x.dtype)
    )
    index_put_add = staticmethod(lambda shape, dtype, index, values: empty(shape, dtype))
    index_put_added = staticmethod(lambda out, index, values, scatter: None)
    inverse = staticmethod(_inverse)
    kthvalue = staticmethod(lambda x, k, axis=-1, keepdims=False: _along(x, axis, keepdims))
    layer_norm = staticmethod(_layer_norm)
    lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=_as_strided))
    logsumexp = staticmethod(
        lambda x, axis, keepdims=False: empty(
            _reduced(x.shape, axis, keepdims), floating_dtype(x.dtype)
        )
    )
    lstm = staticmethod(_lstm)
    lstm_cell = staticmethod(
        lambda x, c_before: (np.empty_like(c_before), np.empty_like(c_before), np.empty_like(x))
    )
    lstm_cell_to_cell = staticmethod(lambda gates, c, *args: np.empty_like(c))
    lstm_to_input = staticmethod(
        lambda gates, c, c_first, *args: (np.empty_like(gates), np.empty_like(c_first))
    )
    lu_factor = staticmethod(_lu_factor)
    max_dim = min_dim = median = mode = nanmedian = staticmethod(_along)
    max_pool = staticmethod(_max_pool)
    max_pool_to_input = staticmethod(_of_shape)
    squared_deviations = staticmethod(lambda x, axes: empty(_reduced(x.shape, axes, True), x.dtype))
    ndarray = staticmethod(_ndarray)
    normalisation_to_input = staticmethod(lambda g, x, *args: np.empty_like(x))
    normalisation_to_weight = staticmethod(
        lambda g, x, mean, rstd, axes: empty(_reduced(x.shape, tuple(axes), False), x.dtype)
    )
    cross_entropy_loss_backward = staticmethod(_like)
    product = staticmethod(
        lambda x, axis, dtype, keepdims: np.multiply.reduce(x, axis, dtype, keepdims=keepdims)
    )
    pseudoinverse = staticmethod(
        lambda a, *args: empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    )
    remainder = staticmethod(elementwise(np.remainder))
    resize = staticmethod(
        lambda x, plan: empty((*x.shape[:2], *(arguments[2] for arguments in plan)), x.dtype)
    )
    resize_to_input = staticmethod(
        lambda g, plan: empty((*g.shape[:2], *(arguments[1] for arguments in plan)), g.dtype)
    )
    scatter_add_along = staticmethod(lambda shape, index, src, dim: empty(shape, src.dtype))
    softmax_backward = log_softmax_backward = staticmethod(_like)
    softmax = log_softmax = staticmethod(lambda x, axis: np.empty_like(x, floating_dtype(x.dtype)))
    solve = staticmethod(_solve)
    solve_triangular = staticmethod(lambda a, b, *args: _solve(a, b)[0])
    take_along = staticmethod(lambda x, index, dim: empty(index.shape, x.dtype))
    take_grid = staticmethod(
        lambda x, positions: empty(
            (*x.shape[: x.ndim - len(positions)], *map(len, positions)), x.dtype
        )
    )
    take_spatial = staticmethod(lambda x, indices: empty(indices.shape, x.dtype))
    topk = staticmethod(_topk)
    total = total_of_squares = staticmethod(
        lambda x, axes, keepdims: np.add.reduce(x, axes, keepdims=keepdims)
    )
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
